"""Operators that ask torch.cuda about the device: here they ask the vendor's."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
from flag_gems import runtime

from ..generic import Instead, copy_of

# By module; those that a release does not have are left out.
_FUNCTIONS = {"flag_gems.ops.nansum": ("nansum", "nansum_dim", "nansum_out")}
_torch = Instead(torch, cuda=runtime.torch_device_fn)

__all__ = []
for _module, _names in _FUNCTIONS.items():
    _copy = copy_of(_module, torch=_torch)
    _found = [_name for _name in _names if hasattr(_copy, _name)]
    globals().update({_name: getattr(_copy, _name) for _name in _found})
    __all__ += _found
