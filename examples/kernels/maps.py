"""Functions of scalars applied to every element, with branches and in packs."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randint

NO_INTERPRETER = "the interpreter has no map_elementwise"


@triton.jit
def compare(a, b):
    if a < b:
        return -1
    elif a == b:
        return 0
    else:
        return 1


@triton.jit
def collatz(x):
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@triton.jit
def sort_pairs(a0, a1, b0, b1):
    return min(a0, a1), max(a0, a1), b0 + a0, b1 + a1


@triton.jit
def straight(x, y):
    return x * y + 1, x - y


@triton.jit
def compare_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    tl.store(out_ptr + offsets, tl.map_elementwise(compare, x, y))


@triton.jit
def collatz_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    offsets = rows * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, tl.map_elementwise(collatz, x))


@triton.jit
def pack_kernel(x_ptr, y_ptr, sorted_ptr, sums_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    pairs, sums = tl.map_elementwise(sort_pairs, x, y, pack=2)
    tl.store(sorted_ptr + offsets, pairs)
    tl.store(sums_ptr + offsets, sums)


@triton.jit
def straight_kernel(x_ptr, y_ptr, a_ptr, b_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    a, b = tl.map_elementwise(straight, x, y)
    tl.store(a_ptr + offsets, a)
    tl.store(b_ptr + offsets, b)


def _case(name, kernel, args, expect):
    return Case(
        name, kernel, (1,), args, expect, not_interpreted=NO_INTERPRETER
    )


def _compare():
    name = "map_compare_i32"
    rng = generator(name)
    x, y = (randint(rng, 0, 8, 256) for _ in range(2))
    out = torch.zeros(256, dtype=torch.int32)
    args = dict(x_ptr=x, y_ptr=y, out_ptr=out, BLOCK=256)
    return _case(
        name, compare_kernel, args, {"out_ptr": near(torch.sign(x - y).int())}
    )


def _collatz():
    name = "map_collatz_i32"
    x = randint(generator(name), 1, 2000, 8, 32)

    def steps(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    expected = torch.tensor([steps(n) for n in x.flatten().tolist()])
    args = dict(
        x_ptr=x, out_ptr=torch.zeros(8, 32, dtype=torch.int32), ROWS=8, COLUMNS=32
    )
    return _case(
        name,
        collatz_kernel,
        args,
        {"out_ptr": near(expected.view(8, 32).int())},
    )


def _pack():
    name = "map_pack_i32"
    rng = generator(name)
    x, y = (randint(rng, -100, 100, 128) for _ in range(2))
    args = dict(
        x_ptr=x,
        y_ptr=y,
        sorted_ptr=torch.zeros_like(x),
        sums_ptr=torch.zeros_like(x),
        BLOCK=128,
    )
    pairs = x.view(-1, 2).sort(1).values.flatten()
    return _case(
        name,
        pack_kernel,
        args,
        {"sorted_ptr": near(pairs), "sums_ptr": near(x + y)},
    )


def _straight():
    name = "map_straight_i64"
    rng = generator(name)
    x, y = (randint(rng, -1000, 1000, 64, dtype=torch.int64) for _ in range(2))
    args = dict(
        x_ptr=x, y_ptr=y, a_ptr=torch.zeros_like(x), b_ptr=torch.zeros_like(x), BLOCK=64
    )
    return _case(
        name,
        straight_kernel,
        args,
        {"a_ptr": near(x * y + 1), "b_ptr": near(x - y)},
    )


def cases():
    yield _compare()
    yield _collatz()
    yield _pack()
    yield _straight()
