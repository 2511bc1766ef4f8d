"""Compares a random kernel on a device, in several configurations, with numpy."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elements import decode
from emulation import EMULATED
from ir import Kernel
from reference import Reference
from text import print_kernel

# Around the buffers: NaN in every float type, -1 in every integer type.
_POISON = 0xFF
_TAIL = 256


@dataclass
class Difference:
    configuration: str
    against: str  # "numpy", "none", or "" where there is a message
    message: str

    def __str__(self) -> str:
        against = f" against {self.against}" if self.against else ""
        return f"{self.configuration}{against}: {self.message}"


def memory_of(kernel: Kernel) -> np.ndarray:
    """The arena before a launch."""
    last = kernel.buffers[-1]
    size = -(-(last.start + last.data.nbytes + _TAIL) // 64) * 64
    memory = np.full(size, _POISON, np.uint8)
    for buffer in kernel.buffers:
        memory[buffer.start : buffer.start + buffer.data.nbytes] = buffer.data.view(np.uint8)
    return memory


def expected(kernel: Kernel, memory: np.ndarray) -> tuple[np.ndarray, bool]:
    """Memory after the launch, and whether it depends on an order."""
    out = memory.copy()
    reference = Reference(kernel, out)
    reference.run()
    return out, reference.order.matters


def compare(kernel: Kernel, got: np.ndarray, want: np.ndarray) -> str:
    """The first difference, or nothing."""
    if np.array_equal(got, want):
        return ""
    inside = np.zeros(len(got), bool)
    for number, buffer in enumerate(kernel.buffers):
        part = slice(buffer.start, buffer.start + buffer.data.nbytes)
        inside[part] = True
        element = buffer.element
        a, b = got[part].view(element.storage), want[part].view(element.storage)
        differ = a.view(f"u{element.size}") != b.view(f"u{element.size}")
        x, y = decode(a, element), decode(b, element)
        if buffer.signed_zero and element.is_float:
            differ &= ~((x == 0) & (y == 0))
        if buffer.raw:
            differ &= ~(np.isnan(x) & np.isnan(y))
        if differ.any():
            places = np.nonzero(differ)[0]
            at = places[0]
            return (
                f"buffer {number} of {element} differs in {len(places)} of {len(a)} elements, "
                f"first in [{at}]: {x[at]}, expected {y[at]}"
            )
    outside = np.nonzero((got != want) & ~inside)[0]
    return f"memory outside of every buffer was written, at byte {outside[0]}" if len(outside) else ""


class Configurations:
    """The option sets of a device: `base` for every kernel, and the others."""

    def __init__(self, device, products: bool = False) -> None:
        known = device.options()
        names = device.fast_paths() if "fast_paths" in known else []
        self.base = [("none", {"fast_paths": "none"}), ("all", {})] if names else [("default", {})]
        self.others = [(f"only {name}", {"fast_paths": name}) for name in names]
        self.others += [(f"all but {name}", {"fast_paths": f"all,-{name}"}) for name in names]
        for name, values in (("vector_bits", (128, 256, 512)), ("opt_level", (0, 1, 3)), ("reassociate", (False,))):
            if name in known:
                self.others += [(f"{name}={value}", {name: value}) for value in values]
        if "access_bytes" in known:  # of a GPU: threads and the widest access
            for name, values in (("access_bytes", (1, 4)), ("num_warps", (1, 2, 8)), ("num_stages", (1,))):
                self.others += [(f"{name}={value}", {name: value}) for value in values]
        if "without" in known:  # types that a device may lack, by other instructions
            for lacking in ("i64", "i8,i16,f16", "storage8,storage16", "i64,i8,i16,f16,storage8,storage16"):
                self.others.append((f"without={lacking}", {"without": lacking}))
        arch, features = device.architecture()
        if "matrices" in known and "matrix=" in features:
            (self.base if products else self.others).append(("matrices=false", {"matrices": False}))
        if arch == "x86_64" and "cpu" in known:
            self.others.append(("cpu=x86-64", {"cpu": "x86-64"}))
            if {"avx2", "fma", "bmi2", "f16c"} <= set(features.replace("+", "").split(",")):
                self.others.append(("cpu=x86-64-v3", {"cpu": "x86-64-v3"}))
                emulations = [(f"as {name}", {"emulate": name}) for name in EMULATED]
                (self.base if products else self.others).extend(emulations)

    def of(self, seed: int, count: int | None = 2):
        """`base` and `count` of the others, which rotate; None is every one."""
        if count is None:
            return self.base + self.others
        if not self.others:
            return self.base
        picked = [self.others[(seed * count + i) % len(self.others)] for i in range(count)]
        return self.base + picked


def check(device, kernel: Kernel, configurations, begun=lambda name: None) -> list[Difference]:
    """The first configuration is compared with numpy, the others with both."""
    text = print_kernel(kernel)
    memory = memory_of(kernel)
    begun("numpy")
    want, is_ordered = expected(kernel, memory)
    if is_ordered and not device.is_ordered:
        return []
    found, first = [], None
    for name, options in configurations:
        begun(name)
        try:
            got = device.run(kernel, text, options, memory)
        except device.native.Error as error:
            if "without" in options and "on a device without" in str(error):
                continue  # nothing else does what the device lacks
            found.append(Difference(name, "", f"not compiled: {error}"))
            continue
        if message := compare(kernel, got, want):
            agree = first is not None and not compare(kernel, got, first)
            found.append(Difference(name, "numpy, as none" if agree else "numpy", message))
        if first is None:
            first = got
    return found
