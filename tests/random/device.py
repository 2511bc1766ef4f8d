"""Compiles and launches random kernels in this process, without a cache."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re

import numpy as np

from emulation import EMULATED, emulated
from guarded import GuardedMemory
from ir import Kernel, PointerArgument
from nereid import _native


class Device:
    def __init__(self, target: str) -> None:
        self.native = _native.require()
        self.backend, self.number = self.native.choose(target)
        self.address, self.size = 0, 0
        self.guarded = GuardedMemory() if target.startswith("cpu") else None
        self._fuses = "enable_fp_fusion" in self.options()
        # Programs, and the elements of one store, in order: not on a GPU.
        self.is_ordered = "access_bytes" not in self.options()

    def options(self) -> dict:
        return {option["name"]: option for option in json.loads(self.backend.options())}

    def architecture(self) -> tuple[str, str]:
        """The architecture and the features of the device."""
        _, arch, features, _ = self.backend.target(self.number)
        return arch, features

    def fast_paths(self) -> list[str]:
        """Their names, which the refusal of an unknown one lists."""
        try:
            self.run_text("module {}", {"fast_paths": "?"})
        except self.native.Error as error:
            names = re.search(r"some of: ([\w, -]+)", str(error))
            if names:
                return names[1].split(", ")
        return []

    def run_text(self, text: str, options: dict):
        start = {}
        if "emulate" in options:
            options = dict(options)
            other = EMULATED[options.pop("emulate")]
            compiled = self.backend.compile(
                text, "random.ttir", options | other, self.number, self.native.NO_CACHE, stop_after="llir"
            )
            text, start = emulated(compiled.output.decode()), {"start_at": "asm"}
            # How LLVM optimizes vectors that it splits is not what is tested.
            options["opt_level"] = 1
            options["threads"] = 1  # tile registers are globals
        compiled = self.backend.compile(
            text, "random.ttir", options, self.number, self.native.NO_CACHE, **start
        )
        return self.backend.load(compiled, self.number)

    def run(self, kernel: Kernel, text: str, options: dict, memory: np.ndarray) -> np.ndarray:
        """What memory holds after a launch; `memory` itself does not change."""
        if self._fuses and not kernel.is_exact:
            options = options | {"enable_fp_fusion": False}
        loaded = self.run_text(text, options)
        if self.guarded:
            addresses = self.guarded.fill(kernel.buffers, memory)
            self._launch(loaded, kernel, addresses)
            out = memory.copy()
            self.guarded.copy_back(kernel.buffers, addresses, out)
            return out
        self._reserve(memory.nbytes)
        backend, number = self.backend, self.number
        backend.copy_in(number, 0, self.address, memory.ctypes.data, memory.nbytes)
        self._launch(loaded, kernel, [self.address + buffer.start for buffer in kernel.buffers])
        out = np.empty_like(memory)
        backend.copy_out(number, 0, out.ctypes.data, self.address, memory.nbytes)
        backend.synchronize(number, 0)
        return out

    def _launch(self, loaded, kernel: Kernel, addresses: list[int]) -> None:
        """`addresses` are those of the buffers."""
        arguments = []
        for argument in kernel.arguments:
            if isinstance(argument, PointerArgument):
                address = addresses[kernel.buffers.index(argument.buffer)]
                arguments.append(address + argument.offset * argument.buffer.element.size)
            else:
                arguments.append(argument.number)
        width = kernel.width or kernel.grid
        loaded.launch((width, kernel.grid // width), 0, None, *arguments)
        self.backend.synchronize(self.number, 0)

    def _reserve(self, size: int) -> None:
        if size > self.size:
            if self.address:
                self.backend.free(self.number, self.address)
            self.size = max(size, 1 << 20)
            self.address = self.backend.allocate(self.number, self.size)
