"""Where the time of a row goes: the samples of `nereid bench --profile` by operation.

Code of the cpu plugin is in functions that say what they do (dot.f32.64x64x64,
pack.right...), and in the kernel's own, where debug information has the lines of
the TTIR file.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import re
from collections import Counter

# Places with less of the time are left out.
LEAST_SHARE = 0.05
MOST_PLACES = 6
# The file of operations that have no location of their own.
TTIR = "ttir"


def operation(line):
    """The name of the operation in a line of TTIR, or None."""
    found = re.match(r'\s*(?:%[\w:, %$]+ = )?"?([a-z_]+\.[\w.]+)', line)
    return found.group(1) if found else None


def title(place, source):
    """What a place of the kernel is; `source` is the lines of its TTIR."""
    if place["object"] != "kernel":
        function = place["function"].split("(")[0]
        return function or place["object"] or "outside of all objects"
    if not place["function"].endswith(".cpu"):
        return place["function"]
    number = place["line"]
    if number and place["file"] != TTIR:
        return f"{place['file']}:{number}"
    name = operation(source[number - 1]) if 0 < number <= len(source) else None
    return f"{name} (line {number})" if name else "the kernel's own loops"


def shares(profile, source):
    """(share of the time, title) of the largest places, the largest first."""
    counts = Counter()
    for place in profile["places"]:
        counts[title(place, source)] += place["samples"]
    total = sum(counts.values())
    found = [(count / total, name) for name, count in counts.most_common(MOST_PLACES)]
    return [(share, name) for share, name in found if share >= LEAST_SHARE]


def words(found):
    """As "61% dot.f32.64x64x64, 30% math.exp (line 20)"."""
    return ", ".join(f"{100 * share:.0f}% {name}" for share, name in found)
