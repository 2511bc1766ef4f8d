"""Launchers, and how tensors reach a device with memory of its own.

The rule, for a plugin that cannot work on the host's memory: each storage that
a launch's tensors lie in is copied to the device before the launch, once, and
back after it; storages of `tl.const` pointers alone are not copied back. The
launch is then synchronous. A tensor that is on the plugin's own device is
passed by its address, and never copied. Objects that only have `data_ptr()`
are refused: how much to copy is not known.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import copy
from typing import Any

from .. import _native
from .device import DeviceUtils


def launcher_for(utils: DeviceUtils, src: Any) -> Any:
    """What Triton calls to launch kernels compiled from `src`."""
    types = tuple(src.signature.values())
    launcher = _native.require().Launcher(types)
    if utils.is_host_accessible:
        return launcher
    return _CopyingLauncher(utils, launcher, types)


class _CopyingLauncher:
    _FIRST_ARGUMENT = 9

    def __init__(self, utils: DeviceUtils, launcher: Any, types: tuple) -> None:
        self._utils = utils
        self._launcher = launcher
        self._types = types

    def __call__(self, *args: Any) -> None:
        head, values = args[: self._FIRST_ARGUMENT], args[self._FIRST_ARGUMENT :]
        with _Copies(self._utils, stream=args[3]) as copies:
            moved = [copies.move(t, v) for t, v in zip(self._types, values)]
            copies.copy_in()
            self._launcher(*head, *moved)
            copies.copy_out()


class _Storage:
    """One storage of the host and its twin on the device."""

    def __init__(self, storage: Any, address: int) -> None:
        self.host = storage.data_ptr()
        self.size = storage.nbytes()
        self.address = address
        self.is_written = False


class _Copies:
    def __init__(self, utils: DeviceUtils, stream: int) -> None:
        self._utils = utils
        self._device = utils.index_of(None)
        self._stream = stream
        self._storages: dict[int, _Storage] = {}

    def __enter__(self) -> _Copies:
        return self

    def __exit__(self, *_: Any) -> None:
        for storage in self._storages.values():
            self._utils.backend.free(self._device, storage.address)

    def move(self, kind: Any, value: Any) -> Any:
        """`value` with the addresses of the device in place of tensors."""
        if isinstance(kind, (tuple, list)):
            return tuple(self.move(t, v) for t, v in zip(kind, value))
        if kind.startswith("tensordesc"):
            moved = copy.copy(value)
            object.__setattr__(moved, "base", self._address(value.base, True))
            return moved
        if kind.startswith("*") and value is not None:
            return self._address(value, not kind.startswith("*k"))
        return value

    def _address(self, tensor: Any, is_written: bool) -> int:
        if isinstance(tensor, int):
            return tensor
        device = getattr(tensor, "device", None)
        if getattr(device, "type", None) == self._utils.device_type:
            return tensor.data_ptr()
        if getattr(device, "type", None) != "cpu":
            raise ValueError(
                f"a tensor on {device} cannot be accessed from Triton on "
                f"{self._utils.current_device()}, expected one there or on the host"
            )
        storage = self._storage_of(tensor)
        storage.is_written |= is_written
        return storage.address + tensor.data_ptr() - storage.host

    def _storage_of(self, tensor: Any) -> _Storage:
        storage = tensor.untyped_storage()
        known = self._storages.get(storage.data_ptr())
        if known is None:
            address = self._utils.backend.allocate(self._device, storage.nbytes())
            known = _Storage(storage, address)
            self._storages[known.host] = known
        return known

    def copy_in(self) -> None:
        for it in self._storages.values():
            self._utils.backend.copy_in(
                self._device, self._stream, it.address, it.host, it.size
            )

    def copy_out(self) -> None:
        backend = self._utils.backend
        for it in self._storages.values():
            if it.is_written:
                backend.copy_out(
                    self._device, self._stream, it.host, it.address, it.size
                )
        backend.synchronize(self._device, self._stream)
