"""The devices of one plugin, as Triton sees them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
import re
import threading
import time
from typing import Any

from triton.backends.compiler import GPUTarget

from .. import _native
from .._device import PluginDevice
from .._memory import Memory
from . import selection, torch_devices

# A CPU runs a program on one thread, but kernels and tests written for GPUs
# expect warps of 32. No code for the CPU depends on this value.
_WARP_SIZE_OF_CPU = 32
_NO_LIMIT = 2**31 - 1
# As many as a GPU has. Programs divide this by the registers of a warp to compute
# the occupancy, which would be 0 with the 16 or 32 registers of a CPU.
_FEWEST_REGISTERS = 65536


# The latest DeviceUtils for each device type.
_latest: dict[str, "DeviceUtils"] = {}


def read_target(backend: Any, info: Any, index: int) -> tuple[GPUTarget, str]:
    """The target of a device as Triton's type, and its features, which that type
    does not have."""
    kind, arch, features, warp_size = backend.target(index)
    if info["is_host_cpu"]:
        warp_size = _WARP_SIZE_OF_CPU
    if number := re.fullmatch("sm_([0-9]+)[af]?", arch):
        # As from Triton's own driver: programs compare it.
        arch = int(number[1])
    return GPUTarget(kind, arch, warp_size), features


def current_index(device_type: str) -> int:
    """The number of the calling thread's device among those of this type."""
    utils = _latest.get(device_type)
    return utils.index_of(None) if utils else 0


class DeviceUtils:
    """`driver.utils` of Triton, and the plugin's current device.

    A device has a name, "cpu" or "vulkan:1", like those of torch: a number would
    be taken for a CUDA device.
    """

    is_nereid = True

    def __init__(self, target: str = "") -> None:
        if not target:
            target = selection.default_target()
        self.backend, self._chosen = _native.require().choose(target)
        self.backend.compiler(self._chosen)  # raises an error if no plugin compiles for it
        self.info = self.backend.info()
        self.device_type = self.info["device_type"]
        self._device_count = self.info["device_count"]
        self.has_one_device = self._device_count == 1
        self._targets: dict[int, GPUTarget] = {}
        self._torch = torch_devices.find(self.device_type)
        self._torch_streams: dict[tuple[int, int], int] = {}
        # Every thread starts on the chosen device, not on the plugin's default or
        # on one that this process chose earlier.
        self._threads = threading.local()
        self._sets_every_thread = self._chosen != 0 or self.device_type in _latest
        _latest[self.device_type] = self
        from .libdevice import publish

        publish(self.device_type, self.backend, self._chosen)

    @property
    def target(self) -> GPUTarget:
        """The target of the current device."""
        return self.target_of(self.index_of(None))

    def target_of(self, index: int) -> GPUTarget:
        if index not in self._targets:
            self._targets[index] = read_target(self.backend, self.info, index)[0]
        return self._targets[index]

    def index_of(self, device: Any) -> int:
        """The number of a device that Triton or torch passes. None, and the
        device of a host tensor, mean the current one."""
        if device is None or (str(device) == "cpu" and self.device_type != "cpu"):
            return self._current_index()
        return self._parse(device)

    def _parse(self, device: Any) -> int:
        """A number, "acme" or "acme:1"; a ValueError for anything else."""
        number: Any = device
        if not isinstance(device, int):
            kind, _, text = str(device).partition(":")
            number = text or "0"
            number = int(number) if kind == self.device_type and number.isdecimal() else -1
        if isinstance(number, bool) or not 0 <= number < self._device_count:
            raise ValueError(
                f"{device} is not a device of {self.device_type}, expected "
                f"{self.device_type}:0 to {self.device_type}:{self._device_count - 1}"
            )
        return number

    def _current_index(self) -> int:
        if self.has_one_device:
            return 0
        if self._sets_every_thread and not hasattr(self._threads, "is_set"):
            self.set_current_device(self._chosen)
        return (self._torch or self.backend).current_device()

    def current_device(self) -> str:
        if self.has_one_device:
            return self.device_type
        return f"{self.device_type}:{self._current_index()}"

    def set_current_device(self, device: Any) -> None:
        index = self._parse(device)
        if not self.has_one_device:
            (self._torch or self.backend).set_current_device(index)
            self._threads.is_set = True

    def current_stream(self, device: Any = None) -> int:
        """The stream that the program set with `nereid`, else torch's."""
        index = self.index_of(device)
        stream = self.backend.current_stream(index)
        if stream or self._torch is None:
            return stream
        handle = self._torch.current_stream(index)
        return self._import_stream(index, handle) if handle else 0

    def _import_stream(self, index: int, handle: int) -> int:
        """torch never destroys a stream, so that one import lasts."""
        key = index, handle
        if key not in self._torch_streams:
            self._torch_streams[key] = self.backend.import_stream(
                index, self._torch.STREAM_KIND, handle
            )
        return self._torch_streams[key]

    def synchronize(self, device: Any = None) -> None:
        index = self.index_of(device)
        self.backend.synchronize(index, self.current_stream(index))

    @functools.cached_property
    def is_host_accessible(self) -> bool:
        """Whether kernels can access host memory."""
        return all(
            self._properties(index).get("host_accessible", False)
            for index in range(self._device_count)
        )

    @property
    def home(self) -> str | None:
        """The attribute of torch's tensors that is true for those whose addresses
        kernels use, if there is one."""
        if self._torch is not None:
            return self._torch.HOME
        return "is_cpu" if self.is_synchronous and self.has_one_device else None

    def dispatched_devices(self) -> tuple[tuple[str, ...], Any, Any, Any]:
        """For the dispatcher: names of the devices, the number of the current one,
        if there are several, torch's streams and how they are imported."""
        names = (self.device_type,)
        if not self.has_one_device:
            names = tuple(f"{self.device_type}:{i}" for i in range(self._device_count))
        current = None if self.has_one_device else self._current_index
        if self._torch is None:
            return names, current, None, None
        return names, current, self._torch.current_stream, self._import_stream

    @property
    def is_synchronous(self) -> bool:
        """Whether launches have completed when they return."""
        return self.is_host_accessible and self.info["is_host_cpu"]

    def _properties(self, device: Any) -> dict[str, Any]:
        return json.loads(self.backend.properties(self.index_of(device)))

    def get_device_properties(self, device: Any) -> dict[str, Any]:
        """The plugin's properties, and those that programs written for GPUs
        expect and divide by."""
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
        """Does nothing. The last reference to a kernel unloads its image: a
        launch may be running on another thread."""


class CacheFlush:
    """Evicts the device's caches before a measurement: with the plugin's slot, or
    else by writing a large buffer, as Triton does on GPUs. If the buffer cannot be
    allocated, nothing is evicted."""

    _SIZE = 64 << 20  # more than the last cache of most devices

    def __init__(self, utils: DeviceUtils) -> None:
        self._utils = utils
        self._index = utils.index_of(None)
        self._buffer: Memory | None = None
        self._has_slot = True

    def flush_cache(self) -> None:
        backend, stream = self._utils.backend, self._utils.current_stream(self._index)
        if self._has_slot:
            try:
                backend.flush_cache(self._index, stream)
                return
            except _native.require().Error as error:
                if error.status != "unimplemented":
                    raise
            self._has_slot = False
            self._buffer = self._allocate()
        if self._buffer is not None:
            self._buffer.fill(stream=stream)

    def _allocate(self) -> Memory | None:
        device = PluginDevice(self._utils.backend, self._index)
        try:
            return Memory._of(device, self._SIZE, 64)
        except _native.require().Error as error:
            if error.status not in ("out-of-resources", "unimplemented"):
                raise
            return None


class HostEvent:
    """A point in time of the host, for a plugin without events: the work before
    it is waited for."""

    def __init__(self, utils: DeviceUtils) -> None:
        self._utils = utils
        self._index = utils.index_of(None)
        self._time = 0

    def record(self, stream: int | None = None) -> None:
        if stream is None:
            stream = self._utils.current_stream(self._index)
        self._utils.backend.synchronize(self._index, stream)
        self._time = time.perf_counter_ns()

    def elapsed_time(self, end: HostEvent) -> float:
        """Milliseconds; never 0, because programs divide by it."""
        return max(end._time - self._time, 1) / 1e6

    def synchronize(self) -> None:
        """The work before it is done already."""


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
        self._event.synchronize()


class DeviceInterface:
    """The part of `torch.cuda` that Triton's benchmarks want."""

    def __init__(self, utils: DeviceUtils) -> None:
        self._utils = utils

    def Event(self, enable_timing: bool = True, **_: Any) -> Event | HostEvent:
        try:
            return Event(self._utils)
        except _native.require().Error as error:
            if error.status != "unimplemented":
                raise
            return HostEvent(self._utils)

    def synchronize(self, device: Any = None) -> None:
        self._utils.synchronize(device)

    def current_device(self) -> str:
        return self._utils.current_device()

    def current_stream(self, device: Any = None) -> int:
        return self._utils.current_stream(device)
