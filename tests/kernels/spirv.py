#!/usr/bin/env python3
"""Compiles all kernels for a device that this machine lacks, and validates them.

    spirv.py --nereid FILE --profile NAME [--every N] FOLDER

Compiles FOLDER's manifests, or every Nth of them, for the profile with the
vulkan plugin, and runs spirv-val on each module. What the plugin does not
support must be refused by name. Where spirv-val is too old to know cooperative matrices, a module with
them is only counted, and the kernel is validated without them.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import sys
import tempfile

_REFUSALS = ("is not supported by vulkan", "but the target has no", "which the device does not have")


# The capability CooperativeMatrixKHR.
_MATRICES_UNKNOWN = "Invalid capability operand: 6022"


def problem(nereid: str, profile: str, manifest: pathlib.Path, out: pathlib.Path, options: tuple = ()) -> str:
    """What is wrong with one kernel; "refused" if the plugin says so."""
    command = [nereid, "compile", manifest, "--target", f"vulkan:{profile}", "--no-cache", "-o", out, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return "refused" if any(text in done.stderr for text in _REFUSALS) else done.stderr
    done = subprocess.run(["spirv-val", "--target-env", "vulkan1.3", out], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nereid", required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    manifests = sorted(args.folder.glob("*.json"))[:: args.every]
    compiled = failed = unknown = 0
    with tempfile.TemporaryDirectory() as scratch:
        for manifest in manifests:
            out = pathlib.Path(scratch) / "kernel.spv"
            found = problem(args.nereid, args.profile, manifest, out)
            if _MATRICES_UNKNOWN in found:
                unknown += 1
                found = problem(args.nereid, args.profile, manifest, out, ("-O", "matrices=false"))
            compiled += not found
            if found and found != "refused":
                failed += 1
                print(f"{manifest.name}: {found}")
    print(f"{compiled} of {len(manifests)} kernels are valid modules, {failed} are not")
    if unknown:
        print(f"{unknown} of them were validated without their cooperative matrices: spirv-val does not know these")
    # A profile for which nothing compiles would prove nothing.
    return failed > 0 or compiled < len(manifests) // 2


if __name__ == "__main__":
    sys.exit(main())
