#!/usr/bin/env python3
"""Compares what two ELF64 objects load and run: all sections but names, symbols and debug data.

Usage: elf-sections.py A B. Prints the sections that differ; exits 1 if there are any.
"""
import struct
import sys

# Tables of names and symbols and what points into them (the debug data has names too, so all
# others shift), and the notes in which ptxas leaves its command line.
LEFT_OUT = (
    ".shstrtab",
    ".strtab",
    ".symtab",
    ".nv.merc.symtab",
    ".nv.callgraph",
    ".nv.prototype",
    ".note",
)
# SHT_NOBITS, and NVIDIA's own for global, shared and local memory.
WITHOUT_DATA = (8, 0x70000007, 0x7000000A, 0x7000000B)


def sections(path):
    data = open(path, "rb").read()
    table = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    base = headers[names][4]
    found = {}
    for name, kind, _, _, offset, length, *_ in headers:
        start = base + name
        text = data[start : data.index(b"\0", start)].decode()
        if text and "debug" not in text and not text.startswith(LEFT_OUT):
            found[text] = length if kind in WITHOUT_DATA else data[offset : offset + length]
    return found


def main():
    first, second = sections(sys.argv[1]), sections(sys.argv[2])
    names = sorted(first.keys() | second.keys())
    different = [name for name in names if first.get(name) != second.get(name)]
    print(" ".join(different))
    sys.exit(1 if different else 0)


main()
