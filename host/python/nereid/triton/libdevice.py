"""The device library: `tl.extra.libdevice` for a plugin.

The symbols are those of Triton's table for CUDA (`__nv_sinf`), which a plugin
implements. Further functions that a plugin lists (nereid.libdevice/1) are added.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
import sys
from types import ModuleType
from typing import Any

from triton.language import core
from triton.language.extra.cuda import libdevice as cuda_libdevice

_DTYPES = {
    "i1": core.int1,
    "i8": core.int8,
    "i16": core.int16,
    "i32": core.int32,
    "i64": core.int64,
    "u8": core.uint8,
    "u16": core.uint16,
    "u32": core.uint32,
    "u64": core.uint64,
    "f16": core.float16,
    "bf16": core.bfloat16,
    "f32": core.float32,
    "f64": core.float64,
}


def _function(name: str, table: dict) -> Any:
    def call(*operands, _semantic=None):
        return core.extern_elementwise(
            "", "", list(operands), table, is_pure=True, _semantic=_semantic
        )

    call.__name__ = name
    return core.extern(call)


def _additions(functions: list) -> dict[str, Any]:
    tables: dict[str, dict] = {}
    for name, symbol, result, operands in functions:
        types = tuple(_DTYPES[operand] for operand in operands)
        tables.setdefault(name, {})[types] = (symbol, _DTYPES[result])
    return {
        name: _function(name, table)
        for name, table in tables.items()
        if not hasattr(cuda_libdevice, name)
    }


@functools.lru_cache(maxsize=None)
def _library(kind: str, functions: tuple) -> ModuleType:
    module = ModuleType(f"nereid.triton.libdevice.{kind}")
    vars(module).update(
        {k: v for k, v in vars(cuda_libdevice).items() if not k.startswith("_")}
    )
    vars(module).update(_additions(list(functions)))
    return module


def libdevice_for(backend: Any, device: int) -> ModuleType:
    """The module that replaces `triton.language.extra.libdevice`."""
    functions = json.loads(backend.libdevice(device))
    frozen = tuple(
        (it["name"], it["symbol"], it["result"], tuple(it["operands"])) for it in functions
    )
    return _library(backend.info()["id"], frozen)


def publish(kind: str, backend: Any, device: int) -> None:
    """Makes `triton.language.extra.<kind>.libdevice` importable: libraries
    import it by the name of the backend."""
    name = f"triton.language.extra.{kind}"
    if name in sys.modules:
        return
    package = ModuleType(name)
    package.__path__ = []
    package.libdevice = libdevice_for(backend, device)
    sys.modules[name] = package
    sys.modules[f"{name}.libdevice"] = package.libdevice
    setattr(sys.modules["triton.language.extra"], kind, package)
