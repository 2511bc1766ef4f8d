"""What a program calls: plain data in and out, over the native module."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _native

if _native.library is None:

    class Error(RuntimeError):
        """What libnereid or a plugin refused."""

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
    """One device of a loaded plugin, and what its driver says of it."""

    name: str  # "cpu", "vulkan:1": what NEREID_TARGET and `target` take
    plugin: str
    device_type: str
    index: int
    score: int
    reason: str
    arch: str
    features: str
    properties: Mapping[str, Any]


class Argument(NamedTuple):
    """One argument of a kernel: its place in the packed block, in bytes."""

    name: str
    type: str
    offset: int
    size: int


class Kernel:
    """A compiled kernel, loaded on one device."""

    def __init__(self, compiled: Any, loaded: Any) -> None:
        self._compiled = compiled
        self._loaded = loaded

    @property
    def name(self) -> str:
        return self._compiled.name

    @property
    def image(self) -> bytes:
        """The bytes of the last stage."""
        return self._compiled.output

    @property
    def arguments(self) -> list[Argument]:
        return [Argument(*fields) for fields in self._loaded.arguments]

    @property
    def resources(self) -> dict[str, int]:
        """Registers, spills, threads and shared memory; -1 is unknown."""
        return self._loaded.resources

    def describe(self) -> dict[str, Any]:
        """Metadata, the cache's key and what went into it, stage times."""
        return json.loads(self._compiled.describe())

    def stage(self, name: str) -> bytes:
        """What stage `name` made."""
        return self._compiled.stage(name)

    def launch(self, grid: Sequence[int], *arguments: Any, stream: int = 0) -> None:
        """Launches with a tensor, an address or a number for each argument."""
        self._loaded.launch(grid, stream, *arguments)


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
    """The devices of all plugins whose driver found any."""
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
    """Which device `target` means, and why: scores, reasons, ties, winner."""
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

    `name` stands for the source in messages. `options` are the plugin's own,
    see `options()`. With `dump_dir` the output of every stage is written there.
    """
    native = _native.require()
    backend, device = native.choose(target)
    compiled = backend.compile(
        ttir,
        name,
        dict(options or {}),
        device,
        flags=native.KEEP_STAGES | (0 if use_cache else native.NO_CACHE),
        dump_dir=dump_dir,
    )
    return Kernel(compiled, backend.load(compiled, device))
