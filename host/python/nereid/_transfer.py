"""Host tensors as arguments of kernels on a device with separate memory.

Each storage of the tensors of a launch is copied to the device once, before the
launch, and back after it if the kernel may have written to it. Storages that
overlap are one region. The launch is synchronous. A tensor on the device itself
is passed by address and never copied.

A device that can access host memory needs no copies, but such a launch is
synchronous, too: the program may read or free a host tensor right after it.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from . import _native

# Kernels are specialized on alignments of up to 16 bytes, and vector accesses
# may rely on more: an address keeps its position in a line of this size.
_LINE = 64


def written_arguments(ttir: str | bytes, name: str) -> list[bool] | None:
    """For each argument of the kernel in `ttir`, whether it may write to memory
    through it. None if unknown: the text has several public functions, or the
    TTIR service is missing."""
    native = _native.require()
    try:
        described = json.loads(native.describe_ttir(ttir, name))
    except native.Error:
        return None  # the compilation of the text will report the error
    functions = described["functions"]
    if len(functions) != 1:
        return None
    return [bool(a.get("written", False)) for a in functions[0]["arguments"]]


class _Region:
    """A range of host memory and its copy on the device."""

    def __init__(self, start: int, end: int, is_written: bool) -> None:
        self.start = start
        self.end = end
        self.is_written = is_written
        self.allocation = 0
        self.address = 0

    @property
    def size(self) -> int:
        return self.end - self.start

    def overlaps(self, other: _Region) -> bool:
        return self.start < other.end and other.start < self.end


class _Claims:
    """The regions in use by launches: reader-writer locks in order of request.

    Two launches that copy the same region back would overwrite each other's
    results, even if their kernels write to different parts of it. Launches that
    only read a region run concurrently.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._claims: list[tuple[int, Sequence[_Region]]] = []

    @staticmethod
    def _conflict(mine: Sequence[_Region], theirs: Sequence[_Region]) -> bool:
        return any(
            (a.is_written or b.is_written) and a.overlaps(b)
            for a in mine
            for b in theirs
        )

    def acquire(self, regions: Sequence[_Region]) -> tuple[int, Sequence[_Region]]:
        claim = (threading.get_ident(), regions)
        with self._changed:
            # A launch in a hook of another launch must not wait for its own thread.
            is_nested = any(thread == claim[0] for thread, _ in self._claims)
            self._claims.append(claim)
            if is_nested:
                return claim
            try:
                self._changed.wait_for(lambda: not self._has_to_wait(claim))
            except BaseException:
                self._remove(claim)
                raise
        return claim

    def _has_to_wait(self, claim: tuple[int, Sequence[_Region]]) -> bool:
        for earlier in self._claims:
            if earlier is claim:
                return False
            if self._conflict(claim[1], earlier[1]):
                return True
        return False

    def _remove(self, claim: tuple[int, Sequence[_Region]]) -> None:
        self._claims = [other for other in self._claims if other is not claim]
        self._changed.notify_all()

    def release(self, claim: tuple[int, Sequence[_Region]]) -> None:
        with self._changed:
            self._remove(claim)


_claims = _Claims()


class Copies:
    """The copies of one launch: add() all tensors, copy_in(), launch with
    address_of() each of them, copy_out()."""

    def __init__(
        self,
        backend: Any,
        device_type: str,
        device: int,
        stream: int,
        is_host_accessible: bool = False,
    ) -> None:
        self._backend = backend
        self._device_type = device_type
        self._device = device
        self._stream = stream
        self._is_host_accessible = is_host_accessible
        self._has_to_wait = False
        self._regions: list[_Region] = []
        self._claim: Any = None
        self._is_busy = False

    def __enter__(self) -> Copies:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            # Memory must not be freed, nor tensors released, while a copy or the
            # kernel may still use them.
            if self._is_busy:
                self._synchronize()
        except _native.require().Error:
            if kind is None:
                raise
        finally:
            for region in self._regions:
                if region.allocation:
                    self._backend.free(self._device, region.allocation)
            if self._claim is not None:
                _claims.release(self._claim)

    def add(self, tensor: Any, is_written: bool) -> None:
        """Adds `tensor` to the launch if it is a host tensor."""
        if not self._is_on_host(tensor):
            return
        self._has_to_wait = True
        if self._is_host_accessible:
            return
        # triton.reinterpret() returns a wrapper with the tensor in `base`.
        while not hasattr(tensor, "untyped_storage"):
            tensor = tensor.base
        storage = tensor.untyped_storage()
        start = storage.data_ptr()
        if storage.nbytes():
            end = start + storage.nbytes()
            self._regions.append(_Region(start, end, is_written))

    def copy_in(self) -> None:
        """Starts the copies to the device."""
        if self._is_host_accessible:
            self._is_busy = self._has_to_wait
            return
        self._merge()
        self._claim = _claims.acquire(self._regions)
        for region in self._regions:
            shift = region.start % _LINE
            region.allocation = self._backend.allocate(
                self._device, region.size + shift
            )
            region.address = region.allocation + shift
        for region in self._regions:
            self._is_busy = True
            self._backend.copy_in(
                self._device, self._stream, region.address, region.start, region.size
            )

    def address_of(self, tensor: Any) -> int:
        """The address for the kernel. For a host tensor, call copy_in()
        before."""
        address = tensor.data_ptr()
        if not self._is_host_accessible and self._is_on_host(tensor):
            for region in self._regions:
                if region.start <= address < region.end:
                    return region.address + address - region.start
            return 0  # an empty tensor
        return address

    def copy_out(self) -> None:
        """Copies back and waits if there are host tensors."""
        for region in self._regions:
            if region.is_written:
                self._backend.copy_out(
                    self._device, self._stream, region.start, region.address, region.size
                )
        if self._has_to_wait:
            self._synchronize()

    def _synchronize(self) -> None:
        self._backend.synchronize(self._device, self._stream)
        self._is_busy = False

    def _merge(self) -> None:
        merged: list[_Region] = []
        for region in sorted(self._regions, key=lambda it: it.start):
            if merged and merged[-1].overlaps(region):
                merged[-1].end = max(merged[-1].end, region.end)
                merged[-1].is_written |= region.is_written
            else:
                merged.append(region)
        self._regions = merged

    def _is_on_host(self, tensor: Any) -> bool:
        device = getattr(tensor, "device", None)
        kind = getattr(device, "type", None)
        if kind == self._device_type:
            return False
        if kind == "cpu" or (self._is_host_accessible and device is None):
            return True
        where = f"it is on {device}" if device is not None else "its device is unknown"
        raise ValueError(
            f"a {type(tensor).__name__} cannot be accessed from Triton on "
            f"{self._device_type}:{self._device}: {where}, expected a tensor there or "
            "on the host (cpu tensor?)"
        )
