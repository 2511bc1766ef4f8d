#!/usr/bin/env python3
# thread_words.py - every slot says on which threads it may be called.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the comment before each pointer to a function, and before each
exported function, ends with one of the thread words that base.h defines.

  thread_words.py BASE_H DIR
"""

import pathlib
import re
import sys

SLOT = re.compile(r"^.*\(\*(?P<name>\w+)\)\(|^NEREID_EXPORT\b")
COMMENT = re.compile(r"^\s*//\s?(.*)$")


def words_of(base):
    text = base.read_text(encoding="utf-8")
    block = text[text.index("// Thread words"):text.index("#ifndef")]
    return set(re.findall(r"^//\s+\[([a-z-]+)\]", block, re.M))


def slots(path):
    """The line, the name and the comment of each slot of a header; an exported
    function has no name."""
    comment = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(),
                                  start=1):
        found = COMMENT.match(line)
        if found:
            comment.append(found.group(1))
            continue
        if slot := SLOT.match(line):
            yield number, slot["name"], " ".join(comment).strip()
        comment = []


def slot_errors(path, words):
    for number, _, comment in slots(path):
        word = re.search(r"\[([a-z-]+)\]$", comment)
        if not word or word.group(1) not in words:
            yield (f"{path}:{number}: expected one of "
                   f"{', '.join(sorted(words))} at the end of its comment")
    print(f"{path.name}: {sum(1 for _ in slots(path))} slots")


def main():
    words = words_of(pathlib.Path(sys.argv[1]))
    folder = pathlib.Path(sys.argv[2])
    errors = [e for path in sorted(folder.rglob("*.h"))
              for e in slot_errors(path, words)]
    print("\n".join(errors))
    return 1 if errors or not words else 0


if __name__ == "__main__":
    sys.exit(main())
