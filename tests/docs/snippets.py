#!/usr/bin/env python3
# snippets.py - the code in the documents is the code that is built.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compares each marked block of code in DOCUMENT with its source.

  snippets.py [--update] ROOT DOCUMENT...

A block is marked by a comment on the line before it,

    <!-- examples/out-of-tree/acme.c [score] -->

and equals what stands between the lines `// [score]` and `// [/score]` (or
`# [score]`) of that file, less its indentation. Blocks of C, CMake and make
without a mark are an error: nothing would build them. --update copies the
sources into the document.
"""

import argparse
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"(?:^<!-- (?P<file>\S+) \[(?P<region>[\w-]+)\] -->\n)?"
                   r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)
BUILT = {"c", "cpp", "cmake", "make"}


def region(path, name):
    """The text of a region; None if the file does not have it once."""
    mark = rf"^[ \t]*(?://|#) \[{{}}{re.escape(name)}\]\n"
    found = re.findall(mark.format("") + "(.*?)" + mark.format("/"),
                       path.read_text(encoding="utf-8"), re.M | re.S)
    # Marks of regions inside this one are not part of the code.
    lines = [line for text in found for line in text.splitlines(keepends=True)
             if not re.match(r"\s*(//|#) \[/?[\w-]+\]$", line)]
    return textwrap.dedent("".join(lines)) if len(found) == 1 else None


def check(root, document, update):
    text = document.read_text(encoding="utf-8")
    errors, count = [], 0

    def compare(block):
        nonlocal count
        line = text.count("\n", 0, block.start("code")) + 1
        where = f"{document.relative_to(root)}:{line}"
        if not block["file"]:
            if block["language"] in BUILT:
                errors.append(f"{where}: code without a mark")
            return block[0]
        count += 1
        path = root / block["file"]
        source = region(path, block["region"]) if path.exists() else None
        if source is None:
            errors.append(f"{where}: {block['file']} has not one region "
                          f"[{block['region']}]")
            return block[0]
        if source != block["code"] and not update:
            errors.append(f"{where}: differs from {block['file']} "
                          f"[{block['region']}]")
        return block[0].replace(f"{block['language']}\n{block['code']}```",
                                f"{block['language']}\n{source}```")

    updated = BLOCK.sub(compare, text)
    if update and updated != text:
        document.write_text(updated, encoding="utf-8")
    return errors, count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("documents", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    errors, total = [], 0
    for document in args.documents:
        found, count = check(args.root.resolve(), document.resolve(),
                             args.update)
        errors += found
        total += count
    if not total:
        errors.append("no marked code")
    print("\n".join(errors) or f"{total} snippets")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
