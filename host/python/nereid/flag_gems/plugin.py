"""What FlagGems wants to know about a vendor, from Nereid's active device."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from .. import _native

# A kernel that computes with one type: whether the compiler can do that is
# whether it compiles.
_PROBE = """module {{
  tt.func public @uses_{name}(%pointer: !tt.ptr<{name}>) attributes {{noinline = false}} {{
    %x = tt.load %pointer : !tt.ptr<{name}>
    %y = arith.{add} %x, %x : {name}
    tt.store %pointer, %y : !tt.ptr<{name}>
    tt.return
  }}
}}
"""
_REFUSALS = ("invalid-argument", "unimplemented", "out-of-resources")
_ADDITIONS = {"f64": "addf", "bf16": "addf", "i64": "addi"}


@dataclass(frozen=True)
class Facts:
    """One device of a plugin, in FlagGems' words."""

    vendor: str  # FlagGems' name of the vendor: "nereid_cpu", "nvidia"
    device: str  # torch's name of the device: "cpu", "cuda"
    query_command: str  # a program that lists the devices
    dispatch_key: str  # torch's key under which operators are registered
    language: str  # triton.language.extra.<language>.libdevice
    types: dict[str, bool] = field(default_factory=dict)  # "f64": whether it compiles

    @property
    def module(self) -> str:
        """The module in which FlagGems looks for the vendor."""
        return f"_{self.vendor}"


def identifier(text: str) -> str:
    return re.sub(r"\W", "_", text).lower()


def vendor_name(info: dict[str, Any]) -> str:
    """The plugin's vendor, and the plugin where a vendor has several kinds of
    devices: FlagGems stores tuned configurations by this name."""
    vendor, plugin = identifier(info["vendor_name"]), identifier(info["id"])
    return plugin if vendor in ("", plugin) else f"{vendor}_{plugin}"


def compiles(backend: Any, device: int, name: str) -> bool:
    """Whether kernels for this device can compute with a type."""
    source = _PROBE.format(name=name, add=_ADDITIONS[name])
    try:
        backend.compile(source, f"uses_{name}.ttir", {}, device)
    except _native.require().Error as error:
        if error.status in _REFUSALS:
            return False
        raise
    return True


def read(utils: Any, torch_device: Any, own_vendors: dict[str, str]) -> Facts:
    """The facts of the active device. `utils` is the Nereid driver's,
    `torch_device` is where torch allocates its tensors, and `own_vendors` are the
    vendors that FlagGems knows, with their torch devices."""
    info, index = utils.info, utils.index_of(None)
    # torch works on the device itself, not on the CPU's copies.
    is_native = torch_device.type == utils.device_type
    key = info["dispatch_key"] if is_native else ""
    known = identifier(info["vendor_name"])
    is_known = is_native and own_vendors.get(known) == torch_device.type
    facts = Facts(
        vendor=known if is_known else vendor_name(info),
        device=torch_device.type,
        query_command=info["device_query_command"],
        dispatch_key=key or torch_device.type.upper(),
        language=utils.device_type,
    )
    if is_known:
        return facts  # FlagGems has types of its own for it
    types = {name: compiles(utils.backend, index, name) for name in _ADDITIONS}
    return replace(facts, types=types)
