"""Conversions of fp8e4b15, which TTIR's conversion operations do not support.

The format has fp16's exponent bias with one exponent bit less, so its
magnitude, shifted left by 7, is an fp16.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from triton.language import core

_LARGEST = 0x3F00  # as fp16 bits: 1.75, the largest value of the format


def _to_float16(value, semantic):
    bits = value.to(core.uint8, bitcast=True, _semantic=semantic)
    bits = bits.to(core.uint16, _semantic=semantic)
    sign = bits.__and__(0x80, _semantic=semantic).__lshift__(8, _semantic=semantic)
    size = bits.__and__(0x7F, _semantic=semantic).__lshift__(7, _semantic=semantic)
    both = sign.__or__(size, _semantic=semantic)
    return both.to(core.float16, bitcast=True, _semantic=semantic)


def _from_float16(value, semantic):
    """Rounds to nearest, ties away from zero; overflow and NaN become the largest."""
    bits = value.to(core.uint16, bitcast=True, _semantic=semantic)
    size = bits.__and__(0x7FFF, _semantic=semantic)
    size = core.minimum(size, _LARGEST, _semantic=semantic)
    size = size.__lshift__(1, _semantic=semantic).__add__(0x80, _semantic=semantic)
    sign = bits.__and__(0x8000, _semantic=semantic)
    both = sign.__or__(size, _semantic=semantic).__rshift__(8, _semantic=semantic)
    byte = both.to(core.uint8, _semantic=semantic)
    return byte.to(core.float8e4b15, bitcast=True, _semantic=semantic)


@core.builtin
def convert_custom_types(arg, dst_ty, fp_downcast_rounding=None, _semantic=None):
    if arg.type.scalar.is_fp8e4b15():
        wide = _to_float16(arg, _semantic)
        return wide.to(dst_ty.scalar, _semantic=_semantic)
    narrow = arg
    if not arg.type.scalar.is_fp16():
        narrow = arg.to(core.float16, fp_downcast_rounding="rtz", _semantic=_semantic)
    return _from_float16(narrow, _semantic)
