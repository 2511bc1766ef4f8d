# options.py - the options that the `triton` plugin offers, with the releases of
# Triton that have them.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import ctypes
import sys

import setting
from compile_kernels import Nereid, Target, text

COMMON = {
    "num_warps": 4, "num_ctas": 1, "enable_fp_fusion": True,
    "launch_cooperative_grid": False, "debug": False,
    "instrumentation_mode": "",
}
# (the first release, the last) -> name and default.
EXPECTED = {
    "cuda:sm_90a": {
        (6, 9): {"num_stages": 3, "maxnreg": 0, "ptx_version": 0,
                 "ptx_options": "", "enable_reflect_ftz": True,
                 "launch_pdl": False, "image": "cubin"},
        (9, 9): {"sched4reg": False, "clc": False, "min_shared_mem": 0,
                 "fpsan_homomorphic_casts": False},
    },
    "hip:gfx942": {
        (6, 9): {"num_stages": 2, "waves_per_eu": 0,
                 "matrix_instr_nonkdim": 0, "kpack": 1,
                 "allow_flush_denorm": False},
        (6, 7): {"schedule_hint": "none"},
        (8, 9): {"schedule_hint": "", "llvm_fn_attrs": ""},
        (9, 9): {"wgp_cu_mode": "wgp", "fpsan_homomorphic_casts": False},
    },
}


def main():
    options = setting.arguments(version=str)
    minor = int(options.version.split(".")[1])
    problems = 0
    with setting.own_cache():
        nereid = Nereid(options.build)
        for target, releases in EXPECTED.items():
            expected = dict(COMMON)
            for (first, last), added in releases.items():
                if first <= minor <= last:
                    expected |= added
            backend, _, arch = target.partition(":")
            spec = Target(ctypes.sizeof(Target), 0, text(backend), text(arch))
            found = {option["name"]: option["default"] for option in nereid.json(
                nereid.lib.nereid_backend_options, nereid.backend,
                ctypes.byref(spec))}
            for name in sorted(found.keys() | expected.keys()):
                if found.get(name) != expected.get(name):
                    problems += 1
                    print(f"{target}: '{name}' is {found.get(name)}, "
                          f"expected {expected.get(name)}")
        nereid.close()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
