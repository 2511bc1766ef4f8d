"""Quantization: rows to int8 and back, 4-bit weights, casts between types."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import (
    BF16_BITS,
    FP8_CARRY,
    Case,
    cdiv,
    generator,
    near,
    randint,
    randn,
    short,
)


@triton.jit
def quantize_rows_kernel(x_ptr, q_ptr, scale_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / 127.0
    # Halves are rounded up: floor of x + 1/2.
    q = tl.floor(x / scale + 0.5).to(tl.int8)
    tl.store(q_ptr + row * n_cols + cols, q, mask=mask)
    tl.store(scale_ptr + row, scale)


@triton.jit
def unpack_int4_kernel(
    packed_ptr, scale_ptr, out_ptr, n_bytes, group_size, BLOCK_SIZE: tl.constexpr
):
    # Two signed 4-bit weights a byte, low one first; a scale a group.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_bytes
    packed = tl.load(packed_ptr + offsets, mask=mask, other=0)
    low = (packed << 4) >> 4
    high = packed >> 4
    weights = tl.interleave(low, high).to(tl.float32)
    places = tl.program_id(0) * (2 * BLOCK_SIZE) + tl.arange(0, 2 * BLOCK_SIZE)
    inside = places < 2 * n_bytes
    scale = tl.load(scale_ptr + places // group_size, mask=inside)
    tl.store(out_ptr + places, weights * scale, mask=inside)


@triton.jit
def cast_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def bit_tricks_kernel(
    x_ptr, hash_ptr, exponent_ptr, n_elements, BLOCK_SIZE: tl.constexpr
):
    # A 64-bit mix of the bits, and the exponent read from them.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=1.0)
    bits = x.to(tl.int32, bitcast=True)
    exponent = ((bits >> 23) & 0xFF) - 127
    h = bits.to(tl.uint32, bitcast=True).to(tl.uint64)
    h = (h ^ (h >> 16)) * 0x45D9F3B
    h = (h ^ (h >> 16)) * 0x45D9F3B
    h = h ^ (h >> 16)
    tl.store(hash_ptr + offsets, h.to(tl.int64, bitcast=True), mask=mask)
    tl.store(exponent_ptr + offsets, exponent, mask=mask)


def _quantize():
    name = "quantize_rows_i8"
    m, n = 12, 200
    x = randn(generator(name), m, n)
    scale = (x.abs().max(1).values / 127).double()
    ratio = x.double() / scale[:, None]
    # No value may lie so near to a half that the division's rounding decides.
    half = (ratio - ratio.floor() - 0.5).abs() < 1e-4
    x = torch.where(half, x * 0.5, x)
    q = torch.floor(x.double() / scale[:, None] + 0.5).to(torch.int8)
    args = dict(
        x_ptr=x,
        q_ptr=torch.zeros(m, n, dtype=torch.int8),
        scale_ptr=torch.zeros(m),
        n_cols=n,
        BLOCK_SIZE=256,
    )
    return Case(
        name,
        quantize_rows_kernel,
        (m,),
        args,
        {"q_ptr": near(q), "scale_ptr": near(scale, torch.float32)},
    )


def _unpack():
    name = "unpack_int4_f32"
    rng = generator(name)
    n, group = 300, 32
    weights = randint(rng, -8, 8, 2 * n)
    packed = ((weights[0::2] & 15) | (weights[1::2] << 4)).to(torch.int8)
    scale = randn(rng, cdiv(2 * n, group))
    args = dict(
        packed_ptr=packed,
        scale_ptr=scale,
        out_ptr=torch.zeros(2 * n),
        n_bytes=n,
        group_size=group,
        BLOCK_SIZE=128,
    )
    expected = weights * scale.repeat_interleave(group)[: 2 * n]
    return Case(
        name,
        unpack_int4_kernel,
        (cdiv(n, 128),),
        args,
        {"out_ptr": near(expected, None, 0, 0)},
    )


# From and to; values that fit both, so that no conversion is undefined.
CASTS = (
    (torch.float32, torch.float16),
    (torch.float32, torch.bfloat16),
    (torch.float16, torch.float64),
    (torch.bfloat16, torch.float32),
    (torch.float32, torch.int32),
    (torch.int64, torch.float32),
    (torch.int8, torch.float16),
    (torch.float64, torch.int8),
    (torch.int32, torch.int8),
    (torch.bool, torch.float32),
    (torch.float32, torch.bool),
    (torch.float16, torch.bfloat16),
    (torch.float32, torch.float8_e5m2),
    (torch.float32, torch.float8_e4m3fn),
    (torch.float8_e4m3fn, torch.float16),
    (torch.float8_e5m2, torch.float32),
)


def _cast(source, target):
    name = f"cast_{short(source)}_to_{short(target)}"
    rng = generator(name)
    n = 500
    if source == torch.bool:
        x = randint(rng, 0, 2, n, dtype=source)
    elif source.is_floating_point:
        x = (randn(rng, n, scale=20.0)).to(source)
    else:
        info = torch.iinfo(source)
        x = randint(rng, info.min // 2, info.max // 2, n, dtype=source)
    if target == torch.bool:
        x[::3] = 0
    args = dict(
        x_ptr=x, y_ptr=torch.zeros(n, dtype=target), n_elements=n, BLOCK_SIZE=256
    )
    float8 = {torch.float8_e5m2, torch.float8_e4m3fn}
    reason = BF16_BITS if target == torch.bfloat16 else None
    reason = FP8_CARRY if target in float8 else reason
    return Case(
        name,
        cast_kernel,
        (2,),
        args,
        {"y_ptr": near(x.to(target), None, 0, 0)},
        not_interpreted=reason,
    )


def _bits():
    name = "bit_tricks_i64"
    x = randn(generator(name), 400, scale=100.0)
    bits = x.view(torch.int32)
    hashes = []
    for value in bits.tolist():
        h = value & 0xFFFFFFFF
        h = ((h ^ (h >> 16)) * 0x45D9F3B) & (2**64 - 1)
        h = ((h ^ (h >> 16)) * 0x45D9F3B) & (2**64 - 1)
        h ^= h >> 16
        hashes.append(h - 2**64 if h >= 2**63 else h)
    args = dict(
        x_ptr=x,
        hash_ptr=torch.zeros(400, dtype=torch.int64),
        exponent_ptr=torch.zeros(400, dtype=torch.int32),
        n_elements=400,
        BLOCK_SIZE=256,
    )
    return Case(
        name,
        bit_tricks_kernel,
        (2,),
        args,
        {
            "hash_ptr": near(torch.tensor(hashes, dtype=torch.int64)),
            "exponent_ptr": near(((bits >> 23) & 0xFF) - 127),
        },
    )


def cases():
    yield _quantize()
    yield _unpack()
    for source, target in CASTS:
        yield _cast(source, target)
    yield _bits()
