"""Launchers, which copy tensors to a device with separate memory.

The kernel's TTIR determines which storages are copied back; see
`nereid._transfer`.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from triton.runtime import _allocation

from .. import _native
from .._device import PluginDevice
from .._memory import Memory
from .._transfer import Copies
from .device import DeviceUtils


def launcher_for(utils: DeviceUtils, src: Any, metadata: Any) -> Any:
    """The launcher that Triton calls for kernels compiled from `src`."""
    types = tuple(src.signature.values())
    native = _native.require()
    flags = 0
    if getattr(metadata, "launch_cooperative_grid", False):
        flags |= native.LAUNCH_COOPERATIVE
    if getattr(metadata, "launch_pdl", False):
        flags |= native.LAUNCH_PROGRAMMATIC
    allocate = functools.partial(_allocate_scratch, utils)
    launcher = native.Launcher(types, flags, allocate)
    if utils.is_synchronous:
        return launcher
    direct = native.Launcher(types, flags, allocate, utils.home) if utils.home else None
    written = getattr(metadata, "written_arguments", None)
    return _CopyingLauncher(utils, launcher, direct, types, written)


def _allocate_scratch(
    utils: DeviceUtils, kernel: Any, size: int, alignment: int, stream: int
) -> Any:
    """Scratch memory for all programs of a launch, from Triton's allocator."""
    buffer = _allocation._allocator.get()(size, alignment, stream)
    if isinstance(buffer, Memory):
        device = PluginDevice(kernel.backend, kernel.device)
        buffer._check(device)
        buffer._use_on(stream)
        return buffer
    # Such a device may still use the memory after the tensor is released, or cannot
    # access it.
    kind = getattr(getattr(buffer, "device", None), "type", None)
    if kind == "cpu" and not utils.is_synchronous:
        raise ValueError(
            "Triton's allocator returned memory of the host, expected memory of "
            f"{utils.device_type}:{kernel.device}, as nereid.allocate() returns"
        )
    return buffer


def _pieces(kind: Any) -> int:
    """The number of TTIR arguments of a parameter of this type."""
    if isinstance(kind, (tuple, list)):
        return sum(_pieces(item) for item in kind)
    if kind == "constexpr":
        return 0
    if kind.startswith("tensordesc"):
        rank = kind[kind.index("[") : kind.index("]")].count(",") + 1
        return 1 + 2 * rank
    return 1


class _CopyingLauncher:
    _FIRST_ARGUMENT = 9

    def __init__(
        self,
        utils: DeviceUtils,
        launcher: Any,
        direct: Any,
        types: tuple,
        written: Sequence[bool] | None,
    ) -> None:
        self._utils = utils
        self._launcher = launcher
        self.direct = direct  # for tensors on the device; None if torch has none there
        self._types = types
        if written is None or len(written) != _pieces(types):
            written = [True] * _pieces(types)
        self._written = tuple(written)

    def __call__(self, *args: Any) -> None:
        head, values = args[: self._FIRST_ARGUMENT], args[self._FIRST_ARGUMENT :]
        stream, kernel = args[3], args[4]
        utils = self._utils
        if self.direct is not None and self._are_on_device(kernel.device, values):
            self.direct(*args)
            return
        with Copies(
            kernel.backend,
            utils.device_type,
            kernel.device,
            stream,
            utils.is_host_accessible,
        ) as copies:
            for tensor, is_written in self._tensors(values):
                copies.add(tensor, is_written)
            copies.copy_in()
            moved = [_moved(copies, t, v) for t, v in zip(self._types, values)]
            self._launcher(*head, *moved)
            copies.copy_out()

    def _are_on_device(self, device: int, values: Sequence[Any]) -> bool:
        home = self._utils.home
        return all(
            getattr(tensor, home, False) and tensor.get_device() == device
            for tensor, _ in self._tensors(values)
        )

    def _tensors(self, values: Sequence[Any]) -> Iterator[tuple[Any, bool]]:
        """Each tensor whose address is passed to the kernel, and whether the
        kernel may write to it."""
        index = 0

        def walk(kind: Any, value: Any) -> Iterator[tuple[Any, bool]]:
            nonlocal index
            if isinstance(kind, (tuple, list)):
                for item_kind, item in zip(kind, value):
                    yield from walk(item_kind, item)
                return
            first = index
            index += _pieces(kind)
            if kind.startswith("tensordesc"):
                value = value.base
            elif not kind.startswith("*"):
                return
            if value is not None and not isinstance(value, int):
                yield value, self._written[first] and not kind.startswith("*k")

        for kind, value in zip(self._types, values):
            yield from walk(kind, value)


def _moved(copies: Copies, kind: Any, value: Any) -> Any:
    """`value` with addresses of the device in place of tensors."""
    if isinstance(kind, (tuple, list)):
        return tuple(_moved(copies, t, v) for t, v in zip(kind, value))
    if kind.startswith("tensordesc"):
        moved = copy.copy(value)
        object.__setattr__(moved, "base", _moved(copies, "*", value.base))
        return moved
    if kind.startswith("*") and value is not None and not isinstance(value, int):
        return copies.address_of(value)
    return value
