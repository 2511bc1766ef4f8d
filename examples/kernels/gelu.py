"""Activations: GELU, by its tanh approximation and exactly by erf, Mish, sines."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def gelu_tanh_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    tl.store(y_ptr + offsets, 0.5 * x * (1 + tanh(inner)), mask=mask)


@triton.jit
def gelu_erf_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = 0.5 * x * (1.0 + tl.math.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y, mask=mask)


@triton.jit
def mish_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # A chain of exp, log and tanh. Beyond 20 the softplus is x itself.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    softplus = tl.where(x > 20, x, tl.log(1 + tl.exp(x)))
    tl.store(y_ptr + offsets, x * tanh(softplus), mask=mask)


@triton.jit
def sine_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, tl.sin(x), mask=mask)


def _gelu(name, kernel, approximate, dtype):
    n = 1500
    x = randn(generator(name), n, dtype=dtype, scale=3.0)
    args = dict(x_ptr=x, y_ptr=torch.zeros_like(x), n_elements=n, BLOCK_SIZE=1024)
    expected = torch.nn.functional.gelu(x.double(), approximate=approximate)
    tolerance = (1e-4, 1e-6) if dtype == torch.float32 else ()
    return Case(name, kernel, (2,), args, {"y_ptr": near(expected, dtype, *tolerance)})


def _mish():
    name = "mish_f32"
    x = randn(generator(name), 1500, scale=8.0)
    args = dict(x_ptr=x, y_ptr=torch.zeros_like(x), n_elements=1500, BLOCK_SIZE=1024)
    expected = torch.nn.functional.mish(x.double())
    # 1 + exp(x) rounds: small results are right to 1e-7 only.
    return Case(
        name, mish_kernel, (2,), args, {"y_ptr": near(expected, x.dtype, 1e-4, 2e-6)}
    )


def _sine():
    # Angles of all sizes; every seventh one needs many digits of pi.
    name = "sine_f32"
    x = randn(generator(name), 1500, scale=8.0)
    x[::7] *= 1e6
    args = dict(x_ptr=x, y_ptr=torch.zeros_like(x), n_elements=1500, BLOCK_SIZE=1024)
    expected = torch.sin(x.double())
    return Case(name, sine_kernel, (2,), args, {"y_ptr": near(expected, x.dtype)})


def cases():
    yield _gelu("gelu_tanh_f32", gelu_tanh_kernel, "tanh", torch.float32)
    yield _gelu("gelu_erf_f32", gelu_erf_kernel, "none", torch.float32)
    yield _gelu("gelu_erf_f64", gelu_erf_kernel, "none", torch.float64)
    yield _mish()
    yield _sine()


def bench():
    n = 1 << 22
    kernels = {"gelu": gelu_tanh_kernel, "mish": mish_kernel, "sine": sine_kernel}
    for name, kernel in kernels.items():
        args = dict(
            x_ptr=torch.empty(n), y_ptr=torch.empty(n), n_elements=n, BLOCK_SIZE=1024
        )
        yield Case(
            f"{name}_1024",
            kernel,
            (cdiv(n, 1024),),
            args,
            outputs=("y_ptr",),
            work={"bytes": 8 * n},
        )
