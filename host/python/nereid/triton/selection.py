"""Whether Triton should use Nereid in this process, and on what device."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import os

from .. import _native

ENTRY_POINT = "nereid"  # this package's name among triton.backends


def is_named() -> bool:
    """Whether the user asked for Nereid, which then outranks GPU drivers."""
    asked = os.environ.get("TRITON_DEFAULT_BACKEND") == ENTRY_POINT
    return asked or bool(os.environ.get("NEREID_TARGET"))


@functools.lru_cache(maxsize=None)
def device_types() -> frozenset[str]:
    """The device types that loaded plugins compile for; none on trouble."""
    if _native.library is None:
        return frozenset()
    try:
        infos = [backend.info() for backend in _native.library.backends()]
    except _native.library.Error:
        return frozenset()
    return frozenset(info["device_type"] for info in infos if info["has_compiler"])


def _has_device() -> bool:
    if not device_types():
        return False
    try:
        _native.require().choose("")
    except _native.library.Error:
        return False
    return True


_is_asking = False  # another polite backend may ask us in turn


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
    """Triton's question to `driver`: named, or nobody else has a device."""
    if _native.library is None:
        return False
    if is_named():
        return True
    return not _is_other_active(driver) and _has_device()
