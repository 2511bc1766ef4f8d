# descriptors.py - how the `triton` plugin describes kernels whose arguments are
# tensor descriptors (docs/cuda.md), on devices with and without tensor maps.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import sys

import setting
from compile_kernels import Nereid

KERNEL = """module {
  tt.func public @k(%a: i32,
      %m: MATRIX, %m0: i32, %m1: i32, %ms0: i64, %ms1: i64,
      %v: VECTOR, %v0: i32, %vs0: i64, %c: i1) {
    tt.return
  }
}
"""
# As frontends pass them: of each descriptor the pointer, sizes, strides, two
# flags, and then the arguments that the source has.
TYPES = ["i32",
         "*f16", "i64", "i64", "i64", "i64", "i1", "i1",
         "i32", "i32", "i64", "i64",
         "*f32", "i64", "i64", "i1", "i1", "i32", "i64",
         "i1"]
ALL = list(range(len(TYPES)))
# A tensor map for each descriptor, and the arguments of the source.
WITH_MAPS = [0, -1, 8, 9, 10, 11, -2, 17, 18, 19]
# All of them; 3.6 has no flag for TF32.
REWRITTEN_BY_3_6 = [i for i in ALL if i not in (7, 16)]


def parameters_of(target, version):
    if target == "cuda:sm_90a":
        return WITH_MAPS
    return REWRITTEN_BY_3_6 if version == "3.6" else None


# Argument, rank, swizzle, type of the elements (f16, f32), flags, sizes.
MAPS = [1, 2, 2, 6, 0, 64, 32, 12, 1, 0, 7, 0, 16]


def source_for(version):
    """Triton changed how the type is written."""
    plain = version not in ("3.6", "3.7")
    return KERNEL.replace(
        "MATRIX", "!tt.tensordesc<64x32xf16>" if plain
        else "!tt.tensordesc<tensor<64x32xf16>>").replace(
        "VECTOR", "!tt.tensordesc<16xf32>" if plain
        else "!tt.tensordesc<tensor<16xf32>>").encode()


def main():
    options = setting.arguments(version=str)
    problems = 0
    with setting.own_cache():
        nereid = Nereid(options.build)
        version = options.version[:3]
        for target in ("cuda:sm_90a", "cuda:sm_80", "hip:gfx942"):
            parameters = parameters_of(target, version)
            facts, _ = nereid.compile_bytes(target, source_for(version), "k")
            found = facts["metadata"]
            maps = MAPS if parameters and min(parameters) < 0 else None
            for name, expected in (("argument_types", TYPES),
                                   ("parameters", parameters),
                                   ("tensor_maps", maps)):
                if found.get(name) != expected:
                    problems += 1
                    print(f"{target}: {name} is {found.get(name)}, "
                          f"expected {expected}")
        nereid.close()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
