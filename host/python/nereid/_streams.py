"""Streams and events of a device.

A `target` is a name as NEREID_TARGET accepts it: "cpu", "vulkan:1", or "" for the
best device. What the plugin refuses or does not implement is a `nereid.Error`,
whose `status` says which.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from ._device import choose_device


class Stream:
    """A queue of work on a device, destroyed with this object.

    `with stream:` makes it the calling thread's current stream, which programs
    of Triton launch on. Work of a larger `priority` runs first, if the device
    has priorities; 0 is normal.
    """

    def __init__(self, target: str = "", *, priority: int = 0) -> None:
        self._device = choose_device(target)
        self._owner: Any = None
        self._end = self._device.backend.destroy_stream
        self._handle = self._device.backend.create_stream(self._device.index, priority)
        self._outer: list[int] = []

    @classmethod
    def _import(cls, kind: str, handle: int, target: str, owner: Any) -> Stream:
        stream = object.__new__(cls)
        stream._device = choose_device(target)
        backend = stream._device.backend
        stream._owner = owner
        stream._handle = backend.import_stream(stream._device.index, kind, handle)
        stream._end = backend.release_stream
        stream._outer = []
        return stream

    @property
    def device(self) -> str:
        """The name of its device, "acme:0"."""
        return self._device.name

    @property
    def handle(self) -> int:
        """The plugin's handle, which `launch(stream=...)` also accepts."""
        if not self._handle:
            raise ValueError("the stream has been destroyed")
        return self._handle

    def __index__(self) -> int:
        return self.handle

    def synchronize(self) -> None:
        """Waits for its work; raises an error if some of it failed."""
        self._device.synchronize(self.handle)

    def query(self) -> bool:
        """Whether all of its work so far has completed. Waits for it on a device
        without streams. Failures are raised by `synchronize`."""
        return self._device.backend.query_stream(self._device.index, self.handle)

    def wait_event(self, event: Event) -> None:
        """Later work of this stream starts after `event` as it is recorded now.
        The caller does not wait."""
        self._device.backend.wait_event(self._device.index, self.handle, event._event)

    def destroy(self) -> None:
        """Waits for its work and destroys it; an imported stream is only released.
        Does nothing the second time."""
        handle, self._handle = self._handle, 0
        if handle:
            self._end(self._device.index, handle)
            self._owner = None

    def __enter__(self) -> Stream:
        backend, index = self._device.backend, self._device.index
        self._outer.append(backend.current_stream(index))
        backend.set_current_stream(index, self.handle)
        return self

    def __exit__(self, *_: Any) -> None:
        self._device.backend.set_current_stream(self._device.index, self._outer.pop())

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


class Event:
    """A point in a stream of a device, to wait for, or to measure the time between
    two of them. Without `timing` it may be cheaper, and `elapsed` refuses it."""

    def __init__(self, target: str = "", *, timing: bool = True) -> None:
        self._device = choose_device(target)
        self._event = self._device.backend.event(self._device.index, timing)

    def record(self, stream: Stream | int = 0) -> None:
        """Records the current end of `stream`; a second call moves the event."""
        self._event.record(int(stream))

    def query(self) -> bool:
        """Whether all work before it has completed."""
        return self._event.query()

    def wait(self, stream: Stream | int = 0) -> None:
        """Later work of `stream` of the event's device starts after the event as
        it is recorded now. The caller does not wait; see `synchronize`."""
        device = self._device
        device.backend.wait_event(device.index, int(stream), self._event)

    def synchronize(self) -> None:
        """Waits for all work before it. Failures of that work are raised by
        `synchronize` of the stream."""
        self._event.synchronize()

    def elapsed(self, end: Event) -> float:
        """Nanoseconds from this event to `end`, both recorded; waits for `end`."""
        return self._event.elapsed(end._event)


def synchronize(target: str = "", stream: Stream | int | None = None) -> None:
    """Waits for the work of a stream, or of all streams of the device if it is
    None; raises an error if some of it failed. 0 is the default stream."""
    if isinstance(stream, Stream):
        stream.synchronize()
        return
    device = choose_device(target)
    if stream is None:
        device.backend.synchronize_device(device.index)
    else:
        device.synchronize(stream)
