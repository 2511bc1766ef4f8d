"""Whether Triton should use Nereid in this process, and on what device."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import os
from typing import Any

from triton.backends.driver import DriverBase

from .. import _native

ENTRY_POINT = "nereid"  # this package's name among triton.backends


def is_named() -> bool:
    """Whether the user chose Nereid, which then has priority over GPU drivers."""
    asked = os.environ.get("TRITON_DEFAULT_BACKEND") == ENTRY_POINT
    return asked or bool(os.environ.get("NEREID_TARGET"))


@functools.lru_cache(maxsize=None)
def device_types() -> frozenset[str]:
    """The device types that loaded plugins compile for; empty after an error."""
    if _native.library is None:
        return frozenset()
    try:
        backends = [(it, it.info()) for it in _native.library.backends()]
    except _native.library.Error:
        return frozenset()
    return frozenset(
        info["device_type"]
        for backend, info in backends
        if info["has_compiler"] or (info["has_driver"] and has_compiler(backend, 0))
    )


def has_compiler(backend: Any, device: int) -> bool:
    """Whether this plugin or another one compiles for the device."""
    try:
        backend.compiler(device)
    except _native.require().Error:
        return False
    return True


@functools.lru_cache(maxsize=None)
def backend_of(device_type: str) -> Any:
    """The plugin with devices of this type, or else one that compiles for it."""
    for backend in _native.require().backends():
        info = backend.info()
        if info["device_type"] == device_type and info["device_count"]:
            return backend
    return _native.require().backend(device_type)


def default_target() -> str:
    """"" if NEREID_TARGET or the best score chooses the device. If no plugin compiles
    for that one, the name of the next best device."""
    if os.environ.get("NEREID_TARGET"):
        return ""
    native = _native.require()
    try:
        if has_compiler(*native.choose("")):
            return ""
    except native.Error:
        return ""
    usable = [
        info
        for backend in native.backends()
        for info in [backend.info()]
        if info["device_count"]
        and info["score"] > 0
        and not info["is_by_name_only"]
        and has_compiler(backend, 0)
    ]
    usable.sort(key=lambda info: (info["is_host_cpu"], -info["score"]))
    return usable[0]["id"] if usable else ""


def is_active_on(device_type: str) -> bool:
    """Whether Triton launches on devices of this type through Nereid."""
    from triton.runtime.driver import driver as drivers

    active = vars(drivers).get("_active")
    if not isinstance(active, DriverBase):
        return False  # none was needed yet
    utils = getattr(active, "utils", None)
    return getattr(utils, "is_nereid", False) and utils.device_type == device_type


def serves(target: Any, own: type) -> bool:
    """Whether Nereid compiles for `target`. What Triton compiles for itself, "cuda",
    Nereid compiles only for its own driver."""
    from triton.backends import backends

    if target.backend not in device_types():
        return False
    return is_active_on(target.backend) or not any(
        backend.compiler.supports_target(target)
        for backend in backends.values()
        if backend.compiler is not own
    )


def _has_device() -> bool:
    if not device_types():
        return False
    try:
        return has_compiler(*_native.require().choose(default_target()))
    except _native.library.Error:
        return False


_is_asking = False  # another backend may call is_active() of this one in turn


def _is_other_active(own: type) -> bool:
    global _is_asking
    from triton.backends import backends

    if _is_asking:
        return True
    _is_asking = True
    try:
        return any(
            backend.driver.is_active()
            for backend in backends.values()
            if backend.driver is not own
        )
    finally:
        _is_asking = False


def is_active(driver: type) -> bool:
    """Whether the user chose Nereid, or no other driver is active."""
    if _native.library is None:
        return False
    if is_named():
        return True
    return not _is_other_active(driver) and _has_device()
