"""Memory, streams and events of a device.

A `target` is a name as NEREID_TARGET takes it: "cpu", "vulkan:1", or "" for the
best device. Sizes and offsets are in bytes. What the plugin refuses or does not
implement is a `nereid.Error`, whose `status` says which.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native

if TYPE_CHECKING:
    from ._nereid import HostMemory
elif _native.library is None:

    class HostMemory:
        """Host memory that a device copies from and to fastest."""
else:
    HostMemory = _native.library.HostMemory


class _Place:
    """One device: the plugin that drives it and its number there."""

    def __init__(self, backend: Any, index: int) -> None:
        self.backend = backend
        self.index = index
        info = backend.info()
        self.plugin = info["id"]
        self.is_host_cpu = info["is_host_cpu"]
        self.device_type = info["device_type"]
        self.name = f"{self.device_type}:{index}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Place):
            return NotImplemented
        return (self.plugin, self.index) == (other.plugin, other.index)

    def __hash__(self) -> int:
        return hash((self.plugin, self.index))

    @functools.cached_property
    def is_host_accessible(self) -> bool:
        facts = json.loads(self.backend.properties(self.index))
        return bool(facts.get("host_accessible", False))

    def synchronize(self, stream: int) -> None:
        self.backend.synchronize(self.index, stream)


def _place(target: str) -> _Place:
    return _Place(*_native.require().choose(target))


class Stream:
    """A queue of work on a device, destroyed with this object.

    `with stream:` makes it the calling thread's current stream, which programs
    of Triton launch on. Work of a larger `priority` runs first, if the device
    has priorities; 0 is normal.
    """

    def __init__(self, target: str = "", *, priority: int = 0) -> None:
        self._place = _place(target)
        self._owner: Any = None
        self._end = self._place.backend.destroy_stream
        self._handle = self._place.backend.create_stream(self._place.index, priority)
        self._outer: list[int] = []

    @classmethod
    def _import(cls, kind: str, handle: int, target: str, owner: Any) -> Stream:
        stream = object.__new__(cls)
        stream._place = _place(target)
        backend = stream._place.backend
        stream._owner = owner
        stream._handle = backend.import_stream(stream._place.index, kind, handle)
        stream._end = backend.release_stream
        stream._outer = []
        return stream

    @property
    def device(self) -> str:
        """The name of its device, "acme:0"."""
        return self._place.name

    @property
    def handle(self) -> int:
        """The plugin's number for it, as `launch(stream=...)` takes it, too."""
        if not self._handle:
            raise ValueError("the stream has been destroyed")
        return self._handle

    def __index__(self) -> int:
        return self.handle

    def synchronize(self) -> None:
        """Waits for its work, and raises what failed in it."""
        self._place.synchronize(self.handle)

    def query(self) -> bool:
        """Whether all of its work so far has ended. Waits for it on a device
        that has no streams; failures are for `synchronize` to raise."""
        return self._place.backend.query_stream(self._place.index, self.handle)

    def wait_event(self, event: Event) -> None:
        """Later work of this stream starts after `event` as it is recorded now.
        The caller does not wait."""
        self._place.backend.wait_event(self._place.index, self.handle, event._event)

    def destroy(self) -> None:
        """Waits for its work and ends it. An imported one lives on where it came
        from. Does nothing the second time."""
        handle, self._handle = self._handle, 0
        if handle:
            self._end(self._place.index, handle)
            self._owner = None

    def __enter__(self) -> Stream:
        backend, index = self._place.backend, self._place.index
        self._outer.append(backend.current_stream(index))
        backend.set_current_stream(index, self.handle)
        return self

    def __exit__(self, *_: Any) -> None:
        self._place.backend.set_current_stream(self._place.index, self._outer.pop())

    def __del__(self) -> None:
        if getattr(self, "_handle", 0):
            self.destroy()


def import_stream(
    kind: str, handle: int, target: str = "", *, owner: Any = None
) -> Stream:
    """Imports a queue of another library without taking ownership.

    `kind` and `handle` name it as the plugin documents: "cuda.stream" and
    `torch.cuda.Stream.cuda_stream`, for instance. It has to outlive the result,
    which keeps `owner` alive.
    """
    return Stream._import(kind, handle, target, owner)


class Memory:
    """Memory of a device, freed with this object, or by `free()` or `with`.

    It is an argument of kernels: `kernel.launch(grid, memory, ...)`.
    """

    def __init__(self, size: int, target: str = "") -> None:
        self._place = _place(target)
        self._owner: Any = None
        self._size = size
        self._end = self._place.backend.free
        self._pending: dict[tuple[_Place, int], Stream | int] = {}
        self._address = self._place.backend.allocate(self._place.index, size)

    @classmethod
    def _of(cls, place: _Place, size: int, alignment: int) -> Memory:
        memory = object.__new__(cls)
        memory._address = None  # until it is allocated
        memory._place = place
        memory._owner = None
        memory._size = size
        memory._end = place.backend.free
        memory._pending = {}
        memory._address = place.backend.allocate(place.index, size, alignment)
        return memory

    @classmethod
    def _import(
        cls, kind: str, handle: int, size: int, target: str, owner: Any
    ) -> Memory:
        memory = object.__new__(cls)
        memory._place = _place(target)
        backend = memory._place.backend
        memory._owner = owner
        memory._size = size
        memory._pending = {}
        memory._address = backend.import_pointer(memory._place.index, kind, handle, size)
        memory._end = backend.release_pointer
        return memory

    @property
    def device(self) -> str:
        """The name of its device, "acme:0"."""
        return self._place.name

    @property
    def address(self) -> int:
        """What a kernel's pointer holds. A pointer of the host only where the
        device's property `host_accessible` says so. 0 if `size` is 0."""
        if self._address is None:
            raise ValueError("the memory has been freed")
        return self._address

    def data_ptr(self) -> int:
        """`address`, under the name that a launch asks a tensor for it."""
        return self.address

    @property
    def size(self) -> int:
        """In bytes."""
        return self._size

    def free(self) -> None:
        """Waits for the work of this package that uses it, and gives it back. An
        error of that work is raised after that. Does nothing the second time."""
        address, self._address = self._address, None
        if address is None:
            return
        try:
            self._wait()
        finally:
            self._end(self._place.index, address)
            self._owner = None

    def _wait(self) -> None:
        failure = None
        for (place, _), stream in self._pending.items():
            try:
                if isinstance(stream, int):
                    place.synchronize(stream)
                elif stream._handle:
                    stream.synchronize()
            except _native.require().Error as error:
                failure = failure or error
        self._pending.clear()
        if failure:
            raise failure

    def _use_on(self, stream: Stream | int, place: _Place | None = None) -> None:
        """Remembers work on `stream` of a device, this one's if it is None, that
        free() has to wait for."""
        self._pending[place or self._place, int(stream)] = stream

    def _check(self, place: _Place) -> None:
        if self._place != place:
            raise ValueError(f"memory of {self.device} was given to {place.name}")

    def _range(self, offset: int, size: int) -> int:
        """The address at `offset`, where `size` bytes have room."""
        if offset < 0 or size < 0 or offset + size > self._size:
            raise ValueError(
                f"{size} bytes at offset {offset} leave the memory, which has "
                f"{self._size} bytes"
            )
        return self.address + offset

    def copy_from(self, source: Any, *, offset: int = 0, stream: Stream | int = 0) -> None:
        """Copies a contiguous buffer (bytes, a NumPy array) or tensor of the host
        to `offset`, after what is on `stream`, and waits for it."""
        _copy_with_host(self, source, offset, stream, is_read=False)

    def copy_to(self, target: Any, *, offset: int = 0, stream: Stream | int = 0) -> None:
        """Fills a contiguous, writable buffer or tensor of the host from
        `offset` on, after what is on `stream`, and waits for it."""
        _copy_with_host(self, target, offset, stream, is_read=True)

    def fill(
        self,
        pattern: bytes = b"\0",
        *,
        offset: int = 0,
        count: int | None = None,
        stream: Stream | int = 0,
    ) -> None:
        """Queues `count` repetitions of 1, 2, 4 or 8 bytes from `offset` on; all
        that have room if it is None."""
        if len(pattern) not in (1, 2, 4, 8):
            raise ValueError(f"a pattern of {len(pattern)} bytes, expected 1, 2, 4 or 8")
        if count is None:
            count = (self._size - offset) // len(pattern)
        address = self._range(offset, count * len(pattern))
        place = self._place
        self._use_on(stream)
        place.backend.fill(place.index, int(stream), address, pattern, count)

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
            pass  # there is no caller to tell; synchronize() raises such errors


def _copy_with_host(
    memory: Memory, host: Any, offset: int, stream: Stream | int, is_read: bool
) -> None:
    place = memory._place
    backend, index = place.backend, place.index
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
    """Memory of a device, aligned to at least 64 bytes, of undefined content."""
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

    `size` is in bytes, all of `source` if it is None; for the host's side it is
    its own size. Between two memories of one device, which must not overlap, the
    copy is queued; one with the host is waited for. Between two devices of one
    plugin the copy is queued on `stream` of the destination's, after the work of
    this package on `source`, which is waited for.
    """
    if not isinstance(destination, Memory):
        if not isinstance(source, Memory):
            raise TypeError("expected memory of a device on one side of a copy")
        return source.copy_to(destination, stream=stream)
    if not isinstance(source, Memory):
        return destination.copy_from(source, stream=stream)
    place = destination._place
    if source._place.plugin != place.plugin:
        raise ValueError(f"memory of {source.device} cannot be copied to {place.name}")
    size = source.size if size is None else size
    to, origin = destination._range(0, size), source._range(0, size)
    if source._place != place:
        source._wait()
        for memory in (destination, source):
            memory._use_on(stream, place)
        place.backend.copy_peer(
            place.index, int(stream), to, source._place.index, origin, size
        )
        return None
    for memory in (destination, source):
        memory._use_on(stream)
    place.backend.copy_within(place.index, int(stream), to, origin, size)
    return None


def fill(memory: Memory, pattern: bytes = b"\0", *, stream: Stream | int = 0) -> None:
    """Queues filling all of `memory` with a pattern of 1, 2, 4 or 8 bytes."""
    memory.fill(pattern, stream=stream)


def synchronize(target: str = "", stream: Stream | int | None = None) -> None:
    """Waits for the work of a stream, or of all streams of the device if it is
    None, and raises what failed in it; 0 is the device's default stream."""
    if isinstance(stream, Stream):
        stream.synchronize()
        return
    place = _place(target)
    if stream is None:
        place.backend.synchronize_device(place.index)
    else:
        place.synchronize(stream)


class MemoryInfo(NamedTuple):
    """The memory of a device, in bytes."""

    free: int
    total: int


def memory_info(target: str = "") -> MemoryInfo:
    """How much memory a device has; a `nereid.Error` if its driver does not
    say."""
    place = _place(target)
    return MemoryInfo(*place.backend.memory_info(place.index))


def allocate_host(size: int, target: str = "") -> HostMemory:
    """Host memory that a device copies from and to fastest (pinned), or ordinary
    memory if its driver knows no other: a writable buffer for `copy_from`,
    `copy_to`, `memoryview`, `numpy.frombuffer`. Freed with the last reference to
    it or to a view of it."""
    place = _place(target)
    return place.backend.allocate_host(place.index, size)


class Event:
    """A point in a stream of a device, to wait for or to measure time between
    two. One without `timing` may be cheaper, and is refused by `elapsed`."""

    def __init__(self, target: str = "", *, timing: bool = True) -> None:
        self._place = _place(target)
        self._event = self._place.backend.event(self._place.index, timing)

    def record(self, stream: Stream | int = 0) -> None:
        """Marks the point that `stream` has reached; again moves it."""
        self._event.record(int(stream))

    def query(self) -> bool:
        """Whether the stream has reached it."""
        return self._event.query()

    def wait(self, stream: Stream | int = 0) -> None:
        """Later work of `stream` of the event's device starts after the event as
        it is recorded now. The caller does not wait; see `synchronize`."""
        place = self._place
        place.backend.wait_event(place.index, int(stream), self._event)

    def synchronize(self) -> None:
        """Waits until the stream has reached it. Failures of the work before it
        are for the stream's `synchronize` to raise."""
        self._event.synchronize()

    def elapsed(self, end: Event) -> float:
        """Nanoseconds from this event to `end`, both recorded; waits for `end`."""
        return self._event.elapsed(end._event)
