"""Stable sorts along n of [outer, n, inner], row-major.

An element becomes a number of 64 bits: 32 bits of a key that is ordered as the
elements are, and its position. So no two are equal, and the order is stable. Elements
of 64 bits are sorted twice: by their lower half, then, from that order, by the upper
one. Blocks are sorted by a network, then merged: the place of an element is its own
index plus the number of smaller ones in the other run. `radix` sorts a row in one
program, for processors that run its loops from a cache.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def _key(x, DESCENDING: tl.constexpr, UPPER: tl.constexpr):
    """32 bits, as a number of 64 of them, in the order of x: NaN is the largest, -0
    equals 0. UPPER chooses the half of 64 bits."""
    if x.dtype.is_floating():
        if x.dtype == tl.float64:
            bits = (x + 0.0).to(tl.int64, bitcast=True)
            bits = tl.where(x != x, 0x7FFFFFFFFFFFFFFF, bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF))
        else:
            wide = x.to(tl.float32)
            short = (wide + 0.0).to(tl.int32, bitcast=True)
            short = tl.where(wide != wide, 0x7FFFFFFF, short ^ ((short >> 31) & 0x7FFFFFFF))
            bits = short.to(tl.int64)
    else:
        bits = x.to(tl.int64)
    if DESCENDING:
        bits = -1 - bits
    if x.dtype.primitive_bitwidth == 64:
        if UPPER:
            return bits >> 32
        else:
            # The sign bit is flipped: the lower half is compared unsigned.
            return (bits & 0xFFFFFFFF) - 0x80000000
    else:
        return bits


@triton.jit
def _pack(key, index):
    return (key << 32) | index.to(tl.int64)


@triton.jit
def _index(packed):
    return packed & 0xFFFFFFFF


@triton.jit
def _sort(x, GATHER: tl.constexpr):
    """Sorts the last dimension. GATHER: by a bitonic network whose steps take each
    element's partner by its index, which suits processors that gather from memory."""
    if GATHER:
        size: tl.constexpr = x.shape[len(x.shape) - 1]
        lane = tl.arange(0, size)
        if len(x.shape) == 2:
            lane = tl.broadcast_to(lane[None, :], x.shape)
        run = 2
        while run <= size:
            step = run // 2
            while step > 0:
                other = tl.gather(x, lane ^ step, len(x.shape) - 1)
                smaller = ((lane & step) == 0) == ((lane & run) == 0)
                x = tl.where(smaller, tl.minimum(x, other), tl.maximum(x, other))
                step = step // 2
            run = run * 2
        return x
    else:
        return tl.sort(x)


@triton.jit
def _row_start(row, n, inner):
    return row // inner * (n * inner) + row % inner


@triton.jit
def blocks(
    x,
    order,
    packed,
    n,
    inner,
    DESCENDING: tl.constexpr,
    UPPER: tl.constexpr,
    HAS_ORDER: tl.constexpr,
    GATHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Sorts block b of row r to packed[r, b]; the blocks are full, with the largest
    number after the row's end. With HAS_ORDER, element i is that of position
    order[r, i], another sort's result."""
    row = tl.program_id(0).to(tl.int64)
    size = tl.num_programs(1) * BLOCK
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    source = at.to(tl.int64)
    if HAS_ORDER:
        source = _index(tl.load(order + row * size + at, inside, 0))
    value = tl.load(x + _row_start(row, n, inner) + source * inner, inside, 0)
    number = _pack(_key(value, DESCENDING, UPPER), source if not HAS_ORDER else at)
    number = tl.where(inside, number, 0x7FFFFFFFFFFFFFFF)
    tl.store(packed + row * size + at, _sort(number, GATHER))


@triton.jit
def merge(source, out, size, run, BLOCK: tl.constexpr):
    """Merges pairs of runs of `run` numbers of each row of `size`."""
    row = tl.program_id(0).to(tl.int64)
    source += row * size
    out += row * size
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    number = tl.load(source + at, inside, 0)
    mine = at // run
    other = (mine ^ 1) * run
    # The count of smaller numbers in the other run, which may be short or missing.
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.minimum(tl.maximum(size - other, 0), run) + low
    width = run
    while width > 0:
        middle = (low + high) // 2
        open = inside & (low < high)
        pivot = tl.load(source + other + middle, open, 0)
        below = open & (pivot < number)
        low = tl.where(below, middle + 1, low)
        high = tl.where(open & (below == 0), middle, high)
        width = width // 2
    start = tl.minimum(mine * run, other)
    tl.store(out + start + at % run + low, number, inside)


@triton.jit
def _count(counters, digit):
    """Adds one to a counter; what it was before."""
    at = counters + digit
    before = tl.load(at)
    tl.store(at, before + 1)
    return before


@triton.jit
def _place_all(source, out, counters, n, SHIFT: tl.constexpr, DIGITS: tl.constexpr):
    for i in range(n):
        number = tl.load(source + i)
        tl.store(out + _count(counters, (number >> SHIFT) & (DIGITS - 1)), number)


@triton.jit
def radix(
    x,
    order,
    packed,
    spare,
    counters,
    n,
    inner,
    DESCENDING: tl.constexpr,
    UPPER: tl.constexpr,
    HAS_ORDER: tl.constexpr,
    DIGITS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Sorts row r to packed[r]: from the lowest of three digits to the highest, each
    keeping the order of the one before. counters is [rows, 3, DIGITS]; HAS_ORDER is as
    for `blocks`."""
    row = tl.program_id(0).to(tl.int64)
    base = _row_start(row, n, inner)
    order += row * n
    packed += row * n
    spare += row * n
    low = counters + row * 3 * DIGITS
    middle = low + DIGITS
    high = middle + DIGITS
    digit = tl.arange(0, DIGITS)
    tl.store(low + digit, tl.zeros((DIGITS,), tl.int32))
    tl.store(middle + digit, tl.zeros((DIGITS,), tl.int32))
    tl.store(high + digit, tl.zeros((DIGITS,), tl.int32))
    lane = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        at = start + lane
        source = at.to(tl.int64)
        if HAS_ORDER:
            source = _index(tl.load(order + at, at < n, 0))
        key = _key(tl.load(x + base + source * inner, at < n, 0), DESCENDING, UPPER)
        # Digits have no sign.
        tl.store(spare + at, _pack(key + 0x80000000, source if not HAS_ORDER else at), at < n)
    bits: tl.constexpr = 11
    tl.static_assert(DIGITS == 1 << bits)
    for i in range(n):
        number = tl.load(spare + i)
        _count(low, (number >> 32) & (DIGITS - 1))
        _count(middle, (number >> 32 + bits) & (DIGITS - 1))
        _count(high, (number >> 32 + 2 * bits) & (DIGITS // 2 - 1))
    # Where the first element of each digit goes.
    count = tl.load(low + digit)
    tl.store(low + digit, tl.cumsum(count, 0) - count)
    count = tl.load(middle + digit)
    tl.store(middle + digit, tl.cumsum(count, 0) - count)
    count = tl.load(high + digit)
    tl.store(high + digit, tl.cumsum(count, 0) - count)
    _place_all(spare, packed, low, n, 32, DIGITS)
    _place_all(packed, spare, middle, n, 32 + bits, DIGITS)
    _place_all(spare, packed, high, n, 32 + 2 * bits, DIGITS // 2)


@triton.jit
def finish(
    x, packed, order, values, indices, n, count, inner, size, HAS_ORDER: tl.constexpr, BLOCK: tl.constexpr
):
    """The first `count` sorted elements of each row, and their positions."""
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    index = _index(tl.load(packed + row * size + at, inside, 0))
    if HAS_ORDER:
        index = _index(tl.load(order + row * size + index, inside, 0))
    value = tl.load(x + _row_start(row, n, inner) + index * inner, inside, 0)
    to = _row_start(row, count, inner) + at.to(tl.int64) * inner
    tl.store(values + to, value, inside)
    tl.store(indices + to, index, inside)


@triton.jit
def short_rows(
    x,
    values,
    indices,
    m,
    n,
    count,
    inner,
    DESCENDING: tl.constexpr,
    ROWS: tl.constexpr,
    GATHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Rows of up to BLOCK elements of less than 64 bits, ROWS in a program."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    mask = (row < m)[:, None] & (at < n)[None, :]
    start = _row_start(row, n, inner)[:, None]
    value = tl.load(x + start + (at.to(tl.int64) * inner)[None, :], mask, 0)
    number = _pack(_key(value, DESCENDING, True), at[None, :])
    number = _sort(tl.where(mask, number, 0x7FFFFFFFFFFFFFFF), GATHER)
    mask = (row < m)[:, None] & (at < count)[None, :]
    index = _index(number)
    value = tl.load(x + start + index * inner, mask, 0)
    to = _row_start(row, count, inner)[:, None] + (at.to(tl.int64) * inner)[None, :]
    tl.store(values + to, value, mask)
    tl.store(indices + to, index, mask)


@triton.jit
def best_of_blocks(
    x, chosen, n, inner, count, DESCENDING: tl.constexpr, GATHER: tl.constexpr, BLOCK: tl.constexpr
):
    """The first `count` of each block's sorted numbers, to [m, blocks, count]."""
    row = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    at = block * BLOCK + lane
    inside = at < n
    value = tl.load(x + _row_start(row, n, inner) + at.to(tl.int64) * inner, inside, 0)
    number = tl.where(inside, _pack(_key(value, DESCENDING, True), at), 0x7FFFFFFFFFFFFFFF)
    number = _sort(number, GATHER)
    tl.store(chosen + (row * tl.num_programs(1) + block) * count + lane, number, lane < count)


@triton.jit
def best(chosen, packed, candidates, size, GATHER: tl.constexpr, BLOCK: tl.constexpr):
    """Sorts the candidates of a row to packed[r, :BLOCK]."""
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    number = tl.load(chosen + row * candidates + lane, lane < candidates, 0x7FFFFFFFFFFFFFFF)
    tl.store(packed + row * size + lane, _sort(number, GATHER))


@triton.jit
def few(
    x, values, indices, m, n, count, inner, DESCENDING: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """The first `count` elements of rows of up to BLOCK elements of less than 64 bits,
    one after another."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    mask = (row < m)[:, None] & (at < n)[None, :]
    start = _row_start(row, n, inner)
    value = tl.load(x + start[:, None] + (at.to(tl.int64) * inner)[None, :], mask, 0)
    number = _pack(_key(value, DESCENDING, True), at[None, :])
    number = tl.where(mask, number, 0x7FFFFFFFFFFFFFFF)
    to = _row_start(row, count, inner)
    for i in range(count):
        best = tl.min(number, 1)
        number = tl.where(number == best[:, None], 0x7FFFFFFFFFFFFFFF, number)
        index = _index(best)
        tl.store(
            values + to + i.to(tl.int64) * inner, tl.load(x + start + index * inner, row < m, 0), row < m
        )
        tl.store(indices + to + i.to(tl.int64) * inner, index, row < m)
