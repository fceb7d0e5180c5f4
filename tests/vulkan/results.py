"""Results of vk_compute: reading the files that it writes, and comparing those of two devices by the rules in them."""

import array
import math
import struct


class Different(Exception):
    """Two results that do not agree; the text says where."""


def read(path):
    """The parts of a file: (name, rule, bytes)."""
    with open(path, 'rb') as file:
        data = file.read()
    parts, at = [], 0
    while at < len(data):
        end = data.index(b'\n', at)
        name, rule, size = data[at:end].decode().split('|')
        parts.append((name, rule, data[end + 1:end + 1 + int(size)]))
        if len(parts[-1][2]) != int(size):
            raise Different(f'{name} is cut short')
        at = end + 1 + int(size) + 1
    return parts


FORMATS = {'f16': ('e', 'H', 16), 'f32': ('f', 'I', 32), 'f64': ('d', 'Q', 64)}


def elements(kind, data):
    """The values of a result and their numbers in the order of the floats."""
    code, word, width = FORMATS[kind]
    count = len(data) * 8 // width
    values = struct.unpack(f'<{count}{code}', data[:count * width // 8])
    sign = 1 << (width - 1)
    orders = [-(bits & (sign - 1)) if bits & sign else bits for bits in array.array(word, data[:count * width // 8])]
    return values, orders


def close(kind, limit, value_a, value_b, order_a, order_b):
    if math.isnan(value_a) or math.isnan(value_b):
        return math.isnan(value_a) and math.isnan(value_b)
    if value_a == value_b:
        return True
    if kind == 'ulp':
        return abs(order_a - order_b) <= limit
    if kind == 'abs':
        return abs(value_a - value_b) <= limit
    return abs(value_a - value_b) <= limit * max(abs(value_a), abs(value_b))


def compare_part(name, rule, want, got):
    if want == got:
        return
    if len(want) != len(got):
        raise Different(f'{name}: {len(got)} bytes, natively {len(want)}')
    if rule == 'exact':
        count = sum(1 for a, b in zip(want, got) if a != b)
        first = next(i for i, (a, b) in enumerate(zip(want, got)) if a != b) & ~3
        raise Different(f'{name}: {count} of {len(want)} bytes differ, the first in word {first // 4}: '
                        f'{got[first:first + 4][::-1].hex()}, natively {want[first:first + 4][::-1].hex()}')
    kind, how, limit = rule.split()
    a, b = elements(kind, want), elements(kind, got)
    bad = [i for i in range(len(a[0])) if not close(how, float(limit), a[0][i], b[0][i], a[1][i], b[1][i])]
    if bad:
        raise Different(f'{name}: {len(bad)} of {len(a[0])} differ by more than {rule}, the first {bad[0]}: {b[0][bad[0]]!r}, '
                        f'natively {a[0][bad[0]]!r}')


def compare(native, virtual):
    """Raises Different where the files do not agree."""
    wants, gots = read(native), read(virtual)
    if [part[:2] for part in wants] != [part[:2] for part in gots]:
        raise Different('the results are others: ' + ', '.join(part[0] for part in gots))
    if not any(any(part[2]) for part in wants):
        raise Different('the results are nothing but zeros')
    for (name, rule, want), (_, _, got) in zip(wants, gots):
        compare_part(name, rule, want, got)
