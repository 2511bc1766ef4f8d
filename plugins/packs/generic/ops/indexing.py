"""Kernels that read or write through indices, and those that move elements.

Indices out of range never lead outside of a tensor: nothing is read (the element
becomes 0) or written for them.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def _places(index, offsets, size, mask):
    """Indices, those below 0 counted from the end, and which of them are in range."""
    place = tl.load(index + offsets, mask, 0).to(tl.int64)
    place = tl.where(place < 0, place + size, place)
    return place, mask & (place >= 0) & (place < size)


@triton.jit
def select_rows(x, index, out, n, count, inner, total, ROWS: tl.constexpr, COLS: tl.constexpr):
    """out[o, i, :] = x[o, index[i], :]; x is [outer, n, inner], out is [outer, count,
    inner], `total` is outer * count."""
    across = tl.cdiv(inner, COLS)
    row = (tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    place = tl.load(index + row % count, row < total, 0).to(tl.int64)
    place = tl.where(place < 0, place + n, place)
    inside = (row < total) & (place >= 0) & (place < n)
    columns = (column < inner)[None, :]
    source = ((row // count * n + place) * inner)[:, None] + column[None, :]
    value = tl.load(x + source, inside[:, None] & columns, 0)
    tl.store(out + (row * inner)[:, None] + column[None, :], value, (row < total)[:, None] & columns)


@triton.jit
def select_rows_in_order(x, index, out, n, count, inner, total, ROWS: tl.constexpr, COLS: tl.constexpr):
    """As select_rows, one row after another: for processors that copy contiguous memory
    faster than they gather."""
    across = tl.cdiv(inner, COLS)
    first = (tl.program_id(0) // across).to(tl.int64) * ROWS
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    for row in range(first, tl.minimum(first + ROWS, total)):
        place = tl.load(index + row % count).to(tl.int64)
        place = tl.where(place < 0, place + n, place)
        inside = (place >= 0) & (place < n)
        source = x + (row // count * n + place) * inner
        value = tl.load(source + column, inside & (column < inner), 0)
        tl.store(out + row * inner + column, value, column < inner)


@triton.jit
def select_columns(x, index, out, m, n, count, ROWS: tl.constexpr, COLS: tl.constexpr):
    """out[:, i] = x[:, index[i]] of [m, n] and [m, count]."""
    across = tl.cdiv(count, COLS)
    row = (tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    place, inside = _places(index, column, n, column < count)
    rows = (row < m)[:, None]
    value = tl.load(x + (row * n)[:, None] + place[None, :], rows & inside[None, :], 0)
    tl.store(out + (row * count)[:, None] + column[None, :], value, rows & (column < count)[None, :])


@triton.jit
def add_rows_in_order(source, index, out, n, count, inner, total, skip, COLS: tl.constexpr):
    """As add_rows, without atomics: a program adds all rows of its columns."""
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    inside = column < inner
    for i in range(total):
        row = i.to(tl.int64)
        place = tl.load(index + row % count).to(tl.int64)
        place = tl.where(place < 0, place + n, place)
        mask = inside & (place >= 0) & (place < n) & (place != skip)
        to = out + (row // count * n + place) * inner + column
        value = tl.load(source + row * inner + column, mask, 0)
        tl.store(to, tl.load(to, mask, 0) + value.to(out.dtype.element_ty), mask)


@triton.jit
def add_rows(source, index, out, n, count, inner, total, skip, ROWS: tl.constexpr, COLS: tl.constexpr):
    """out[o, index[i], :] += source[o, i, :], but for the index `skip`."""
    across = tl.cdiv(inner, COLS)
    row = (tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    place = tl.load(index + row % count, row < total, 0).to(tl.int64)
    place = tl.where(place < 0, place + n, place)
    inside = (row < total) & (place >= 0) & (place < n) & (place != skip)
    mask = inside[:, None] & (column < inner)[None, :]
    value = tl.load(source + (row * inner)[:, None] + column[None, :], mask, 0)
    to = ((row // count * n + place) * inner)[:, None] + column[None, :]
    tl.atomic_add(out + to, value.to(out.dtype.element_ty), mask, sem="relaxed")


@triton.jit
def _tile(dims, RANK: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    across = tl.cdiv(dims[RANK - 1], COLS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    row = (tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    mask = (column < dims[RANK - 1])[None, :]
    if RANK > 1:
        rows = 1
        for d in tl.static_range(RANK - 1):
            rows = rows * dims[d]
        mask = mask & (row < rows)[:, None]
    return row, column, mask


@triton.jit
def _offsets(row, column, dims, steps, RANK: tl.constexpr):
    offsets = (column * steps[RANK - 1])[None, :]
    if RANK > 1:
        rest = row
        start = tl.zeros_like(row)
        for d in tl.static_range(RANK - 1):
            if d == RANK - 2:
                start += rest * steps[0]
            else:
                start += rest % dims[RANK - 2 - d] * steps[RANK - 2 - d]
                rest = rest // dims[RANK - 2 - d]
        offsets = offsets + start[:, None]
    return offsets


@triton.jit
def gather(
    x,
    index,
    out,
    size,
    stride,
    dims,
    x_steps,
    index_steps,
    out_steps,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """out[..., i, ...] = x[..., index[..., i, ...], ...]: x_steps is 0 along the
    dimension, which has `size` elements at distance `stride`."""
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    place, inside = _places(index, _offsets(row, column, dims, index_steps, RANK), size, mask)
    value = tl.load(x + _offsets(row, column, dims, x_steps, RANK) + place * stride, inside, 0)
    tl.store(out + _offsets(row, column, dims, out_steps, RANK), value, mask)


@triton.jit
def scatter(
    source,
    index,
    out,
    size,
    stride,
    dims,
    source_steps,
    index_steps,
    out_steps,
    ADD: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """out[..., index[..., i, ...], ...] = (or +=) source[..., i, ...]."""
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    place, inside = _places(index, _offsets(row, column, dims, index_steps, RANK), size, mask)
    value = tl.load(source + _offsets(row, column, dims, source_steps, RANK), inside, 0)
    to = out + _offsets(row, column, dims, out_steps, RANK) + place * stride
    if ADD:
        tl.atomic_add(to, value.to(out.dtype.element_ty), inside, sem="relaxed")
    else:
        tl.store(to, value, inside)


@triton.jit
def scatter_in_order(
    source,
    index,
    out,
    size,
    n,
    stride,
    source_stride,
    index_stride,
    dims,
    source_steps,
    index_steps,
    out_steps,
    ADD: tl.constexpr,
    RANK: tl.constexpr,
    COLS: tl.constexpr,
):
    """As scatter, without atomics: a program stores or adds all `n` elements along the
    dimension, for COLS places in the others. `dims` is 1 and steps are 0 along it."""
    row, column, mask = _tile(dims, RANK, 1, COLS)
    from_index = _offsets(row, column, dims, index_steps, RANK)
    from_source = _offsets(row, column, dims, source_steps, RANK)
    to = _offsets(row, column, dims, out_steps, RANK)
    if COLS == 1:
        # Numbers instead of blocks of one element.
        from_index, from_source, to = tl.sum(from_index), tl.sum(from_source), tl.sum(to)
        mask = tl.program_id(0) >= 0
    for i in range(n):
        at = i.to(tl.int64)
        place, inside = _places(index, from_index + at * index_stride, size, mask)
        value = tl.load(source + from_source + at * source_stride, inside, 0).to(out.dtype.element_ty)
        place = out + to + place * stride
        if ADD:
            value += tl.load(place, inside, 0)
        tl.store(place, value, inside)


@triton.jit
def flip(
    x,
    out,
    dims,
    x_steps,
    out_steps,
    FLIPPED: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """FLIPPED has a 1 for each reversed dimension."""
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    if FLIPPED[RANK - 1]:
        source = ((dims[RANK - 1] - 1 - column) * x_steps[RANK - 1])[None, :]
    else:
        source = (column * x_steps[RANK - 1])[None, :]
    if RANK > 1:
        rest = row
        start = tl.zeros_like(row)
        for d in tl.static_range(RANK - 1):
            at = rest % dims[RANK - 2 - d]
            rest = rest // dims[RANK - 2 - d]
            if FLIPPED[RANK - 2 - d]:
                at = dims[RANK - 2 - d] - 1 - at
            start += at * x_steps[RANK - 2 - d]
        source = source + start[:, None]
    tl.store(out + _offsets(row, column, dims, out_steps, RANK), tl.load(x + source, mask), mask)


@triton.jit
def cat(
    xs, sizes, out, outer, inner, total, widest, COUNT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    """Program (i, p) copies a tile of input p, [outer, sizes[p] * inner], to its place
    in [outer, total * inner]; no input has more than `widest` columns."""
    across = tl.cdiv(widest, COLS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    row = (tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    which = tl.program_id(1)
    before = tl.zeros((), tl.int64)
    for p in tl.static_range(COUNT):
        width = sizes[p] * inner
        if which == p:
            mask = (row < outer)[:, None] & (column < width)[None, :]
            value = tl.load(xs[p] + (row * width)[:, None] + column[None, :], mask)
            to = (row * (total * inner) + before)[:, None] + column[None, :]
            tl.store(out + to, value, mask)
        before += width


@triton.jit
def rotary(
    x,
    cos,
    sin,
    positions,
    out,
    tokens,
    length,
    heads,
    size,
    half,
    limit,
    INTERLEAVED: tl.constexpr,
    INVERSE: tl.constexpr,
    HAS_POSITIONS: tl.constexpr,
    HEADS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Rotates pairs of the first 2 * half elements of each head; copies the others.
    Program (t, h): HEADS heads of token t, [tokens, heads, size]."""
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    pair = tl.arange(0, BLOCK)
    if HAS_POSITIONS:
        position = tl.load(positions + token).to(tl.int64)
    else:
        position = token % length
    inside = (pair < half) & (position >= 0) & (position < limit)
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    c = tl.load(cos + position * half + pair, inside, 0).to(wide)[None, :]
    s = tl.load(sin + position * half + pair, inside, 0).to(wide)[None, :]
    if INVERSE:
        s = -s
    base = ((token * heads + head) * size)[:, None]
    if INTERLEAVED:
        first = base + (2 * pair)[None, :]
        second = first + 1
    else:
        first = base + pair[None, :]
        second = first + half
    mask = (head < heads)[:, None] & (pair < half)[None, :]
    a = tl.load(x + first, mask, 0).to(wide)
    b = tl.load(x + second, mask, 0).to(wide)
    tl.store(out + first, (a * c - b * s).to(out.dtype.element_ty), mask)
    tl.store(out + second, (b * c + a * s).to(out.dtype.element_ty), mask)
    for start in range(2 * half, size, BLOCK):
        rest = (head < heads)[:, None] & (start + pair < size)[None, :]
        tl.store(out + base + start + pair[None, :], tl.load(x + base + start + pair[None, :], rest), rest)
