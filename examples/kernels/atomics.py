"""Atomic operations on narrow types, with masks, and with their old values."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, short


@triton.jit
def narrow_add_kernel(x_ptr, sums_ptr, n, BLOCK: tl.constexpr, CELLS: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.atomic_add(sums_ptr + offsets % CELLS, x, mask=mask, sem="relaxed")


@triton.jit
def swap_kernel(cells_ptr, wanted_ptr, next_ptr, old_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    wanted = tl.load(wanted_ptr + offsets)
    following = tl.load(next_ptr + offsets)
    old = tl.atomic_cas(cells_ptr + offsets, wanted, following)
    tl.store(old_ptr + offsets, old)


@triton.jit
def exchange_kernel(cells_ptr, x_ptr, old_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets)
    old = tl.atomic_xchg(cells_ptr + offsets, x, mask=mask)
    tl.store(old_ptr + offsets, old, mask=mask)


@triton.jit
def ticket_kernel(cells_ptr, sums_ptr, n, BLOCK: tl.constexpr, CELLS: tl.constexpr):
    # Tens of elements for each thread, several of which have one address. In
    # which order they come is open, but not what their old values add up to.
    offsets = tl.arange(0, BLOCK)
    mask = (offsets < n) & (offsets % 5 != 0)
    cell = offsets % CELLS
    one = tl.full((BLOCK,), 1, cells_ptr.dtype.element_ty)
    old = tl.atomic_add(cells_ptr + cell, one, mask=mask, sem="relaxed")
    tl.atomic_add(sums_ptr + cell, old.to(tl.int32), mask=mask, sem="relaxed")


@triton.jit
def chain_kernel(flags_ptr, values_ptr, late_ptr, BLOCK: tl.constexpr):
    # Each program waits for the one before it, and adds to what that left.
    pid = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    arrived = tl.atomic_poll(flags_ptr + pid, pid + 1, sem="acquire")
    before = tl.atomic_load(values_ptr + offsets, sem="relaxed")
    tl.atomic_store(
        values_ptr + offsets, before + arrived.to(tl.int32), sem="relaxed"
    )
    tl.atomic_store(flags_ptr + pid + 1, pid + 2, sem="release")
    # Nobody ever writes these: time runs out.
    never = tl.atomic_poll(late_ptr + offsets, offsets, timeout_ns=1000)
    tl.store(late_ptr + BLOCK + pid * BLOCK + offsets, never.to(tl.int32))


@triton.jit
def channel_sum_kernel(x_ptr, sums_ptr, n, PIXELS, CHANNELS, BLOCK: tl.constexpr):
    # An image is seen as one row: neighbours mostly belong to one channel.
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_add(sums_ptr + offsets // PIXELS % CHANNELS, x, mask=mask)


def _narrow_add(dtype):
    name = f"atomic_add_{short(dtype)}"
    n, cells = 500, 16
    # Small integers: every order of addition gives the same sum.
    x = randint(generator(name), -3, 4, n)
    sums = torch.zeros(cells, dtype=torch.int32)
    sums.index_add_(0, torch.arange(n) % cells, x)
    args = dict(
        x_ptr=x.to(dtype),
        sums_ptr=torch.zeros(cells, dtype=dtype),
        n=n,
        BLOCK=128,
        CELLS=cells,
    )
    return Case(
        name,
        narrow_add_kernel,
        (4,),
        args,
        {"sums_ptr": near(sums, dtype, 0, 0)},
        not_interpreted="the interpreter's atomics have no narrow floats",
    )


def _tickets():
    name = "atomic_tickets_bf16"
    block, n, cells = 8192, 8000, 64
    offsets = torch.arange(n)
    counts = torch.bincount(offsets[offsets % 5 != 0] % cells, minlength=cells)
    first = torch.arange(cells) % 7
    args = dict(
        cells_ptr=first.to(torch.bfloat16),
        sums_ptr=torch.zeros(cells, dtype=torch.int32),
        n=n,
        BLOCK=block,
        CELLS=cells,
    )
    sums = counts * first + counts * (counts - 1) // 2
    return Case(
        name,
        ticket_kernel,
        (1,),
        args,
        {
            "cells_ptr": near(first + counts, torch.bfloat16, 0, 0),
            "sums_ptr": near(sums.int(), None, 0, 0),
        },
        not_interpreted="the interpreter's atomics have no narrow floats",
    )


def _swap(dtype):
    name = f"atomic_cas_{short(dtype)}"
    rng = generator(name)
    n = 64
    cells, wanted = (randint(rng, 0, 2, n).to(dtype) for _ in range(2))
    following = randint(rng, 10, 20, n).to(dtype)
    args = dict(
        cells_ptr=cells,
        wanted_ptr=wanted,
        next_ptr=following,
        old_ptr=torch.zeros_like(cells),
        BLOCK=n,
    )
    return Case(
        name,
        swap_kernel,
        (1,),
        args,
        {
            "cells_ptr": near(torch.where(cells == wanted, following, cells), None, 0, 0),
            "old_ptr": near(cells.clone(), None, 0, 0),
        },
    )


def _exchange():
    name = "atomic_exchange_f64"
    rng = generator(name)
    cells = randint(rng, 0, 100, 64).double()
    x = randint(rng, 100, 200, 64).double()
    args = dict(
        cells_ptr=cells, x_ptr=x, old_ptr=torch.zeros_like(cells), n=50, BLOCK=64
    )
    after = torch.cat([x[:50], cells[50:]])
    old = torch.cat([cells[:50], torch.zeros(14, dtype=torch.float64)])
    return Case(
        name,
        exchange_kernel,
        (1,),
        args,
        {"cells_ptr": near(after, None, 0, 0), "old_ptr": near(old, None, 0, 0)},
        not_interpreted="the interpreter's atomics have no f64",
    )


def _chain():
    name = "atomic_poll_i32"
    programs, block = 8, 16
    flags = torch.zeros(programs + 1, dtype=torch.int32)
    flags[0] = 1
    late = torch.zeros((programs + 1) * block, dtype=torch.int32)
    # The polled cells hold the index in every other lane, -1 elsewhere.
    late[:block] = torch.arange(block, dtype=torch.int32)
    late[1:block:2] = -1
    seen = (late[:block] >= 0).int().repeat(programs)
    args = dict(
        flags_ptr=flags,
        values_ptr=torch.zeros(block, dtype=torch.int32),
        late_ptr=late,
        BLOCK=block,
    )
    return Case(
        name,
        chain_kernel,
        (programs,),
        args,
        {
            "flags_ptr": near(torch.arange(1, programs + 2).int()),
            "values_ptr": near(torch.full((block,), programs, dtype=torch.int32)),
            "late_ptr": near(torch.cat([late[:block], seen])),
        },
        tags=("lock",),
        since="3.9",
    )


def _channel_sums():
    name = "channel_sum_f32"
    x = randint(generator(name), -9, 10, 3, 5, 77).to(torch.float32)
    args = dict(
        x_ptr=x,
        sums_ptr=torch.ones(5),
        n=x.numel() - 3,
        PIXELS=77,
        CHANNELS=5,
        BLOCK=256,
    )
    sums = 1 + x.sum((0, 2))
    sums[-1] -= x[-1, -1, -3:].sum()
    return Case(
        name,
        channel_sum_kernel,
        (cdiv(x.numel(), 256),),
        args,
        {"sums_ptr": near(sums, None, 0, 0)},
    )


def cases():
    yield _chain()
    yield _narrow_add(torch.float16)
    yield _narrow_add(torch.bfloat16)
    yield _tickets()
    yield _swap(torch.int16)
    yield _swap(torch.int64)
    yield _swap(torch.float32)
    yield _exchange()
    yield _channel_sums()


def bench():
    images, channels, pixels = 8, 64, 56 * 56
    x = torch.empty(images, channels, pixels)
    yield Case(
        "channel_sum_1024",
        channel_sum_kernel,
        (cdiv(x.numel(), 1024),),
        dict(
            x_ptr=x,
            sums_ptr=torch.zeros(channels),
            n=x.numel(),
            PIXELS=pixels,
            CHANNELS=channels,
            BLOCK=1024,
        ),
        outputs=("sums_ptr",),
        work={"bytes": 4 * x.numel()},
    )
