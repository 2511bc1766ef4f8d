"""The API for programs: plain data in and out, over the native module."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _native
from ._device import PluginDevice
from ._memory import Memory
from ._streams import Stream
from ._transfer import Copies, written_arguments

_ADDRESSES = (Memory, int, type(None))

if _native.library is None:

    class Error(RuntimeError):
        """An error of libnereid or a plugin."""

        status: str
else:
    Error = _native.library.Error


@dataclass(frozen=True)
class Candidate:
    """One file or table that was considered as a plugin."""

    loaded: bool
    reason: str  # a stable code: "loaded", "no-note", ...
    path: str
    resolved: str = ""
    id: str = ""
    detail: str = ""
    remedy: str = ""
    winner: str = ""


@dataclass(frozen=True)
class Device:
    """One device of a loaded plugin, with the facts that its driver reports."""

    name: str  # "cpu", "vulkan:1": accepted by NEREID_TARGET and `target`
    plugin: str
    device_type: str
    index: int
    score: int
    reason: str
    arch: str
    features: str
    properties: Mapping[str, Any]


class Argument(NamedTuple):
    """One argument of a kernel: offset and size in the packed block, in bytes."""

    name: str
    type: str
    offset: int
    size: int


class Kernel:
    """A compiled kernel, loaded on one device."""

    def __init__(
        self, artifact: Any, loaded: Any, written: Sequence[bool] | None = None
    ) -> None:
        self._artifact = artifact
        self._loaded = loaded
        self._device = PluginDevice(loaded.backend, loaded.device)
        self._is_pointer = [it.type.startswith("*") for it in self.arguments]
        # Whether the kernel may write to each of them; unknown means all.
        if written is None or len(written) != len(self._is_pointer):
            written = self._is_pointer
        self._written = list(written)
        # By stream: the launches of one stream run one after another.
        self._scratch: dict[int, Memory] = {}
        self._has_scratch = bool(loaded.resources["scratch_size"])
        self._scratch_lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._artifact.name

    @property
    def image(self) -> bytes:
        """The bytes of the last stage."""
        return self._artifact.output

    @property
    def arguments(self) -> list[Argument]:
        return [Argument(*fields) for fields in self._loaded.arguments]

    @property
    def resources(self) -> dict[str, int]:
        """Registers, spills, threads and shared memory (-1 if unknown), the programs
        that run on the device at the same time (0 if unknown), and the scratch
        memory of each program."""
        return self._loaded.resources

    def describe(self) -> dict[str, Any]:
        """Metadata, the cache key and its ingredients, the times of the stages."""
        return json.loads(self._artifact.describe())

    def stage(self, name: str) -> bytes:
        """The output of stage `name`."""
        return self._artifact.stage(name)

    def launch(
        self, grid: Sequence[int], *arguments: Any, stream: Stream | int = 0
    ) -> None:
        """Launches with a tensor, a `Memory`, an address or a number for each
        argument.

        A launch with host tensors waits for the kernel. On a device with
        separate memory they are copied to the device and, if the kernel may write
        to them, back. Any other launch may return before the kernel has completed;
        see `synchronize()`. An address is a device address.
        """
        for argument in arguments:
            if isinstance(argument, Memory):
                argument._check(self._device)
                argument._use_on(stream)
        if self._device.is_host_cpu or len(arguments) != len(self._is_pointer):
            self._launch(grid, stream, arguments)
        else:
            self._launch_with_copies(grid, stream, arguments)

    def _launch(
        self, grid: Sequence[int], stream: Stream | int, arguments: Sequence[Any]
    ) -> None:
        size = 0
        if self._has_scratch:
            size = self.resources["scratch_size"]
            size *= math.prod(max(0, n) for n in grid)
        if not size:
            self._loaded.launch(grid, int(stream), None, *arguments)
            return
        # No other thread may replace the memory before the launch is queued.
        with self._scratch_lock:
            memory = self._scratch.get(int(stream))
            if memory is None or memory.size < size:
                memory = self._allocate_scratch(size)
                self._scratch[int(stream)] = memory
            memory._use_on(stream)
            scratch = memory.address, memory.size
            self._loaded.launch(grid, int(stream), scratch, *arguments)

    def _allocate_scratch(self, size: int) -> Memory:
        return Memory._of(self._device, size, self.resources["scratch_alignment"])

    def _launch_with_copies(
        self, grid: Sequence[int], stream: Stream | int, arguments: Sequence[Any]
    ) -> None:
        device = self._device
        moved = list(arguments)
        with Copies(
            device.backend,
            device.device_type,
            device.index,
            int(stream),
            device.is_host_accessible,
        ) as copies:
            tensors = [
                i
                for i, argument in enumerate(arguments)
                if self._is_pointer[i] and not isinstance(argument, _ADDRESSES)
            ]
            for i in tensors:
                if not hasattr(arguments[i], "data_ptr"):
                    raise TypeError(
                        f"argument {i} is a {type(arguments[i]).__name__}, expected "
                        "a tensor, memory of the device, an address or None"
                    )
                copies.add(arguments[i], self._written[i])
            copies.copy_in()
            for i in tensors:
                moved[i] = copies.address_of(arguments[i])
            self._launch(grid, stream, moved)
            copies.copy_out()


def version() -> str:
    """The version of libnereid."""
    return _native.require().version()


def plugins() -> list[Candidate]:
    """The load report: every candidate, loaded or refused, and why."""
    if _native.library is None:
        return [Candidate(False, "no-library", "", detail=_native.problem)]
    report = json.loads(_native.library.report())
    known = Candidate.__dataclass_fields__
    return [
        Candidate(**{key: value for key, value in entry.items() if key in known})
        for entry in report["candidates"]
    ]


def devices() -> list[Device]:
    """The devices of all plugins whose driver found some."""
    return [
        _device(backend, info, index)
        for backend in _native.require().backends()
        for info in [backend.info()]
        if info["has_driver"]
        for index in range(info["device_count"])
    ]


def _device(backend: Any, info: Mapping[str, Any], index: int) -> Device:
    kind, arch, features, _ = backend.target(index)
    return Device(
        name=f"{kind}:{index}" if index else kind,
        plugin=info["id"],
        device_type=kind,
        index=index,
        score=info["score"],
        reason=info["probe_reason"],
        arch=arch,
        features=features,
        properties=json.loads(backend.properties(index)),
    )


def explain(target: str = "") -> dict[str, Any]:
    """The device that `target` names, and why: scores, reasons, ties, winner."""
    return json.loads(_native.require().explain(target))


def options(target: str = "") -> list[dict[str, Any]]:
    """The options of the compiler for `target`: name, type, default, doc."""
    backend, _ = _native.require().choose(target)
    return json.loads(backend.options())


def compile(
    ttir: str | bytes,
    target: str = "",
    *,
    name: str = "kernel.ttir",
    options: Mapping[str, Any] | None = None,
    dump_dir: str = "",
    use_cache: bool = True,
) -> Kernel:
    """Compiles TTIR, text or bytecode, for `target` and loads it there.

    `name` is the file name of the source in messages. `options` are those of the
    plugin, see `options()`. The output of every stage is written to `dump_dir`.
    """
    native = _native.require()
    backend, device = native.choose(target)
    artifact = backend.compile(
        ttir,
        name,
        dict(options or {}),
        device,
        flags=native.KEEP_STAGES | (0 if use_cache else native.NO_CACHE),
        dump_dir=dump_dir,
    )
    loaded = backend.load(artifact, device)
    written = None
    if not PluginDevice(backend, device).is_host_accessible:
        written = written_arguments(ttir, name)
    return Kernel(artifact, loaded, written)
