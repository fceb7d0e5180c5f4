"""Reads the `//! exec` lines of a kernel and makes its input data: deterministic, with corner values mixed in."""

import math
import random
import re
import struct
import zlib
from dataclasses import dataclass, field

# type: (struct code, bytes, corner values)
INT_CORNERS = {
    8: [0, 1, 2, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF],
    16: [0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF],
    32: [0, 1, 2, 3, 31, 32, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFFF, 0x1000000, 0x7FFFFFFE, 0x7FFFFFFF,
         0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0xAAAAAAAA, 0x55555555],
    64: [0, 1, 2, 63, 64, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x1FFFFFFFFFFFFF, 0x20000000000001,
         0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF00000000],
}
# As bits: zeros, ones, halves, infinities, NaNs (quiet and signalling), denormals, the largest and smallest, integers' limits.
FLOAT_CORNERS = {
    16: [0, 0x8000, 0x3C00, 0xBC00, 0x3800, 0x3E00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 1, 0x8001, 0x3FF, 0x83FF, 0x400, 0x8400,
         0x7BFF, 0xFBFF, 0x5BFF, 0x5C00, 0x77FF, 0x7800, 0xF800],
    32: [0, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0x3FC00000, 0x40200000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
         0x7F800001, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x4B7FFFFF, 0x4B800000,
         0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0xDF000000, 0x5F800000, 0x4EFFFFFF, 0x437F0000, 0x477FE000, 0x477FF000,
         0x33000000, 0x33000001, 0x38800000, 0x387FFFFF],
    64: [0, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000, 0x7FF0000000000000,
         0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000123, 0x7FF0000000000001, 1, 0x8000000000000001,
         0xFFFFFFFFFFFFF, 0x10000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x41E0000000000000,
         0xC1E0000000000000, 0x41EFFFFFFFE00000, 0x41DFFFFFFFC00000, 0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000,
         0x433FFFFFFFFFFFFF, 0x4340000000000001, 0x36A0000000000000, 0x380FFFFFFFFFFFFF, 0x47EFFFFFF0000000, 0x3E60000000000000,
         0x40EFFC0000000000, 0x40EFFE0000000000],
}
TYPES = {'u8': 'B', 'i8': 'b', 'u16': 'H', 'i16': 'h', 'u32': 'I', 'i32': 'i', 'u64': 'Q', 'i64': 'q', 'f16': 'e', 'f32': 'f', 'f64': 'd'}
UNSIGNED = {8: 'B', 16: 'H', 32: 'I', 64: 'Q'}
FLOAT_OF = {16: 'e', 32: 'f', 64: 'd'}
TEXT = ('the quick brown fox jumps over the lazy dog while a virtual wave of lanes folds itself onto the vector units of its host '
        'and the fox and the dog and the wave all agree to the last bit ')


class SpecError(Exception):
    """A spec line that says something this file does not know."""


def type_bits(kind):
    if kind not in TYPES:
        raise SpecError(f'unknown type {kind}')
    return int(kind[1:])


@dataclass
class Argument:
    """One kernel argument: a scalar passed through, or a buffer with its type and contents."""
    role: str  # in, out, inout, or pass
    text: str = ''
    type: str = ''
    count: int = 0
    contents: str = 'mixed'
    seed: int = 0

    def bytes(self):
        return self.count * type_bits(self.type) // 8


@dataclass
class Case:
    """One spec line: how a kernel is started."""
    kernel: str
    grid: str = '1'
    block: str = '1'
    resident: int = 1
    wave_dependent: bool = False
    arguments: list = field(default_factory=list)
    line: str = ''


def number(text):
    return int(text, 0)


def parse_argument(word, position):
    parts = word.split(':')
    if parts[0] not in ('in', 'out', 'inout'):
        return Argument('pass', word)
    if len(parts) < 3:
        raise SpecError(f'{word}: needs a type and a count')
    argument = Argument(parts[0], word, parts[1], number(parts[2]), seed=position + 1)
    if len(parts) > 3:
        argument.contents = parts[3]
    if len(parts) > 4:
        argument.seed = number(parts[4])
    argument.bytes()
    return argument


def parse_case(line, default_kernel):
    case = Case(default_kernel, line=line.strip())
    words = line.split()
    position = 0
    while position < len(words):
        word = words[position]
        if word == '-w':
            case.wave_dependent = True
        elif word in ('-k', '-g', '-b', '-c'):
            position += 1
            value = words[position]
            if word == '-k':
                case.kernel = value
            elif word == '-g':
                case.grid = value
            elif word == '-b':
                case.block = value
            else:
                case.resident = number(value)
        else:
            case.arguments.append(parse_argument(word, len(case.arguments)))
        position += 1
    return case


def parse_cases(source, default_kernel):
    return [parse_case(m.group(1), default_kernel) for m in re.finditer(r'^//! exec (.*)$', source, re.M)]


def plain_float(generator, bits):
    value = generator.uniform(-8.0, 8.0)
    if generator.random() < 0.3:
        value *= 2.0 ** generator.randint(*{16: (-10, 6), 32: (-60, 60), 64: (-300, 300)}[bits])
    return value


def integer_values(argument, generator):
    bits, contents = type_bits(argument.type), argument.contents
    if contents.startswith('below='):
        limit = number(contents[6:])
        return [generator.randrange(limit) for _ in range(argument.count)]
    values = list(struct.unpack(f'<{argument.count}{UNSIGNED[bits]}', generator.randbytes(argument.bytes())))
    if contents == 'plain':
        return values
    for i in range(argument.count):
        choice = generator.random()
        if choice < 0.2:
            values[i] = generator.choice(INT_CORNERS[bits])
        elif choice < 0.4:  # of any magnitude
            values[i] >>= generator.randrange(bits)
    return values


def float_bytes(argument, generator):
    bits, contents = type_bits(argument.type), argument.contents
    code = FLOAT_OF[bits]
    if contents.startswith('range='):
        low, high = (float(x) for x in contents[6:].split(','))
        return struct.pack(f'<{argument.count}{code}', *(generator.uniform(low, high) for _ in range(argument.count)))
    out = bytearray()
    for _ in range(argument.count):
        choice = generator.random()
        if contents == 'mixed' and choice < 0.25:
            out += struct.pack(f'<{UNSIGNED[bits]}', generator.choice(FLOAT_CORNERS[bits]))
        elif contents == 'mixed' and choice < 0.4:
            out += generator.randbytes(bits // 8)
        else:
            out += struct.pack(f'<{code}', plain_float(generator, bits))
    return bytes(out)


def buffer_contents(argument):
    """The bytes of an input buffer; the same for the same text, on every machine."""
    generator = random.Random(zlib.crc32(f'{argument.type}:{argument.count}:{argument.contents}:{argument.seed}'.encode()))
    contents = argument.contents
    if contents == 'zero':
        return bytes(argument.bytes())
    if contents == 'text':
        start = generator.randrange(len(TEXT))
        return (TEXT * (argument.bytes() // len(TEXT) + 2)).encode()[start:start + argument.bytes()]
    if contents == 'index':
        return struct.pack(f'<{argument.count}{UNSIGNED[type_bits(argument.type)]}', *range(argument.count))
    if contents not in ('mixed', 'plain') and not contents.startswith(('below=', 'range=')):
        raise SpecError(f'{argument.text}: unknown contents {contents}')
    if argument.type[0] == 'f':
        return float_bytes(argument, generator)
    bits = type_bits(argument.type)
    return struct.pack(f'<{argument.count}{UNSIGNED[bits]}', *integer_values(argument, generator))


def show_element(kind, data):
    """An element as a person wants to read it: the bits, and the float they mean."""
    bits = type_bits(kind)
    text = '0x' + data[::-1].hex()
    if kind[0] == 'f':
        value = struct.unpack('<' + FLOAT_OF[bits], data)[0]
        text += f' ({"nan" if math.isnan(value) else repr(value)})'
    return text


def first_difference(kind, expected, actual):
    """Byte offset of the first element that differs, or None; a short buffer differs at its end."""
    size = type_bits(kind) // 8
    if expected == actual:
        return None
    for at in range(0, max(len(expected), len(actual)), size):
        if expected[at:at + size] != actual[at:at + size]:
            return at
    return None


def elsewhere(report):
    """Why the CPU device carried dispatches out that were meant for another one, or None; addresses are left out, so that like is counted with like."""
    reasons = '; '.join(program['device_reason'] for program in report['programs'] if program.get('device_reason'))
    return re.sub('0x[0-9a-f]+', 'an address', reasons) or None


def elsewhere_lines(reasons):
    """Of reasons and how often each was given, a line for each."""
    return [f'{count} carried out by the CPU device: {reason}' for reason, count in sorted(reasons.items(), key=lambda item: -item[1])]
