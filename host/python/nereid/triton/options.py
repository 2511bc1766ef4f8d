"""The options of a launch: those of Triton and those of the plugin.

Triton refuses keywords that are not fields of this class. It therefore has the
fields of other vendors, which are ignored, so that programs tuned for their GPUs
run. The options of the plugin's compiler are fields with the prefix `nereid_`,
because kernels may have parameters of the same name, like `threads`.

An option that Triton and the plugin both have (`num_warps`, `num_stages`,
`enable_fp_fusion`, ...) is passed to the plugin if the launch or the
configuration of the autotuner sets it; `nereid_num_warps` overrides `num_warps`.
An option that is not set has the plugin's default, also in the metadata.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Any

from triton.runtime.errors import OutOfResources

PREFIX = "nereid_"

# Fields that describe the target or control Triton itself. An option of the
# plugin with the same name can only be set with the prefix.
_NOT_SHARED = frozenset(
    {
        "arch",
        "target_features",
        "backend_name",
        "warp_size",
        "extern_libs",
        "ir_override",
        "supported_fp8_dtypes",
        "deprecated_fp8_dot_operand_dtypes",
        "allowed_dot_input_precisions",
    }
)


class TooLarge(OutOfResources):
    """A kernel that exceeds a limit of the plugin; the autotuner skips it."""

    def __init__(self, reason: str) -> None:
        super().__init__("more", "what there is", reason)

    def __str__(self) -> str:
        return f"out of resource: {self.name}"

    def __reduce__(self):
        return type(self), (self.name,)


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
    supported_fp8_dtypes: tuple[str, ...] = ()
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee",)
    max_num_imprecise_acc_default: int = 0
    extern_libs: Any = None
    debug: bool = False
    sanitize_overflow: bool = True
    arch: str = ""
    target_features: str = ""
    backend_name: str = ""
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False  # 3.9 passes it with every launch
    enable_iisan: bool = False
    # Fields of other vendors, ignored.
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

    def hash(self) -> str:
        items = sorted(self.__dict__.items())
        text = "_".join(f"{name}-{value}" for name, value in items)
        return hashlib.sha256(text.encode()).hexdigest()

    def for_plugin(self) -> dict[str, Any]:
        """The options for the plugin's compiler."""
        return {
            name.removeprefix(PREFIX): value
            for name, value in self.__dict__.items()
            if name.startswith(PREFIX) and value is not None
        }


def options_type(schema: Sequence[Mapping[str, Any]]) -> type[Options]:
    """A subclass of Options with a field for each option of the plugin."""
    fields = [(PREFIX + x["name"], Any, field(default=None)) for x in schema]
    return make_dataclass("Options", fields, bases=(Options,), frozen=True)


def _read(option: Mapping[str, Any], value: Any) -> Any:
    """Parses a value of a plugin option, as Triton programs expect."""
    if not isinstance(value, str):
        return value
    if option["type"] == "bool":
        return {"true": True, "false": False}.get(value.lower(), value)
    try:
        return int(value, 0) if option["type"] == "i64" else value
    except ValueError:
        return value


def _is_in_range(option: Mapping[str, Any], value: Any) -> bool:
    if isinstance(value, int) and "minimum" in option:
        return option["minimum"] <= value <= option["maximum"]
    return True


def share(schema: Sequence[Mapping[str, Any]], given: dict[str, Any]) -> None:
    """Resolves the options that Triton and the plugin both have: passes those in
    `given` to the plugin, and sets Triton's fields to the values that the kernel is
    compiled with.

    A value outside the plugin's range raises TooLarge, so that the autotuner tries
    the next configuration, unless it is the default of triton.Config: that counts
    as not set.
    """
    warps = given.get("num_warps", 1)
    assert warps > 0 and warps & (warps - 1) == 0, "num_warps must be a power of 2"
    for option in schema:
        name = option["name"]
        own = PREFIX + name
        if option["type"] == "bool" and own in given:
            given[own] = _read(option, given[own])
        if name not in Options.__dataclass_fields__ or name in _NOT_SHARED:
            continue
        value = given.get(name)
        if own not in given and value not in (None, ""):
            if _is_in_range(option, value):
                given[own] = value
            elif value != Options.__dataclass_fields__[name].default:
                raise TooLarge(
                    f"{name} is {value}, expected {option['minimum']} to "
                    f"{option['maximum']}"
                )
        given[name] = _read(option, given.get(own, option["default"]))
