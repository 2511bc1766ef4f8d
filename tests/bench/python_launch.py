"""The cost of one `kernel[grid](...)` from Python, with the native dispatcher,
with Triton's own launcher on the same plugin, and of torch's `add`.

    scripts/bench --launches

Kernels do nothing and run one program, so that the time is the call's. Each
figure is the median of the fastest calls of several rounds, in microseconds.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import statistics
import sys
import time

import torch
import triton
import triton.language as tl

_CALLS = 5000
_ROUNDS = 15


@triton.jit
def five(a, b, c, n, BLOCK: tl.constexpr):
    pass


@triton.jit
def nineteen(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, BLOCK: tl.constexpr):
    pass


def microseconds(call):
    for _ in range(100):
        call()
    rounds = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        for _ in range(_CALLS):
            call()
        rounds.append((time.perf_counter() - start) / _CALLS * 1e6)
    return statistics.median(sorted(rounds)[: _ROUNDS // 2])


def calls():
    x = torch.zeros(1024)
    out = torch.empty(1024)
    numbers = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 2.0, 3.0]

    def grid(bound):
        return (bound["BLOCK"] // 128,)

    return {
        "5 parameters": lambda: five[(1,)](x, x, x, 1000, BLOCK=128),
        "5, grid function": lambda: five[grid](x, x, x, 1000, BLOCK=128),
        "19 parameters": lambda: nineteen[(1,)](*[x] * 6, *numbers, BLOCK=128),
        "torch.add": lambda: torch.add(x, x, out=out),
    }


def main():
    from nereid.triton import dispatch

    timed = calls()
    triton.runtime.driver.active  # installs the dispatcher
    quick = {name: microseconds(call) for name, call in timed.items()}
    dispatch.remove()
    usual = {name: microseconds(call) for name, call in timed.items()}
    print(f"Triton {triton.__version__}, microseconds a call")
    print(f"{'call':<20}{'nereid':>10}{'triton':>10}{'triton / nereid':>18}")
    for name in timed:
        print(
            f"{name:<20}{quick[name]:>10.2f}{usual[name]:>10.2f}"
            f"{usual[name] / quick[name]:>18.1f}"
        )


if __name__ == "__main__":
    if os.environ.get("NEREID_DISPATCH") == "0":
        sys.exit("NEREID_DISPATCH=0 switches off what is to be measured: unset it")
    main()
