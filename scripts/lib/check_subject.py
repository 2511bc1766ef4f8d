#!/usr/bin/env python3
# check_subject.py - the subject of a commit's message.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the first line of the file MESSAGE, as git's hook commit-msg gives it:
`area: what changes`, below 60 characters, without a full stop."""

import re
import sys

LIMIT = 60


def problems(subject):
    if re.match(r"(fixup!|squash!|Merge |Revert )", subject):
        return
    if len(subject) >= LIMIT:
        yield f"{len(subject)} characters, expected fewer than {LIMIT}"
    if not re.match(r"[\w./+-]+(, [\w./+-]+)*: \S", subject):
        yield "expected 'area: what changes'"
    if subject.endswith("."):
        yield "a full stop at its end"


def main():
    with open(sys.argv[1], encoding="utf-8") as message:
        lines = [line for line in message if not line.startswith("#")]
    subject = lines[0].rstrip("\n") if lines else ""
    found = list(problems(subject))
    for problem in found:
        print(f"subject '{subject}': {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
