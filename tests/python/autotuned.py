"""A program with an autotuned kernel, for tests: prints what it timed and took.

Arguments: the number of elements, then words: "failing" makes the configuration of
64 elements impossible to compile, "slow" makes another one the fastest, "in_place"
passes the result as the input too, "warps" adds configurations that differ in options
only, and "reads_warps" lets a heuristic read one of them.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import sys

import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner

count, *words = sys.argv[1:]
count = int(count)
# In milliseconds, in place of a measurement.
TIMES = {64: 1.0, 128: 2.0, 256: 3.0}
if "slow" in words:
    TIMES[64] = 9.0
if "more" in words:
    TIMES[512] = 0.5
timed, hooks = [], []
now = None


def measure(call, quantiles):
    call()
    timed.append(now)
    return [TIMES[now], TIMES[now] * 0.9, TIMES[now] * 1.1]


def note_hook(arguments, reset_only=False):
    if not reset_only:
        hooks.append(arguments["BLOCK"])


measure.__module__ = "measurements"
def bench_and_note(self, *args, config, **meta):
    global now
    now = config.kwargs["BLOCK"]
    return bench(self, *args, config=config, **meta)


options = [{}]
if "warps" in words:
    options = [{"num_warps": warps, "num_stages": stages} for warps in (4, 8) for stages in (2, 3)]


def is_even(arguments):
    few = "reads_warps" not in words or arguments["num_warps"] == 4
    return few and arguments["n"] % arguments["BLOCK"] == 0


@triton.autotune(
    [triton.Config({"BLOCK": block}, **each) for block in TIMES for each in options],
    key=["n"],
    restore_value=["y"] if "restore" in words else None,
    pre_hook=note_hook if "hooks" in words else None,
    prune_configs_by={"early_config_prune": lambda configs, *_, **__: configs[:2]}
    if "pruned" in words
    else None,
    do_bench=measure,
)
@triton.heuristics({"EVEN": is_even})
@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, FAILING: tl.constexpr):
    tl.static_assert(BLOCK > FAILING)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + at, tl.load(y + at) + tl.load(x + at) + 1)
    else:
        inside = at < n
        tl.store(y + at, tl.load(y + at, inside) + tl.load(x + at, inside) + 1, inside)


x, y = torch.rand(count), torch.zeros(count)
if "in_place" in words:
    x = y[:]
expected = x + 1
bench, Autotuner._bench = Autotuner._bench, bench_and_note
add_one[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](
    x, y, count, FAILING=64 if "failing" in words else 0
)
once = torch.equal(y, expected)
print(json.dumps({
    "timed": timed,
    "hooks": hooks,
    "best": add_one.best_config.kwargs["BLOCK"],
    "times": sorted(timing[0] for timing in getattr(add_one, "configs_timings", {}).values()),
    "once": once,
}))
