"""Nereid from Python: find plugins, compile TTIR, launch kernels.

Programs of Triton need none of this: they run through `nereid.triton` as soon
as the package is installed. Everything returned is plain data, but for kernels
and what belongs to a device.

    import nereid
    kernel = nereid.compile(pathlib.Path("add.ttir").read_text(), target="cpu")
    kernel.launch((4,), x, y, out, 4096)

    kernels = nereid.open("kernels.nra", target="cpu")  # compiled ahead of time
    kernels["add"].launch((4,), x, y, out, 4096)

    y = nereid.ops.softmax(x)  # an operator of a pack
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from ._api import (
    Argument,
    Candidate,
    Device,
    Error,
    Kernel,
    compile,
    devices,
    explain,
    options,
    plugins,
    version,
)
from ._archive import Archive, ArchiveKernel, open
from ._memory import (
    HostMemory,
    Memory,
    MemoryInfo,
    allocate,
    allocate_host,
    copy,
    fill,
    import_memory,
    memory_info,
)
from ._streams import Event, Stream, import_stream, synchronize

__all__ = [
    "Archive",
    "ArchiveKernel",
    "Argument",
    "Candidate",
    "Device",
    "Error",
    "Event",
    "HostMemory",
    "Kernel",
    "Memory",
    "MemoryInfo",
    "Stream",
    "allocate",
    "allocate_host",
    "compile",
    "copy",
    "devices",
    "explain",
    "fill",
    "import_memory",
    "import_stream",
    "memory_info",
    "open",
    "options",
    "plugins",
    "synchronize",
    "version",
]


def __getattr__(name):
    if name != "ops":  # loaded by its first use
        raise AttributeError(f"module 'nereid' has no attribute '{name}'")
    import importlib

    return importlib.import_module(".ops", __name__)
