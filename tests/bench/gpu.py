#!/usr/bin/env python3
"""Checks and times kernels on a GPU of another machine, through Vulkan.

    gpu.py bundle FOLDER --target TARGET [--only NAME,...]
    FOLDER/gpu.py check
    FOLDER/gpu.py table [--only NAME,...] [--time SECONDS] [--json FILE]

`bundle` compiles the example kernels and those of the table for a target in
full, the `target_in_full` that `nereid devices --json` prints there; the device
has to be the same. It gathers in FOLDER what a machine without LLVM needs to run
them: the tool, the library, the plugin, a filled cache. `check` runs each
example kernel and compares its results. `table` prints the median of the
device's timestamps on random data, the best of the listed options first, beside
figures of others on an H200.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VERSIONS = ("3.6.0", "3.9.0")
LIMIT = 60  # seconds for one measurement
PART = "vulkan/libnereid-vulkan-compiler.so"


def rows():
    """(name, kernel, options to try, changed arguments, grid, work,
    figure to beat, whose)."""
    n = 1 << 28
    yield (
        "add f32 2^28",
        ["vector_add_1024", "vector_add_65536"],
        [{"num_warps": 4}, {"num_warps": 8}],
        {"x_ptr": [n], "y_ptr": [n], "out_ptr": [n], "n_elements": n},
        lambda kernel, n=n: [n // int(kernel.split("_")[-1]), 1, 1],
        {"bytes": 12 * n},
        (4354, "Triton 3.6"),
    )
    figures = {
        (4096, 8192): (3811, 3762),
        (16384, 4096): (4014, 3971),
        (131072, 781): (4134, 2665),
    }
    for (m, n), (softmax, layer_norm) in figures.items():
        block = "1024_ragged" if n == 781 else str(n)
        warps = [{"num_warps": w} for w in ((1, 2, 4) if n == 781 else (4, 8, 16))]
        yield (
            f"softmax f32 {m}x{n}",
            [f"softmax_{block}"],
            warps,
            {
                "output_ptr": [m, n],
                "input_ptr": [m, n],
                "input_row_stride": n,
                "output_row_stride": n,
                "n_cols": n,
            },
            lambda kernel, m=m: [m, 1, 1],
            {"bytes": 8 * m * n},
            (softmax, "Triton 3.6"),
        )
        yield (
            f"layer norm f32 {m}x{n}",
            [f"layer_norm_{block}"],
            warps,
            {
                "X": [m, n],
                "Y": [m, n],
                "W": [n],
                "B": [n],
                "Mean": [m],
                "Rstd": [m],
                "stride": n,
                "N": n,
            },
            lambda kernel, m=m: [m, 1, 1],
            {"bytes": 8 * m * n},
            (layer_norm, "Triton 3.6"),
        )
    products = {
        "f32": (51000, "cuBLAS, IEEE; Triton 3.6: 42000"),
        "f16": (164000, "NVIDIA's matrix benchmark"),
        "bf16": (181000, "NVIDIA's matrix benchmark"),
        "f16_sums": (247000, "NVIDIA's matrix benchmark"),
        "i8": (451000, "NVIDIA's matrix benchmark"),
    }
    for dtype, figure in products.items():
        blocks = ["128x128x32", "64x64x32"]
        if dtype != "f32":
            blocks += ["128x128x64", "128x256x32"]
        if dtype == "i8":
            blocks += ["128x128x128", "128x256x64"]
        yield (
            f"matmul {dtype} 4096",
            [f"gpu_matmul_{block}_{dtype}" for block in blocks],
            [{"num_warps": w, "num_stages": s} for w in (4, 8) for s in (1, 2)],
            {},
            None,
            None,
            figure,
        )
    yield (
        "linear i8 4096",
        ["gpu_linear_128x128x64_i8", "gpu_linear_128x128x32_i8"],
        [{"num_warps": w, "num_stages": s} for w in (4, 8) for s in (1, 2)],
        {},
        None,
        None,
        (451000, "NVIDIA's matrix benchmark"),
    )
    yield (
        "attention f16 16x4096x64",
        [f"gpu_flash_attention_{block}" for block in ("64x64", "128x64", "128x32")],
        [{"num_warps": 4}, {"num_warps": 8}],
        {},
        None,
        None,
        (82000, "half of the product's rate"),
    )


def is_wanted(name, only):
    parts = [part for part in only.split(",") if part]
    return not parts or any(part in name for part in parts)


def wanted(only):
    return [row for row in rows() if is_wanted(row[0], only)]


def case_name(kernel, row_name):
    """The file of a kernel with the arguments of a row."""
    return f"{kernel}.{row_name.replace(' ', '_').replace('^', '')}"


def words(options):
    return [word for name, value in options.items() for word in ("-O", f"{name}={value}")]


def adapted(manifest, changes, grid, work, kernel):
    for arg in manifest["args"]:
        if arg["name"] in changes:
            arg["shape" if arg["kind"] == "tensor" else "value"] = changes[arg["name"]]
    if grid:
        manifest["grid"] = grid(kernel)
    if work:
        manifest["work"] = work
    return manifest


def bundle(options):
    out = options.folder
    shutil.rmtree(out, ignore_errors=True)
    build, data = ROOT / "build", ROOT / "tests/data/kernels"
    (out / "plugins/vulkan").mkdir(parents=True)
    for source, target in (
        (build / "bin/nereid", "nereid"),
        (build / "lib/libnereid.so.0", "libnereid.so.0"),
        (build / "lib/libnereid-ops.so.0", "libnereid-ops.so.0"),
        (build / "lib/nereid/plugins/vulkan.so", "plugins/vulkan.so"),
        (Path(__file__).resolve(), "gpu.py"),
        # Not loaded, but the key of a cached kernel names it.
        (build / f"lib/nereid/plugins/{PART}", f"plugins/{PART}"),
    ):
        shutil.copy2(source, out / target)
    compiled, refused = [], []

    def fill(path, changed=()):
        command = [build / "bin/nereid", "compile", path, "--target", options.target, *changed]
        env = dict(
            os.environ,
            NEREID_CACHE_DIR=str(out / "cache"),
            NEREID_PLUGIN_DIRS=str(build / "lib/nereid/plugins"),
        )
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        (refused if done.returncode else compiled).append(path)
        if done.returncode:
            print(f"{path.stem}: {done.stderr.strip()}")
        return done.returncode == 0

    (out / "bench").mkdir()
    for name, kernels, tried, changes, grid, work, _ in wanted(options.only):
        for kernel in kernels:
            manifest = json.loads((data / "bench" / f"{kernel}.json").read_text())
            path = out / "bench" / f"{case_name(kernel, name)}.json"
            path.write_text(json.dumps(adapted(manifest, changes, grid, work, kernel)))
            shutil.copy2(data / "bench" / manifest["ttir"], out / "bench")
            for changed in tried:
                fill(path, words(changed))
    shutil.copytree(data / "data", out / "data")
    for version in VERSIONS:
        (out / version).mkdir()
        for manifest in sorted((data / version).glob("*.json")):
            if is_wanted(manifest.stem, options.only) and fill(manifest):
                for file in (manifest, manifest.with_suffix(".ttir")):
                    shutil.copy2(file, out / version)
    print(f"{len(compiled)} compiled, {len(refused)} refused")


def device_environment():
    return dict(
        os.environ,
        NEREID_CACHE_DIR=str(HERE / "cache"),
        NEREID_PLUGIN_DIRS=str(HERE / "plugins"),
        LD_LIBRARY_PATH=f"{HERE}:{os.environ.get('LD_LIBRARY_PATH', '')}",
    )


def run_tool(*words):
    """What the tool reports about the device, or why it does not."""
    command = [HERE / "nereid", *words, "--target", "vulkan", "--json"]
    try:
        done = subprocess.run(
            command,
            env=device_environment(),
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        return None, f"took more than {LIMIT} s"
    report = json.loads(done.stdout) if done.stdout else {}
    if done.returncode and "matches" not in report:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return None, lines[0]
    return report, None


def check(_):
    manifests = [path for v in VERSIONS for path in sorted((HERE / v).glob("*.json"))]
    with ThreadPoolExecutor(max_workers=8) as pool:
        reports = list(pool.map(lambda path: run_tool("run", path), manifests))
    failed = 0
    for path, (report, problem) in zip(manifests, reports):
        if problem or not report["matches"]:
            failed += 1
            wrong = [out for out in (report or {}).get("outputs", []) if not out.get("matches", True)]
            print(f"{path.parent.name} {path.stem}: {problem or 'differs'} {wrong or ''}")
    print(f"{len(manifests) - failed} passed, {failed} failed")
    return failed > 0


def measure(kernel, name, changed, seconds):
    """Median nanoseconds on the device, or why there is none; the resources."""
    path = HERE / "bench" / f"{case_name(kernel, name)}.json"
    report, problem = run_tool("bench", path, "--time", str(seconds), *words(changed))
    if problem:
        return None, problem, ""
    resources = report["resources"]
    used = f"{resources['registers']} registers, {resources['spills']} spilled"
    return (report["device_ns"] or report["end_to_end_ns"])["median"], None, used


def table(options):
    print(f"{'row':<26}{'figure':>9} {'unit':<8}{'to beat':>9}  kernel, options")
    results = []
    for name, kernels, tried, changes, grid, work, (figure, whose) in wanted(options.only):
        measured = []
        for kernel in kernels:
            path = HERE / "bench" / f"{case_name(kernel, name)}.json"
            if not path.exists():
                continue  # the bundle has only some rows
            work = json.loads(path.read_text())["work"]
            (unit, amount), = work.items()
            for changed in tried:
                nanoseconds, problem, used = measure(kernel, name, changed, options.time)
                how = " ".join([kernel, *(f"{n}={v}" for n, v in changed.items())])
                rate = amount / nanoseconds if nanoseconds else 0
                measured.append((rate, problem or f"{how}: {used}"))
        for number, (rate, how) in enumerate(sorted(measured, reverse=True)):
            unit_name = {"bytes": "GB/s", "flops": "GFLOP/s"}[unit]
            first = number == 0
            label = name if first else ""
            beat = f"{figure:>9}" if first else " " * 9
            note = f"  ({whose})" if first else ""
            print(f"{label:<26}{rate:>9.0f} {unit_name:<8}{beat}  {how}{note}")
            results.append({"row": name, "rate": rate, "unit": unit_name, "how": how})
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    make = verbs.add_parser("bundle")
    make.add_argument("folder", type=lambda text: Path(text).resolve())
    make.add_argument("--target", required=True)
    make.add_argument("--only", default="", help="parts of names, comma-separated")
    verbs.add_parser("check")
    show = verbs.add_parser("table")
    show.add_argument("--only", default="", help="parts of names, comma-separated")
    show.add_argument("--time", type=float, default=0.3)
    show.add_argument("--json", type=Path)
    options = parser.parse_args()
    return {"bundle": bundle, "check": check, "table": table}[options.verb](options)


if __name__ == "__main__":
    sys.exit(main())
