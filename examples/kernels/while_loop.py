"""Loops whose length is known only inside, early returns, real calls."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, rand, randint, randn


@triton.jit
def collatz_kernel(x_ptr, steps_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # The tile runs until its last element has reached 1.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=1)
    steps = tl.zeros([BLOCK_SIZE], dtype=tl.int32)
    while tl.max(x, axis=0) > 1:
        running = x > 1
        steps += running.to(tl.int32)
        following = tl.where(x % 2 == 0, x // 2, 3 * x + 1)
        x = tl.where(running, following, x)
    tl.store(steps_ptr + offsets, steps, mask=mask)


@triton.jit
def searchsorted_kernel(
    sorted_ptr, x_ptr, out_ptr, n_sorted, n_elements, BLOCK_SIZE: tl.constexpr
):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    low = tl.zeros([BLOCK_SIZE], dtype=tl.int32)
    high = low + n_sorted
    width = n_sorted
    while width > 0:
        middle = (low + high) // 2
        active = low < high
        value = tl.load(sorted_ptr + middle, mask=active, other=0.0)
        right = active & (value < x)
        low = tl.where(right, middle + 1, low)
        high = tl.where(active & (value >= x), middle, high)
        width //= 2
    tl.store(out_ptr + offsets, low, mask=mask)


@triton.jit
def newton_kernel(x_ptr, root_ptr, n_elements):
    # A scalar program: one square root, until the step is small.
    pid = tl.program_id(0)
    if pid >= n_elements:
        return
    x = tl.load(x_ptr + pid)
    if x <= 0.0:
        tl.store(root_ptr + pid, 0.0)
        return
    root = x
    step = root
    while tl.abs(step) > 1e-6 * root:
        following = 0.5 * (root + x / root)
        step = following - root
        root = following
    tl.store(root_ptr + pid, root)


@triton.jit(noinline=True)
def polynomial(x, a, b):
    return (a * x + b) * x + 1.0


@triton.jit
def iterated_map_kernel(x_ptr, y_ptr, a, b, n_steps):
    # The body stays a function of its own: a call is left in the module.
    pid = tl.program_id(0)
    y = tl.load(x_ptr + pid)
    for _ in range(n_steps):
        y = polynomial(y, a, b)
    tl.store(y_ptr + pid, polynomial(y, b, a))


def _collatz():
    name = "while_collatz_i32"
    x = randint(generator(name), 1, 5000, 300)
    steps = []
    for value in x.tolist():
        count = 0
        while value > 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        steps.append(count)
    args = dict(x_ptr=x, steps_ptr=torch.zeros_like(x), n_elements=300, BLOCK_SIZE=128)
    return Case(
        name,
        collatz_kernel,
        (3,),
        args,
        {"steps_ptr": near(torch.tensor(steps, dtype=torch.int32))},
    )


def _search():
    name = "while_searchsorted_f32"
    rng = generator(name)
    table, x = randn(rng, 100).sort().values, randn(rng, 500)
    args = dict(
        sorted_ptr=table,
        x_ptr=x,
        out_ptr=torch.zeros(500, dtype=torch.int32),
        n_sorted=100,
        n_elements=500,
        BLOCK_SIZE=256,
    )
    expected = torch.searchsorted(table, x).int()
    return Case(name, searchsorted_kernel, (2,), args, {"out_ptr": near(expected)})


def _newton():
    name = "while_newton_f32"
    x = rand(generator(name), 20) * 100 - 10
    x[4] = 0.0
    args = dict(x_ptr=x, root_ptr=torch.full((24,), -1.0), n_elements=20)
    expected = torch.full((24,), -1.0)
    expected[:20] = x.double().clamp(min=0).sqrt()
    return Case(
        name,
        newton_kernel,
        (24,),
        args,
        {"root_ptr": near(expected)},
    )


def _called():
    name = "noinline_call_f32"
    x = randn(generator(name), 8, scale=0.5)
    y = x.double()
    for _ in range(3):
        y = (0.5 * y - 0.25) * y + 1
    y = (-0.25 * y + 0.5) * y + 1
    args = dict(x_ptr=x, y_ptr=torch.zeros(8), a=0.5, b=-0.25, n_steps=3)
    return Case(
        name,
        iterated_map_kernel,
        (8,),
        args,
        {"y_ptr": near(y, torch.float32)},
    )


def cases():
    yield _collatz()
    yield _search()
    yield _newton()
    yield _called()
