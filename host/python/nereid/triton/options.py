"""The options of a launch: Triton's own, and the plugin's.

Triton refuses keywords that are no field here. Fields of other vendors are
therefore accepted and ignored, so that programs tuned for their GPUs run. What
the plugin's compiler can be told is a field with `nereid_` before its name:
kernels have parameters called `threads`, too.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Any

PREFIX = "nereid_"

FP8_DTYPES = ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")
DOT_PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")


@dataclass(frozen=True)
class Options:
    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: int | None = None
    ir_override: str | None = None
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: tuple[str, ...] = FP8_DTYPES
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = DOT_PRECISIONS
    max_num_imprecise_acc_default: int = 0
    extern_libs: Any = None
    debug: bool = False
    sanitize_overflow: bool = True
    arch: str = ""
    backend_name: str = ""
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False  # 3.9 sends it with every launch
    enable_iisan: bool = False
    # Of other vendors, without effect.
    cluster_dims: tuple[int, ...] = (1, 1, 1)
    enable_reflect_ftz: bool = True
    ptx_version: int | None = None
    ptx_options: str | None = None
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    schedule_hint: str = "none"
    minRegAutoWS: int | None = None
    maxRegAutoWS: int | None = None

    def __post_init__(self) -> None:
        libraries = self.extern_libs or ()
        if isinstance(libraries, Mapping):
            libraries = libraries.items()
        object.__setattr__(self, "extern_libs", tuple(tuple(x) for x in libraries))
        assert self.num_warps > 0 and self.num_warps & (self.num_warps - 1) == 0, (
            "num_warps must be a power of 2"
        )

    def hash(self) -> str:
        items = sorted(self.__dict__.items())
        text = "_".join(f"{name}-{value}" for name, value in items)
        return hashlib.sha256(text.encode()).hexdigest()

    def for_plugin(self, known: frozenset[str]) -> dict[str, Any]:
        """What the plugin's compiler is told: those of its own options that
        Triton has too, and those that the launch named."""
        told = {}
        for name in known:
            value = self.__dict__.get(PREFIX + name, self.__dict__.get(name))
            if value is not None and value != "":
                told[name] = value
        return told


def options_type(schema: Sequence[Mapping[str, Any]]) -> type[Options]:
    """Options with a field for each of the plugin's."""
    fields = [(PREFIX + x["name"], Any, field(default=None)) for x in schema]
    return make_dataclass("Options", fields, bases=(Options,), frozen=True)
