"""The functions of one element that kernels use, each with its own result row."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

import numpy as np
import torch
import triton
import triton.language as tl

from case import Case, generator, near, rand, randint, randn


@triton.jit
def functions_kernel(x_ptr, out_ptr, BLOCK_SIZE: tl.constexpr):
    offsets = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets)
    out = out_ptr + offsets
    tl.store(out, tl.exp(x))
    tl.store(out + BLOCK_SIZE, tl.exp2(x))
    tl.store(out + 2 * BLOCK_SIZE, tl.log(tl.abs(x) + 0.5))
    tl.store(out + 3 * BLOCK_SIZE, tl.log2(tl.abs(x) + 0.5))
    tl.store(out + 4 * BLOCK_SIZE, tl.sin(x))
    tl.store(out + 5 * BLOCK_SIZE, tl.cos(x))
    tl.store(out + 6 * BLOCK_SIZE, tl.sqrt(tl.abs(x)))
    tl.store(out + 7 * BLOCK_SIZE, tl.rsqrt(tl.abs(x) + 0.5))
    tl.store(out + 8 * BLOCK_SIZE, tl.erf(x))
    tl.store(out + 9 * BLOCK_SIZE, tl.floor(x))
    tl.store(out + 10 * BLOCK_SIZE, tl.ceil(x))
    tl.store(out + 11 * BLOCK_SIZE, tl.fma(x, x, 1.0))
    tl.store(out + 12 * BLOCK_SIZE, x % 1.5)


@triton.jit
def extremes_kernel(x_ptr, y_ptr, out_ptr, BLOCK_SIZE: tl.constexpr):
    # With NaN, infinities and both zeros among x and y.
    offsets = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    out = out_ptr + offsets
    tl.store(out, tl.maximum(x, y))
    tl.store(out + BLOCK_SIZE, tl.minimum(x, y))
    tl.store(out + 2 * BLOCK_SIZE, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 3 * BLOCK_SIZE, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 4 * BLOCK_SIZE, tl.clamp(x, -1.0, 1.0))
    tl.store(
        out + 5 * BLOCK_SIZE, tl.clamp(x, -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL)
    )
    tl.store(out + 6 * BLOCK_SIZE, tl.div_rn(x, y))
    tl.store(out + 7 * BLOCK_SIZE, tl.sqrt_rn(tl.abs(x)))
    tl.store(out + 8 * BLOCK_SIZE, (x < y).to(tl.float32) + (x != y).to(tl.float32))


@triton.jit
def integers_kernel(x_ptr, y_ptr, out_ptr, BLOCK_SIZE: tl.constexpr):
    # Division truncates, the remainder has the sign of the dividend.
    offsets = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    out = out_ptr + offsets
    tl.store(out, x // y)
    tl.store(out + BLOCK_SIZE, x % y)
    tl.store(out + 2 * BLOCK_SIZE, x * y)
    tl.store(out + 3 * BLOCK_SIZE, (x & y) | (x ^ 0x55))
    tl.store(out + 4 * BLOCK_SIZE, (x << 3) + (x >> 2))
    tl.store(out + 5 * BLOCK_SIZE, ~x)
    tl.store(out + 6 * BLOCK_SIZE, tl.minimum(x, y) - tl.maximum(x, y))
    tl.store(out + 7 * BLOCK_SIZE, tl.abs(x))
    tl.store(out + 8 * BLOCK_SIZE, tl.where(x > y, x, -y))


@triton.jit
def blend_kernel(
    a_ptr, b_ptr, alpha_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr
):
    # Unsigned bytes, as in images.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    a = tl.load(a_ptr + offsets, mask=mask).to(tl.uint32)
    b = tl.load(b_ptr + offsets, mask=mask).to(tl.uint32)
    alpha = tl.load(alpha_ptr + offsets, mask=mask)
    weight = alpha.to(tl.uint32)
    mixed = (a * weight + b * (255 - weight) + 127) // 255
    mixed = tl.where(alpha >= 250, a, mixed)
    tl.store(out_ptr + offsets, mixed.to(tl.uint8), mask=mask)


@triton.jit
def scalars_kernel(
    x_ptr,
    y_ptr,
    offset: tl.int64,
    alpha: tl.float64,
    beta,
    negate,
    BLOCK_SIZE: tl.constexpr,
):
    # Arguments of every kind; the offset needs 64 bits until it is reduced.
    cols = tl.arange(0, BLOCK_SIZE)
    shift = (offset // 3000000000).to(tl.int32)
    x = tl.load(x_ptr + (cols + shift) % BLOCK_SIZE)
    y = alpha * x + beta
    if negate:
        y = -y
    tl.store(y_ptr + cols, y)


@triton.jit
def signs_kernel(x_ptr, out_ptr, BLOCK_SIZE: tl.constexpr):
    # The bits of zeros and ones: 0 is not -0.
    offsets = tl.arange(0, BLOCK_SIZE)
    is_positive = tl.load(x_ptr + offsets) > 0
    one = tl.where(is_positive, 0.0, -1.0).to(tl.int32, bitcast=True)
    tl.store(out_ptr + offsets, one)
    one = tl.where(is_positive, -1.0, 0.0).to(tl.int32, bitcast=True)
    tl.store(out_ptr + BLOCK_SIZE + offsets, one)
    one = tl.where(is_positive, -0x80000000, 0x3F800000)
    tl.store(out_ptr + 2 * BLOCK_SIZE + offsets, one)


def _functions(name, dtype):
    x = randn(generator(name), 256, dtype=dtype, scale=4.0)
    d = x.double()
    erf = torch.special.erf(d)
    rows = (
        d.exp(),
        d.exp2(),
        (d.abs() + 0.5).log(),
        (d.abs() + 0.5).log2(),
        d.sin(),
        d.cos(),
        d.abs().sqrt(),
        (d.abs() + 0.5).rsqrt(),
        erf,
        d.floor(),
        d.ceil(),
        d * d + 1,
        d.fmod(1.5),
    )
    args = dict(
        x_ptr=x, out_ptr=torch.zeros(len(rows), 256, dtype=dtype), BLOCK_SIZE=256
    )
    return Case(
        name, functions_kernel, (1,), args, {"out_ptr": near(torch.stack(rows), dtype)}
    )


def _extremes():
    name = "elementwise_extremes_f32"
    rng = generator(name)
    x, y = randn(rng, 64), randn(rng, 64)
    inf, nan = math.inf, math.nan
    x[:12] = torch.tensor([nan, 1, nan, inf, -inf, inf, 0.5, -0.0, 5, -5, 2, 1])
    y[:12] = torch.tensor([1, nan, nan, 1, 1, -inf, -inf, 3.0, inf, 2, 2, 1])
    n, m = x.numpy(), y.numpy()
    with np.errstate(all="ignore"):
        # Of a NaN, clamp makes its lower bound.
        clamped = np.where(np.isnan(n), np.float32(-1), n.clip(-1, 1))
        rows = (
            np.fmax(n, m),
            np.fmin(n, m),
            np.maximum(n, m),
            np.minimum(n, m),
            clamped,
            n.clip(-1, 1),
            n / m,
            np.sqrt(np.abs(n)),
            (n < m).astype(np.float32) + (n != m).astype(np.float32),
        )
    args = dict(x_ptr=x, y_ptr=y, out_ptr=torch.zeros(len(rows), 64), BLOCK_SIZE=64)
    expected = torch.from_numpy(np.stack(rows))
    return Case(
        name,
        extremes_kernel,
        (1,),
        args,
        {"out_ptr": near(expected, None, 0, 0)},
        not_interpreted="the interpreter always propagates NaN",
    )


def _integers(name, dtype, limit):
    rng = generator(name)
    x = randint(rng, -limit, limit, 128, dtype=dtype)
    y = randint(rng, 1, 9, 128, dtype=dtype) * (
        1 - 2 * randint(rng, 0, 2, 128, dtype=dtype)
    )
    quotient = torch.div(x, y, rounding_mode="trunc")
    rows = (
        quotient,
        x - quotient * y,
        x * y,
        (x & y) | (x ^ 0x55),
        (x << 3) + (x >> 2),
        ~x,
        torch.minimum(x, y) - torch.maximum(x, y),
        x.abs(),
        torch.where(x > y, x, -y),
    )
    args = dict(
        x_ptr=x,
        y_ptr=y,
        out_ptr=torch.zeros(len(rows), 128, dtype=dtype),
        BLOCK_SIZE=128,
    )
    return Case(name, integers_kernel, (1,), args, {"out_ptr": near(torch.stack(rows))})


def _blend():
    name = "alpha_blend_u8"
    rng = generator(name)
    n = 1000
    a, b, alpha = (randint(rng, 0, 256, n) for _ in range(3))
    mixed = torch.where(alpha >= 250, a, (a * alpha + b * (255 - alpha) + 127) // 255)
    a, b, alpha, mixed = (t.to(torch.uint8) for t in (a, b, alpha, mixed))
    args = dict(
        a_ptr=a,
        b_ptr=b,
        alpha_ptr=alpha,
        out_ptr=torch.zeros_like(a),
        n_elements=n,
        BLOCK_SIZE=512,
    )
    return Case(name, blend_kernel, (2,), args, {"out_ptr": near(mixed)})


def _signs(name):
    x = randint(generator(name), -5, 6, 64)
    pairs = ((0, -0x40800000), (-0x40800000, 0), (-0x80000000, 0x3F800000))
    expected = torch.stack([torch.where(x > 0, *pair) for pair in pairs]).int()
    args = dict(x_ptr=x, out_ptr=torch.zeros_like(expected), BLOCK_SIZE=64)
    return Case(name, signs_kernel, (1,), args, {"out_ptr": near(expected)})


def _scalars(name, negate):
    x = rand(generator(name), 64, dtype=torch.float64)
    args = dict(
        x_ptr=x,
        y_ptr=torch.zeros(64, dtype=torch.float64),
        offset=3000000000 * 7 + 11,
        alpha=1.1,
        beta=0.25,
        negate=negate,
        BLOCK_SIZE=64,
    )
    y = 1.1 * x.roll(-7) + 0.25
    return Case(
        name,
        scalars_kernel,
        (1,),
        args,
        {"y_ptr": near(-y if negate else y)},
        not_interpreted="the interpreter cannot pass a bool",
    )


def cases():
    yield _functions("elementwise_f32", torch.float32)
    yield _functions("elementwise_f64", torch.float64)
    yield _extremes()
    yield _integers("elementwise_i32", torch.int32, 10**6)
    yield _integers("elementwise_i8", torch.int8, 128)
    yield _integers("elementwise_i64", torch.int64, 10**12)
    yield _blend()
    yield _signs("signs_of_zeros")
    yield _scalars("scalars_true_f64", True)
    yield _scalars("scalars_false_f64", False)
