"""FlagGems' heuristics. The generic ones are NVIDIA's, which ask torch.cuda about
the device; here `torch.cuda` is the vendor's device."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import importlib.util
import types

import torch
from flag_gems.runtime import backend


class _Torch(types.ModuleType):
    cuda = property(lambda self: backend.gen_torch_device_object())

    def __getattr__(self, name):
        return getattr(torch, name)


# A copy of the module: NVIDIA's own stays as it is.
_spec = importlib.util.find_spec("_nvidia.heuristics_config_utils")
_generic = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_generic)
_generic.torch = _Torch("torch")

HEURISTICS_CONFIGS = dict(_generic.HEURISTICS_CONFIGS)
