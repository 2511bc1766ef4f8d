"""Reads which operations a text of TTIR has, and on which element types."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import re

TYPES = [
    "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
    "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",
]  # fmt: skip
NO_TYPE = "none"

OPERATION = re.compile(r'"?\b((?:tt|arith|math|scf|cf)\.[a-z_0-9.]+)"?')
ELEMENT = re.compile(rf"(?:(?<=x)|(?<![\w%]))({'|'.join(sorted(TYPES, key=len)[::-1])})(?!\w)")
ATTRIBUTES = re.compile(r"<?\{[^{}]*\}>?|loc\(.*\)|@\S+")
# Ends of regions and what only names values.
LEFT_OUT = {"scf.yield", "tt.func", "tt.return", "arith.constant"}


def operations(text):
    """The pairs (operation, element type) of a module."""
    open_regions = []
    for line in text.splitlines():
        line = ATTRIBUTES.sub("", line).strip()
        if line.startswith("}) :"):
            operation = open_regions.pop()
        elif match := OPERATION.search(line.split(" : ")[0]):
            operation = match[1]
            if line.endswith("({"):
                open_regions.append(operation)
                continue
        else:
            continue
        if operation in LEFT_OUT or operation.endswith(".return"):
            continue
        types = line.partition(" : ")[2]
        for kind in set(ELEMENT.findall(types)) or {NO_TYPE}:
            yield operation, kind
