"""Archives: kernels compiled ahead of time, launched without a compiler."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _native
from ._api import Kernel


class ArchiveKernel(Kernel):
    """A kernel of an archive on one device. The first launch loads its image."""

    def __init__(self, archive: Any, number: int, loaded: Any) -> None:
        super().__init__(None, loaded)
        self._archive = archive
        self._number = number

    @property
    def name(self) -> str:
        return self._loaded.name

    @property
    def group(self) -> str:
        return self.describe()["group"]

    @property
    def constants(self) -> dict[str, Any]:
        """The compile-time constants."""
        return {it["name"]: it["value"] for it in self.describe()["constants"]}

    @property
    def image(self) -> bytes:
        raise AttributeError("a kernel of an archive has one image for each variant")

    def describe(self) -> dict[str, Any]:
        """Arguments, constants, variants and images, as `nereid archive show`."""
        return json.loads(self._archive.describe(self._number))

    def stage(self, name: str) -> bytes:
        raise AttributeError("an archive has no outputs of stages")

    def prepare(self) -> None:
        """Loads the images of all variants now."""
        self._loaded.prepare()

    def explain(self) -> dict[str, Any]:
        """Which images it uses on this device, and why not the others."""
        return json.loads(self._loaded.explain())


class Archive(Mapping[str, ArchiveKernel]):
    """The kernels of an archive on one device, by name.

    Kernels stay usable after the archive is gone, and after its file is replaced.
    """

    def __init__(self, path: str | os.PathLike[str], target: str, can_compile: bool) -> None:
        native = _native.require()
        self._archive = native.open_archive(os.fspath(path))
        backend, device = native.choose(target)
        flags = native.ARCHIVE_COMPILE if can_compile else 0
        self._device = self._archive.load(backend, device, flags)
        self._kernels: dict[str, ArchiveKernel] = {}

    def __getitem__(self, name: str) -> ArchiveKernel:
        kernel = self._kernels.get(name)
        if kernel is None:
            try:
                number = self._archive.find(name)
            except _native.require().Error as error:
                raise KeyError(str(error)) from None
            kernel = ArchiveKernel(self._archive, number, self._device.kernel(number))
            self._kernels[name] = kernel
        return kernel

    def __iter__(self) -> Iterator[str]:
        return iter(self._archive.names)

    def __len__(self) -> int:
        return len(self._archive.names)

    def group(self, name: str) -> list[str]:
        """The names of the kernels of a group."""
        try:
            numbers = self._archive.group(name)
        except _native.require().Error as error:
            raise KeyError(str(error)) from None
        names = self._archive.names
        return [names[number] for number in numbers]

    def describe(self) -> dict[str, Any]:
        """Format, contract, targets and kernels, as `nereid archive list`."""
        return json.loads(self._archive.describe())

    def verify(self) -> None:
        """Reads every byte and checks it; an Error if one is damaged."""
        self._archive.verify()


def open(
    path: str | os.PathLike[str], target: str = "", *, can_compile: bool = False
) -> Archive:
    """Opens an archive for `target` ("cpu", "vulkan:1", "" for the best device).

    With `can_compile`, embedded TTIR is compiled where no image fits.
    """
    return Archive(path, target, can_compile)
