#!/usr/bin/env python3
"""Compiles the lane library to SPIR-V words in a C header: make_library.py CC GLSLANG OPTIMIZER SRC OUT.h. Rows of ir_ops.def without a function
in the library are read from the table itself; a row that cannot be read so and has no function is an error, by name."""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean

import flat_library  # noqa: E402

HEADER = """#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 1) in;
"""


def preprocess(cc, source, folder):
    command = [*cc, "-E", "-P", "-undef", "-nostdinc", "-x", "c", "-I", source, "-I", folder, "-I", os.path.join(source, "spirv/library"),
               os.path.join(source, "spirv/library/main.glsl")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def shared_rows(source, own):
    rows, missing = [], []
    with open(os.path.join(source, "ir/ir_ops.def"), encoding="utf-8") as table:
        for line in table:
            row = re.match(r"(V[123]|C2|S[1-4]|FV[123]|CS2)\((\w+),", line)
            if not row or row[2] in own:
                continue
            if row[1] in ("V1", "V2", "V3", "C2"):
                rows.append(line)
            else:
                missing.append(row[2])
    if missing:
        sys.exit("make_library.py: no function for " + ", ".join(missing))
    return "".join(rows)


def shared_words(source):
    """The macros of the integer rows' vocabulary, without those that the library has in a form of its own."""
    with open(os.path.join(source, "ir/ir_eval_int.h"), encoding="utf-8") as header:
        macros = re.findall(r"^#define \w+\((?:.*\\\n)*.*\n", header.read(), re.M)
    return "".join(m for m in macros if not re.match(r"#define (MIN|MAX)_[UI]32\(", m))


def shared_formats(source):
    """The buffer formats, a line for each run of them that differ by number type alone, which follow each other in the same order."""
    types = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT"]
    groups, last = [], None
    with open(os.path.join(source, "image/image_formats.def"), encoding="utf-8") as table:
        rows = re.findall(r"^F\( *(\d+), *\w+, *(\w+), *(\d+), *\d+, *(\d+), *(\d+), *(\d+), *(\d+)\)", table.read(), re.M)
    for number, kind, *shape in rows:
        own = (int(number), types.index(kind), shape)
        if not last or own[2] != last[2] or own[1] - last[1] != own[0] - last[0]:
            groups.append("G(%s, %s, %s)\n" % (number, kind, ", ".join(shape)))
        last = own
    return "".join(groups), last[0]


OP_ENTRY_POINT, OP_CAPABILITY, OP_FUNCTION, OP_DECORATE = 15, 17, 54, 71
LINKAGE, LINKAGE_ATTRIBUTES, EXPORT, HEAD = 5, 41, 0, 5
# Locals become values.
PASSES = ["--scalar-replacement=100", "--eliminate-local-single-block", "--eliminate-local-single-store", "--ssa-rewrite",
          "--merge-blocks", "--local-redundancy-elimination"]


def instructions(words):
    at = HEAD
    while at < len(words):
        yield words[at:at + (words[at] >> 16)]
        at += words[at] >> 16


def is_linkage(inst):
    opcode = inst[0] & 0xffff
    return (opcode == OP_CAPABILITY and inst[1] == LINKAGE) or (opcode == OP_DECORATE and inst[2] == LINKAGE_ATTRIBUTES)


def exported(words):
    """All functions can be called from elsewhere, so that the optimizer looks at them and keeps them."""
    entry = [inst[2] for inst in instructions(words) if inst[0] & 0xffff == OP_ENTRY_POINT]
    ids = [inst[2] for inst in instructions(words) if inst[0] & 0xffff == OP_FUNCTION and inst[2] not in entry]
    notes = [word for one in ids for word in (5 << 16 | OP_DECORATE, one, LINKAGE_ATTRIBUTES, ord("f"), EXPORT)]
    out, noted = words[:HEAD] + [2 << 16 | OP_CAPABILITY, LINKAGE], False
    for inst in instructions(words):
        if inst[0] & 0xffff == OP_DECORATE and not noted:
            out += notes
            noted = True
        out += inst
    return out


def optimized(optimizer, words, folder):
    before, after = os.path.join(folder, "before.spv"), os.path.join(folder, "after.spv")
    words = exported(words)
    with open(before, "wb") as file:
        file.write(struct.pack("<%dI" % len(words), *words))
    subprocess.run([optimizer, "--target-env=spv1.3", *PASSES, before, "-o", after], check=True)
    with open(after, "rb") as file:
        data = file.read()
    words = list(struct.unpack("<%dI" % (len(data) // 4), data))
    words = flat_library.flattened(words)
    return words[:HEAD] + [word for inst in instructions(words) if not is_linkage(inst) for word in inst]


def main():
    cc, glslang, optimizer, source, out = sys.argv[1].split(), *sys.argv[2:6]
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "shared_rows.def")
        with open(rows, "w", encoding="utf-8"):
            pass
        with open(os.path.join(folder, "shared_words.def"), "w", encoding="utf-8") as text:
            text.write(shared_words(source))
        groups, last_format = shared_formats(source)
        with open(os.path.join(folder, "shared_formats.def"), "w", encoding="utf-8") as text:
            text.write("#define LAST_FORMAT %du\n%s" % (last_format, groups))
        own = set(re.findall(r"\brow_(\w+)\(const uint M", preprocess(cc, source, folder)))
        with open(rows, "w", encoding="utf-8") as text:
            text.write(shared_rows(source, own))
        shader = os.path.join(folder, "library.comp")
        with open(shader, "w", encoding="utf-8") as text:
            text.write(HEADER + preprocess(cc, source, folder))
        plain = os.path.join(folder, "library.spv")
        command = [glslang, "--quiet", "-V", "--keep-uncalled", "--target-env", "vulkan1.1", "--target-env", "spirv1.3", "-o", plain, shader]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            sys.exit(result.stdout + result.stderr)
        with open(plain, "rb") as file:
            data = file.read()
        words = optimized(optimizer, list(struct.unpack("<%dI" % (len(data) // 4), data)), folder)
        with open(out, "w", encoding="utf-8") as text:
            text.write("const uint32_t spirv_library_words[] = {\n")
            for at in range(0, len(words), 12):
                text.write("    " + ", ".join("0x%08x" % word for word in words[at:at + 12]) + ",\n")
            text.write("};\n")


main()
