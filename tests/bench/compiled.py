"""What torch.compile makes for a CPU: kernels of Triton on Nereid, compared with its
own C++ and with torch without a compiler.

    scripts/bench --compiled [--threads N] [--only NAME,...] [--rounds N] [--budget SECONDS]

Each figure is a median of calls, the table's the median of the rounds, which take
turns. A ratio above 1 says that the kernels on Nereid are faster. `grad` adds the
backward pass.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import math
import os
import statistics
import time
import warnings

import torch
import torch.nn.functional as F

_CONTESTANTS = {"triton": "nereid", "cpp": "C++", None: "eager"}


def floats(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def numbers(most, *shape):
    return torch.randint(0, most, shape)


def rms_norm(x, w):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def rotary(x, cos, sin):
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat([-right, left], -1) * sin


def adam(p, g, m, v):
    m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
    return p - 1e-3 * m / (v.sqrt() + 1e-8)


def masked_softmax(x):
    return x.masked_fill(torch.ones(512, 512, dtype=torch.bool).triu(1), -1e9).softmax(-1)


def gradient(function):
    """The gradients of all arguments that have one, in one tensor."""

    def run(*arguments):
        inputs = [it.detach().requires_grad_(it.is_floating_point()) for it in arguments]
        found = torch.autograd.grad(
            function(*inputs).square().sum(), [it for it in inputs if it.requires_grad]
        )
        return torch.cat([it.flatten() for it in found])

    return run


def rows():
    """The name of each row, its function, its arguments, and whether to take gradients."""
    square, wide, vector = floats(1024, 1024), floats(512, 4096), floats(1024)
    image = floats(4, 32, 56, 56)
    heads, angle = floats(8, 512, 8, 64), floats(512, 1, 64)
    table, words = floats(5000, 256), numbers(5000, 4096)
    bf16 = floats(1024, 1024, dtype=torch.bfloat16)

    def layer_norm(x, w, b):
        return F.layer_norm(x, x.shape[-1:], w, b)

    yield from [
        ("softmax 1024x1024", lambda x: x.softmax(-1), [square], False),
        ("softmax 512x4096", lambda x: x.softmax(-1), [wide], False),
        ("masked softmax 4x512x512", masked_softmax, [floats(4, 512, 512)], False),
        ("log softmax 1024x3000", lambda x: x.log_softmax(-1), [floats(1024, 3000)], False),
        ("layer norm 1024x1024", layer_norm, [square, vector, vector], False),
        ("layer norm 512x4096", layer_norm, [wide, floats(4096), floats(4096)], False),
        ("rms norm 1024x1024", rms_norm, [square, vector], False),
        ("group norm 8x64x56x56", lambda x: F.group_norm(x, 8), [floats(8, 64, 56, 56)], False),
        ("gelu of a sum 1024x1024", lambda x, b: F.gelu(x + b), [square, vector], False),
        ("gelu of a sum, bf16", lambda x, b: F.gelu(x + b), [bf16, vector.bfloat16()], False),
        ("swiglu 1024x1024", lambda a, b: F.silu(a) * b, [square, square], False),
        ("adam 1024x1024", adam, [square, square, square, square.abs()], False),
        ("sums of rows 2048x1024", lambda x: x.sum(1), [floats(2048, 1024)], False),
        ("sums of columns 2048x1024", lambda x: x.sum(0), [floats(2048, 1024)], False),
        ("sums of channels 16x256x196", lambda x: x.sum((0, 2)), [floats(16, 256, 196)], False),
        ("maxima of columns 2048x1024", lambda x: x.amax(0), [floats(2048, 1024)], False),
        ("variances of rows 512x4096", lambda x: x.var(1), [wide], False),
        ("places of maxima 1024x2048", lambda x: x.argmax(-1), [floats(1024, 2048)], False),
        ("sums so far 512x2048", lambda x: x.cumsum(-1), [floats(512, 2048)], False),
        ("transposed sum 1024x1024", lambda x, y: x.t() + y, [square, square], False),
        ("channels last 8x64x28x28", lambda x: x.permute(0, 2, 3, 1) + 1, [floats(8, 64, 28, 28)], False),
        ("concatenation 1024x1200", lambda x, y: torch.cat([x, y * 2], 1), [floats(1024, 500), floats(1024, 700)], False),
        ("rotary 8x512x8x64", rotary, [heads, angle, angle], False),
        ("embedding 4096x256", lambda w, i: w[i] * 2, [table, words], False),
        ("gather 1024x1024", lambda x, i: x.gather(1, i), [square, numbers(1024, 1024, 1024)], False),
        ("index add 4096x256", lambda x, i, y: x.index_add(0, i, y), [table, words, floats(4096, 256)], False),
        ("scatter add 512x512", lambda x, i, y: x.scatter_add(1, i, y), [floats(512, 512), numbers(512, 512, 512), floats(512, 512)], False),
        ("cross entropy 512x10000", F.cross_entropy, [floats(512, 10000), numbers(10000, 512)], False),
        ("dropout 1024x1024", lambda x: F.dropout(x, 0.5).abs() >= 0, [square], False),
        ("average pool", lambda x: F.avg_pool2d(x, 2), [image], False),
        ("max pool", lambda x: F.max_pool2d(x, 3, 2, 1), [image], False),
        ("nearest, twice as large", lambda x: F.interpolate(x, scale_factor=2), [image], False),
        ("bilinear, twice as large", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), [image], False),
        ("layer norm 1024x1024, grad", layer_norm, [square, vector, vector], True),
        ("softmax 1024x1024, grad", lambda x: x.softmax(-1), [square], True),
        ("embedding 4096x256, grad", lambda w, i: w[i] * 2, [table, words], True),
        ("cross entropy 256x10000, grad", F.cross_entropy, [floats(256, 10000), numbers(10000, 256)], True),
    ]  # fmt: skip


def copy_of(function, label):
    """torch.compile keeps what it has made by the code that it was made for."""

    def call(*arguments):
        return function(*arguments)

    call.__code__ = call.__code__.replace(co_name=f"call_for_{label}")
    return call


def contestants(function, grad):
    """The function as each contestant runs it; compiled at its first call."""
    import torch._inductor.config as inductor

    torch._dynamo.reset()
    made = {}
    for backend, label in _CONTESTANTS.items():
        if backend is None:
            run = gradient(function) if grad else function
        else:
            compiled = torch.compile(copy_of(function, label), dynamic=False)
            run = gradient(compiled) if grad else compiled

        def within(*arguments, run=run, backend=backend):
            with inductor.patch(cpu_backend=backend or "cpp"):
                return run(*arguments)

        # The first call compiles; the others do without the setting.
        made[label] = (within, run)
    return made


def median_of(call, budget):
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < budget:
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def measure(function, arguments, grad, rounds, budget):
    """Microseconds of each contestant."""
    runs = contestants(function, grad)
    results = {label: within(*arguments) for label, (within, _) in runs.items()}
    for label, found in results.items():
        tolerance = 2e-2 if found.dtype == torch.bfloat16 else 1e-3
        torch.testing.assert_close(found, results["eager"], rtol=tolerance, atol=tolerance, msg=lambda m: f"{label}: {m}")
    times = {label: [] for label in runs}
    for _ in range(rounds):
        for label, (_, run) in runs.items():
            times[label].append(median_of(lambda: run(*arguments), budget))
    return {label: statistics.median(found) * 1e6 for label, found in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="parts of names, comma-separated")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=0.1, help="seconds of each figure")
    args = parser.parse_args()
    os.environ["NEREID_CPU_THREADS"] = str(args.threads)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    warnings.filterwarnings("ignore")
    wanted = args.only.split(",")
    print(f"{'microseconds':32}" + "".join(f"{it:>10}" for it in _CONTESTANTS.values()) + "      C++/nereid  eager/nereid")
    ratios = []
    for name, function, arguments, grad in rows():
        if not any(part in name for part in wanted):
            continue
        found = measure(function, arguments, grad, args.rounds, args.budget)
        own, cpp, eager = (found[label] for label in _CONTESTANTS.values())
        ratios.append((cpp / own, eager / own))
        print(f"{name:32}{own:10.0f}{cpp:10.0f}{eager:10.0f}{cpp / own:16.2f}{eager / own:14.2f}", flush=True)
    means = [math.exp(statistics.fmean(map(math.log, column))) for column in zip(*ratios)]
    print(f"{'geometric mean':62}{means[0]:16.2f}{means[1]:14.2f}")


if __name__ == "__main__":
    main()
