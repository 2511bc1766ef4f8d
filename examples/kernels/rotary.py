"""Rotary position embedding, applied to queries in place."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randn


@triton.jit
def rotary_kernel(
    q_ptr,
    q_row_stride,
    cos_ptr,
    sin_ptr,
    cos_row_stride,
    n_heads,
    head_dim: tl.constexpr,
    PAD_HEADS: tl.constexpr,
    BACKWARD: tl.constexpr,
):
    # One program turns all heads of one token; halves are turned together.
    pid = tl.program_id(0).to(tl.int64)
    q_ptr += pid * q_row_stride
    half = tl.arange(0, head_dim // 2)
    cos = tl.load(cos_ptr + pid * cos_row_stride + half)
    sin = tl.load(sin_ptr + pid * cos_row_stride + half)
    if BACKWARD:
        sin = -sin
    heads = tl.arange(0, PAD_HEADS)
    first = heads[:, None] * head_dim + half[None, :]
    mask = heads[:, None] < n_heads
    second = first + head_dim // 2
    q1 = tl.load(q_ptr + first, mask=mask, other=0).to(sin.dtype)
    q2 = tl.load(q_ptr + second, mask=mask, other=0).to(sin.dtype)
    tl.store(q_ptr + first, q1 * cos - q2 * sin, mask=mask)
    tl.store(q_ptr + second, q2 * cos + q1 * sin, mask=mask)


@triton.jit
def rotary_interleaved_kernel(
    x_ptr, cos_ptr, sin_ptr, out_ptr, stride, HALF: tl.constexpr
):
    # Pairs lie side by side: split them, turn them, join them again.
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + tl.arange(0, 2 * HALF))
    even, odd = tl.split(tl.reshape(x, (HALF, 2)))
    half = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + row * HALF + half)
    sin = tl.load(sin_ptr + row * HALF + half)
    turned = tl.join(even * cos - odd * sin, even * sin + odd * cos)
    tl.store(
        out_ptr + row * stride + tl.arange(0, 2 * HALF), tl.reshape(turned, (2 * HALF,))
    )


def _angles(tokens, half):
    inverse = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(tokens, dtype=torch.float64)[:, None] * inverse
    return angles.cos().float(), angles.sin().float()


def _halves(name, dtype, backward):
    tokens, heads, dim = 20, 6, 32
    q = randn(generator(name), tokens, heads, dim, dtype=dtype)
    cos, sin = _angles(tokens, dim // 2)
    args = dict(
        q_ptr=q,
        q_row_stride=heads * dim,
        cos_ptr=cos,
        sin_ptr=sin,
        cos_row_stride=dim // 2,
        n_heads=heads,
        head_dim=dim,
        PAD_HEADS=8,
        BACKWARD=backward,
    )
    q1, q2 = q.double().split(dim // 2, dim=2)
    c, s = cos.double()[:, None], sin.double()[:, None]
    s = -s if backward else s
    expected = torch.cat([q1 * c - q2 * s, q2 * c + q1 * s], dim=2)
    return Case(name, rotary_kernel, (tokens,), args, {"q_ptr": near(expected, dtype)})


def _interleaved():
    name = "rotary_interleaved_f32"
    x = randn(generator(name), 16, 64)
    cos, sin = _angles(16, 32)
    args = dict(
        x_ptr=x,
        cos_ptr=cos,
        sin_ptr=sin,
        out_ptr=torch.zeros_like(x),
        stride=64,
        HALF=32,
    )
    even, odd = x.double()[:, 0::2], x.double()[:, 1::2]
    c, s = cos.double(), sin.double()
    pairs = torch.stack([even * c - odd * s, even * s + odd * c], dim=2)
    return Case(
        name,
        rotary_interleaved_kernel,
        (16,),
        args,
        {"out_ptr": near(pairs.reshape(16, 64), torch.float32)},
    )


def cases():
    yield _halves("rotary_f32", torch.float32, False)
    yield _halves("rotary_backward_f16", torch.float16, True)
    yield _interleaved()


def bench():
    tokens, heads, dim = 2048, 32, 128
    args = dict(
        q_ptr=torch.empty(tokens, heads, dim),
        q_row_stride=heads * dim,
        cos_ptr=torch.empty(tokens, dim // 2),
        sin_ptr=torch.empty(tokens, dim // 2),
        cos_row_stride=dim // 2,
        n_heads=heads,
        head_dim=dim,
        PAD_HEADS=heads,
        BACKWARD=False,
    )
    yield Case(
        "rotary_128",
        rotary_kernel,
        (tokens,),
        args,
        outputs=("q_ptr",),
        work={"bytes": 8 * tokens * heads * dim},
    )
