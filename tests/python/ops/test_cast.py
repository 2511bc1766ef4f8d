"""Conversions between all types, with their rounding and saturation."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import FLOATS, FP8, INTEGERS, any_values, assert_same_bits, floats

COUNT = 256
LARGEST = {
    "float8_e4m3fn": 448.0, "float8_e4m3fnuz": 240.0,
    "float8_e5m2": 57344.0, "float8_e5m2fnuz": 57344.0,
}  # fmt: skip


@triton.jit
def cast_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


def cast(x, kind):
    out = torch.zeros(x.shape, dtype=getattr(torch, kind))
    cast_kernel[(1,)](x, out, x.numel())
    return out


def few_bits(x):
    """Integers that float32 holds, so that bfloat16 rounds only once."""
    width = x.element_size() * 8
    if width < 32:
        return x
    return (x.view(getattr(torch, f"int{width}")) >> width - 24).view(x.dtype)


@pytest.mark.parametrize("target", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("source", ["bool", *INTEGERS])
def test_from_integer(source, target):
    x = any_values(source, COUNT)
    if target == "bfloat16":
        x = few_bits(x)
        expected = x.double().float().bfloat16()
    else:
        with np.errstate(over="ignore"):
            expected = torch.from_numpy(x.numpy().astype(target))
    assert_same_bits(cast(x, target), expected)


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", FLOATS)
def test_to_integer(source, target):
    info = np.iinfo(target)
    bound = min(float(info.max) / 2, 60000.0)
    x = floats(source, COUNT, scale=bound / 5, special=False).clamp(max(info.min, -bound), bound)
    expected = x.double().numpy().astype(target)
    assert_same_bits(cast(x, target), torch.from_numpy(expected))


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", FLOATS)
def test_between_floats(source, target):
    x = floats(source, COUNT, scale=1e3)
    found, expected = cast(x, target), x.to(getattr(torch, target))
    assert torch.equal(found.isnan(), expected.isnan())
    assert_same_bits(found.nan_to_num(7), expected.nan_to_num(7))


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", FP8)
def test_from_fp8(source, target):
    x = torch.arange(256, dtype=torch.uint8).view(getattr(torch, source))
    found, expected = cast(x, target), x.to(getattr(torch, target))
    assert torch.equal(found.isnan(), expected.isnan())
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("target", FP8)
@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32", "float64"])
def test_to_fp8(source, target):
    """Rounds to nearest even; what is too large becomes the largest."""
    near = floats(source, COUNT // 2, scale=8.0)
    far = floats(source, COUNT // 2, scale=LARGEST[target], special=False)
    x = torch.cat([near, far])
    largest = LARGEST[target]
    expected = x.float().clamp(-largest, largest).to(getattr(torch, target))
    found = cast(x, target).float()
    torch.testing.assert_close(found, expected.float(), rtol=0, atol=0, equal_nan=True)


@triton.jit
def toward_zero_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.to(out_ptr.dtype.element_ty, fp_downcast_rounding="rtz"))


@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_toward_zero(target):
    x = floats("float32", COUNT, scale=1e3, special=False)
    out = torch.zeros(COUNT, dtype=getattr(torch, target))
    toward_zero_kernel[(1,)](x, out, COUNT)
    nearest = x.to(out.dtype)
    inward = torch.nextafter(nearest.float(), torch.tensor(0.0)).numpy()
    if target == "float16":
        inward = np.nextafter(nearest.numpy(), np.float16(0))
        expected = torch.where(nearest.float().abs() > x.abs(), torch.from_numpy(inward), nearest)
    else:
        expected = (x.view(torch.int32) & -65536).view(torch.float32).bfloat16()
    assert_same_bits(out, expected)


@triton.jit
def bitcast_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty, bitcast=True))


@pytest.mark.parametrize(
    "source, target",
    [("float16", "int16"), ("int16", "bfloat16"), ("float32", "int32"), ("int64", "float64"),
     ("float8_e5m2", "int8"), ("uint8", "float8_e4m3fn"), ("bfloat16", "float16")],
)  # fmt: skip
def test_bitcast(source, target):
    x = any_values(source, COUNT)
    out = torch.zeros(COUNT, dtype=getattr(torch, target))
    bitcast_kernel[(1,)](x, out, COUNT)
    assert_same_bits(out, x.view(out.dtype))


@triton.jit
def pointer_kernel(x_ptr, out_ptr):
    address = x_ptr.to(tl.int64)
    tl.store(out_ptr, tl.load((address + 4).to(tl.pointer_type(tl.float32))))


def test_pointer_as_integer():
    x, out = floats("float32", 16, special=False), torch.zeros(1)
    pointer_kernel[(1,)](x, out)
    assert out[0] == x[1] and not math.isnan(out[0])
