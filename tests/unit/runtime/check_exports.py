#!/usr/bin/env python3
"""Compares what libnereid exports with the headers nereid/host/*.h, and what it
needs with the C and C++ standard libraries and those that are given.

usage: check_exports.py LIBRARY FOLDER-OF-HEADERS [NEEDED-LIBRARY...]

SPDX-FileCopyrightText: the Nereid authors
SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import subprocess
import sys

STANDARD = re.compile(
    r"^(libstdc\+\+|libm|libgcc_s|libc|libdl|libpthread|libc\+\+|libc\+\+abi"
    r"|libunwind|ld-linux.*)\.so"
)


def output(*command):
    return subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout


def exported(library):
    lines = output("nm", "-D", "--defined-only", library).splitlines()
    symbols = (line.split() for line in lines)
    # The version's own node is an absolute symbol.
    return {name.split("@")[0] for _, kind, name in symbols if kind != "A"}


def declared(folder):
    text = "".join(path.read_text("utf-8") for path in pathlib.Path(folder).glob("*.h"))
    return set(re.findall(r"NEREID_EXPORT[^;]*?\b(nereid_\w+)\(", text))


def needed(library):
    lines = output("readelf", "-d", "-W", library)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", lines)


def main():
    library, folder, *also = sys.argv[1:]
    problems = []
    for name in sorted(exported(library) - declared(folder)):
        problems.append(f"{name} is exported but not declared")
    for name in sorted(declared(folder) - exported(library)):
        problems.append(f"{name} is declared but not exported")
    for name in needed(library):
        if not STANDARD.match(name) and name not in also:
            problems.append(f"{name} is needed but no standard library")
    for problem in problems:
        print(f"{library}: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
