"""FlagGems' heuristics. The generic ones are NVIDIA's, which ask torch.cuda about
the device; here `torch.cuda` is the vendor's device."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
from flag_gems.runtime import backend

from .generic import Instead, copy_of

_generic = copy_of(
    "_nvidia.heuristics_config_utils",
    torch=Instead(torch, cuda=backend.gen_torch_device_object()),
)
HEURISTICS_CONFIGS = dict(_generic.HEURISTICS_CONFIGS)
