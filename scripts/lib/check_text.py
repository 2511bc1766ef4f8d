#!/usr/bin/env python3
# check_text.py - what every text file of the repository has in common.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Checks each FILE: it ends with one newline, no line ends with a space or a
carriage return (but in lit's tests, which may expect one), and sources carry the
tag of the licence near their top."""

import re
import sys
from pathlib import Path

TAGGED = {".c", ".cpp", ".h", ".hpp"}
TAG = "SPDX-License-Identifier: Apache-2.0"


def problems(path, text):
    if text and not text.endswith("\n"):
        yield "no newline at its end"
    if text.endswith("\n\n"):
        yield "an empty line at its end"
    for number, line in enumerate(text.split("\n"), 1):
        if path.suffix != ".test" and re.search(r"[ \t\r]$", line):
            yield f"line {number} ends with a space"
    if path.suffix in TAGGED and TAG not in text[:1000]:
        yield f"no '{TAG}' near its top"


def main():
    failed = False
    for name in sys.argv[1:]:
        path = Path(name)
        if path.is_symlink() or not path.is_file():
            continue
        for problem in problems(path, path.read_text(encoding="utf-8")):
            print(f"{name}: {problem}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
