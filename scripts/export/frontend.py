"""Runs Triton's frontend and common TTIR passes; needs no GPU.

Triton insists on a backend and a driver for everything it compiles. The two
here stop after the `ttir` stage and keep the module's text before and after.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import hashlib
from dataclasses import dataclass

import triton
from triton._C.libtriton import ir, passes
from triton.backends import Backend, backends
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.backends.driver import DriverBase

TARGET = GPUTarget("cpu", "generic", 32)


@dataclass(frozen=True)
class Options:
    """What the frontend and the launcher of any release read."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    debug: bool = False
    sanitize_overflow: bool = False
    arch: str = "generic"
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    extern_libs: tuple = ()
    supported_fp8_dtypes: tuple = ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple = ("ieee", "tf32", "tf32x3")
    max_num_imprecise_acc_default: int = 0
    rewrite_pointers: bool = False  # see Case.rewrite_pointers
    case: str = ""  # keeps Triton from reusing the compilation of another case

    def hash(self):
        return hashlib.sha256(repr(self).encode()).hexdigest()


class ExportBackend(BaseBackend):
    """Compiles to TTIR and keeps its text; the binary is empty."""

    binary_ext = "none"
    texts = {}  # of the last compilation

    @staticmethod
    def supports_target(target):
        return target.backend == TARGET.backend

    def hash(self):
        return "export"

    def parse_options(self, opts):
        known = Options.__dataclass_fields__
        return Options(**{k: v for k, v in opts.items() if k in known})

    def pack_metadata(self, metadata):
        return ()

    def get_codegen_implementation(self, options):
        return {"min_dot_size": lambda lhs, rhs: (1, 1, 1)}

    def get_module_map(self):
        return {}

    def load_dialects(self, ctx):
        pass

    def add_stages(self, stages, options, language=None):
        stages["ttir"] = lambda mod, meta: self._ttir(mod, meta, options)
        stages["none"] = lambda mod, meta: b""

    def _ttir(self, mod, metadata, options):
        texts = ExportBackend.texts
        texts["raw"] = str(mod)
        run_common_passes(mod, options.rewrite_pointers)
        texts["located"] = str(mod)
        texts["plain"] = mod.str_nodebug()
        texts["symbol"] = mod.get_entry_func_name()
        metadata["name"] = texts["symbol"]
        metadata["shared"] = 0
        return mod


def run_common_passes(mod, rewrite_pointers):
    """The `ttir` stage of Triton's own backends, in their order."""
    pm = ir.pass_manager(mod.context)
    pm.enable_debug()
    passes.common.add_inliner(pm)
    if rewrite_pointers:
        if hasattr(passes.ttir, "add_rewrite_tensor_pointer"):  # before 3.8
            passes.ttir.add_rewrite_tensor_pointer(pm)
        passes.ttir.add_rewrite_tensor_descriptor_to_pointer(pm)
    passes.common.add_canonicalizer(pm)
    passes.ttir.add_combine(pm)
    passes.ttir.add_reorder_broadcast(pm)
    passes.common.add_cse(pm)
    passes.common.add_symbol_dce(pm)
    passes.ttir.add_loop_unroll(pm)
    pm.run(mod, "ttir")


class ExportDriver(DriverBase):
    """Says that one device exists; nothing is ever launched on it."""

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        raise NotImplementedError("the export driver launches nothing")

    def get_current_target(self):
        return TARGET

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        raise NotImplementedError("the export driver launches nothing")


def install():
    """Makes the two the only backend and the active driver."""
    backends.clear()
    backends["export"] = Backend(ExportBackend, ExportDriver)
    triton.runtime.driver.set_active(ExportDriver())


def compile_case(case):
    """Texts of the case's modules, and what Triton made of its parameters."""
    ExportBackend.texts = {}
    compiled = case.kernel.warmup(
        **case.args,
        **case.options,
        grid=case.grid,
        rewrite_pointers=case.rewrite_pointers,
        case=f"{case.name} {case.tags}",
    )
    return ExportBackend.texts, compiled.src.signature
