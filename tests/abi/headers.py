#!/usr/bin/env python3
# headers.py - compiles each header alone, and two of them twice.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles each header below DIR as the only thing of a program.

  headers.py --std c11|c17|c++17|c++20 --include DIR [--also DIR] COMPILER

A C header includes nothing but <stdint.h> and headers of its own folder, or of
the one that --also names. Without exceptions, nereid/plugin.hpp is refused by
one error that says so.
"""

import argparse
import pathlib
import re
import subprocess
import sys


def include_errors(folders, path):
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.match(r'\s*#\s*include\s*([<"])(.*)[>"]', line)
        if not found or found.group(0).endswith("<stdint.h>"):
            continue
        beside = (path.parent / found.group(2)).resolve()
        if found.group(1) == '"' and (
                folders[0].resolve() in beside.parents and beside.exists() or
                any((folder / found.group(2)).exists() for folder in folders)):
            continue
        yield f"{path.relative_to(folders[0])}: includes {found.group(2)}"


def compiled(args, text, *flags):
    return subprocess.run(
        [args.compiler, "-x", "c++" if "++" in args.std else "c",
         f"-std={args.std}", "-Wall", "-Wextra", "-Wshadow", "-pedantic",
         "-Werror", "-fsyntax-only", *flags,
         *(f"-I{folder}" for folder in args.folders), "-"],
        input=text, text=True, check=False, stderr=subprocess.PIPE)


def glue_errors(args):
    result = compiled(args, "#include <nereid/plugin.hpp>\n", "-fno-exceptions")
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    if len(errors) != 1 or "needs C++ exceptions" not in errors[0]:
        yield f"nereid/plugin.hpp with -fno-exceptions:\n{result.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--std", required=True)
    parser.add_argument("--include", required=True, type=pathlib.Path)
    parser.add_argument("compiler")
    parser.add_argument("--also", action="append", type=pathlib.Path,
                        default=[])
    args = parser.parse_args()
    args.folders = [args.include, *args.also]

    headers = sorted(args.include.rglob("*.h"))
    errors = [e for h in headers for e in include_errors(args.folders, h)]
    if "++" in args.std:
        headers += sorted(args.include.rglob("*.hpp"))
        if (args.include / "nereid/plugin.hpp").exists():
            errors += glue_errors(args)
    if not headers:
        errors.append(f"{args.include}: no headers")
    for header in headers:
        name = header.relative_to(args.include)
        # Twice: a header is guarded.
        result = compiled(args, f"#include <{name}>\n#include <{name}>\n")
        if result.returncode:
            errors.append(f"{name} as {args.std}:\n{result.stderr}")
    print("\n".join(errors) or f"{len(headers)} headers")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
