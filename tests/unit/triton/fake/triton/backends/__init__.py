# A backend for cuda whose stages do what the kernel says.
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import ctypes
import os
import re
import signal
import sys
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Optional

from triton.backends.compiler import BaseBackend
from triton.runtime.errors import PTXASError


@dataclass(frozen=True)
class Options:
    num_warps: int = 4
    num_ctas: int = 1
    # most registers of a thread
    maxnreg: Optional[int] = None
    ptx_options: Optional[str] = None
    enable_fp_fusion: bool = True
    launch_pdl: bool = False
    arch: str = ""
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: tuple = ("fp8e4b15",)
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "ieee")
    max_num_imprecise_acc_default: int = 7

    def __post_init__(self):
        assert self.num_warps & (self.num_warps - 1) == 0, \
            "num_warps must be a power of 2"


def misbehave(text):
    if "crash" in text:
        print("the fake assembler dies", file=sys.stderr)
        sys.stderr.flush()
        ctypes.string_at(8)
    if "hang" in text:
        time.sleep(1000)
    if "exit" in text:
        print("exit as told")
        os._exit(7)
    if "sys-leave" in text:
        sys.exit("leaving")
    if "exhaust" in text:
        bytearray(4 << 30)  # more than its limit
    if "killed" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "print" in text:
        print("garbage\n" * 10000)
    if meeting := re.search("meet=(.*)", text):
        # Until two workers have been here.
        with open(os.path.join(meeting[1], str(os.getpid())), "w"):
            pass
        while len(os.listdir(meeting[1])) < 2:
            time.sleep(0.01)
    if "located" in text:
        print('loc("k.py":7:3): error: this cannot be lowered', file=sys.stderr)
        print('loc("k.py":6:1): note: because of this', file=sys.stderr)
        raise RuntimeError("PassManager::run failed")
    if "raise" in text:
        raise KeyError("a bug of the backend")
    if "refused-ptx" in text:
        raise PTXASError("`ptxas` failed with error code 255\n"
                         "`ptxas` stderr:\n"
                         "ptxas /tmp/tmpab12.ptx, line 9; error   : no such "
                         "instruction\nRepro command: ptxas -v\n")


class Backend(BaseBackend):
    @staticmethod
    def supports_target(target):
        return target.backend == "cuda"

    def hash(self):
        return "fake-1"

    def parse_options(self, options):
        return Options(**{**options, "arch": f"sm{self.target.arch}"})

    def get_codegen_implementation(self, options):
        return {"min_dot_size": lambda left, right: (1, 1, 16)}

    def get_module_map(self):
        from triton.language import fake_libdevice
        return {"triton.language.extra.libdevice": fake_libdevice}

    def load_dialects(self, context):
        pass

    def add_stages(self, stages, options, language):
        def ttgir(module, metadata):
            misbehave(module.text)
            return module

        def llir(module, metadata):
            metadata.update(shared=4096, global_scratch_size=100,
                            global_scratch_align=128, profile_scratch_size=8,
                            profile_scratch_align=4)
            return "; " + module.text.replace("\n", "\n; ") + "\n"

        def ptx(text, metadata):
            metadata["name"] = "kernel"
            return "// ptx\n"

        stages["ttir"] = lambda module, metadata: module
        stages["ttgir"] = ttgir
        stages["llir"] = llir
        stages["ptx"] = ptx
        stages["cubin"] = lambda text, metadata: b"\x7fcubin of " + text.encode()


backends = {"fake": SimpleNamespace(compiler=Backend)}
