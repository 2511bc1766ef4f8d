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
        """The plugin's number for it, as `launch(stream=...)` takes it, too."""
        if not self._handle:
            raise ValueError("the stream has been destroyed")
        return self._handle

    def __index__(self) -> int:
        return self.handle

    def synchronize(self) -> None:
        """Waits for its work, and raises what failed in it."""
        self._device.synchronize(self.handle)

    def query(self) -> bool:
        """Whether all of its work so far has ended. Waits for it on a device
        that has no streams; failures are for `synchronize` to raise."""
        return self._device.backend.query_stream(self._device.index, self.handle)

    def wait_event(self, event: Event) -> None:
        """Later work of this stream starts after `event` as it is recorded now.
        The caller does not wait."""
        self._device.backend.wait_event(self._device.index, self.handle, event._event)

    def destroy(self) -> None:
        """Waits for its work and ends it. An imported one lives on where it came
        from. Does nothing the second time."""
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
    """A point in a stream of a device, to wait for or to measure time between
    two. One without `timing` may be cheaper, and is refused by `elapsed`."""

    def __init__(self, target: str = "", *, timing: bool = True) -> None:
        self._device = choose_device(target)
        self._event = self._device.backend.event(self._device.index, timing)

    def record(self, stream: Stream | int = 0) -> None:
        """Marks the point that `stream` has reached; again moves it."""
        self._event.record(int(stream))

    def query(self) -> bool:
        """Whether the stream has reached it."""
        return self._event.query()

    def wait(self, stream: Stream | int = 0) -> None:
        """Later work of `stream` of the event's device starts after the event as
        it is recorded now. The caller does not wait; see `synchronize`."""
        device = self._device
        device.backend.wait_event(device.index, int(stream), self._event)

    def synchronize(self) -> None:
        """Waits until the stream has reached it. Failures of the work before it
        are for the stream's `synchronize` to raise."""
        self._event.synchronize()

    def elapsed(self, end: Event) -> float:
        """Nanoseconds from this event to `end`, both recorded; waits for `end`."""
        return self._event.elapsed(end._event)


def synchronize(target: str = "", stream: Stream | int | None = None) -> None:
    """Waits for the work of a stream, or of all streams of the device if it is
    None, and raises what failed in it; 0 is the device's default stream."""
    if isinstance(stream, Stream):
        stream.synchronize()
        return
    device = choose_device(target)
    if stream is None:
        device.backend.synchronize_device(device.index)
    else:
        device.synchronize(stream)
