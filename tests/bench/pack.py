"""The operators of plugins/packs/generic beside torch, on the cpu plugin.

    scripts/bench --operators [--threads N] [--only NAME,...] [--dtype f32|bf16|f16]
                              [--budget SECONDS] [--calls]

Times are medians of warm launches, taken in turns with torch's, of tensors above
1 MB; ratios above 1 mean faster than torch. The table at the end is that of
plugins/packs/generic/README.md. Only launches are timed, from Triton's
front, into memory that exists; torch allocates its results where it has no `out`.
With --calls whole calls of nereid.ops are timed instead, which choose the kernel and
allocate like torch's.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("NEREID_TARGET", "cpu")
# Idle threads of torch do not take the processor from Nereid's.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("KMP_BLOCKTIME", "0")
# No peer pays for pages that were returned to the system.
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "8589934592")
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "17179869184")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "packs"))

from pack import DTYPES, operator  # noqa: E402

aten = torch.ops.aten


def cases(dtype):
    """(label, operator, its arguments, the same by torch)."""

    def rand(*shape):
        return (torch.rand(shape) + 0.5).to(dtype)

    x, y = rand(1024, 1024), rand(1024, 1024)
    row, out = rand(1024), torch.empty(1024, 1024, dtype=dtype)
    for name in ("exp", "log", "sqrt", "rsqrt", "abs", "neg", "tanh", "sigmoid"):
        yield name, name, {"x": x}, lambda name=name: getattr(torch, name)(x, out=out)
    yield "relu", "relu", {"x": x}, lambda: torch.relu(x)
    yield "gelu", "gelu", {"x": x}, lambda: F.gelu(x)
    yield "gelu tanh", "gelu", {"x": x, "approximate": "tanh"}, lambda: F.gelu(x, approximate="tanh")
    yield "silu", "silu", {"x": x}, lambda: F.silu(x)
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "pow"):
        yield name, name, {"x": x, "y": y}, lambda name=name: getattr(torch, name)(x, y, out=out)
    yield "add row", "add", {"x": x, "y": row}, lambda: torch.add(x, row, out=out)
    yield "add transposed", "add", {"x": x, "y": y.t()}, lambda: torch.add(x, y.t(), out=out)
    mask = x > 1
    yield "where", "where", {"condition": mask, "x": x, "y": y}, lambda: torch.where(mask, x, y, out=out)
    fill = {"x": x, "condition": mask, "value": 2.0}
    yield "masked_fill", "masked_fill", fill, lambda: x.masked_fill(mask, 2.0)
    clamp = {"x": x, "low": 0.6, "high": 1.2}
    yield "clamp", "clamp", clamp, lambda: torch.clamp(x, 0.6, 1.2, out=out)
    yield "dropout", "dropout", {"x": x, "p": 0.3, "seed": 1}, lambda: F.dropout(x, 0.3)
    yield "silu_and_mul", "silu_and_mul", {"gate": x, "up": y}, lambda: F.silu(x) * y
    yield "fill", "fill", {"x": x, "value": 2.5}, lambda: out.fill_(2.5)
    yield "copy", "copy", {"x": x}, lambda: out.copy_(x)
    yield "copy transposed", "copy", {"x": x.t()}, lambda: out.copy_(x.t())
    yield "gelu_backward", "gelu_backward", {"grad": y, "x": x}, lambda: aten.gelu_backward(y, x)
    for n in (256, 4096, 65536):
        z = rand((1 << 20) // n, n)
        for name in ("softmax", "log_softmax"):
            yield f"{name} {n}", name, {"x": z}, lambda name=name, z=z: getattr(torch, name)(z, -1)
    yield "softmax columns", "softmax", {"x": x, "dim": 0}, lambda: torch.softmax(x, 0)
    p = torch.softmax(x, -1)
    given = {"grad": y, "y": p}
    yield "softmax_backward", "softmax_backward", given, lambda: aten._softmax_backward_data(y, p, -1, dtype)
    given = {"x": x, "weight": row, "bias": row}
    yield "layer_norm", "layer_norm", given, lambda: aten.native_layer_norm(x, [1024], row, row, 1e-5)
    yield "rms_norm", "rms_norm", {"x": x, "weight": row}, lambda: F.rms_norm(x, [1024], row, 1e-5)
    _, mean, rstd = aten.native_layer_norm(x, [1024], row, row, 1e-5)
    given = {"grad": y, "x": x, "weight": row, "mean": mean.float(), "rstd": rstd.float()}
    every = [True, True, True]

    def layer_norm_backward():
        return aten.native_layer_norm_backward(y, x, [1024], mean, rstd, row, row, every)

    yield "layer_norm_backward", "layer_norm_backward", given, layer_norm_backward
    image, channel = rand(8, 64, 48, 48), rand(64)
    given = {"x": image, "weight": channel, "bias": channel, "groups": 8}
    yield "group_norm", "group_norm", given, lambda: F.group_norm(image, 8, channel, channel)
    for name in ("sum", "mean", "amax", "amin", "prod", "var", "any", "all"):
        torch_name = getattr(torch, name)
        yield f"{name} rows", name, {"x": x, "dim": [1]}, lambda f=torch_name: f(x, 1)
        yield f"{name} columns", name, {"x": x, "dim": [0]}, lambda f=torch_name: f(x, 0)
        yield f"{name} all", name, {"x": x}, lambda f=torch_name: f(x)
    for name in ("argmax", "argmin"):
        torch_name = getattr(torch, name)
        yield f"{name} rows", name, {"x": x, "dim": 1}, lambda f=torch_name: f(x, 1)
        yield f"{name} all", name, {"x": x}, lambda f=torch_name: f(x)
    flat = x.view(-1)
    yield "cumsum rows", "cumsum", {"x": x, "dim": 1}, lambda: torch.cumsum(x, 1, out=out)
    yield "cumsum flat", "cumsum", {"x": flat, "dim": 0}, lambda: torch.cumsum(flat, 0)
    yield "sort 1024", "sort", {"x": x}, lambda: torch.sort(x)
    yield "sort flat", "sort", {"x": flat}, lambda: torch.sort(flat)
    yield "topk 8 of 1024", "topk", {"x": x, "k": 8}, lambda: torch.topk(x, 8)
    table, words = rand(8192, 512), torch.randint(0, 8192, (4096,))
    yield "embedding", "embedding", {"weight": table, "indices": words}, lambda: F.embedding(words, table)
    grad = rand(4096, 512)
    given = {"grad": grad, "indices": words, "weight": table}

    def embedding_backward():
        return aten.embedding_dense_backward(grad, words, 8192, -1, False)

    yield "embedding_backward", "embedding_backward", given, embedding_backward
    picks = torch.randint(0, 1024, (1024, 1024))
    yield "gather", "gather", {"x": x, "dim": 1, "index": picks}, lambda: torch.gather(x, 1, picks)
    order = torch.rand(1024, 1024).argsort(1)
    given = {"x": x, "dim": 1, "index": order, "source": y}
    yield "scatter", "scatter", given, lambda: torch.scatter(x, 1, order, y)
    yield "scatter_add", "scatter_add", given, lambda: torch.scatter_add(x, 1, order, y)
    some = picks[0]
    yield "index_select", "index_select", {"x": x, "dim": 1, "index": some}, lambda: x.index_select(1, some)
    scores, labels = rand(1024, 8192), torch.randint(0, 8192, (1024,))
    given = {"x": scores, "target": labels}
    yield "cross_entropy", "cross_entropy", given, lambda: F.cross_entropy(scores, labels)
    heads, cos, sin = rand(1, 512, 16, 128), rand(512, 64), rand(512, 64)

    def rotary():
        a, b = heads.chunk(2, -1)
        c, s = cos[:, None], sin[:, None]
        return torch.cat([a * c - b * s, b * c + a * s], -1)

    yield "rotary", "rotary", {"x": heads, "cos": cos, "sin": sin}, rotary
    yield "matmul 1024", "matmul", {"x": x, "y": y}, lambda: torch.mm(x, y, out=out)
    given = {"x": x, "y": y, "bias": row, "activation": "gelu"}
    yield "linear gelu", "linear", given, lambda: F.gelu(F.linear(x, y, row))
    a, b = rand(16, 256, 256), rand(16, 256, 256)
    yield "bmm", "bmm", {"x": a, "y": b}, lambda: torch.bmm(a, b)
    stack, ends = rand(8, 1024, 256), torch.arange(128, 1025, 128, dtype=torch.int32)

    def grouped():
        return torch.cat([x[128 * g : 128 * (g + 1)] @ stack[g] for g in range(8)])

    yield "grouped_matmul", "grouped_matmul", {"x": x, "y": stack, "ends": ends}, grouped
    weight = rand(64, 64, 3, 3)
    given = {"x": image, "weight": weight, "padding": [1, 1]}
    yield "conv2d 3x3", "conv2d", given, lambda: F.conv2d(image, weight, padding=1)
    small = rand(128, 64, 1, 1)
    yield "conv2d 1x1", "conv2d", {"x": image, "weight": small}, lambda: F.conv2d(image, small)
    q, k, v = (rand(1, 8, 1024, 64) for _ in range(3))
    for causal in (False, True):
        given = {"q": q, "k": k, "v": v, "causal": causal}
        label = "attention causal" if causal else "attention"
        yield (
            label, "attention", given,
            lambda causal=causal: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
        )  # fmt: skip
    o, lse = operator("attention")(q=q, k=k, v=v)
    leaves = [t.clone().requires_grad_() for t in (q, k, v)]
    result = F.scaled_dot_product_attention(*leaves)
    given = {"grad": q, "q": q, "k": k, "v": v, "out": o, "lse": lse}

    def attention_backward():
        return torch.autograd.grad(result, leaves, q, retain_graph=True)

    yield "attention_backward", "attention_backward", given, attention_backward
    yield "cat", "cat", {"xs": [x, y], "dim": 1}, lambda: torch.cat([x, y], 1)
    yield "flip", "flip", {"x": x, "dims": [1]}, lambda: x.flip(1)


def timed_launches(name, given, threads):
    """The launches of a call, again and again."""
    launches = []
    operator(name)(launches=launches, **given)

    def launch():
        for kernel, grid, arguments in launches:
            kernel[grid](nereid_threads=threads, **arguments)

    return launch


def timed_call(name, given):
    import nereid

    function = getattr(nereid.ops, name)
    expected = operator(name)(**given)
    found = function(**given)
    for one, other in zip(*(each if isinstance(each, (list, tuple)) else [each] for each in (found, expected))):
        torch.testing.assert_close(one, other, equal_nan=True, msg=lambda text: f"{name}: {text}")
    return lambda: function(**given)


def measure(mine, theirs, budget):
    """Median seconds of both, taken in turns."""
    times = ([], [])
    end = time.perf_counter() + budget
    while len(times[0]) < 5 or time.perf_counter() < end:
        for function, taken in zip((mine, theirs), times):
            start = time.perf_counter()
            function()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="operators, separated by commas")
    parser.add_argument("--dtype", default="f32", choices=("f16", "bf16", "f32"))
    parser.add_argument("--calls", action="store_true", help="time calls of nereid.ops")
    parser.add_argument("--budget", type=float, default=0.3, help="seconds for each row")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    os.environ["NEREID_CPU_THREADS"] = str(options.threads)
    torch.manual_seed(0)
    wanted = set(filter(None, options.only.split(",")))
    rows = []
    load = os.getloadavg()[0]
    print(f"{options.dtype}, {options.threads} threads, load {load:.1f} before\n")
    print(f"{'':<22} {'nereid us':>10} {'torch us':>10} {'ratio':>6}")
    for label, name, given, theirs in cases(DTYPES[options.dtype]):
        if wanted and name not in wanted:
            continue
        mine = timed_call(name, given) if options.calls else timed_launches(name, given, options.threads)
        mine()
        theirs()
        seconds = measure(mine, theirs, options.budget)
        ratio = seconds[1] / seconds[0]
        rows.append((label, name, ratio))
        print(f"{label:<22} {seconds[0] * 1e6:10.0f} {seconds[1] * 1e6:10.0f} {ratio:6.2f}", flush=True)
    if rows:
        print("\n" + summary(rows))


def summary(rows):
    """The mean over operators, each the mean of its rows, and the table of README.md."""
    ratios = {}
    for _, name, ratio in rows:
        ratios.setdefault(name, []).append(ratio)
    means = [statistics.geometric_mean(each) for each in ratios.values()]
    lines = [f"geometric mean of {len(means)} operators: {statistics.geometric_mean(means):.2f}", ""]
    slow = sorted((ratio, label) for label, _, ratio in rows if ratio < 1)
    if not slow:
        return "\n".join([*lines, "none is slower than torch"])
    lines += ["| slower than torch | ratio |", "| --- | --- |"]
    return "\n".join(lines + [f"| `{label}` | {ratio:.2f} |" for ratio, label in slow])


if __name__ == "__main__":
    main()
