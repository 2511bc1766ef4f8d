"""Arg max and arg min: value and place, ties to the left."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randint, randn


@triton.jit
def argmax_kernel(x_ptr, index_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    tl.store(index_ptr + row, tl.argmax(x, axis=0).to(tl.int64))


@triton.jit
def min_and_place_kernel(x_ptr, value_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    offsets = rows[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + offsets)
    value, index = tl.min(x, axis=1, return_indices=True)
    tl.store(value_ptr + rows, value)
    tl.store(index_ptr + rows, index)


def _argmax():
    name = "argmax_f32"
    x = randn(generator(name), 11, 500)
    x[3, 400] = x[3, 17] = 9.0  # a tie
    x[4, 499] = 9.0
    args = dict(
        x_ptr=x,
        index_ptr=torch.zeros(11, dtype=torch.int64),
        n_cols=500,
        BLOCK_SIZE=512,
    )
    expected = x.argmax(1)
    expected[3] = 17
    return Case(name, argmax_kernel, (11,), args, {"index_ptr": near(expected)})


def _min_with_place():
    name = "min_with_index_i32"
    x = randint(generator(name), -8, 8, 32, 64)
    least = x.min(1).values
    place = (x == least[:, None]).int().argmax(1)
    args = dict(
        x_ptr=x,
        value_ptr=torch.zeros(32, dtype=torch.int32),
        index_ptr=torch.zeros(32, dtype=torch.int32),
        M=32,
        N=64,
    )
    return Case(
        name,
        min_and_place_kernel,
        (1,),
        args,
        {"value_ptr": near(least), "index_ptr": near(place.int())},
    )


def cases():
    yield _argmax()
    yield _min_with_place()


def bench():
    for rows, columns in ((4096, 1024), (512, 32768)):
        args = dict(
            x_ptr=torch.empty(rows, columns),
            index_ptr=torch.empty(rows, dtype=torch.int64),
            n_cols=columns,
            BLOCK_SIZE=columns,
        )
        yield Case(
            f"argmax_{columns}",
            argmax_kernel,
            (rows,),
            args,
            outputs=("index_ptr",),
            work={"bytes": 4 * rows * columns},
        )
