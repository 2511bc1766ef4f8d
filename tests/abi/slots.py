#!/usr/bin/env python3
# slots.py - which slots are required, proved against a committed file.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Lists the slots of the headers below DIR with what their comments say,
"required" or "optional", and compares that with a golden file: what is
required never grows.

  slots.py [--update] DIR GOLDEN
"""

import argparse
import difflib
import pathlib
import sys

import thread_words

KINDS = {"Required.": "required", "(optional)": "optional"}


def listed(folder):
    for path in sorted(folder.rglob("*.h")):
        for _, name, comment in thread_words.slots(path):
            kind = KINDS.get(comment.split(" ")[0]) if comment else None
            if name and kind:
                yield f"{path.name} {name} {kind}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true",
                        help="write the golden file instead")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("golden", type=pathlib.Path)
    args = parser.parse_args()
    found = list(listed(args.folder))
    if args.update:
        args.golden.write_text("\n".join(found) + "\n", encoding="utf-8")
        return 0
    golden = args.golden.read_text(encoding="utf-8").splitlines()
    diff = list(difflib.unified_diff(golden, found, str(args.golden),
                                     "the headers", lineterm=""))
    print("\n".join(diff) or f"{len(found)} slots as in {args.golden.name}")
    return 1 if diff or not found else 0


if __name__ == "__main__":
    sys.exit(main())
