"""Branches of the lane library that do nothing but choose between values become choices: hosts take each branch for two blocks, and blocks are what
they compile slowly. A branch stays where an arm does something, or a lot, or what it calculates with may not be there, or where the source
says so."""

OP_NAME, OP_DECORATE = 5, 71
OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT, OP_VARIABLE, OP_LOAD, OP_STORE, OP_ACCESS_CHAIN = 20, 21, 22, 59, 61, 62, 65
OP_FUNCTION, OP_PARAMETER, OP_FUNCTION_END, OP_CALL, OP_PHI, OP_SELECT = 54, 55, 56, 57, 245, 169
OP_SELECTION_MERGE, OP_LOOP_MERGE, OP_LABEL, OP_BRANCH, OP_BRANCH_CONDITIONAL, OP_RETURN_VALUE = 247, 246, 248, 249, 250, 254
PRIVATE, FUNCTION, PUSH_CONSTANT = 6, 7, 9
MOST = 16  # instructions that an arm may have
HEAD = 5
DONT_FLATTEN = 2

# By opcode: composites, conversions, arithmetic without division, comparisons, bits.
PURE = {12, 79, 80, 81, 82, 124, *range(109, 120), *range(126, 134), *range(154, 206), OP_ACCESS_CHAIN}


def opcode(inst):
    return inst[0] & 0xFFFF


class Function:
    def __init__(self, head):
        self.head = head  # OpFunction and its parameters
        self.blocks = []  # lists of instructions, the first a label

    def ends(self):
        return {block[0][1]: targets(block[-1]) for block in self.blocks}


def targets(end):
    kind = opcode(end)
    if kind == OP_BRANCH:
        return [end[1]]
    if kind == OP_BRANCH_CONDITIONAL:
        return [end[2], end[3]]
    return [end[2]] + end[4::2] if kind == 251 else []


def leads_to(function):
    came = {}
    for label, ways in function.ends().items():
        for way in ways:
            came.setdefault(way, set()).add(label)
    return came


class Library:
    def __init__(self, words):
        self.words = words
        self.head, self.functions, self.storage, self.scalar, self.pure = [], [], {}, set(), set()
        function = None
        at = HEAD
        while at < len(words):
            inst = words[at:at + (words[at] >> 16)]
            at += len(inst)
            kind = opcode(inst)
            if kind in (OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT):
                self.scalar.add(inst[1])
            elif kind == OP_VARIABLE:
                self.storage[inst[2]] = inst[3]
            if kind == OP_FUNCTION:
                function = Function([inst])
                self.functions.append(function)
            elif function is None:
                self.head.append(inst)
            elif kind == OP_PARAMETER:
                function.head.append(inst)
            elif kind == OP_LABEL:
                function.blocks.append([inst])
            elif kind != OP_FUNCTION_END:
                function.blocks[-1].append(inst)

    def is_pure(self, inst):
        kind = opcode(inst)
        if kind == OP_CALL:
            return inst[3] in self.pure
        if kind == OP_ACCESS_CHAIN:
            self.storage[inst[2]] = self.storage.get(inst[3])
        if kind == OP_LOAD:
            return self.storage.get(inst[3]) in (PRIVATE, FUNCTION, PUSH_CONSTANT)
        return kind in PURE

    def find_pure(self):
        """Functions of one block that only calculate."""
        for function in self.functions:
            if len(function.blocks) == 1 and opcode(function.blocks[0][-1]) == OP_RETURN_VALUE:
                if all(self.is_pure(inst) for inst in function.blocks[0][1:-1]):
                    self.pure.add(function.head[0][2])

    def arm(self, blocks, came, label, head, merge):
        """The arm's instructions; None: it stays one."""
        if label == merge:
            return []
        block = blocks[label]
        if came[label] != {head} or len(block) > MOST + 2 or block[-1] != [2 << 16 | OP_BRANCH, merge]:
            return None
        body = block[1:-1]
        return body if all(self.is_pure(inst) for inst in body) else None

    def flatten_one(self, function):
        blocks = {block[0][1]: block for block in function.blocks}
        came = leads_to(function)
        for block in function.blocks:
            if len(block) < 3 or opcode(block[-2]) != OP_SELECTION_MERGE or opcode(block[-1]) != OP_BRANCH_CONDITIONAL:
                continue
            if block[-2][2] & DONT_FLATTEN:
                continue
            head, merge, (condition, yes, no) = block[0][1], block[-2][1], block[-1][1:4]
            if yes == no or came.get(merge, set()) - {head, yes, no}:
                continue
            first, second = self.arm(blocks, came, yes, head, merge), self.arm(blocks, came, no, head, merge)
            after = blocks[merge]
            phis = [inst for inst in after if opcode(inst) == OP_PHI]
            if first is None or second is None or any(inst[1] not in self.scalar for inst in phis):
                continue
            chosen = []
            for phi in phis:
                value = dict(zip(phi[4::2], phi[3::2]))
                by_yes, by_no = value[head if yes == merge else yes], value[head if no == merge else no]
                chosen.append([6 << 16 | OP_SELECT, phi[1], phi[2], condition, by_yes, by_no])
            block[-2:] = first + second + chosen + after[1 + len(phis):]
            gone = {label for label in (yes, no, merge)}
            function.blocks = [b for b in function.blocks if b[0][1] not in gone]
            for other in function.blocks:
                for inst in other:
                    if opcode(inst) == OP_PHI:
                        inst[4::2] = [head if label == merge else label for label in inst[4::2]]
            return True
        return False

    @staticmethod
    def drop_stores(function):
        """To locals that nobody reads: an optimizer left them."""
        local = {inst[2] for inst in function.blocks[0] if opcode(inst) == OP_VARIABLE}
        for block in function.blocks:
            for inst in block:
                if opcode(inst) == OP_VARIABLE:
                    continue
                local -= set(inst[2:] if opcode(inst) == OP_STORE else inst[1:])
        for block in function.blocks:
            block[:] = [inst for inst in block if not (opcode(inst) == OP_STORE and inst[1] in local) and
                        not (opcode(inst) == OP_VARIABLE and inst[2] in local)]

    def flatten(self):
        for function in self.functions:
            self.drop_stores(function)
        self.find_pure()
        before = -1
        while len(self.pure) != before:  # what has become one block may be called from arms
            before = len(self.pure)
            for function in self.functions:
                while self.flatten_one(function):
                    pass
            self.find_pure()

    def put(self):
        out = self.words[:HEAD]
        functions = {function.head[0][2] for function in self.functions}
        results = {inst[2] for function in self.functions for block in function.blocks for inst in block if len(inst) > 2}
        results |= {inst[n] for inst in self.head if opcode(inst) not in (OP_NAME, OP_DECORATE) for n in (1, 2) if n < len(inst)}
        for inst in self.head:  # names are those of functions: nobody looks for others
            if inst[1] in functions if opcode(inst) == OP_NAME else opcode(inst) != OP_DECORATE or inst[1] in results:
                out += inst
        for function in self.functions:
            for inst in function.head + [inst for block in function.blocks for inst in block]:
                out += inst
            out.append(1 << 16 | OP_FUNCTION_END)
        return out


def flattened(words):
    library = Library(words)
    library.flatten()
    return library.put()
