"""A run of scripts/bench as data: what follows from the times, and how two runs
compare.

A run is a dictionary that JSON can hold: "threads", "rounds", "machine", "peers",
"limits" and "rows". Each row has its name, group, unit, work, goal and "samples",
the seconds of each round by contestant.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math
import statistics

VERSION = 1
# A row below this ratio is named.
FLOOR = 0.95
# More than this much slower than the fastest calibration of the run: noise.
NOISY = 1.15


def seconds(row, name):
    """The median of the rounds; None if it was not measured."""
    samples = row["samples"].get(name)
    return statistics.median(samples) if samples else None


def rate(row, name):
    time = seconds(row, name)
    return row["work"] / time / 1e9 if time else None


def best_peer(row, among=None):
    """The name of the fastest peer, or None."""
    times = {p: seconds(row, p) for p in row["samples"] if p != "nereid"}
    if among is not None:
        times = {p: t for p, t in times.items() if p in among}
    return min(times, key=times.get, default=None)


def ratio(row, among=None):
    """How many times as fast as the best peer; None if one is missing."""
    best, ours = best_peer(row, among), seconds(row, "nereid")
    return seconds(row, best) / ours if best and ours else None


def spread(row, among=None):
    """The least and the largest ratio to the best peer in one round."""
    best = best_peer(row, among)
    ratios = [
        theirs / ours for theirs, ours in zip(row["samples"][best], row["samples"]["nereid"])
    ]
    return min(ratios), max(ratios)


def geometric_mean(values):
    values = list(values)
    return math.exp(statistics.mean(map(math.log, values))) if values else None


def summary(run):
    """(group, rows, geometric mean, rows below the floor, rows below their goal),
    at the end for all rows."""
    rated = [(row, ratio(row)) for row in run["rows"]]
    rated = [(row, value) for row, value in rated if value]
    groups = list(dict.fromkeys(row["group"] for row, _ in rated))
    found = []
    for group in [*groups, None]:
        part = [(row, value) for row, value in rated if group in (None, row["group"])]
        if part:
            found.append(
                (
                    group or "all",
                    len(part),
                    geometric_mean(value for _, value in part),
                    sum(value < FLOOR for _, value in part),
                    sum(value < row["goal"] for row, value in part),
                )
            )
    return found


def below_floor(run):
    """(ratio, name) of the rows that are slower than a peer, the worst first."""
    rated = [(ratio(row), row["name"]) for row in run["rows"]]
    return sorted((value, name) for value, name in rated if value and value < FLOOR)


def missed(run):
    """The rows that are below their goal, the farthest first."""
    rated = [(ratio(row), row) for row in run["rows"]]
    found = [(value / row["goal"], row) for value, row in rated if value and value < row["goal"]]
    return [row for _, row in sorted(found, key=lambda item: item[0])]


def noise_of(row, run):
    """How many times slower than at its best in this run the machine was around
    this row: of its calibrations, the worst figure. None without calibration."""
    worst = None
    for key in ("fma_gflops", "l2_gbs", "memory_gbs"):
        figures = [c[key] for r in run["rows"] for c in r["calibrations"]]
        mine = [c[key] for c in row["calibrations"]]
        if mine:
            worst = max(worst or 1, max(figures) / min(mine))
    return worst


def attainable(row, limits):
    """The seconds that the limits of the machine allow, and what limits."""
    if not limits:
        return None
    threads = limits["threads"]
    levels = (
        ("l1_gbs", limits["l1_bytes"] * threads),
        ("l2_gbs", limits["l2_bytes"] * threads),
        ("l3_gbs", max(limits["l3_bytes"], limits["l2_bytes"] * threads)),
    )
    level = next((name for name, size in levels if row["bytes"] <= size), None)
    if level is None:
        # Writing without reading first is the faster of the two ways.
        level = "stream_gbs" if row["writes"] else "memory_gbs"
    times = {level: row["bytes"] / limits[level] / 1e9}
    if row["flops"]:
        narrow = row["dtype"] == "bfloat16" and "bf16_gflops" in limits
        peak = "bf16_gflops" if narrow else "fma_gflops"
        times[peak] = row["flops"] / limits[peak] / 1e9
    which = max(times, key=times.get)
    return times[which], which


NAMES = {
    "l1_gbs": "L1",
    "l2_gbs": "L2",
    "l3_gbs": "L3",
    "memory_gbs": "memory",
    "stream_gbs": "memory",
    "fma_gflops": "FMA",
    "bf16_gflops": "bf16 dot products",
}


def of_limit(row, limits):
    """As "71% of L3": the share of what the machine can do, or an empty text. There
    is none where instructions other than counted ones decide, as in a sort."""
    found, ours = attainable(row, limits), seconds(row, "nereid")
    if not found or not ours or row["dtype"] in ("float16", "int8") and row["by_flops"]:
        return ""
    return f"{100 * found[0] / ours:.0f}% of {NAMES[found[1]]}"


def compare(old, new):
    """For each row of both runs: (name, old ratio, new ratio, whether the rounds of
    the two overlap not at all). Ratios are to the best of the peers of both, since
    times of two runs cannot be compared."""
    before = {row["name"]: row for row in old["rows"]}
    found = []
    for row in new["rows"]:
        past = before.get(row["name"])
        if not past:
            continue
        common = set(row["samples"]) & set(past["samples"]) - {"nereid"}
        values = [ratio(r, common) for r in (past, row)]
        if None in values:
            continue
        (old_low, old_high), (low, high) = spread(past, common), spread(row, common)
        found.append((row["name"], *values, low > old_high or high < old_low))
    return found
