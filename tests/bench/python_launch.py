"""The cost of one `kernel[grid](...)` from Python, with the native dispatcher,
with Triton's own launcher on the same plugin, with Triton's own driver where
NEREID_TARGET is cuda, and of torch's `add`.

    scripts/bench --launches

Kernels do nothing and run one program, so that the time is the call's. Each
figure is the median of the fastest rounds, in microseconds; a round is short
enough for the queue of a GPU.
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

_CALLS = 500
_ROUNDS = 100


@triton.jit
def five(a, b, c, n, BLOCK: tl.constexpr):
    pass


@triton.jit
def nineteen(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, BLOCK: tl.constexpr):
    pass


def microseconds(call, synchronize):
    for _ in range(100):
        call()
    rounds = []
    for _ in range(_ROUNDS):
        synchronize()
        start = time.perf_counter()
        for _ in range(_CALLS):
            call()
        rounds.append((time.perf_counter() - start) / _CALLS * 1e6)
    return statistics.median(sorted(rounds)[: _ROUNDS // 2])


def calls(device):
    x = torch.zeros(1024, device=device)
    out = torch.empty_like(x)
    numbers = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 2.0, 3.0]

    def grid(bound):
        return (bound["BLOCK"] // 128,)

    return {
        "5 parameters": lambda: five[(1,)](x, x, x, 1000, BLOCK=128),
        "5, grid function": lambda: five[grid](x, x, x, 1000, BLOCK=128),
        "19 parameters": lambda: nineteen[(1,)](*[x] * 6, *numbers, BLOCK=128),
        "torch.add": lambda: torch.add(x, x, out=out),
    }


def own_driver():
    """Triton's own driver of CUDA."""
    from triton.backends.nvidia.driver import CudaDriver

    return CudaDriver()


def main():
    from nereid.triton import dispatch

    driver = triton.runtime.driver  # its `active` installs the dispatcher
    device = driver.active.get_active_torch_device()
    timed = calls(device)
    synchronize = torch.cuda.synchronize if device.type == "cuda" else lambda: None

    def column():
        return {name: microseconds(call, synchronize) for name, call in timed.items()}

    columns = {"nereid": column()}
    dispatch.remove()
    columns["triton"] = column()
    if device.type == "cuda":
        driver.set_active(own_driver())
        columns["its own"] = column()
    print(f"Triton {triton.__version__}, {device.type}, microseconds a call")
    print(f"{'call':<20}" + "".join(f"{it:>10}" for it in columns) + f"{'triton / nereid':>18}")
    for name in timed:
        print(f"{name:<20}" + "".join(f"{it[name]:>10.2f}" for it in columns.values()), end="")
        print(f"{columns['triton'][name] / columns['nereid'][name]:>18.1f}")


if __name__ == "__main__":
    if os.environ.get("NEREID_DISPATCH") == "0":
        sys.exit("NEREID_DISPATCH=0 switches off what is to be measured: unset it")
    main()
