"""Compile times of kernels: the distribution over a folder of modules.

    scripts/bench --corpus FOLDER       (default: tests/data/kernels)

Every module (*.ttir) is compiled from its text to an image, in one process,
without the cache, several times: milliseconds of processor time. Modules that
the plugin rejects are counted and listed by its message. The target is a
plugin's id, for its first device, or a target in full, for a device that this
machine lacks: vulkan:nvidia-hopper.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compile_all(paths, target, build):
    """Milliseconds of processor time of each module, and the message of each refusal."""
    # The first one is a warm-up: it loads the compiler.
    command = [build / "bench/compile_bench", "--target", target, paths[0], *paths]
    with tempfile.NamedTemporaryFile() as out:
        command += [f"--benchmark_out={out.name}", "--benchmark_min_time=0.05"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = json.load(out)["benchmarks"][1:]
    times, refusals = {}, {}
    for path, row in zip(paths, rows, strict=True):
        if row.get("error_occurred"):
            refusals[path] = row["error_message"].splitlines()[0]
        else:
            times[path] = row["cpu_time"]
    return times, refusals


def report(times):
    values = sorted(times.values())
    at = statistics.quantiles(values, n=100)
    print(f"{len(values)} modules, ms of processor time: median {at[49]:.1f}, "
          f"90 % {at[89]:.1f}, 99 % {at[98]:.1f}, most {values[-1]:.1f}")  # fmt: skip
    print("slowest:")
    for path in sorted(times, key=times.get)[: -6 : -1]:
        print(f"  {times[path]:>9.1f}  {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", nargs="?", type=pathlib.Path, default=ROOT / "tests/data/kernels"
    )
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    paths = sorted(args.folder.rglob("*.ttir"))
    if len(paths) < 2:
        parser.error(f"{args.folder} has {len(paths)} modules (*.ttir), expected 2 or more")
    times, refusals = compile_all(paths, args.target, args.build)
    report(times)
    kinds = collections.Counter(
        re.sub(r"\S*?\.(py|ttir)\S*|\d+", "...", text) for text in refusals.values()
    )
    for text, count in kinds.most_common(20):
        print(f"refused {count:>5}  {text[:150]}")


if __name__ == "__main__":
    main()
