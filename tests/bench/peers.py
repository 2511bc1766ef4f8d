"""Nereid's cpu plugin beside numpy and torch, measured in one run.

    scripts/bench [--threads N] [--only add,softmax] [--budget SECONDS]

Each figure is the median of warm calls into a given output; GB/s count each
input and output once, GFLOP/s count 2MNK. The peers run in a process of their
own, so that their idle threads do not slow Nereid's. Figures of one run can be
compared with each other, not with those of another day.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import kernels  # noqa: E402

TOOL = kernels.ROOT / "build" / "bin" / "nereid"


def cases():
    """(name, shape, manifest, arguments that differ from it, grid)."""
    for n in (1 << 16, 1 << 20, 1 << 22, 1 << 26):
        changes = {0: [n], 1: [n], 2: [n], 3: n}
        yield "add", (n,), "vector_add_1024", changes, [-(-n // 1024), 1, 1]
    yield "gelu", (1 << 22,), "gelu_1024", {}, None
    yield "sum", (1 << 22,), "sum_4096", {}, None
    for name in ("softmax_256", "softmax_1024_ragged", "softmax_1024"):
        yield "softmax", None, name, {}, None
    for name in ("softmax_4096", "softmax_32768"):
        yield "softmax", None, name, {}, None
    for name in ("256", "1024", "4096", "32768"):
        yield "layernorm", None, f"layer_norm_{name}", {}, None
    for dtype in ("f32", "bf16"):
        for block in (64, 128):
            for n in (256, 512, 1024, 2048):
                changes = {i: [n, n] for i in range(3)}
                changes.update({i: n for i in range(3, 9)})
                yield (
                    f"matmul {block}x{block}x32 {dtype}",
                    (n, n, n),
                    f"matmul_{block}x{block}x32_{dtype}",
                    changes,
                    [(n // block) ** 2, 1, 1],
                )


def load(name, changes, grid):
    """A manifest with some of its arguments and its grid replaced."""
    path = kernels.DATA / "bench" / f"{name}.json"
    manifest = json.loads(path.read_text())
    for index, value in changes.items():
        arg = manifest["args"][index]
        arg["shape" if arg["kind"] == "tensor" else "value"] = value
    if grid:
        manifest["grid"] = grid
    return path, manifest


def nereid(path, manifest, options):
    """Median seconds of one launch."""
    words = [str(TOOL), "bench", str(path.with_suffix(".ttir"))]
    words += ["--grid", ",".join(str(size) for size in manifest["grid"])]
    words += kernels.arguments(manifest, path.parent)
    words += ["--target", "cpu", "-O", f"threads={options.threads}"]
    words += ["--time", str(options.budget)]
    return kernels.run_json(words)["device_ns"]["median"] / 1e9


def peer_functions(name, shape, np, torch):
    """The same work as numpy and torch do it, on inputs of their own."""
    rng = np.random.default_rng(0)

    def make(*size):
        array = rng.standard_normal(size, dtype=np.float32)
        return array, torch.from_numpy(array)

    op = name.split()[0]
    if op == "add":
        (a, ta), (b, tb) = make(*shape), make(*shape)
        out, tout = np.empty_like(a), torch.empty_like(ta)
        return {
            "numpy": lambda: np.add(a, b, out=out),
            "torch": lambda: torch.add(ta, tb, out=tout),
        }
    if op == "matmul":
        (a, ta), (b, tb) = make(*shape[:2]), make(*shape[:2])
        if name.endswith("bf16"):
            ta, tb = ta.bfloat16(), tb.bfloat16()
            tout = torch.empty_like(ta)
            return {"torch": lambda: torch.mm(ta, tb, out=tout)}
        out, tout = np.empty_like(a), torch.empty_like(ta)
        return {
            "numpy": lambda: np.matmul(a, b, out=out),
            "torch": lambda: torch.mm(ta, tb, out=tout),
        }
    a, ta = make(*shape)
    if op == "sum":
        return {"numpy": a.sum, "torch": ta.sum}
    if op == "gelu":
        return {
            "torch": lambda: torch.nn.functional.gelu(ta, approximate="tanh")
        }
    if op == "softmax":
        tout = torch.empty_like(ta)
        return {"torch": lambda: torch.softmax(ta, -1, out=tout)}
    _, weight = make(shape[-1])
    _, bias = make(shape[-1])
    return {
        "torch": lambda: torch.nn.functional.layer_norm(
            ta, shape[-1:], weight, bias
        )
    }


def median_seconds(function, budget):
    """Median time of a call, warm, over about `budget` seconds."""
    function()
    times = []
    end = time.perf_counter() + budget
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure_peers(name, shape, options):
    """Runs in the child process; prints one JSON object."""
    import numpy as np
    import torch

    torch.set_num_threads(options.threads)
    functions = peer_functions(name, shape, np, torch)
    return {
        peer: median_seconds(function, options.budget)
        for peer, function in functions.items()
    }


def peers(name, shape, options):
    """Median seconds of each peer, measured in a process of their own."""
    threads = str(options.threads)
    environment = dict(os.environ, OMP_NUM_THREADS=threads)
    environment.update(MKL_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
    # Keeps freed memory, so that no peer pays for fresh pages.
    environment.update(
        MALLOC_MMAP_THRESHOLD_="8589934592", MALLOC_TRIM_THRESHOLD_="17179869184"
    )
    environment.pop("OPENBLAS_CORETYPE", None)
    request = json.dumps([name, shape])
    words = [sys.executable, __file__, "--peers-of", request]
    words += ["--threads", threads, "--budget", str(options.budget)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr.strip().splitlines()[-1], file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def work_of(name, shape):
    """Amount of useful work, and its unit."""
    if name.startswith("matmul"):
        return 2 * shape[0] * shape[1] * shape[2], "GFLOP/s"
    size = 4
    for extent in shape:
        size *= extent
    return {"add": 3, "sum": 1}.get(name, 2) * size, "GB/s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="names, comma-separated")
    parser.add_argument("--budget", type=float, default=0.4)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--peers-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peers_of:
        name, shape = json.loads(options.peers_of)
        print(json.dumps(measure_peers(name, tuple(shape), options)))
        return
    only = [name for name in options.only.split(",") if name]
    print(f"threads: {options.threads}; median of warm calls")
    header = f"{'case':<34}{'nereid':>10}{'numpy':>10}{'torch':>10}"
    print(f"{header}  unit     nereid / best peer")
    for name, shape, manifest_name, changes, grid in cases():
        if only and name.split()[0] not in only:
            continue
        path, manifest = load(manifest_name, changes, grid)
        if shape is None:
            shape = tuple(manifest["args"][0]["shape"])
            if "ragged" in manifest_name:
                columns = manifest["args"][-1]["value"]
                shape = (shape[0], columns)
        amount, unit = work_of(name, shape)
        ours = amount / nereid(path, manifest, options) / 1e9
        others = {}
        if not options.no_peers:
            others = {
                peer: amount / seconds / 1e9
                for peer, seconds in peers(name, shape, options).items()
            }
        label = f"{name} {'x'.join(str(extent) for extent in shape)}"
        line = f"{label:<34}{ours:>10.1f}"
        for peer in ("numpy", "torch"):
            line += f"{others[peer]:>10.1f}" if peer in others else f"{'-':>10}"
        ratio = f"{ours / max(others.values()):.2f}" if others else ""
        print(f"{line}  {unit:<8} {ratio}", flush=True)


if __name__ == "__main__":
    main()
