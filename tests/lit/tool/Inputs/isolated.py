#!/usr/bin/env python3
# isolated.py - kernels for the CPU, compiled in the tool's process and in one
# of their own: images and keys are equal.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: isolated.py KERNEL, one of the folder whose kernels are compiled
import json
import os
import pathlib
import subprocess
import sys
import tempfile

kernels = sorted(pathlib.Path(sys.argv[1]).parent.glob("*.ttir"))[::23][:8]


def compile_with(policy, kernel, image):
    done = subprocess.run(
        ["nereid", "compile", kernel, "--target", "cpu", "-o", image, "--json"],
        env={**os.environ, "NEREID_COMPILE": policy},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{kernel}: {policy}: {done.stderr}")
    return json.loads(done.stdout)["key"], pathlib.Path(image).read_bytes()


with tempfile.TemporaryDirectory() as folder:
    for kernel in kernels:
        made = [compile_with(policy, kernel, f"{folder}/image") for policy in ("always", "always,isolated")]
        if made[0] != made[1]:
            sys.exit(f"{kernel}: differs in a process of its own")
print(f"{len(kernels)} kernels, equal images")
