"""Checks that the innermost loops of kernels contain nothing slow.

Compiles the kernels of tests/data/kernels/bench for several processors, which
need not be here, and looks at their assembly: calls, registers spilled to the
stack, gathers and scatters. exceptions.txt has those that are needed, and why.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import os
import pathlib
import subprocess
import sys

from loops import KINDS, innermost_loops

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "data/kernels/bench"
PROCESSORS = ("x86-64-v3", "znver4", "sapphirerapids")
# One reload in so many instructions costs nothing that can be measured.
INSTRUCTIONS_PER_RELOAD = 20


@dataclasses.dataclass
class Allowed:
    line: int
    kernel: str
    processor: str
    kind: str
    most: int
    used: bool = False

    def covers(self, kernel, processor, kind, count):
        return (
            fnmatch.fnmatchcase(kernel, self.kernel)
            and fnmatch.fnmatchcase(processor, self.processor)
            and kind == self.kind
            and count <= self.most
        )


def read_exceptions(path):
    """Lines of: kernel, processor (both globs), kind, count, reason."""
    result = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(None, 4)
        if len(fields) < 5 or fields[2] not in KINDS or not fields[3].isdigit():
            sys.exit(f"{path}:{number}: expected kernel, processor, kind, count, reason")
        result.append(Allowed(number, *fields[:3], int(fields[3])))
    return result


def assembly(nereid, kernel, processor, options):
    command = [nereid, "compile", str(kernel), "--no-cache", "--stop-after", "asm"]
    command += ["--target", f"cpu:x86_64:{processor}", "-o", "-"]
    for option in options:
        command += ["-O", option]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{kernel.stem} for {processor}:\n{done.stderr}")
    return done.stdout


def check(kernel, processor, text, exceptions):
    """The report of one kernel: a list of lines, empty if all is well."""
    lines = []
    for loop in innermost_loops(text):
        for kind, found in loop.found().items():
            instructions = len(loop.instructions)
            if kind == "reload" and len(found) * INSTRUCTIONS_PER_RELOAD <= instructions:
                continue
            covering = [
                e for e in exceptions if e.covers(kernel, processor, kind, len(found))
            ]
            for exception in covering:
                exception.used = True
            if not covering:
                lines.append(
                    f"{kernel} for {processor}: {len(found)} x {kind} in the loop at "
                    f"{loop.label} of {loop.function} ({instructions} "
                    f"instructions), first: {found[0].text}"
                )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nereid", required=True)
    parser.add_argument("--exceptions", type=pathlib.Path, default=HERE / "exceptions.txt")
    parser.add_argument("--option", action="append", default=[], help="of the compiler")
    parser.add_argument("kernels", nargs="*", help="globs of names; default: all")
    arguments = parser.parse_args()
    exceptions = read_exceptions(arguments.exceptions)
    # Those for GPUs are large for a CPU, and others have the same code.
    kernels = [
        kernel
        for kernel in sorted(KERNELS.glob("*.json"))
        if not kernel.stem.startswith("gpu_")
        and (
            not arguments.kernels
            or any(fnmatch.fnmatchcase(kernel.stem, g) for g in arguments.kernels)
        )
    ]
    pairs = [(kernel, processor) for kernel in kernels for processor in PROCESSORS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = pool.map(
            lambda pair: assembly(arguments.nereid, *pair, arguments.option), pairs
        )
        lines = []
        for (kernel, processor), text in zip(pairs, texts):
            lines += check(kernel.stem, processor, text, exceptions)
    if not arguments.kernels:
        for exception in exceptions:
            if not exception.used:
                lines.append(
                    f"{arguments.exceptions}:{exception.line}: nothing needs this exception"
                )
    print("\n".join(lines))
    print(f"{len(pairs)} kernels, {len(lines)} problems")
    sys.exit(1 if lines or not pairs else 0)


if __name__ == "__main__":
    main()
