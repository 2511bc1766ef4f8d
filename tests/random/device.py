"""Compiles and launches random kernels in this process, without a cache."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re

import numpy as np

from emulation import EMULATED, emulated
from ir import Kernel, PointerArgument
from nereid import _native


class Device:
    def __init__(self, target: str) -> None:
        self.native = _native.require()
        self.backend, self.number = self.native.choose(target)
        self.address, self.size = 0, 0
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
        self._reserve(memory.nbytes)
        backend, number = self.backend, self.number
        backend.copy_in(number, 0, self.address, memory.ctypes.data, memory.nbytes)
        arguments = []
        for argument in kernel.arguments:
            if isinstance(argument, PointerArgument):
                offset = argument.buffer.start + argument.offset * argument.buffer.element.size
                arguments.append(self.address + offset)
            else:
                arguments.append(argument.number)
        loaded.launch((kernel.grid,), 0, None, *arguments)
        out = np.empty_like(memory)
        backend.synchronize(number, 0)
        backend.copy_out(number, 0, out.ctypes.data, self.address, memory.nbytes)
        backend.synchronize(number, 0)
        return out

    def _reserve(self, size: int) -> None:
        if size > self.size:
            if self.address:
                self.backend.free(self.number, self.address)
            self.size = max(size, 1 << 20)
            self.address = self.backend.allocate(self.number, self.size)
