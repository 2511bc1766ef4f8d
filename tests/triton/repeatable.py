# repeatable.py - the same kernel gives the same image each time. ptxas orders
# registers by addresses of its own memory: without the same ones each time every
# second image of this kernel for sm_100a differs.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import ctypes
import pathlib
import sys

import setting
from compile_kernels import Nereid

ADDR_NO_RANDOMIZE = 0x0040000


def main():
    options = setting.arguments(kernel=pathlib.Path)
    process = ctypes.CDLL(None)
    before = process.personality(0xffffffff)
    if process.personality(before | ADDR_NO_RANDOMIZE) < 0:
        setting.skip("this process may not choose its addresses (seccomp)")
    process.personality(before)
    with setting.own_cache():
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
