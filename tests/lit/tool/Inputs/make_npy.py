#!/usr/bin/env python3
# make_npy.py - writes arrays and damaged files for the tests into a folder,
# without numpy.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import os
import struct
import sys

COUNT = 4096


def npy(values, descr="<f4", shape=(COUNT,), fortran=False):
    header = repr({"descr": descr, "fortran_order": fortran, "shape": shape})
    body = struct.pack(f"<{len(values)}f", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


ones = npy([1.0] * COUNT)
files = {
    "zeros.npy": npy([0.0] * COUNT),
    "ones.npy": ones,
    "sum.npy": npy([float(i) + 1 for i in range(COUNT)]),
    "square.npy": npy([0.0] * COUNT, shape=(64, 64)),
    "fortran.npy": npy([0.0] * COUNT, shape=(64, 64), fortran=True),
    "double.npy": npy([0.0] * (2 * COUNT), descr="<f8"),
    "cut.npy": ones[:-3],
    "text.npy": b"hello\n",
    "dictionary.npy": ones.replace(b"'shape'", b"'shapE'"),
}
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for name, content in files.items():
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
