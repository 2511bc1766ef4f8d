#!/usr/bin/env python3
# headers.py - compiles each header alone, and two of them twice.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header below DIR as the only thing of a program.

  headers.py --std c11|c17|c++17|c++20 --include DIR COMPILER

A C header includes nothing but <stdint.h> and headers of its own folder.
"""

import argparse
import pathlib
import re
import subprocess
import sys


def include_errors(folder, path):
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.match(r'\s*#\s*include\s*([<"])(.*)[>"]', line)
        if not found or found.group(0).endswith("<stdint.h>"):
            continue
        target = (path.parent / found.group(2)).resolve()
        if found.group(1) == "<" or folder.resolve() not in target.parents:
            yield f"{path.relative_to(folder)}: includes {found.group(2)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--std", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("compiler")
    args = parser.parse_args()

    is_cpp = "++" in args.std
    headers = sorted(args.include.rglob("*.h"))
    errors = [e for h in headers for e in include_errors(args.include, h)]
    if is_cpp:
        headers += sorted(args.include.rglob("*.hpp"))
    if not headers:
        errors.append(f"{args.include}: no headers")
    for header in headers:
        name = header.relative_to(args.include)
        # Twice: a header is guarded.
        result = subprocess.run(
            [args.compiler, "-x", "c++" if is_cpp else "c", f"-std={args.std}",
             "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
             f"-I{args.include}", "-"],
            input=f"#include <{name}>\n#include <{name}>\n", text=True,
            check=False, stderr=subprocess.PIPE)
        if result.returncode:
            errors.append(f"{name} as {args.std}:\n{result.stderr}")
    print("\n".join(errors) or f"{len(headers)} headers")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
