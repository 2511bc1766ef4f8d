"""Nereid's cpu plugin compared with other frameworks on this machine, in one run.

    scripts/bench [--threads N] [--only add,softmax] [--peers torch,jax]
                  [--no-peers] [--budget SECONDS]

Each figure is the median of warm calls, into a given output where the peer can;
GB/s count each input and output once, GFLOP/s count 2MNK. Each peer runs in a
process of its own, so that its idle threads do not slow the others. Figures are
comparable within one run, not between runs.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import kernels  # noqa: E402
import peer_functions  # noqa: E402

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
    products = [("matmul", 64), ("matmul", 128), ("linear", 128)]
    for dtype in ("f32", "bf16"):
        for op, block in products:
            for n in (256, 512, 1024, 2048):
                changes = {i: [n, n] for i in range(3)}
                changes.update({i: n for i in range(3, 9)})
                yield (
                    f"{op} {block}x{block}x32 {dtype}",
                    (n, n, n),
                    f"{op}_{block}x{block}x32_{dtype}",
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


def available(name):
    """Whether a module can be imported; its parents are, it is not."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def installed(wanted):
    """The peers of `wanted` that can be imported, and the others."""
    here = [p for p in wanted if all(map(available, peer_functions.NEEDS[p]))]
    return here, [peer for peer in wanted if peer not in here]


def measure_peer(peer, name, shape, options):
    """Runs in the child process: median seconds, None if the peer has no such work."""
    dtype = "bfloat16" if name.endswith("bf16") else "float32"
    op = name.split()[0]
    function = peer_functions.make(peer, op, tuple(shape), dtype, options.threads)
    return function and median_seconds(function, options.budget)


def peer_seconds(peer, name, shape, options):
    """Median seconds of a peer, measured in a process of its own."""
    threads = str(options.threads)
    environment = dict(
        os.environ,
        OMP_NUM_THREADS=threads,
        MKL_NUM_THREADS=threads,
        OPENBLAS_NUM_THREADS=threads,
        NUMBA_NUM_THREADS=threads,
        JAX_PLATFORMS="cpu",
        # Do not return freed memory to the system: no peer pays for page faults.
        MALLOC_MMAP_THRESHOLD_="8589934592",
        MALLOC_TRIM_THRESHOLD_="17179869184",
    )
    if options.threads == 1:
        environment["XLA_FLAGS"] = (
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
    environment.pop("OPENBLAS_CORETYPE", None)
    request = json.dumps([peer, name, shape])
    words = [sys.executable, __file__, "--peer-of", request]
    words += ["--threads", threads, "--budget", str(options.budget)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        why = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        print(f"{peer}: {name}: {why[-1]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def work_of(name, shape):
    """Amount of useful work, and its unit."""
    if name.startswith(("matmul", "linear")):
        return 2 * shape[0] * shape[1] * shape[2], "GFLOP/s"
    size = 4
    for extent in shape:
        size *= extent
    return {"add": 3, "sum": 1}.get(name, 2) * size, "GB/s"


def row(label, ours, others, unit, peers):
    """A line of the table; `others` are the figures of those peers that have one."""
    line = f"{label:<34}{ours:>10.1f}"
    for peer in peers:
        line += f"{others[peer]:>10.1f}" if peer in others else f"{'-':>10}"
    line += f"  {unit:<8}"
    if others:
        best = max(others, key=others.get)
        line += f" {ours / others[best]:.2f} of {best}"
    return line.rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="names, comma-separated")
    parser.add_argument("--budget", type=float, default=0.4)
    parser.add_argument("--peers", default=",".join(peer_functions.NEEDS))
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--peer-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer_of:
        print(json.dumps(measure_peer(*json.loads(options.peer_of), options)))
        return
    if not TOOL.exists():
        sys.exit(f"missing: {TOOL}; scripts/quickstart builds it")
    only = [name for name in options.only.split(",") if name]
    wanted = [] if options.no_peers else options.peers.split(",")
    unknown = [peer for peer in wanted if peer not in peer_functions.NEEDS]
    if unknown:
        parser.error(
            f"unknown peer '{unknown[0]}', expected {', '.join(peer_functions.NEEDS)}"
        )
    peers, absent = installed(wanted)
    print(f"threads: {options.threads}; median of warm calls")
    if absent:
        print(f"peers that are not installed: {', '.join(absent)}")
    header = f"{'case':<34}{'nereid':>10}" + "".join(f"{peer:>10}" for peer in peers)
    print(f"{header}  unit     nereid / best peer" if peers else f"{header}  unit")
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
        seconds = {peer: peer_seconds(peer, name, shape, options) for peer in peers}
        others = {peer: amount / s / 1e9 for peer, s in seconds.items() if s}
        label = f"{name} {'x'.join(str(extent) for extent in shape)}"
        print(row(label, ours, others, unit, peers), flush=True)


if __name__ == "__main__":
    main()
