"""Archives: kernels compiled ahead of time, launched without a compiler."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _native
from ._api import Kernel
from ._streams import Stream

# The dtypes of tensors, by name, that a pointer to such elements takes. TTIR has
# no sign, and what is not one of these names is not checked.
_BYTES = {"int8", "uint8", "bool"}
_DTYPES = {
    "i1": _BYTES,
    "i8": _BYTES,
    "i16": {"int16", "uint16"},
    "i32": {"int32", "uint32"},
    "i64": {"int64", "uint64"},
    "f16": {"float16"},
    "bf16": {"bfloat16"},
    "f32": {"float32"},
    "f64": {"float64"},
}
_KNOWN_DTYPES = frozenset().union(*_DTYPES.values())


def _takes(element: str, dtype: str) -> bool:
    """Whether a pointer to `element` takes a tensor of `dtype`."""
    is_float8 = dtype.startswith("float8")
    if element.startswith("f8"):
        return is_float8 or dtype not in _KNOWN_DTYPES or dtype in _BYTES
    if element not in _DTYPES:
        return True
    # Bytes may hold numbers of 8 bits.
    if is_float8:
        return element == "i8"
    return dtype not in _KNOWN_DTYPES or dtype in _DTYPES[element]


class ArchiveKernel(Kernel):
    """A kernel of an archive on one device. The first launch loads its image."""

    def __init__(self, archive: Any, number: int, loaded: Any) -> None:
        super().__init__(None, loaded)
        self._archive = archive
        self._number = number
        # Of each pointer: its place, and the dtypes that were found to fit.
        self._fitting: list[tuple[int, set[Any]]] = [
            (place, set())
            for place, is_pointer in enumerate(self._is_pointer)
            if is_pointer
        ]

    def launch(
        self, grid: Sequence[int], *arguments: Any, stream: Stream | int = 0
    ) -> None:
        """As `Kernel.launch`. A tensor of other elements than those that the kernel
        was compiled for is refused."""
        for place, fitting in self._fitting:
            if place < len(arguments):
                dtype = getattr(arguments[place], "dtype", None)
                if dtype is not None and dtype not in fitting:
                    self._check_dtype(place, dtype)
                    fitting.add(dtype)
        super().launch(grid, *arguments, stream=stream)

    def _check_dtype(self, place: int, dtype: Any) -> None:
        argument = self.arguments[place]
        name = str(dtype).rpartition(".")[2]
        if not _takes(argument.type[1:].lower(), name):
            raise TypeError(
                f"argument {place} ('{argument.name}') of '{self.name}' is a tensor of "
                f"{name}, expected one for '{argument.type}'"
            )

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
