"""Helper functions that stay calls, and reductions by functions with branches."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randint, randn


@triton.jit(noinline=True)
def moments(x_ptr, scale, BLOCK: tl.constexpr):
    # Scalars in, a tile and two scalars out.
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    total = tl.sum(x)
    square = tl.sum(x * x)
    return x * scale - total, total, square


@triton.jit(noinline=True)
def advance(pointer, step, limit):
    # Returns in several places, from inside a loop of the kernel.
    if step > limit:
        return pointer, 0
    if step == 2:
        return pointer + 64, 2
    return pointer + 32, 1


@triton.jit
def second_largest(a1, a2, b1, b2):
    # The two largest of four, by branches.
    if a1 > b1:
        first = a1
        second = b1 if b1 > a2 else a2
    else:
        first = b1
        second = a1 if a1 > b2 else b2
    return first, second


@triton.jit
def sum_to_limit(a, b):
    total = a + b
    if total > 100:
        total = 100
    return total


@triton.jit
def noinline_kernel(x_ptr, y_ptr, out_ptr, scale, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    y, total, square = moments(x_ptr, scale, BLOCK)
    tl.store(y_ptr + offsets, y)
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, square)


@triton.jit
def early_return_kernel(
    x_ptr, out_ptr, limit, ROUNDS: tl.constexpr, BLOCK: tl.constexpr
):
    offsets = tl.arange(0, BLOCK)
    pointer = x_ptr
    total = tl.zeros((BLOCK,), tl.int32)
    for i in range(ROUNDS):
        total += tl.load(pointer + offsets)
        pointer, kind = advance(pointer, i, limit)
        total += kind
    tl.store(out_ptr + offsets, total)


@triton.jit
def two_largest_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    least = tl.full((ROWS, COLUMNS), -1e30, tl.float32)
    first, second = tl.reduce((x, least), 1, second_largest)
    tl.store(out_ptr + rows * 2, first)
    tl.store(out_ptr + rows * 2 + 1, second)


@triton.jit
def limited_scan_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, tl.associative_scan(x, 0, sum_to_limit))


def _noinline():
    name = "noinline_tiles_f32"
    x = randn(generator(name), 128)
    wide = x.double()
    total, square = wide.sum(), (wide * wide).sum()
    args = dict(
        x_ptr=x, y_ptr=torch.zeros(128), out_ptr=torch.zeros(2), scale=1.5, BLOCK=128
    )
    return Case(
        name,
        noinline_kernel,
        (1,),
        args,
        {
            "y_ptr": near(wide * 1.5 - total, torch.float32, 1e-4, 1e-4),
            "out_ptr": near(torch.stack([total, square]), torch.float32, 1e-4, 1e-4),
        },
        tags=("call",),
    )


def _early_return():
    name = "noinline_early_return_i32"
    x = randint(generator(name), 0, 100, 512)
    total, at = torch.zeros(32, dtype=torch.int32), 0
    rounds, limit = 6, 3
    for i in range(rounds):
        total += x[at : at + 32]
        step = 0 if i > limit else 64 if i == 2 else 32
        total += step // 32
        at += step
    args = dict(
        x_ptr=x,
        out_ptr=torch.zeros(32, dtype=torch.int32),
        limit=limit,
        ROUNDS=rounds,
        BLOCK=32,
    )
    return Case(
        name,
        early_return_kernel,
        (1,),
        args,
        {"out_ptr": near(total)},
        tags=("call",),
    )


def _two_largest():
    name = "reduce_branches_f32"
    x = randn(generator(name), 8, 64)
    args = dict(x_ptr=x, out_ptr=torch.zeros(8, 2), ROWS=8, COLUMNS=64)
    return Case(
        name,
        two_largest_kernel,
        (1,),
        args,
        {"out_ptr": near(x.topk(2, 1).values, None, 0, 0)},
    )


def _limited_scan():
    name = "scan_branches_i32"
    x = randint(generator(name), 0, 5, 128)
    args = dict(x_ptr=x, out_ptr=torch.zeros(128, dtype=torch.int32), BLOCK=128)
    expected = x.cumsum(0).clamp(max=100).int()
    return Case(
        name, limited_scan_kernel, (1,), args, {"out_ptr": near(expected)}
    )


def cases():
    yield _noinline()
    yield _early_return()
    yield _two_largest()
    yield _limited_scan()
