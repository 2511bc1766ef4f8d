"""The driver side of the backend: devices, loading and launching."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import dispatch, selection, versions



def _share_timings() -> None:
    from . import autotune  # needs all of Triton

    autotune.install()


if selection.is_named():
    versions.outrank_other_drivers()

versions.before_first_autotuner(_share_timings)

_CPP_TYPES = {
    "i1": "int8_t",
    "u1": "uint8_t",
    "fp16": "double",
    "bf16": "double",
    "fp32": "double",
    "f32": "double",
    "fp64": "double",
    "nvTmaDesc": "void*",
}


@functools.lru_cache(maxsize=None)
def torch_device(name: str) -> Any:
    """The device on which torch makes tensors for a device of Nereid: the CPU, from
    which they are copied, where torch knows no such device, or only its name."""
    import torch

    try:
        return torch.empty(0, device=name).device
    except (AssertionError, RuntimeError):
        return torch.device("cpu")


class NereidDriver(DriverBase):
    """The devices of one plugin. With `target` "", NEREID_TARGET or the best score
    chooses."""

    @staticmethod
    def is_active() -> bool:
        return selection.is_active(NereidDriver)

    def __init__(self, target: str = "") -> None:
        super().__init__()
        from .device import DeviceUtils
        from .transfer import launcher_for

        self.utils = DeviceUtils(target)
        versions.outrank_other_compilers(selection.ENTRY_POINT, selection.is_active_on)
        self.launcher_cls = lambda src, metadata: launcher_for(
            self.utils, src, metadata
        )
        dispatch.install(self)

    def get_current_target(self) -> GPUTarget:
        return self.utils.target

    def get_current_device(self) -> str:
        return self.utils.current_device()

    def set_current_device(self, device: Any) -> None:
        self.utils.set_current_device(device)

    def get_current_stream(self, device: Any = None) -> int:
        return self.utils.current_stream(device)

    def get_active_torch_device(self) -> Any:
        return torch_device(self.get_current_device())

    def get_device_interface(self) -> Any:
        from .device import DeviceInterface

        return DeviceInterface(self.utils)

    def get_benchmarker(self) -> Any:
        from triton.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        from .device import CacheFlush

        return CacheFlush(self.utils)

    def clear_cache(self, cache: Any) -> None:
        cache.flush_cache()

    def allocate_default_profile_scratch(
        self, size: int, alignment: int, stream: Any
    ) -> Any:
        import torch

        return torch.zeros(size, dtype=torch.int8)

    def map_python_to_cpp_type(self, ty: str) -> str:
        if ty.startswith(("*", "tensordesc")):
            return "void*"
        if ty in _CPP_TYPES:
            return _CPP_TYPES[ty]
        kind, bits = ty[0], int(ty[1:])
        return f"{'u' if kind == 'u' else ''}int{bits}_t"
