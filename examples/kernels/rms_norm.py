"""RMS norm, with the residual added in place on the way."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randn


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, stride, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    rrms = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    y = x * rrms * w
    tl.store(y_ptr + row * stride + cols, y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def fused_add_rms_norm_kernel(
    x_ptr, residual_ptr, w_ptr, stride, n_cols, eps, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0)
    x_ptr += row * stride
    residual_ptr += row * stride
    sum_sq = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in tl.range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        x += tl.load(residual_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(residual_ptr + cols, x, mask=mask)
        sum_sq += x * x
    rrms = 1.0 / tl.sqrt(tl.sum(sum_sq) / n_cols + eps)
    for start in tl.range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(
            residual_ptr + cols, mask=mask, other=0.0, eviction_policy="evict_first"
        ).to(tl.float32)
        w = tl.load(
            w_ptr + cols, mask=mask, other=0.0, eviction_policy="evict_last"
        ).to(tl.float32)
        tl.store(x_ptr + cols, x * rrms * w, mask=mask)


EPS = 1e-6


def _reference(x, w):
    x = x.double()
    return x * torch.rsqrt((x * x).mean(1, keepdim=True) + EPS) * w.double()


def _rms_norm(name, m, n, dtype):
    rng = generator(name)
    x, w = randn(rng, m, n, dtype=dtype), randn(rng, n, dtype=dtype)
    args = dict(
        x_ptr=x,
        w_ptr=w,
        y_ptr=torch.zeros_like(x),
        stride=n,
        n_cols=n,
        eps=EPS,
        BLOCK_SIZE=triton.next_power_of_2(n),
    )
    return Case(
        name, rms_norm_kernel, (m,), args, {"y_ptr": near(_reference(x, w), dtype)}
    )


def _fused():
    name = "rms_norm_residual_f32"
    rng = generator(name)
    m, n = 6, 700
    x, residual, w = randn(rng, m, n), randn(rng, m, n), randn(rng, n)
    args = dict(
        x_ptr=x,
        residual_ptr=residual,
        w_ptr=w,
        stride=n,
        n_cols=n,
        eps=EPS,
        BLOCK_SIZE=256,
    )
    total = x.double() + residual.double()
    return Case(
        name,
        fused_add_rms_norm_kernel,
        (m,),
        args,
        {
            "x_ptr": near(_reference(total, w), x.dtype),
            "residual_ptr": near(total, x.dtype),
        },
    )


def cases():
    yield _rms_norm("rms_norm_f32", 12, 320, torch.float32)
    yield _rms_norm("rms_norm_bf16", 12, 333, torch.bfloat16)
    yield _fused()


def bench():
    for m, n in ((128, 256), (4096, 781), (4096, 1024), (4096, 4096), (512, 32768)):
        block = triton.next_power_of_2(n)
        args = dict(
            x_ptr=torch.empty(m, n),
            w_ptr=torch.empty(n),
            y_ptr=torch.empty(m, n),
            stride=n,
            n_cols=n,
            eps=EPS,
            BLOCK_SIZE=block,
        )
        yield Case(
            f"rms_norm_{block}" + ("_ragged" if n % 16 else ""),
            rms_norm_kernel,
            (m,),
            args,
            outputs=("y_ptr",),
            work={"bytes": 8 * m * n},
        )
