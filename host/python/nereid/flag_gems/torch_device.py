"""`torch.<device>` as FlagGems uses it: torch's own module, and from the plugin
what that module does not have. torch.cpu, for example, has no properties, no
guards, and no generators of FlagGems' kind."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import types
from typing import Any

from .generator import Generator


class TorchDevice(types.ModuleType):
    """In place of `torch.<device>`. A device is a number, of the plugin's devices."""

    def __init__(self, module: Any, utils: Any) -> None:
        super().__init__(module.__name__)
        self._module = module
        self._utils = utils
        self._guard = contextlib.nullcontext()
        self.default_generators = (Generator(),) * self.device_count()

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_module"], name)

    def _index(self, device: Any = None) -> int:
        """Tensors on the CPU belong to the current device, and so does "cuda", which
        FlagGems' flash attention writes for every vendor's."""
        is_current = str(device).partition(":")[0] == "cpu" or device == "cuda"
        return self._utils.index_of(None if is_current else device)

    def is_available(self) -> bool:
        return True

    def device_count(self) -> int:
        return self._utils.info["device_count"]

    def current_device(self) -> int:
        return self._utils.index_of(None)

    def set_device(self, device: Any) -> None:
        self._utils.set_current_device(self._index(device))

    def device(self, device: Any) -> Any:
        """A guard: kernels within it are launched on `device`."""
        if self._utils.has_one_device:
            return self._guard
        return _Guard(self._utils, self._index(device))

    _DeviceGuard = device

    def synchronize(self, device: Any = None) -> None:
        self._utils.synchronize(self._index(device))

    @property
    def Event(self) -> Any:
        from ..triton.device import DeviceInterface

        return DeviceInterface(self._utils).Event

    def get_device_name(self, device: Any = None) -> str:
        return self.get_device_properties(device).name

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        """Of a CUDA device; (0, 0) for others, which have no such number."""
        arch = self._utils.target_of(self._index(device)).arch
        return divmod(arch, 10) if isinstance(arch, int) else (0, 0)

    def mem_get_info(self, device: Any = None) -> tuple[int, int]:
        """Free and total bytes."""
        return self._utils.backend.memory_info(self._index(device))

    def get_device_properties(self, device: Any = None) -> Any:
        """The plugin's properties under torch's names too. Numbers that the plugin
        does not report are those by which operators can divide."""
        index = self._index(device)
        facts = self._utils.get_device_properties(index)
        major, minor = self.get_device_capability(index)
        shared = facts["max_shared_mem"]
        torch_names = {
            "name": facts.get("name", self._utils.device_type),
            "major": major,
            "minor": minor,
            "total_memory": facts.get("memory_bytes", 0),
            "multi_processor_count": facts["multiprocessor_count"],
            "warp_size": facts["warpSize"],
            "regs_per_multiprocessor": facts["max_num_regs"],
            "max_threads_per_multi_processor": 2048,
            "L2_cache_size": facts.get("l2_cache_bytes") or facts.get("l2_bytes", 0),
            "shared_memory_per_block": shared,
            "shared_memory_per_block_optin": shared,
            "shared_memory_per_multiprocessor": shared,
        }
        return types.SimpleNamespace(**{**facts, **torch_names})


class _Guard:
    def __init__(self, utils: Any, index: int) -> None:
        self._utils = utils
        self._index = index

    def __enter__(self) -> None:
        self._before = self._utils.index_of(None)
        self._utils.set_current_device(self._index)

    def __exit__(self, *_: Any) -> None:
        self._utils.set_current_device(self._before)
