"""Transposed copies and other moves of elements within a tile."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, randn, short


@triton.jit
def transpose_kernel(
    x_ptr,
    y_ptr,
    M,
    N,
    stride_xm,
    stride_yn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    x = tl.load(
        x_ptr + rm[:, None] * stride_xm + rn[None, :],
        mask=(rm[:, None] < M) & (rn[None, :] < N),
    )
    tl.store(
        y_ptr + rn[:, None] * stride_yn + rm[None, :],
        tl.trans(x),
        mask=(rn[:, None] < N) & (rm[None, :] < M),
    )


@triton.jit
def permute_kernel(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    # [A, B, C] to [C, A, B].
    flat = tl.arange(0, A * B * C)
    x = tl.load(x_ptr + flat).reshape(A, B, C)
    y = tl.permute(x, (2, 0, 1))
    tl.store(y_ptr + flat, tl.ravel(y))


@triton.jit
def shuffle_kernel(
    x_ptr,
    index_ptr,
    gathered_ptr,
    flipped_ptr,
    joined_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
):
    rows = tl.arange(0, M)[:, None]
    cols = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + rows * N + cols)
    index = tl.load(index_ptr + rows * N + cols)
    tl.store(gathered_ptr + rows * N + cols, tl.gather(x, index, 1))
    tl.store(flipped_ptr + rows * N + cols, tl.flip(x, 1))
    joined = tl.interleave(x, -x)
    wide = tl.arange(0, 2 * N)[None, :]
    tl.store(joined_ptr + rows * (2 * N) + wide, joined)


@triton.jit
def flip_rows_kernel(x_ptr, y_ptr, n_cols: tl.constexpr):
    offsets = tl.program_id(0) * n_cols + tl.arange(0, n_cols)
    tl.store(y_ptr + offsets, tl.flip(tl.load(x_ptr + offsets), 0))


@triton.jit
def reverse_rows_kernel(x_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    # The same by descending addresses.
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + (n_cols - 1 - cols), mask=mask)
    tl.store(y_ptr + row * n_cols + cols, x, mask=mask)


def _transpose(dtype):
    name = f"transpose_{short(dtype)}"
    rng = generator(name)
    m, n = 70, 45
    if dtype.is_floating_point:
        x = randn(rng, m, n, dtype=dtype)
    else:
        x = randint(rng, -128, 128, m, n, dtype=dtype)
    args = dict(
        x_ptr=x,
        y_ptr=torch.zeros(n, m, dtype=dtype),
        M=m,
        N=n,
        stride_xm=n,
        stride_yn=m,
        BLOCK_M=32,
        BLOCK_N=16,
    )
    return Case(
        name,
        transpose_kernel,
        (cdiv(m, 32), cdiv(n, 16)),
        args,
        {"y_ptr": near(x.t(), None, 0, 0)},
    )


def _permute():
    name = "permute_3d_f32"
    x = randn(generator(name), 8, 4, 16)
    args = dict(x_ptr=x, y_ptr=torch.zeros(16, 8, 4), A=8, B=4, C=16)
    return Case(
        name,
        permute_kernel,
        (1,),
        args,
        {"y_ptr": near(x.permute(2, 0, 1), None, 0, 0)},
    )


def _shuffle():
    name = "gather_flip_interleave_f32"
    rng = generator(name)
    x = randn(rng, 8, 32)
    index = randint(rng, 0, 32, 8, 32)
    args = dict(
        x_ptr=x,
        index_ptr=index,
        gathered_ptr=torch.zeros_like(x),
        flipped_ptr=torch.zeros_like(x),
        joined_ptr=torch.zeros(8, 64),
        M=8,
        N=32,
    )
    joined = torch.stack([x, -x], 2).reshape(8, 64)
    return Case(
        name,
        shuffle_kernel,
        (1,),
        args,
        {
            "gathered_ptr": near(x.gather(1, index.long()), None, 0, 0),
            "flipped_ptr": near(x.flip(1), None, 0, 0),
            "joined_ptr": near(joined, None, 0, 0),
        },
    )


def _flip_rows():
    name = "flip_rows_f32"
    x = randn(generator(name), 5, 128)
    args = dict(x_ptr=x, y_ptr=torch.zeros_like(x), n_cols=128)
    expect = {"y_ptr": near(x.flip(1), None, 0, 0)}
    return Case(name, flip_rows_kernel, (5,), args, expect)


def _reverse_rows():
    name = "reverse_rows_f32"
    x = randn(generator(name), 5, 100)
    args = dict(x_ptr=x, y_ptr=torch.zeros_like(x), n_cols=100, BLOCK_SIZE=128)
    expect = {"y_ptr": near(x.flip(1), None, 0, 0)}
    return Case(name, reverse_rows_kernel, (5,), args, expect)


def cases():
    for dtype in (torch.float32, torch.float16, torch.int8, torch.float64):
        yield _transpose(dtype)
    yield _permute()
    yield _shuffle()
    yield _flip_rows()
    yield _reverse_rows()


def bench():
    n = 2048
    for dtype in (torch.float32, torch.float16, torch.int8):
        args = dict(
            x_ptr=torch.empty(n, n, dtype=dtype),
            y_ptr=torch.empty(n, n, dtype=dtype),
            M=n,
            N=n,
            stride_xm=n,
            stride_yn=n,
            BLOCK_M=64,
            BLOCK_N=64,
        )
        yield Case(
            f"transpose_64x64_{short(dtype)}",
            transpose_kernel,
            (n // 64, n // 64),
            args,
            outputs=("y_ptr",),
            work={"bytes": 2 * n * n * dtype.itemsize},
        )
    rows, columns = 4096, 1024
    for name, kernel in (("flip", flip_rows_kernel), ("reverse", reverse_rows_kernel)):
        args = dict(
            x_ptr=torch.empty(rows, columns),
            y_ptr=torch.empty(rows, columns),
            n_cols=columns,
        )
        if kernel is reverse_rows_kernel:
            args["BLOCK_SIZE"] = columns
        yield Case(
            f"{name}_1024",
            kernel,
            (rows,),
            args,
            outputs=("y_ptr",),
            work={"bytes": 8 * rows * columns},
        )
