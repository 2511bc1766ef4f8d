"""Compile times of kernels: the distribution over a folder of modules.

    scripts/bench --corpus FOLDER       (default: tests/data/kernels)

Every module (*.ttir) is compiled from its text to an image, in one process,
without the cache, after a warm-up. Modules that the plugin rejects are counted
and listed by its message.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import pathlib
import re
import statistics
import time

import nereid
from nereid import _native

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compile_all(paths, target):
    """Milliseconds of processor time of each module, and the first line of each refusal."""
    native = _native.require()
    backend, device = native.choose(target)
    times, refusals = {}, {}
    for path in [paths[0], *paths]:
        text = path.read_bytes()
        start = time.process_time()
        try:
            backend.compile(text, str(path), {}, device, flags=native.NO_CACHE)
        except nereid.Error as error:
            refusals[path] = str(error).splitlines()[0]
            continue
        times[path] = (time.process_time() - start) * 1e3
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
    args = parser.parse_args()
    paths = sorted(args.folder.rglob("*.ttir"))
    if len(paths) < 2:
        parser.error(f"{args.folder} has {len(paths)} modules (*.ttir), expected 2 or more")
    times, refusals = compile_all(paths, args.target)
    report(times)
    kinds = collections.Counter(
        re.sub(r"\S*?\.(py|ttir)\S*|\d+", "...", text) for text in refusals.values()
    )
    for text, count in kinds.most_common(20):
        print(f"refused {count:>5}  {text[:150]}")


if __name__ == "__main__":
    main()
