#!/usr/bin/env python3
"""Nereid's own overhead: start, discovery, compilation and launch.

    scripts/bench [--budget SECONDS]

Each figure is a median; the budget is the time spent on each.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_first_launch import FirstLaunch

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/data/kernels/bench"
PROGRAMS = ("compile_bench", "first_launch", "launch_bench", "many_plugins", "pool_bench")
PLUGINS = 1000
BLOCKS = (1024, 65536)


def row(name, figure, note=""):
    print(f"{name:<88}{figure:>9}  {note}".rstrip(), flush=True)


def medians(run, budget):
    """The medians of the figures that `run` returns, over about `budget` seconds."""
    runs = []
    end = time.perf_counter() + budget
    while len(runs) < 3 or time.perf_counter() < end:
        runs.append(run())
    return [statistics.median(figures) for figures in zip(*runs)]


def benchmarks(words, budget, environment=None, time="real_time"):
    """Median nanoseconds of each benchmark of a program, by name."""
    words += [
        "--benchmark_format=json",
        f"--benchmark_min_time={budget / 5}",
        "--benchmark_repetitions=5",
        "--benchmark_enable_random_interleaving=true",
        "--benchmark_report_aggregates_only=true",
    ]
    done = subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE)
    units = {"ns": 1, "us": 1e3, "ms": 1e6}
    found = {}
    for one in json.loads(done.stdout)["benchmarks"]:
        if one.get("error_occurred"):
            sys.exit(f"{words[0]}: {one['run_name']}: {one['error_message']}")
        if one["aggregate_name"] == "median":
            name = one["run_name"].split("/repeats:")[0]
            found[name] = one[time] * units[one["time_unit"]]
    return found


def first_launch(options, work):
    program = FirstLaunch(
        options.build / "bench/first_launch",
        ROOT / "examples/embed/vector_add.ttir",
        options.plugins,
        work / "first_launch",
    )
    program.run()  # fills the cache

    def cached():
        result = program.run()
        if not result["from_cache"]:
            sys.exit("first_launch compiled its kernel, expected it in the cache")
        return [result["total_ms"]]

    (total,) = medians(cached, options.budget)
    row(
        "create host, find plugins in 3 directories, load a cached cpu "
        "kernel, first launch done",
        f"{total:.2f} ms",
    )


def many_plugins(options, work):
    """Copies of one plugin, each with an id of its own of the same length."""
    folder = work / "many"
    folder.mkdir(mode=0o755)
    plugin = (options.plugins / "extension.so").read_bytes()
    for number in range(PLUGINS):
        path = folder / f"number{number:03}.so"
        path.write_bytes(plugin.replace(b"extension", path.stem.encode()))
        path.chmod(0o755)

    def run(*deny):
        command = [options.build / "bench/many_plugins", folder, *deny]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        result = json.loads(done.stdout)
        if result["candidates"] < PLUGINS or not deny and result["loaded"] < PLUGINS:
            sys.exit(f"many_plugins found {result}, expected {PLUGINS} plugins")
        return result["create_ms"], result["report_ms"]

    checked, report = medians(lambda: run("*"), options.budget)
    loaded, _ = medians(run, options.budget)
    name = "1 000 plugins in one directory: "
    row(f"{name}preflight and report", f"{checked + report:.1f} ms")
    row(f"{name}preflight and load", f"{loaded:.1f} ms")


def compilation(options):
    kernels = ("vector_add", "softmax", "layer_norm")

    def path(name, block):
        return KERNELS / f"{name}_{block}.ttir"

    files = [path(name, block) for name in kernels for block in BLOCKS]
    environment = dict(os.environ, NEREID_PLUGIN_DIRS=str(options.plugins))
    words = [options.build / "bench/compile_bench", *files]
    found = benchmarks(words, options.budget, environment)
    for name in kernels:
        times = (found[f"{path(name, block)}/process_time"] for block in BLOCKS)
        small, large = (time / 1e6 for time in times)
        row(f"compile {name}, block {BLOCKS[0]}", f"{small:.1f} ms")
        row(
            f"compile {name}, block {BLOCKS[1]}",
            f"{large:.1f} ms",
            f"{large / small:.2f} of block {BLOCKS[0]}",
        )


def launch(options):
    words = [options.build / "bench/launch_bench", options.plugins / "extension.so"]
    found = benchmarks(words, options.budget)
    for arguments in (5, 20):
        whole = found[f"launchThroughHost/{arguments}"]
        slot = found[f"launchSlot/{arguments}"]
        row(
            f"launch, {arguments} arguments: host above the plugin's slot",
            f"{whole - slot:.1f} ns",
            f"{whole:.1f} - {slot:.1f}, extension plugin",
        )


def parallel_region(options):
    """What two threads cost beyond half of the time of one, which spins meanwhile."""
    found = benchmarks([options.build / "bench/pool_bench"], options.budget)
    alone, together = found["work/1/real_time"], found["work/2/real_time"]
    row(
        f"parallel region of 2 threads, warm: above half of {alone / 1e3:.1f} us",
        f"{(together - alone / 2) / 1e3:.2f} us",
    )


def vulkan_launch(options):
    """What the plugin and the host add to a driver's own time: that of a thread,
    on a driver that executes nothing."""
    manifest = str(options.build / "tests/null_vulkan/null_vulkan.json")
    words = [options.build / "bench/launch_bench", options.plugins / "vulkan.so"]
    for name, device in (("busy", "a busy device"), ("", "an idle device")):
        environment = dict(
            os.environ,
            VK_DRIVER_FILES=manifest,
            VK_ICD_FILENAMES=manifest,
            NULL_VULKAN=name,
        )
        found = benchmarks(words, options.budget, environment, "cpu_time")
        for arguments in (5, 20):
            row(
                f"launch, {arguments} arguments: vulkan, {device} that executes nothing",
                f"{found[f'launchThroughHost/{arguments}']:.1f} ns",
                "time of the thread",
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    options = parser.parse_args()
    options.plugins = options.build / "lib/nereid/plugins"
    wanted = [options.build / "bench" / name for name in PROGRAMS]
    wanted += [options.plugins / name for name in ("cpu.so", "extension.so")]
    missing = [str(path) for path in wanted if not path.exists()]
    if missing:
        sys.exit(
            f"missing: {', '.join(missing)}\n"
            "They are built with the tests, which scripts/quickstart leaves out:\n"
            f"  cmake -B {options.build} -DNEREID_BUILD_TESTS=ON\n"
            f"  cmake --build {options.build} --target {' '.join(PROGRAMS)} "
            "nereid_cpu nereid_cpu_compiler nereid_extension\n"
            "scripts/test installs what they need, and builds them too."
        )
    try:
        with tempfile.TemporaryDirectory() as work:
            first_launch(options, Path(work))
            many_plugins(options, Path(work))
        compilation(options)
        launch(options)
        parallel_region(options)
        if (options.build / "tests/null_vulkan/null_vulkan.json").exists():
            vulkan_launch(options)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} ended with exit status {error.returncode}")


if __name__ == "__main__":
    main()
