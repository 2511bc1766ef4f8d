"""Reductions: a whole array, rows and columns of a tile, norms, any and all."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, randn, short


@triton.jit
def sum_kernel(x_ptr, sum_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # Each program strides over the array; one atomic add brings its part.
    start = tl.program_id(0) * BLOCK_SIZE
    step = tl.num_programs(0) * BLOCK_SIZE
    acc = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for base in tl.range(start, n_elements, step):
        offsets = base + tl.arange(0, BLOCK_SIZE)
        acc += tl.load(x_ptr + offsets, mask=offsets < n_elements, other=0.0)
    tl.atomic_add(sum_ptr, tl.sum(acc, axis=0))


@triton.jit
def row_max_kernel(x_ptr, max_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    tl.store(max_ptr + row, tl.max(x, axis=0))


@triton.jit
def tile_reductions_kernel(
    x_ptr, row_ptr, col_ptr, all_ptr, M: tl.constexpr, N: tl.constexpr
):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :])
    tl.store(row_ptr + rows, tl.sum(x, axis=1))
    tl.store(col_ptr + cols, tl.max(x, axis=0))
    tl.store(all_ptr, tl.min(x))


@triton.jit
def bitwise_kernel(x_ptr, xor_ptr, any_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(xor_ptr + rows, tl.xor_sum(x, axis=1))
    negative = tl.max((x < -900).to(tl.int32), axis=1) != 0
    tl.store(any_ptr + rows, negative)


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return (
        mean_1 + delta * share,
        m2_1 + m2_2 + delta * delta * weight_1 * share,
        weight,
    )


@triton.jit
def batch_norm_stats_kernel(
    x_ptr,
    mean_ptr,
    var_ptr,
    n_rows,
    n_cols,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    # Mean and variance of each column in one reading, Welford's way.
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    mean = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    m2 = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    weight = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, n_rows, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
        x = tl.load(
            x_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=0.0
        )
        new_weight = weight + mask
        delta = x - mean
        new_mean = mean + delta / tl.maximum(new_weight, 1.0)
        m2 = tl.where(mask, m2 + delta * (x - new_mean), m2)
        mean = tl.where(mask, new_mean, mean)
        weight = new_weight
    mean, m2, weight = tl.reduce((mean, m2, weight), 0, welford_combine)
    tl.store(mean_ptr + cols, mean, mask=cols < n_cols)
    tl.store(var_ptr + cols, m2 / weight, mask=cols < n_cols)


def _sum():
    name = "sum_f32"
    n = 5000
    x = randn(generator(name), n)
    args = dict(x_ptr=x, sum_ptr=torch.zeros(1), n_elements=n, BLOCK_SIZE=512)
    return Case(
        name,
        sum_kernel,
        (4,),
        args,
        expect={
            "sum_ptr": near(x.double().sum().reshape(1), torch.float32, 1e-5, 1e-3)
        },
    )


def _row_max():
    name = "row_max_f32"
    x = randn(generator(name), 11, 500)
    args = dict(x_ptr=x, max_ptr=torch.zeros(11), n_cols=500, BLOCK_SIZE=512)
    expected = x.max(1).values
    return Case(
        name, row_max_kernel, (11,), args, {"max_ptr": near(expected, None, 0, 0)}
    )


def _tile(dtype):
    name = f"reductions_{short(dtype)}"
    rng = generator(name)
    result, tolerance = dtype, ()
    if dtype.is_floating_point:
        x = randn(rng, 32, 64, dtype=dtype)
        total = x.double().sum(1).to(dtype)
        tolerance = {2: (1e-2, 5e-2), 4: (1e-5, 1e-5), 8: ()}[dtype.itemsize]
    else:
        # Triton sums and compares narrow integers as 32-bit ones.
        result = torch.int64 if dtype == torch.int64 else torch.int32
        x = randint(rng, -100, 100, 32, 64, dtype=dtype)
        total = x.sum(1).to(result)
    args = dict(
        x_ptr=x,
        row_ptr=torch.zeros(32, dtype=result),
        col_ptr=torch.zeros(64, dtype=dtype),
        all_ptr=torch.zeros(1, dtype=dtype),
        M=32,
        N=64,
    )
    return Case(
        name,
        tile_reductions_kernel,
        (1,),
        args,
        {
            "row_ptr": near(total, None, *tolerance),
            "col_ptr": near(x.max(0).values, None, 0, 0),
            "all_ptr": near(x.min().reshape(1), None, 0, 0),
        },
    )


def _bitwise():
    name = "reductions_bitwise_i32"
    x = randint(generator(name), -1000, 1000, 16, 32)
    xor = torch.zeros(16, dtype=torch.int32)
    for column in x.t():
        xor ^= column
    args = dict(
        x_ptr=x,
        xor_ptr=torch.zeros(16, dtype=torch.int32),
        any_ptr=torch.zeros(16, dtype=torch.bool),
        M=16,
        N=32,
    )
    return Case(
        name,
        bitwise_kernel,
        (1,),
        args,
        {"xor_ptr": near(xor), "any_ptr": near((x < -900).any(1))},
    )


def _welford():
    name = "batch_norm_stats_f32"
    m, n = 75, 40
    x = randn(generator(name), m, n) + 3.0
    args = dict(
        x_ptr=x,
        mean_ptr=torch.zeros(n),
        var_ptr=torch.zeros(n),
        n_rows=m,
        n_cols=n,
        BLOCK_M=16,
        BLOCK_N=32,
    )
    return Case(
        name,
        batch_norm_stats_kernel,
        (cdiv(n, 32),),
        args,
        {
            "mean_ptr": near(x.double().mean(0), torch.float32),
            "var_ptr": near(x.double().var(0, unbiased=False), torch.float32, 1e-4),
        },
    )


def cases():
    yield _sum()
    yield _row_max()
    for dtype in (
        torch.float32,
        torch.float64,
        torch.float16,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
    ):
        yield _tile(dtype)
    yield _bitwise()
    yield _welford()


def bench():
    n = 1 << 22
    args = dict(
        x_ptr=torch.empty(n), sum_ptr=torch.empty(1), n_elements=n, BLOCK_SIZE=4096
    )
    yield Case(
        "sum_4096",
        sum_kernel,
        (64,),
        args,
        outputs=("sum_ptr",),
        work={"bytes": 4 * n},
    )
    for rows, columns in ((4096, 1024), (512, 32768)):
        args = dict(
            x_ptr=torch.empty(rows, columns),
            max_ptr=torch.empty(rows),
            n_cols=columns,
            BLOCK_SIZE=columns,
        )
        yield Case(
            f"row_max_{columns}",
            row_max_kernel,
            (rows,),
            args,
            outputs=("max_ptr",),
            work={"bytes": 4 * rows * columns},
        )
