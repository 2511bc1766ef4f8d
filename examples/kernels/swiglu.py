"""SwiGLU, forward and backward."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randn


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def swiglu_forward_kernel(
    a_ptr, b_ptr, c_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr
):
    program_id = tl.program_id(0).to(tl.int64)
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    c_ptr += program_id * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    # The sigmoid needs single precision, whatever the input has.
    a_row = tl.load(a_ptr + cols, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + cols, mask=mask, other=0)
    c_row = silu(a_row).cast(b_row.dtype) * b_row
    tl.store(c_ptr + cols, c_row, mask=mask)


@triton.jit
def swiglu_backward_kernel(
    dc_ptr, a_ptr, b_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr
):
    program_id = tl.program_id(0).to(tl.int64)
    dc_ptr += program_id * stride
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    dc_row = tl.load(dc_ptr + cols, mask=mask, other=0)
    a_row = tl.load(a_ptr + cols, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + cols, mask=mask, other=0)
    sig_a = tl.sigmoid(a_row)
    silu_a = a_row * sig_a
    db_row = dc_row * silu_a
    da_row = dc_row * (silu_a * (1 - sig_a) + sig_a) * b_row
    tl.store(a_ptr + cols, da_row, mask=mask)
    tl.store(b_ptr + cols, db_row, mask=mask)


def _forward(name, dtype):
    rng = generator(name)
    a, b = randn(rng, 10, 500, dtype=dtype), randn(rng, 10, 500, dtype=dtype)
    args = dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=torch.zeros_like(a),
        stride=500,
        n_cols=500,
        BLOCK_SIZE=512,
    )
    expected = torch.nn.functional.silu(a.double()) * b.double()
    return Case(
        name, swiglu_forward_kernel, (10,), args, {"c_ptr": near(expected, dtype)}
    )


def _backward():
    name = "swiglu_backward_f32"
    rng = generator(name)
    dc, a, b = (randn(rng, 10, 300) for _ in range(3))
    ad, bd = a.double().requires_grad_(), b.double().requires_grad_()
    (torch.nn.functional.silu(ad) * bd).backward(dc.double())
    args = dict(dc_ptr=dc, a_ptr=a, b_ptr=b, stride=300, n_cols=300, BLOCK_SIZE=512)
    return Case(
        name,
        swiglu_backward_kernel,
        (10,),
        args,
        {"a_ptr": near(ad.grad, torch.float32), "b_ptr": near(bd.grad, torch.float32)},
    )


def cases():
    yield _forward("swiglu_f32", torch.float32)
    yield _forward("swiglu_f16", torch.float16)
    yield _backward()


def bench():
    rows, columns = 2048, 4096
    args = {p: torch.empty(rows, columns) for p in ("a_ptr", "b_ptr", "c_ptr")}
    args |= dict(stride=columns, n_cols=columns, BLOCK_SIZE=columns)
    yield Case(
        "swiglu_4096",
        swiglu_forward_kernel,
        (rows,),
        args,
        outputs=("c_ptr",),
        work={"bytes": 12 * rows * columns},
    )
