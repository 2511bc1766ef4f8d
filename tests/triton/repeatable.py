# repeatable.py - the same kernel gives the same image each time. ptxas orders
# registers by addresses of its own memory: without the same ones each time every
# second image of this kernel for sm_100a differs.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import ctypes
import os
import pathlib
import sys
import tempfile

from compile_kernels import Nereid

ADDR_NO_RANDOMIZE = 0x0040000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--kernel", required=True, type=pathlib.Path)
    options = parser.parse_args()
    if not options.python.exists():
        print(f"skipped: no {options.python}; scripts/python-env makes it")
        return 77
    process = ctypes.CDLL(None)
    before = process.personality(0xffffffff)
    if process.personality(before | ADDR_NO_RANDOMIZE) < 0:
        print("skipped: this process may not choose its addresses (seccomp)")
        return 77
    process.personality(before)
    os.environ["NEREID_TRITON_PYTHON"] = os.path.abspath(options.python)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NEREID_CACHE_DIR"] = cache
        nereid = Nereid(options.build)
        target = "cuda:sm_100a"
        _, first = nereid.compile(target, options.kernel)
        results = [nereid.compile(target, options.kernel)[1]]
        results += [nereid.compile_bytes(target, first["ptx"], "k", "cubin")[1]
                    for _ in range(8)]
        nereid.close()
    different = {name for result in results for name in result
                 if result[name] != first[name]}
    if different:
        print(f"not the same each time: {', '.join(sorted(different))}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
