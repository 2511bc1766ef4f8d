"""Prefix sums: along rows, backward, and across programs by look-back."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, randn


@triton.jit
def row_cumsum_kernel(
    x_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr, REVERSE: tl.constexpr
):
    # Rows longer than a block: the sum so far is carried along.
    row = tl.program_id(0)
    carry = 0.0
    for i in range(0, tl.cdiv(n_cols, BLOCK_SIZE)):
        cols = i * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        if REVERSE:
            cols = n_cols - 1 - cols
        mask = (cols >= 0) & (cols < n_cols)
        x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
        y = tl.cumsum(x, axis=0) + carry
        carry += tl.sum(x)
        tl.store(y_ptr + row * n_cols + cols, y, mask=mask)


@triton.jit
def tile_scans_kernel(
    x_ptr, sum_ptr, reverse_ptr, prod_ptr, M: tl.constexpr, N: tl.constexpr
):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(sum_ptr + offsets, tl.cumsum(x, axis=0))
    tl.store(reverse_ptr + offsets, tl.cumsum(x, axis=1, reverse=True))
    tl.store(prod_ptr + offsets, tl.cumprod(1.0 + 0.1 * x, axis=1))


@triton.jit
def linear_step(a1, b1, a2, b2):
    # h -> a * h + b, the first step followed by the second.
    return a1 * a2, a2 * b1 + b2


@triton.jit
def linear_recurrence_kernel(a_ptr, b_ptr, h_ptr, T: tl.constexpr, D: tl.constexpr):
    # The state of a gated linear network: h[t] = a[t] * h[t - 1] + b[t].
    t = tl.arange(0, T)[:, None]
    d = tl.program_id(0) * D + tl.arange(0, D)[None, :]
    offsets = t * (tl.num_programs(0) * D) + d
    a = tl.load(a_ptr + offsets)
    b = tl.load(b_ptr + offsets)
    _, h = tl.associative_scan((a, b), 0, linear_step)
    tl.store(h_ptr + offsets, h)


@triton.jit
def lookback_cumsum_kernel(
    x_ptr, y_ptr, prefix_ptr, flag_ptr, n_elements, BLOCK_SIZE: tl.constexpr
):
    # Each program waits for the sum of the one before it.
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0)
    local = tl.cumsum(x, axis=0)
    total = tl.sum(x)
    before = total * 0
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(prefix_ptr + pid - 1, volatile=True)
    tl.store(prefix_ptr + pid, before + total)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1, sem="release")
    tl.store(y_ptr + offsets, before + local, mask=mask)


def _rows(name, reverse):
    x = randn(generator(name), 6, 300)
    args = dict(
        x_ptr=x, y_ptr=torch.zeros_like(x), n_cols=300, BLOCK_SIZE=128, REVERSE=reverse
    )
    xd = x.double().flip(1) if reverse else x.double()
    expected = xd.cumsum(1)
    expected = expected.flip(1) if reverse else expected
    return Case(
        name,
        row_cumsum_kernel,
        (6,),
        args,
        {"y_ptr": near(expected, torch.float32, 1e-4, 1e-5)},
    )


def _tile():
    name = "scans_2d_f32"
    x = randn(generator(name), 16, 32)
    args = dict(
        x_ptr=x,
        sum_ptr=torch.zeros_like(x),
        reverse_ptr=torch.zeros_like(x),
        prod_ptr=torch.zeros_like(x),
        M=16,
        N=32,
    )
    xd = x.double()
    return Case(
        name,
        tile_scans_kernel,
        (1,),
        args,
        {
            "sum_ptr": near(xd.cumsum(0), x.dtype, 1e-4, 1e-5),
            "reverse_ptr": near(xd.flip(1).cumsum(1).flip(1), x.dtype, 1e-4, 1e-5),
            "prod_ptr": near((1 + 0.1 * xd).cumprod(1), x.dtype, 1e-4),
        },
    )


def _recurrence():
    name = "linear_recurrence_f32"
    rng = generator(name)
    a, b = torch.sigmoid(randn(rng, 64, 32)), randn(rng, 64, 32)
    h, state = torch.zeros(64, 32).double(), torch.zeros(32).double()
    for t in range(64):
        state = a[t].double() * state + b[t].double()
        h[t] = state
    args = dict(a_ptr=a, b_ptr=b, h_ptr=torch.zeros(64, 32), T=64, D=16)
    return Case(
        name,
        linear_recurrence_kernel,
        (2,),
        args,
        {"h_ptr": near(h, torch.float32, 1e-4, 1e-5)},
    )


def _lookback():
    name = "cumsum_lookback_i32"
    n, block = 2000, 128
    programs = cdiv(n, block)
    x = randint(generator(name), -100, 100, n)
    y = x.cumsum(0).to(torch.int32)
    zeros = torch.zeros(programs, dtype=torch.int32)
    args = dict(
        x_ptr=x,
        y_ptr=torch.zeros_like(x),
        prefix_ptr=zeros,
        flag_ptr=zeros.clone(),
        n_elements=n,
        BLOCK_SIZE=block,
    )
    return Case(
        name,
        lookback_cumsum_kernel,
        (programs,),
        args,
        {
            "y_ptr": near(y),
            "prefix_ptr": near(torch.cat([y[block - 1 :: block], y[-1:]])),
            "flag_ptr": near(torch.ones_like(zeros)),
        },
        tags=("lock",),
    )


def cases():
    yield _rows("cumsum_rows_f32", False)
    yield _rows("cumsum_rows_reverse_f32", True)
    yield _tile()
    yield _recurrence()
    yield _lookback()


def bench():
    rows, columns = 4096, 1024
    for name, dtype in (("cumsum_1024", torch.float32), ("cumsum_i64_1024", torch.int64)):
        args = dict(
            x_ptr=torch.empty(rows, columns, dtype=dtype),
            y_ptr=torch.empty(rows, columns, dtype=dtype),
            n_cols=columns,
            BLOCK_SIZE=1024,
            REVERSE=False,
        )
        yield Case(
            name,
            row_cumsum_kernel,
            (rows,),
            args,
            outputs=("y_ptr",),
            work={"bytes": 2 * dtype.itemsize * rows * columns},
        )
