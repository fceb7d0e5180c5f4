#!/usr/bin/env python3
"""Writes a header with a hash of the sources that decide what a program becomes on a Vulkan device: translations that another build kept on disk
are used only where these were the same.

    make_version.py SOURCE_FOLDER OUTPUT DEPFILE
"""
import hashlib
import pathlib
import sys

FOLDERS = ("isa", "ir", "lower", "spirv", "vulkan")
SUFFIXES = (".c", ".h", ".def", ".glsl", ".py")


def main():
    root, output, depfile = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    folders = [folder for name in FOLDERS for folder in (root / name, *(p for p in (root / name).rglob("*") if p.is_dir()))]
    files = sorted(path for folder in folders for path in folder.iterdir() if path.suffix in SUFFIXES and not path.stem.endswith("_test"))
    digest = hashlib.sha256()
    for path in files:
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    with open(output, "w", encoding="ascii") as file:
        file.write("/* A hash of the sources that translations depend on. */\n")
        file.write(f'#define VULKAN_SOURCES "{digest.hexdigest()[:32]}"\n')
    with open(depfile, "w", encoding="utf-8") as file:
        # A folder changes when a file comes or goes.
        file.write(f"{output}: " + " ".join(str(path) for path in (*folders, *files) if "__pycache__" not in str(path)) + "\n")


main()
