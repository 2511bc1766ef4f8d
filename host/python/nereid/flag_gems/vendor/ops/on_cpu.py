"""Operators whose generic versions work on tensors of every device but the CPU."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import flag_gems
import torch
from flag_gems.ops.div import div_mode as _div_mode
from flag_gems.ops.to import to_copy as _to_copy
from flag_gems.ops.where import where_inner

from ..generic import Instead, copy_of

__all__ = [
    "div_mode",
    "to_copy",
    "where_scalar_other",
    "where_scalar_self",
    "where_self",
    "where_self_out",
]


def div_mode(x, y, rounding_mode=None):
    # Two numbers come here on the CPU only: the generic one does not truncate their
    # quotient.
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        x = torch.tensor(x)
    return _div_mode(x, y, rounding_mode=rounding_mode)


def to_copy(x, **options):
    # torch converts the scalars of its operators for the CPU with this one, and
    # passes a tensor that was made of a number as the number.
    return _to_copy(x if isinstance(x, torch.Tensor) else torch.tensor(x), **options)


def where_self_out(condition, self, other, out=None):
    dtype = torch.result_type(self, other)
    if out is not None and out.dtype != dtype:
        raise RuntimeError(f"where: out is {out.dtype}, expected {dtype}")
    tensors = [it if isinstance(it, torch.Tensor) else torch.tensor(it)
               for it in (condition, self, other)]  # fmt: skip
    condition, self, other = tensors
    if condition.dtype != torch.bool:
        raise RuntimeError(f"where: the condition is {condition.dtype}, expected bool")
    self, other = (it if it.dtype == dtype else it.to(dtype) for it in (self, other))
    if out is None:
        shape = torch.broadcast_shapes(*(it.shape for it in tensors))
        out = torch.empty(shape, dtype=dtype)
    where_inner.instantiate(max(it.ndim for it in tensors))
    where_inner(condition, self, other, out0=out)
    return out


def where_self(condition, self, other):
    return where_self_out(condition, self, other)


def where_scalar_self(condition, self, other):
    return where_self_out(condition, self, other)


def where_scalar_other(condition, self, other):
    return where_self_out(condition, self, other)


# From 5.3 on: it pins memory unless the tensor's device is another than FlagGems',
# and pinned memory is for copies to a device of torch.
_broadcast_to = copy_of(
    "flag_gems.ops.broadcast_to", flag_gems=Instead(flag_gems, device="another one")
)
if hasattr(_broadcast_to, "broadcast_to"):
    broadcast_to = _broadcast_to.broadcast_to
    __all__.append("broadcast_to")
