"""Memory of a device.

A `target` is a name as NEREID_TARGET accepts it: "cpu", "vulkan:1", or "" for the
best device. Sizes and offsets are in bytes. What the plugin refuses or does not
implement is a `nereid.Error`, whose `status` says which.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._device import PluginDevice, choose_device
from ._streams import Stream

if TYPE_CHECKING:
    from ._nereid import HostMemory
elif _native.library is None:

    class HostMemory:
        """Host memory that a device copies from and to fastest."""
else:
    HostMemory = _native.library.HostMemory


class Memory:
    """Memory of a device, freed with this object, or by `free()` or `with`.

    It is an argument of kernels: `kernel.launch(grid, memory, ...)`.
    """

    def __init__(self, size: int, target: str = "") -> None:
        self._device = choose_device(target)
        self._owner: Any = None
        self._size = size
        self._end = self._device.backend.free
        self._pending: dict[tuple[PluginDevice, int], Stream | int] = {}
        self._address = self._device.backend.allocate(self._device.index, size)

    @classmethod
    def _of(cls, device: PluginDevice, size: int, alignment: int) -> Memory:
        memory = object.__new__(cls)
        memory._address = None  # until it is allocated
        memory._device = device
        memory._owner = None
        memory._size = size
        memory._end = device.backend.free
        memory._pending = {}
        memory._address = device.backend.allocate(device.index, size, alignment)
        return memory

    @classmethod
    def _import(
        cls, kind: str, handle: int, size: int, target: str, owner: Any
    ) -> Memory:
        memory = object.__new__(cls)
        memory._device = choose_device(target)
        backend = memory._device.backend
        memory._owner = owner
        memory._size = size
        memory._pending = {}
        memory._address = backend.import_pointer(memory._device.index, kind, handle, size)
        memory._end = backend.release_pointer
        return memory

    @property
    def device(self) -> str:
        """The name of its device, "acme:0"."""
        return self._device.name

    @property
    def address(self) -> int:
        """What a kernel's pointer holds. It is a host pointer only if the
        device property `host_accessible` is true. 0 if `size` is 0."""
        if self._address is None:
            raise ValueError("the memory has been freed")
        return self._address

    def data_ptr(self) -> int:
        """`address`, under the name that tensors have for it."""
        return self.address

    @property
    def size(self) -> int:
        """In bytes."""
        return self._size

    def free(self) -> None:
        """Waits for the work of this package that uses it, and frees it. Raises an
        error of that work afterwards. Does nothing the second time."""
        address, self._address = self._address, None
        if address is None:
            return
        try:
            self._wait()
        finally:
            self._end(self._device.index, address)
            self._owner = None

    def _wait(self) -> None:
        failure = None
        for (device, _), stream in self._pending.items():
            try:
                if isinstance(stream, int):
                    device.synchronize(stream)
                elif stream._handle:
                    stream.synchronize()
            except _native.require().Error as error:
                failure = failure or error
        self._pending.clear()
        if failure:
            raise failure

    def _use_on(self, stream: Stream | int, device: PluginDevice | None = None) -> None:
        """Records work on `stream` of `device`, by default the device of this
        memory, that free() has to wait for."""
        self._pending[device or self._device, int(stream)] = stream

    def _check(self, device: PluginDevice) -> None:
        if self._device != device:
            raise ValueError(f"memory of {self.device} was given to {device.name}")

    def _range(self, offset: int, size: int) -> int:
        """The address at `offset`; checks that `size` bytes fit there."""
        if offset < 0 or size < 0 or offset + size > self._size:
            raise ValueError(
                f"{size} bytes at offset {offset} leave the memory, which has "
                f"{self._size} bytes"
            )
        return self.address + offset

    def copy_from(self, source: Any, *, offset: int = 0, stream: Stream | int = 0) -> None:
        """Copies a contiguous buffer (bytes, a NumPy array) or host tensor to
        `offset`, after the work on `stream`, and waits for the copy."""
        _copy_with_host(self, source, offset, stream, is_read=False)

    def copy_to(self, target: Any, *, offset: int = 0, stream: Stream | int = 0) -> None:
        """Fills a contiguous, writable buffer or host tensor from `offset` on,
        after the work on `stream`, and waits for the copy."""
        _copy_with_host(self, target, offset, stream, is_read=True)

    def fill(
        self,
        pattern: bytes = b"\0",
        *,
        offset: int = 0,
        count: int | None = None,
        stream: Stream | int = 0,
    ) -> None:
        """Queues `count` repetitions of 1, 2, 4 or 8 bytes from `offset` on; as
        many as fit if it is None."""
        if len(pattern) not in (1, 2, 4, 8):
            raise ValueError(f"a pattern of {len(pattern)} bytes, expected 1, 2, 4 or 8")
        if count is None:
            count = (self._size - offset) // len(pattern)
        address = self._range(offset, count * len(pattern))
        device = self._device
        self._use_on(stream)
        device.backend.fill(device.index, int(stream), address, pattern, count)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()

    def __del__(self) -> None:
        if getattr(self, "_address", None) is None:
            return
        try:
            self.free()
        except Exception:
            pass  # no caller can handle it; synchronize() raises such errors


def _copy_with_host(
    memory: Memory, host: Any, offset: int, stream: Stream | int, is_read: bool
) -> None:
    device = memory._device
    backend, index = device.backend, device.index
    if hasattr(host, "untyped_storage"):  # a tensor of torch
        if host.device.type != "cpu" or not host.is_contiguous():
            raise ValueError("expected a contiguous tensor of the host")
        size = host.numel() * host.element_size()
        address = memory._range(offset, size)
        try:
            if is_read:
                backend.copy_out(index, int(stream), host.data_ptr(), address, size)
            else:
                backend.copy_in(index, int(stream), address, host.data_ptr(), size)
        finally:
            backend.synchronize(index, int(stream))
        return
    address = memory._range(offset, memoryview(host).nbytes)
    copy = backend.copy_out_buffer if is_read else backend.copy_in_buffer
    copy(index, int(stream), address, host)


def allocate(size: int, target: str = "") -> Memory:
    """Allocates device memory, aligned to at least 64 bytes. Not initialized."""
    return Memory(size, target)


def import_memory(
    kind: str, handle: int, size: int, target: str = "", *, owner: Any = None
) -> Memory:
    """Imports memory of another library without taking ownership.

    `kind` and `handle` name it as the plugin documents: "host.pointer" or
    "cuda.pointer" and `tensor.data_ptr()`, for instance. It has to outlive the
    result, which keeps `owner` alive.
    """
    return Memory._import(kind, handle, size, target, owner)


def copy(
    destination: Any, source: Any, size: int | None = None, *, stream: Stream | int = 0
) -> None:
    """Copies between two memories, or between one and the host.

    `size` is in bytes; None means all of `source`. A copy from or to the host
    always has the size of the host buffer, and is waited for. Between two memories
    of one device, which must not overlap, the copy is queued on `stream`. Between
    two devices of one plugin it is queued on `stream` of the destination's device,
    after waiting for the work of this package on `source`.
    """
    if not isinstance(destination, Memory):
        if not isinstance(source, Memory):
            raise TypeError("expected memory of a device on one side of a copy")
        return source.copy_to(destination, stream=stream)
    if not isinstance(source, Memory):
        return destination.copy_from(source, stream=stream)
    device = destination._device
    if source._device.plugin != device.plugin:
        raise ValueError(f"memory of {source.device} cannot be copied to {device.name}")
    size = source.size if size is None else size
    to, origin = destination._range(0, size), source._range(0, size)
    if source._device != device:
        source._wait()
        for memory in (destination, source):
            memory._use_on(stream, device)
        device.backend.copy_peer(
            device.index, int(stream), to, source._device.index, origin, size
        )
        return None
    for memory in (destination, source):
        memory._use_on(stream)
    device.backend.copy_within(device.index, int(stream), to, origin, size)
    return None


def fill(memory: Memory, pattern: bytes = b"\0", *, stream: Stream | int = 0) -> None:
    """Queues filling all of `memory` with a pattern of 1, 2, 4 or 8 bytes."""
    memory.fill(pattern, stream=stream)


class MemoryInfo(NamedTuple):
    """The memory of a device, in bytes."""

    free: int
    total: int


def memory_info(target: str = "") -> MemoryInfo:
    """The memory of a device; a `nereid.Error` if its driver does not report
    it."""
    device = choose_device(target)
    return MemoryInfo(*device.backend.memory_info(device.index))


def allocate_host(size: int, target: str = "") -> HostMemory:
    """Allocates host memory that a device copies from and to fastest (pinned), or
    ordinary memory if its driver does not have any: a writable buffer for
    `copy_from`, `copy_to`, `memoryview`, `numpy.frombuffer`. Freed with the last
    reference to it or to a view of it."""
    device = choose_device(target)
    return device.backend.allocate_host(device.index, size)
