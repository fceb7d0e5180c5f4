#!/usr/bin/env python3
"""Makes random OpenCL kernels of defined behaviour: the same seed gives the same program.

    gen_program.py SEED > program.cl

A program reads buffers of every type, works on variables, private arrays, vectors and local memory through nested
branches, loops, switches and calls, and stores every variable at the end, NaNs made one.
"""

import random
import sys

SIGNED = ('char', 'short', 'int', 'long')
UNSIGNED = ('uchar', 'ushort', 'uint', 'ulong')
INTEGERS = SIGNED + UNSIGNED
FLOATS = ('half', 'float', 'double')
TYPES = INTEGERS + FLOATS
BITS = {'char': 8, 'uchar': 8, 'short': 16, 'ushort': 16, 'int': 32, 'uint': 32, 'long': 64, 'ulong': 64, 'half': 16, 'float': 32, 'double': 64}
VECTORS = ('uint4', 'float4', 'ushort2', 'int2')
ELEMENT = {'uint4': 'uint', 'float4': 'float', 'ushort2': 'ushort', 'int2': 'int'}
LANES = {'uint4': 4, 'float4': 4, 'ushort2': 2, 'int2': 2}
WEIGHTS = {'int': 5, 'uint': 7, 'long': 3, 'ulong': 3, 'float': 6, 'double': 2, 'half': 2, 'short': 2, 'ushort': 2, 'char': 1, 'uchar': 1}
ARRAY = 16     # elements of a private array
GROUP = 64     # items of a group
ITEMS = 150    # the last group is partial
CONSTANTS = {8: (0, 1, 0x7F, 0x80, 0xFF), 16: (0, 1, 0x7FFF, 0x8000, 0xFFFF), 32: (0, 1, 2, 31, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF),
             64: (0, 1, 63, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF)}


class Function:
    """A function that the program may call."""

    def __init__(self, name, result, parameters):
        self.name, self.result, self.parameters = name, result, parameters


class Program:
    """Writes one program; `depth` bounds expressions, `budget` the number of statements."""

    def __init__(self, seed, name):
        self.random = random.Random(seed)
        self.name = name
        self.lines = []
        self.indent = 1
        self.variables = {}  # type: names in scope that may be read
        self.mutable = {}    # type: names that may be assigned
        self.arrays = {}     # type: private arrays of ARRAY elements
        self.functions = []
        self.counter = 0
        self.budget = 0
        self.loops = 0
        self.in_kernel = False

    def fresh(self, prefix):
        self.counter += 1
        return f'{prefix}{self.counter}'

    def emit(self, text):
        self.lines.append('    ' * self.indent + text)

    def pick_type(self):
        return self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]

    def chance(self, probability):
        return self.random.random() < probability

    # Expressions

    def constant(self, kind):
        if kind in FLOATS:
            value = self.random.choice((0.0, 1.0, -1.0, 0.5, 2.0, -3.25, 1e-3, 100.0, self.random.uniform(-20, 20)))
            return f'({kind}){value!r}' + ('' if kind == 'double' else 'f')
        bits = BITS[kind]
        value = self.random.choice(CONSTANTS[bits]) if self.chance(0.5) else self.random.getrandbits(self.random.randint(1, bits))
        return f'({kind}){value:#x}' + ('ul' if bits == 64 else 'u')

    def leaf(self, kind):
        names = self.variables.get(kind)
        if names and self.chance(0.85):
            return self.random.choice(names)
        others = [other for other in TYPES if self.variables.get(other)]
        if others and self.chance(0.7):
            source = self.random.choice(others)
            return self.converted(kind, source, self.random.choice(self.variables[source]))
        return self.constant(kind)

    def index(self, depth, limit=ARRAY):
        return f'(uint)({self.expression("uint", depth)}) & {limit - 1}'

    def condition(self, depth):
        kind = self.pick_type()
        comparison = f'{self.expression(kind, depth - 1)} {self.random.choice(("<", "<=", ">", ">=", "==", "!="))} {self.expression(kind, depth - 1)}'
        if self.chance(0.2):
            comparison = f'({comparison}) {self.random.choice(("&&", "||"))} ({self.condition(depth - 1)})' if depth > 1 else comparison
        return f'!({comparison})' if self.chance(0.15) else comparison

    def conversion(self, kind, depth):
        source = self.pick_type()
        return self.converted(kind, source, self.expression(source, depth - 1))

    @staticmethod
    def converted(kind, source, inner):
        if kind in INTEGERS and source in FLOATS:
            if kind in ('long', 'ulong'):
                return f'to_{kind}((double)({inner}))'
            through = 'to_int' if kind in SIGNED else 'to_uint'
            return f'({kind}){through}((float)({inner}))'
        if kind == 'half' and source in INTEGERS:
            return f'to_half((int)({inner}))'
        return f'({kind})({inner})'

    def integer(self, kind, depth):
        a = self.expression(kind, depth - 1)
        choice = self.random.randrange(12)
        if choice < 6:
            name = self.random.choice(('add', 'sub', 'mul', 'shl', 'shr', 'add', 'sub', 'mul', 'div', 'mod'))
            return f'{name}_{kind}({a}, {self.expression(kind, depth - 1)})'
        if choice < 8:
            return f'({kind})(({a}) {self.random.choice("&|^")} ({self.expression(kind, depth - 1)}))'
        if choice == 8:
            return f'neg_{kind}({a})' if self.chance(0.5) else f'({kind})~({a})'
        if choice == 9 and kind in ('uint', 'ulong'):
            name = self.random.choice(('popcount', 'clz', 'ctz', 'bit_reverse'))
            return f'({kind}){name}({a})'
        if choice == 10 and kind in ('uint', 'ulong'):
            return self.random.choice((f'rotate({a}, {self.expression(kind, depth - 1)})', f'mul_hi({a}, {self.expression(kind, depth - 1)})'))
        return f'{self.random.choice(("lesser", "greater"))}({a}, {self.expression(kind, depth - 1)})'

    def real(self, kind, depth):
        a = self.expression(kind, depth - 1)
        choice = self.random.randrange(12)
        if choice < 6:
            # Halves are not divided: the compiler's sequence for that rounds some denormal quotients wrongly.
            operator = self.random.choice('+-*' if kind == 'half' else '+-*/')
            return f'({kind})(({a}) {operator} ({self.expression(kind, depth - 1)}))'
        if choice == 6 and kind != 'half':
            return f'fma({a}, {self.expression(kind, depth - 1)}, {self.expression(kind, depth - 1)})'
        if choice == 7 and kind != 'half':
            return f'{self.random.choice(("floor", "ceil", "trunc", "rint"))}({a})'
        if choice == 8 and kind != 'half':
            return f'root({a})'
        if choice == 9:
            return f'magnitude({a})' if self.chance(0.5) else f'({kind})(-({a}))'
        if choice == 10 and kind != 'half':
            return f'ldexp({a}, (int)({self.expression("int", depth - 1)}) & 31)'
        return f'{self.random.choice(("lesser", "greater"))}({a}, {self.expression(kind, depth - 1)})'

    def vector(self, kind, depth):
        """An expression of a vector type."""
        names = self.variables.get(kind)
        if depth <= 0 or self.chance(0.3):
            if names and self.chance(0.7):
                name = self.random.choice(names)
                if self.chance(0.4):
                    return name + '.' + ''.join(self.random.choice('xyzw'[:LANES[kind]]) for _ in range(LANES[kind]))
                return name
            return f'(({kind})(' + ', '.join(self.expression(ELEMENT[kind], depth - 1) for _ in range(LANES[kind])) + '))'
        operators = '+-*' if kind == 'float4' else '+-*&|^'
        if kind == 'int2':
            operators = '&|^'
        return f'({self.vector(kind, depth - 1)} {self.random.choice(operators)} {self.vector(kind, depth - 1)})'

    def call(self, function, depth):
        return f'{function.name}(' + ', '.join(self.expression(kind, depth - 1) for kind in function.parameters) + ')'

    def expression(self, kind, depth):
        if depth <= 0 or self.chance(0.15):
            return self.leaf(kind)
        choice = self.random.random()
        if choice < 0.15:
            return self.conversion(kind, depth)
        if choice < 0.25:
            return f'({self.condition(depth - 1)} ? {self.expression(kind, depth - 1)} : {self.expression(kind, depth - 1)})'
        if choice < 0.31 and self.arrays.get(kind):
            return f'{self.random.choice(self.arrays[kind])}[{self.index(depth - 1)}]'
        if choice < 0.36:
            vectors = [v for v in VECTORS if ELEMENT[v] == kind and self.variables.get(v)]
            if vectors:
                chosen = self.random.choice(vectors)
                name = self.random.choice(self.variables[chosen])
                return f'{name}[{self.index(depth - 1, LANES[chosen])}]' if self.chance(0.4) else f'{name}.{self.random.choice("xyzw"[:LANES[chosen]])}'
        return self.real(kind, depth) if kind in FLOATS else self.integer(kind, depth)

    # Statements

    def declare(self, kind, value):
        name = self.fresh('v')
        self.emit(f'{kind} {name} = {value};')
        self.variables.setdefault(kind, []).append(name)
        self.mutable.setdefault(kind, []).append(name)

    def scoped(self, body):
        """A block: what is declared in it goes out of scope after it."""
        saved = ({k: list(v) for k, v in self.variables.items()}, {k: list(v) for k, v in self.mutable.items()})
        self.indent += 1
        body()
        self.indent -= 1
        self.variables, self.mutable = saved

    def statements(self, most):
        for _ in range(self.random.randint(1, most)):
            if self.budget <= 0:
                return
            self.statement()

    def assign(self):
        kinds = [kind for kind in self.mutable if self.mutable[kind]]
        kind = self.random.choice(kinds)
        name = self.random.choice(self.mutable[kind])
        if kind in VECTORS:
            if self.chance(0.4):
                self.emit(f'{name}[{self.index(1, LANES[kind])}] = {self.expression(ELEMENT[kind], 2)};')
            else:
                self.emit(f'{name} = {self.vector(kind, 2)};')
        else:
            self.emit(f'{name} = {self.expression(kind, 3)};')

    def store_element(self):
        kinds = [kind for kind in self.arrays if self.arrays[kind]]
        if not kinds:
            self.assign()
            return
        kind = self.random.choice(kinds)
        self.emit(f'{self.random.choice(self.arrays[kind])}[{self.index(2)}] = {self.expression(kind, 2)};')

    def branch(self):
        self.emit(f'if ({self.condition(2)}) {{')
        self.scoped(lambda: self.statements(4))
        if self.chance(0.5):
            self.emit('} else {')
            self.scoped(lambda: self.statements(4))
        self.emit('}')

    def loop(self):
        if self.loops >= 2:
            self.assign()
            return
        self.loops += 1
        counter = self.fresh('k')
        bound = str(self.random.randint(2, 6)) if self.chance(0.4) else f'({self.expression("uint", 1)} & 7)'
        self.emit(f'for (uint {counter} = 0; {counter} < {bound}; {counter}++) {{')

        def body():
            self.variables.setdefault('uint', []).append(counter)
            self.statements(4)
            if self.chance(0.3):
                self.emit(f'if ({self.condition(1)})')
                self.emit(f'    {self.random.choice(("break", "continue"))};')
                self.statements(2)
        self.scoped(body)
        self.emit('}')
        self.loops -= 1

    def turning_loop(self):
        """A while loop that a condition or a count ends."""
        if self.loops >= 2:
            self.assign()
            return
        self.loops += 1
        counter = self.fresh('n')
        self.emit(f'uint {counter} = 0;')
        self.emit(f'while ({counter}++ < 6 && ({self.condition(2)})) {{')
        self.scoped(lambda: self.statements(4))
        self.emit('}')
        self.loops -= 1

    def switch(self):
        count = self.random.randint(3, 7)
        self.emit(f'switch ({self.expression("uint", 2)} % {count + 1}) {{')
        for case in range(count):
            self.emit(f'case {case}: {{')
            self.scoped(lambda: self.statements(2))
            self.emit('}' if self.chance(0.2) and case + 1 < count else '} break;')
        self.emit('default:')
        self.indent += 1
        self.assign()
        self.indent -= 1
        self.emit('}')

    def call_statement(self):
        if not self.functions or self.loops >= 2:
            self.assign()
            return
        function = self.random.choice(self.functions)
        self.declare(function.result, self.call(function, 2))

    def atomic(self):
        if not self.in_kernel:
            self.assign()
            return
        operation = self.random.choice(('add', 'xor', 'or', 'and', 'max', 'min'))
        offset = {'add': 0, 'xor': 4, 'or': 8, 'and': 12, 'max': 16, 'min': 20}[operation]
        self.emit(f'atomic_{operation}(&cells[{offset} + ({self.index(1, 4)})], {self.expression("uint", 2)});')

    def statement(self):
        self.budget -= 1
        kinds = ((self.assign, 8), (lambda: self.declare(kind := self.pick_type(), self.expression(kind, 3)), 4), (self.store_element, 2),
                 (self.branch, 4), (self.loop, 2), (self.turning_loop, 1), (self.switch, 1), (self.call_statement, 2), (self.atomic, 1),
                 (lambda: self.declare(kind := self.random.choice(VECTORS), self.vector(kind, 2)), 1))
        self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()

    # Parts of the program

    def function(self):
        """A function with a body of its own; it may call those before it."""
        parameters = [self.pick_type() for _ in range(self.random.randint(1, 5))]
        result = self.pick_type()
        name = self.fresh('f')
        self.variables, self.mutable, self.arrays = {}, {}, {}
        names = []
        for kind in parameters:
            parameter = self.fresh('p')
            names.append(f'{kind} {parameter}')
            self.variables.setdefault(kind, []).append(parameter)
            self.mutable.setdefault(kind, []).append(parameter)
        self.lines.append('')
        self.lines.append(f'{self.random.choice(("NOINLINE", "INLINE"))} {result} {name}({", ".join(names)})')
        self.lines.append('{')
        self.declare(result, self.expression(result, 2))
        self.budget = 7
        self.statements(6)
        self.emit(f'return {self.expression(result, 3)};')
        self.lines.append('}')
        self.functions.append(Function(name, result, parameters))

    def make_array(self):
        kind = self.random.choice(('uint', 'uint', 'uchar', 'short', 'ulong', 'float', 'double', 'half'))
        name = self.fresh('a')
        self.emit(f'{kind} {name}[{ARRAY}];')
        counter = self.fresh('k')
        self.emit(f'for (uint {counter} = 0; {counter} < {ARRAY}; {counter}++)')
        value = f'({kind})(float)({counter} * 3)' if kind in FLOATS else f'({kind})({counter} * {self.random.randrange(1, 999)}u)'
        self.emit(f'    {name}[{counter}] = {value};')
        self.arrays.setdefault(kind, []).append(name)

    def exchange(self):
        """All items of a group pass values through local memory."""
        kind, tile = self.random.choice((('uint', 'words'), ('ulong', 'longs'), ('float', 'reals'), ('uchar', 'bytes')))
        self.emit(f'{tile}[get_local_id(0)] = {self.expression(kind, 2)};')
        self.emit('barrier();')
        self.declare(kind, f'{tile}[mod_uint({self.expression("uint", 2)}, get_local_size(0))]')
        self.emit('barrier();')

    def kernel(self):
        self.variables, self.mutable, self.arrays = {}, {}, {}
        self.in_kernel = True
        self.lines += ['', f'kernel void {self.name}(global const uint *in32, global const ulong *in64, global const float *inf32, '
                       'global const double *inf64, global const half *inf16, global uint *cells, global ulong *out, uint s32, ulong s64, float sf32)',
                       '{', '    local uint words[64];', '    local ulong longs[64];', '    local float reals[64];', '    local uchar bytes[64];',
                       '    uint id = get_global_id(0);']
        for kind, name in (('uint', 'id'), ('uint', 's32'), ('ulong', 's64'), ('float', 'sf32')):
            self.variables.setdefault(kind, []).append(name)
        for kind in TYPES:
            source = {'float': 'inf32[id]', 'double': 'inf64[id]', 'half': 'inf16[id]'}.get(kind) or \
                f'({kind})(in{64 if BITS[kind] == 64 else 32}[id] >> {self.random.choice((0, 0, 3))})'
            self.declare(kind, source)
        self.declare('uint4', '(uint4)(in32[id], in32[id ^ 1], s32, id)')
        self.declare('float4', '(float4)(inf32[id], inf32[id ^ 1], sf32, 2.0f)')
        for _ in range(self.random.randint(0, 3)):
            self.make_array()
        for _ in range(self.random.randint(2, 4)):
            self.budget = 14
            self.statements(10)
            if self.chance(0.5):
                self.exchange()
        self.store_all()
        self.lines.append('}')

    def store_all(self):
        """A digest of every variable in scope, so that no difference gets lost."""
        self.emit('ulong digest = 0;')
        for kind, names in sorted(self.variables.items()):
            for name in names:
                parts = [f'{name}.{c}' for c in 'xyzw'[:LANES[kind]]] if kind in VECTORS else [name]
                for part in parts:
                    element = ELEMENT.get(kind, kind)
                    bits = f'canonical({part})' if element in FLOATS else f'(ulong)({part})'
                    self.emit(f'digest = rotate(digest, 7ul) * 0x9e3779b97f4a7c15ul + {bits};')
        for kind, names in sorted(self.arrays.items()):
            for name in names:
                bits = f'canonical({name}[k])' if kind in FLOATS else f'(ulong){name}[k]'
                self.emit(f'for (uint k = 0; k < {ARRAY}; k++)')
                self.emit(f'    digest = rotate(digest, 9ul) * 0x9e3779b97f4a7c15ul + {bits};')
        for place, kind in enumerate(('uint', 'float', 'ulong', 'double')):
            name = self.mutable[kind][0]
            self.emit(f'out[id * 5 + {place + 1}] = {f"canonical({name})" if kind in FLOATS else name};')
        self.emit('out[id * 5] = digest;')

    def text(self, seed):
        for _ in range(self.random.randint(1, 4)):
            self.function()
        self.kernel()
        head = [f'// A random program: seed {seed}.',
                f'//! exec -g {ITEMS} -b {GROUP} in:u32:192 in:u64:192 in:f32:192 in:f64:192 in:f16:192 inout:u32:24:plain out:u64:{ITEMS * 5} '
                f'u32:{self.random.getrandbits(32):#x} u64:{self.random.getrandbits(64):#x} f32:{self.random.uniform(-4, 4):.4f}',
                '#pragma clang diagnostic ignored "-Weverything"', '#include "safe.h"']
        return '\n'.join(head + self.lines) + '\n'


def generate(seed, name):
    return Program(seed, name).text(seed)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('usage: gen_program.py SEED')
    print(generate(int(sys.argv[1]), 'program'), end='')
