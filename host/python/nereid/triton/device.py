"""Devices of one plugin as Triton knows them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
from typing import Any

from triton.backends.compiler import GPUTarget

from .. import _native

# A CPU runs a program on one thread. Kernels and tests written for GPUs count
# in warps of 32 all the same, and nothing of the CPU's code depends on it.
_WARP_SIZE_OF_CPU = 32
_NO_LIMIT = 2**31 - 1
# As many as a GPU has. Programs divide them by what their warps need, to learn
# how many fit: a CPU's 16 or 32 would be room for none.
_FEWEST_REGISTERS = 65536


class DeviceUtils:
    """What Triton calls `driver.utils`, and the plugin's current device.

    A device is named by a string, "cpu" or "vulkan:1", as torch names devices:
    numbers would be mistaken for those of CUDA.
    """

    def __init__(self, target: str = "") -> None:
        self.backend, chosen = _native.require().choose(target)
        self.info = self.backend.info()
        self.device_type = self.info["device_type"]
        self.has_one_device = self.info["device_count"] == 1
        self.set_current_device(chosen)
        kind, arch, _, warp_size = self.backend.target(chosen)
        if self.info["is_host_cpu"]:
            warp_size = _WARP_SIZE_OF_CPU
        self.target = GPUTarget(kind, arch, warp_size)
        from .libdevice import publish

        publish(self.device_type, self.backend)

    def index_of(self, device: Any) -> int:
        """The number of a device that Triton or torch names; None is the
        current one, as a CPU tensor's `device.index` is."""
        if isinstance(device, int):
            return device
        if device is None:
            return 0 if self.has_one_device else self.backend.current_device()
        _, _, number = str(device).partition(":")
        return int(number or 0)

    def current_device(self) -> str:
        if self.has_one_device:
            return self.device_type
        return f"{self.device_type}:{self.backend.current_device()}"

    def set_current_device(self, device: Any) -> None:
        if not self.has_one_device:
            self.backend.set_current_device(self.index_of(device))

    def current_stream(self, device: Any = None) -> int:
        return self.backend.current_stream(self.index_of(device))

    def synchronize(self, device: Any = None) -> None:
        index = self.index_of(device)
        self.backend.synchronize(index, self.backend.current_stream(index))

    def flush_cache(self) -> None:
        self.backend.flush_cache(self.index_of(None), self.current_stream())

    @functools.cached_property
    def is_host_accessible(self) -> bool:
        """Whether kernels work on the host's memory as it is."""
        return bool(self._properties(0).get("host_accessible", False))

    def _properties(self, device: Any) -> dict[str, Any]:
        return json.loads(self.backend.properties(self.index_of(device)))

    def get_device_properties(self, device: Any) -> dict[str, Any]:
        """The plugin's properties, and those that programs written for GPUs
        ask for and divide by."""
        facts = self._properties(device)
        clock = facts.get("clock_khz", 0)
        return {
            **facts,
            "max_shared_mem": max(1, facts.get("max_shared_mem", 0)),
            "max_num_regs": max(_FEWEST_REGISTERS, facts.get("max_num_regs", 0)),
            "multiprocessor_count": max(1, facts.get("multiprocessor_count", 0)),
            "warpSize": self.target.warp_size,
            "sm_clock_rate": clock,
            "mem_clock_rate": facts.get("mem_clock_khz", clock),
            "mem_bus_width": facts.get("mem_bus_width", 64),
        }

    def load_binary(
        self, name: str, image: bytes, shared: int, device: Any
    ) -> tuple[Any, Any, int, int, int]:
        compiled = _native.require().open(image, name)
        kernel = self.backend.load(compiled, self.index_of(device))
        facts = kernel.resources
        threads = facts["max_threads"]
        if self.info["is_host_cpu"] or threads < 0:
            threads = _NO_LIMIT
        # Unknown registers count as one: programs divide by them.
        return kernel, kernel, max(1, facts["registers"]), max(0, facts["spills"]), threads

    def unload_module(self, module: Any) -> None:
        """The image goes with the last reference to its kernel, not before: a
        launch may be under way on another thread."""


class Event:
    """A point in the device's current stream, as `do_bench` uses it."""

    def __init__(self, utils: DeviceUtils) -> None:
        self._utils = utils
        self._event = utils.backend.event(utils.index_of(None))

    def record(self, stream: int | None = None) -> None:
        self._event.record(self._utils.current_stream() if stream is None else stream)

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds; never 0, because programs divide by it."""
        return max(self._event.elapsed(end._event), 1.0) / 1e6

    def synchronize(self) -> None:
        self._utils.synchronize()


class DeviceInterface:
    """The part of `torch.cuda` that Triton's benchmarks want."""

    def __init__(self, utils: DeviceUtils) -> None:
        self._utils = utils

    def Event(self, enable_timing: bool = True, **_: Any) -> Event:
        return Event(self._utils)

    def synchronize(self, device: Any = None) -> None:
        self._utils.synchronize(device)

    def current_device(self) -> str:
        return self._utils.current_device()

    def current_stream(self, device: Any = None) -> int:
        return self._utils.current_stream(device)
