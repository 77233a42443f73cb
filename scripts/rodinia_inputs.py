#!/usr/bin/env python3
"""Writes small inputs for gpu-rodinia, which has none: `rodinia_inputs.py FOLDER` fills its data.

The names are those in Rodinia's `run` scripts, the formats those that its programs read. The values
are random, of one seed. Not here: rgb.bmp and 192.bmp of dwt2d, whose script is called run.sh.
"""

import itertools
import math
import pathlib
import random
import struct
import sys

RANDOM = random.Random(1)


def numbers(count, low, high):
    """So many numbers, a line each."""
    return "".join(f"{RANDOM.uniform(low, high):.6f}\n" for _ in range(count))


def tree():
    """b+tree: how many keys there are, and the keys."""
    keys = list(range(20000))
    RANDOM.shuffle(keys)
    return "".join(f"{key}\n" for key in [len(keys), *keys])


def graph(nodes):
    """bfs: each node's first edge and number of edges, the source, and where edges lead."""
    edges = [[(RANDOM.randrange(nodes), RANDOM.randint(1, 10)) for _ in range(RANDOM.randint(2, 8))]
             for _ in range(nodes)]
    starts = itertools.accumulate((len(some) for some in edges), initial=0)
    lines = [f"{nodes}", *(f"{start} {len(some)}" for start, some in zip(starts, edges))]
    lines += ["", "0", "", str(sum(map(len, edges)))]
    lines += [f"{to} {cost}" for some in edges for to, cost in some]
    return "\n".join(lines) + "\n"


def torus(side):
    """cfd: of each cell its area, and of four neighbours the number, from 1 on, and the normal."""
    def around(x, y):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            yield f"{(y + dy) % side * side + (x + dx) % side + 1} {dx} {dy} 0"
    rows = [" ".join(["1.0", *around(x, y)]) for y in range(side) for x in range(side)]
    return "\n".join([str(side * side), *rows]) + "\n"


def equations(size):
    """gaussian: the size, a matrix that needs no pivots, the right side, the solution."""
    rows = [[RANDOM.uniform(-1, 1) + (2 * size if i == j else 0) for j in range(size)]
            for i in range(size)]
    right = [RANDOM.uniform(-1, 1) for _ in range(size)]
    lines = [" ".join(f"{v:.3f}" for v in row) for row in [*rows, right, [0] * size]]
    return f"{size}\n" + "\n".join(lines) + "\n"


def points(count, features):
    """kmeans: a number and the features of each point."""
    rows = [[f"{RANDOM.uniform(0, 100):.3f}" for _ in range(features)] for _ in range(count)]
    return "".join(f"{i} {' '.join(row)}\n" for i, row in enumerate(rows))


def genome(bases, queries):
    """mummergpu: a reference, and pieces of 100 bases of it."""
    text = "".join(RANDOM.choice("ACGT") for _ in range(bases))
    lines = [text[i:i + 70] for i in range(0, bases, 70)]
    at = [RANDOM.randrange(bases - 100) for _ in range(queries)]
    pieces = "".join(f">q{i}\n{text[begin:begin + 100]}\n" for i, begin in enumerate(at))
    return ">reference\n" + "\n".join(lines) + "\n", pieces


def storms(count):
    """nn: records of 48 characters, with the latitude at 28 and the longitude at 33."""
    form = "{:4} {:2} {:2} {:2} {:2} {:<9} {:5.1f} {:5.1f} {:4} {:4}\n"
    names = ["ALBERTO", "BERYL", "CHRIS", "DEBBY", "ERNESTO", "FLORENCE"]
    return "".join(form.format(
        1950 + RANDOM.randrange(55), 1 + RANDOM.randrange(12), 1 + RANDOM.randrange(28),
        RANDOM.choice([0, 6, 12, 18]), 1 + RANDOM.randrange(28), RANDOM.choice(names),
        RANDOM.uniform(7, 70), RANDOM.uniform(0, 358), RANDOM.randint(10, 164),
        RANDOM.randrange(900)) for _ in range(count))


def chunk(name, data):
    """A chunk of a RIFF file, whose length is even."""
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def video(width, height, frames):
    """heartwall, leukocyte: an AVI file of frames that are not compressed, a byte per pixel."""
    size = width * height
    main = struct.pack("<14I", 40000, size * 25, 0, 0x10, len(frames), 0, 1, size, width, height,
                       0, 0, 0, 0)
    stream = b"vidsDIB " + struct.pack("<IHHIIIIIIIIHHHH", 0, 0, 0, 0, 1, 25, 0, len(frames), size,
                                       0, 0, 0, 0, width, height)
    form = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, size, 0, 0, 256, 0)
    form += b"".join(bytes([i, i, i, 0]) for i in range(256))
    of_stream = chunk(b"LIST", b"strl" + chunk(b"strh", stream) + chunk(b"strf", form))
    pictures, index = b"", b""
    for frame in frames:
        index += b"00db" + struct.pack("<III", 0x10, 4 + len(pictures), len(frame))
        pictures += chunk(b"00db", frame)
    head = chunk(b"LIST", b"hdrl" + chunk(b"avih", main) + of_stream)
    body = chunk(b"LIST", b"movi" + pictures)
    return chunk(b"RIFF", b"AVI " + head + body + chunk(b"idx1", index))


def rings(width, height, shift):
    """A picture with some bright rings on noise, moved to the right."""
    picture = bytearray(60 + RANDOM.randrange(8) for _ in range(width * height))
    for x, y in ((150, 150), (300, 180), (450, 140), (220, 200)):
        for step in range(720):
            turn = step * math.pi / 360
            for radius in (9.0, 9.5, 10.0, 10.5, 11.0):
                row, column = int(y + radius * math.sin(turn)), int(x + radius * math.cos(turn))
                picture[row * width + column + shift] = 200
    return bytes(picture)


def files():
    reference, queries = genome(50000, 1000)
    mesh = torus(32)
    yield "b+tree/mil.txt", tree()
    yield "b+tree/command.txt", "j 600 300\nk 1000\n"
    yield "bfs/graph65536.txt", graph(65536)
    for name in ("fvcorr.domn.097K", "fvcorr.domn.193K", "missile.domn.0.2M"):
        yield f"cfd/{name}", mesh
    yield "gaussian/matrix4.txt", equations(4)
    yield "heartwall/test.avi", video(656, 744, [RANDOM.randbytes(656 * 744) for _ in range(20)])
    yield "hotspot/temp_512", numbers(512 * 512, 320, 345)
    yield "hotspot/power_512", numbers(512 * 512, 0, 0.001)
    yield "hotspot3D/temp_512x8", numbers(512 * 512 * 8, 320, 345)
    yield "hotspot3D/power_512x8", numbers(512 * 512 * 8, 0, 0.0001)
    yield ("huffman/test1024_H2.206587175259.in",
           bytes(min(255, int(RANDOM.expovariate(0.4))) for _ in range(1 << 20)))
    yield "kmeans/kdd_cup", points(4096, 34)
    yield "leukocyte/testfile.avi", video(640, 480, [rings(640, 480, i) for i in range(12)])
    yield "mummergpu/NC_003997.fna", reference
    yield "mummergpu/NC_003997_q100bp.fna", queries
    for i in range(4):
        yield f"nn/cane4_{i}.db", storms(10691)


def main():
    data = pathlib.Path(sys.argv[1]) / "data"
    for name, content in files():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
