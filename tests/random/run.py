"""Checks random kernels of a range of seeds; see README.md.

A seed is one kernel for ever, as long as the generator does not change. The
kernels run in child processes: one that crashes or hangs is reported, and the
others go on.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import argparse
import multiprocessing.connection
import os
import pathlib
import sys
import time

import packages

packages.require("numpy")
import numpy as np

from child import LIMIT, Child, Ended
from ir import PointerArgument
from turns import generator_of
from text import print_kernel


def worker(connection, seeds, target: str, count: int | None, products: bool) -> None:
    """Reports (seed, what begins) and in the end (seed, differences)."""
    from check import Configurations, check
    from device import Device

    device = Device(target)
    configurations = Configurations(device, products)
    generate = generator_of(products)
    for seed in seeds:
        connection.send((seed, "generator"))
        found = check(
            device, generate(seed), configurations.of(seed, count), lambda name: connection.send((seed, name))
        )
        connection.send((seed, [str(difference) for difference in found]))


class Shard:
    """A child process, its seeds and what it does now."""

    def __init__(self, args, seeds) -> None:
        self.args, self.seeds = args, seeds
        self.start()

    def start(self) -> None:
        self.child = Child(worker, self.seeds, self.args.target, self.args.configurations, self.args.products)
        self.now, self.since = (self.seeds[0], "start"), time.monotonic()

    def finished(self, seed: int) -> None:
        self.seeds = self.seeds[self.seeds.index(seed) + 1 :]

    def died(self, reason: Ended) -> tuple[int, str]:
        seed, doing = self.now
        if doing == "start":
            sys.exit(f"the device {self.args.target} cannot be used: {reason}")
        self.finished(seed)
        if self.seeds:
            self.start()
        return seed, f"{doing}: {reason}"


def run(args, seeds) -> int:
    """Prints each difference; returns how many seeds have one."""
    shards = [Shard(args, part) for i in range(args.jobs) if (part := seeds[i :: args.jobs])]
    failed, done, start, told = set(), 0, time.monotonic(), time.monotonic()

    def report(seed, messages):
        failed.add(seed)
        for message in messages:
            print(f"seed {seed}: {message}", flush=True)
        if args.keep:
            keep(args.keep, seed, generator_of(args.products)(seed), messages)

    while live := [s for s in shards if s.seeds]:
        ready = multiprocessing.connection.wait([s.child.connection for s in live], timeout=1)
        for shard in live:
            if shard.child.connection in ready:
                try:
                    seed, what = shard.child.receive()
                except Ended as reason:
                    seed, text = shard.died(reason)
                    report(seed, [text])
                    done += 1
                    continue
                shard.now, shard.since = (seed, what), time.monotonic()
                if isinstance(what, list):
                    done += 1
                    shard.finished(seed)
                    if what:
                        report(seed, what)
            elif time.monotonic() - shard.since > LIMIT:
                seed, text = shard.died(shard.child.hung())
                report(seed, [text])
                done += 1
        if time.monotonic() - told > 60:
            told = time.monotonic()
            print(f"{done} of {len(seeds)} kernels, {len(failed)} differ", flush=True)
    took = time.monotonic() - start
    print(f"{done} kernels in {took:.0f} s: {len(failed)} differ", flush=True)
    return len(failed)


def keep(folder: pathlib.Path, seed: int, kernel, messages) -> None:
    """Writes what reproduces a difference: TTIR, inputs, messages."""
    folder.mkdir(parents=True, exist_ok=True)
    header = [f"// seed {seed}", *(f"// {line}" for m in messages for line in m.splitlines())]
    for argument in kernel.arguments:
        if isinstance(argument, PointerArgument):
            where = f"element {argument.offset} of arr_{kernel.buffers.index(argument.buffer)}"
        else:
            where = str(argument.number)
        header.append(f"// {argument.value.name} = {where}")
    width = kernel.width or kernel.grid
    header.append(f"// grid {width},{kernel.grid // width}")
    (folder / f"{seed}.ttir").write_text("\n".join([*header, print_kernel(kernel)]))
    np.savez(folder / f"{seed}.npz", *(buffer.data for buffer in kernel.buffers))


def range_of(text: str) -> range:
    """The seeds from A to B - 1, of "A:B"; or one, of "A"."""
    first, _, last = text.partition(":")
    return range(int(first), int(last) if last else int(first) + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:1000", help="A:B, without B; or one seed; several of them with commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--every", action="store_true", help="all configurations for every seed")
    parser.add_argument("--products", action="store_true", help="kernels of products, with and without matrices")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="write TTIR and inputs of differences")
    parser.add_argument("--reduce", action="store_true", help="make the kernels of --seeds smaller while they differ")
    parser.add_argument("--print", action="store_true", help="print the TTIR of the seeds, and do nothing else")
    args = parser.parse_args()
    args.configurations = None if args.every else 2  # beside the base
    seeds = [seed for part in args.seeds.split(",") for seed in range_of(part)]
    # A program's scratch memory holds a pattern, and no zeros by luck.
    os.environ.setdefault("NEREID_CPU_POISON_SCRATCH", "1")
    if args.print:
        for seed in seeds:
            print(print_kernel(generator_of(args.products)(seed)), end="")
        return 0
    if args.reduce:
        from reduce import reduce

        return max(reduce(seed, args) for seed in seeds)
    return int(run(args, seeds) > 0)


if __name__ == "__main__":
    sys.exit(main())
