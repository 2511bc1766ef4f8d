"""One tile of tl.dot in each type that it takes."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import BF16_BITS, Case, generator, near, randint, randn, short


@triton.jit
def dot_kernel(
    x_ptr,
    y_ptr,
    z_ptr,
    stride_xm,
    stride_yk,
    stride_zm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    OUT: tl.constexpr,
):
    off_m = tl.arange(0, BLOCK_M)
    off_n = tl.arange(0, BLOCK_N)
    off_k = tl.arange(0, BLOCK_K)
    x = tl.load(x_ptr + off_m[:, None] * stride_xm + off_k[None, :])
    y = tl.load(y_ptr + off_k[:, None] * stride_yk + off_n[None, :])
    z = tl.dot(x, y, out_dtype=OUT)
    tl.store(z_ptr + off_m[:, None] * stride_zm + off_n[None, :], z)


@triton.jit
def dot_chain_kernel(x_ptr, y_ptr, w_ptr, z_ptr, BLOCK: tl.constexpr):
    # The transposed product feeds a second one, as in attention's backward.
    r = tl.arange(0, BLOCK)
    offsets = r[:, None] * BLOCK + r[None, :]
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    w = tl.load(w_ptr + offsets)
    p = tl.dot(x, tl.trans(y))
    p = tl.maximum(p, 0.0).to(x.dtype)
    z = tl.dot(p.T, w)
    tl.store(z_ptr + offsets, z)


@triton.jit
def outer_sum_kernel(
    x_ptr,
    y_ptr,
    z_ptr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # A product without tl.dot: broadcast, multiply, reduce.
    off_m = tl.arange(0, BLOCK_M)
    off_n = tl.arange(0, BLOCK_N)
    off_k = tl.arange(0, BLOCK_K)
    x = tl.load(x_ptr + off_m[:, None] * BLOCK_K + off_k[None, :])
    y = tl.load(y_ptr + off_n[:, None] * BLOCK_K + off_k[None, :])
    z = tl.sum(x[:, None, :] * y[None, :, :], axis=2)
    tl.store(z_ptr + off_m[:, None] * BLOCK_N + off_n[None, :], z)


# name, input type, result type, tl type of the result, (M, N, K)
TYPES = (
    ("f64", torch.float64, torch.float64, tl.float64, (16, 16, 32)),
    ("f32", torch.float32, torch.float32, tl.float32, (32, 64, 16)),
    ("f16", torch.float16, torch.float32, tl.float32, (32, 32, 32)),
    ("f16_acc16", torch.float16, torch.float16, tl.float16, (16, 32, 16)),
    ("bf16", torch.bfloat16, torch.float32, tl.float32, (64, 32, 32)),
    ("i8", torch.int8, torch.int32, tl.int32, (32, 32, 64)),
    ("f8e5m2", torch.float8_e5m2, torch.float32, tl.float32, (32, 32, 32)),
    ("f8e4m3fn", torch.float8_e4m3fn, torch.float32, tl.float32, (32, 32, 32)),
    ("f32_thin", torch.float32, torch.float32, tl.float32, (1, 64, 32)),
)


def _dot(suffix, dtype, result, out, sizes):
    name = f"dot_{suffix}"
    rng = generator(name)
    m, n, k = sizes
    if dtype.is_floating_point:
        x, y = randn(rng, m, k, dtype=dtype), randn(rng, k, n, dtype=dtype)
        expected = x.double() @ y.double()
    else:
        x = randint(rng, -128, 128, m, k, dtype=dtype)
        y = randint(rng, -128, 128, k, n, dtype=dtype)
        expected = x.int() @ y.int()
    args = dict(
        x_ptr=x,
        y_ptr=y,
        z_ptr=torch.zeros(m, n, dtype=result),
        stride_xm=k,
        stride_yk=n,
        stride_zm=n,
        BLOCK_M=m,
        BLOCK_N=n,
        BLOCK_K=k,
        OUT=out,
    )
    tolerance = {"f32": (1e-4, 1e-5), "f16": (1e-2, 2e-2)}
    expect = near(expected, result, *tolerance.get(short(result), ()))
    return Case(
        name,
        dot_kernel,
        (1,),
        args,
        {"z_ptr": expect},
        not_interpreted=BF16_BITS if dtype == torch.bfloat16 else None,
    )


def _chain():
    name = "dot_chain_f16"
    rng = generator(name)
    x, y, w = (randn(rng, 32, 32, dtype=torch.float16, scale=0.5) for _ in range(3))
    p = (x.double() @ y.double().t()).clamp(min=0).half()
    args = dict(x_ptr=x, y_ptr=y, w_ptr=w, z_ptr=torch.zeros(32, 32), BLOCK=32)
    expected = p.double().t() @ w.double()
    return Case(
        name,
        dot_chain_kernel,
        (1,),
        args,
        expect={"z_ptr": near(expected, torch.float32, rtol=1e-2, atol=1e-2)},
    )


def _outer():
    name = "dot_by_broadcast_f32"
    rng = generator(name)
    x, y = randn(rng, 16, 8), randn(rng, 32, 8)
    args = dict(
        x_ptr=x, y_ptr=y, z_ptr=torch.zeros(16, 32), BLOCK_M=16, BLOCK_N=32, BLOCK_K=8
    )
    return Case(
        name,
        outer_sum_kernel,
        (1,),
        args,
        {"z_ptr": near(x.double() @ y.double().t(), torch.float32, atol=1e-5)},
    )


def cases():
    for row in TYPES:
        yield _dot(*row)
    yield _chain()
    yield _outer()
