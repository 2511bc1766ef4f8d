#!/usr/bin/env python3
# images.py - compiles every kernel for a CPU, and looks at the images.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels of a folder of manifests for a CPU that need not be this
one, and checks of each image that it is for that machine, exports its kernel
alone, and asks for nothing that a process without LLVM cannot give it: libm,
and functions that the C library and libm of this machine have.

  images.py --runner KERNEL_RUNNER --machine MACHINE [-O NAME=VALUE]... FOLDER
"""

import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

EXPORT = "nereid_cpu_kernel_v3"
LIBM = "libm.so.6"
C_LIBRARY = [ctypes.CDLL("libc.so.6"), ctypes.CDLL(LIBM)]

FILE = re.compile(r"^File: (.*)$")
MACHINE = re.compile(r"^ +Machine: +(.*)$")
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]$")
SYMBOL = re.compile(r"^ +\d+: .* (\S+) (\S+)$")  # section and name


def is_in_c_library(name):
    return any(hasattr(library, name) for library in C_LIBRARY)


def facts(images):
    """Of each image: its machine, the libraries it needs, and the symbols it
    exports and imports."""
    text = subprocess.run(["readelf", "-hdW", "--dyn-syms", *images],
                          check=True, capture_output=True, text=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        if match := FILE.match(line):
            current = found[match[1]] = {"machine": "", "needed": [],
                                         "exports": [], "imports": []}
        elif match := MACHINE.match(line):
            current["machine"] = match[1]
        elif match := NEEDED.search(line):
            current["needed"].append(match[1])
        elif (match := SYMBOL.match(line)) and match[1] != "Ndx":
            side = "imports" if match[1] == "UND" else "exports"
            current[side].append(match[2])
    return found


def errors_of(fact, machine):
    if fact["machine"] != machine:
        yield f"is for {fact['machine']}, expected {machine}"
    if fact["exports"] != [EXPORT]:
        yield f"exports {fact['exports']}, expected {EXPORT} alone"
    for name in fact["needed"]:
        if name != LIBM:
            yield f"needs {name}, expected at most {LIBM}"
    for name in fact["imports"]:
        if not is_in_c_library(name):
            yield f"calls {name}, which the C library does not have"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--machine", required=True, help="as readelf names it")
    parser.add_argument("-O", dest="options", action="append", default=[])
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    # Blocks for the matrix units of a GPU would take LLVM a minute more.
    manifests = sorted(str(path) for path in args.folder.glob("*.json")
                       if not path.name.startswith("gpu_"))
    options = [word for option in args.options for word in ("-O", option)]
    with tempfile.TemporaryDirectory() as images:
        status = subprocess.run([args.runner, "--images", images, *options,
                                 *manifests], check=False).returncode
        files = sorted(map(str, pathlib.Path(images).glob("*.so")))
        found = facts(files) if files else {}
    errors = [f"{pathlib.Path(path).stem}: {error}"
              for path, fact in found.items()
              for error in errors_of(fact, args.machine)]
    print("\n".join(errors))
    imports = sorted({name for fact in found.values()
                      for name in fact["imports"]})
    print(f"{len(found)} images of {len(manifests)} kernels, which import "
          f"{', '.join(imports) or 'nothing'}")
    return 1 if status or errors or len(found) != len(manifests) else 0


if __name__ == "__main__":
    sys.exit(main())
