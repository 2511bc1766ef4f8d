"""Reductions of [outer, n, inner], row-major, over n.

A long reduction is divided into `parts`, reduced by programs of their own to
[outer, parts, inner], and then once more. `rows`: inner is 1, lanes run along n;
`columns`: lanes run along inner. Sums are accumulated in 32 bits at least (f64 and
i64 as they are); var merges means and squared deviations, which does not cancel.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def _greater(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def _combine(a, b, OP: tl.constexpr):
    if OP == "sum":
        return _add(a, b)
    elif OP == "prod":
        return _multiply(a, b)
    elif OP == "max" or OP == "any":
        return _greater(a, b)
    else:
        return _smaller(a, b)


@triton.jit
def _reduce(x, axis: tl.constexpr, OP: tl.constexpr):
    if OP == "sum":
        return tl.reduce(x, axis, _add)
    elif OP == "prod":
        return tl.reduce(x, axis, _multiply)
    elif OP == "max" or OP == "any":
        return tl.reduce(x, axis, _greater)
    else:
        return tl.reduce(x, axis, _smaller)


@triton.jit
def _greater_and_bits(a, i, b, j):
    return tl.where(a > b, a, b), tl.maximum(i, j)


@triton.jit
def _smaller_and_bits(a, i, b, j):
    return tl.where(a < b, a, b), tl.maximum(i, j)


@triton.jit
def _fold(x, axis: tl.constexpr, OP: tl.constexpr):
    """As _reduce. Floats are compared as if there were no NaN, and NaN is found by the
    largest magnitude of the bits: processors have one instruction for either."""
    if x.dtype.is_floating() and (OP == "max" or OP == "min"):
        if x.dtype == tl.float64:
            bits = x.to(tl.int64, bitcast=True) & 0x7FFFFFFFFFFFFFFF
            infinity: tl.constexpr = 0x7FF0000000000000
        else:
            bits = x.to(tl.int32, bitcast=True) & 0x7FFFFFFF
            infinity: tl.constexpr = 0x7F800000
        if OP == "max":
            value, most = tl.reduce((x, bits), axis, _greater_and_bits)
        else:
            value, most = tl.reduce((x, bits), axis, _smaller_and_bits)
        return tl.where(most > infinity, float("nan"), value)
    else:
        return _reduce(x, axis, OP)


@triton.constexpr_function
def _identity(op, dtype):
    """The value that a reduction starts with."""
    if op in ("sum", "any"):
        return 0
    if op in ("prod", "all"):
        return 1
    if dtype.is_floating():
        return float("-inf") if op == "max" else float("inf")
    bits = dtype.primitive_bitwidth
    if dtype.is_int_unsigned():
        return 0 if op == "max" else 2**bits - 1
    return -(2 ** (bits - 1)) if op == "max" else 2 ** (bits - 1) - 1


@triton.constexpr_function
def _accumulator(op, dtype):
    """The type that a reduction is computed in."""
    if op in ("any", "all"):
        return tl.int32
    if dtype.is_floating():
        return tl.float64 if dtype == tl.float64 else tl.float32
    if op in ("sum", "prod"):
        return tl.int64
    return tl.int32 if dtype.primitive_bitwidth < 32 else dtype


@triton.jit
def _prepare(x, OP: tl.constexpr, T: tl.constexpr):
    if OP == "any" or OP == "all":
        return (x != 0).to(T)
    else:
        return x.to(T)


@triton.jit
def _finish(value, count, MEAN: tl.constexpr, T: tl.constexpr):
    if MEAN:
        return (value / count).to(T)
    elif T == tl.int1:
        return value != 0
    else:
        return value.to(T)


@triton.jit
def rows(
    x,
    out,
    m,
    n,
    count,
    span,
    OP: tl.constexpr,
    MEAN: tl.constexpr,
    FOLD: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Program (i, p) reduces part p, of `span` elements, of ROWS rows. FOLD: each block
    to one value per row, which suits processors that hold few values; else the lanes
    of all blocks are combined first."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    part = tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    dtype: tl.constexpr = _accumulator(OP, x.dtype.element_ty)
    identity: tl.constexpr = _identity(OP, x.dtype.element_ty)
    first = part.to(tl.int64) * span
    last = tl.minimum(first + span, n)
    total = tl.full((ROWS,) if FOLD else (ROWS, BLOCK), identity, dtype)
    base = (row * n)[:, None]
    for start in range(first, last, BLOCK):
        column = start + lane
        mask = (row < m)[:, None] & (column < last)[None, :]
        value = _prepare(tl.load(x + base + column[None, :], mask, identity), OP, dtype)
        if FOLD:
            value = _fold(value, 1, OP)
        total = _combine(total, value, OP)
    result = total
    if not FOLD:
        result = _reduce(total, 1, OP)
    to = out + row * tl.num_programs(1) + part
    tl.store(to, _finish(result, count, MEAN, out.dtype.element_ty), row < m)


@triton.jit
def columns(
    x,
    out,
    n,
    inner,
    count,
    span,
    OP: tl.constexpr,
    MEAN: tl.constexpr,
    FOLD: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """Program (i, p) reduces part p, of `span` rows, of COLS columns of one block."""
    across = tl.cdiv(inner, COLS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    outer = (tl.program_id(0) // across).to(tl.int64)
    part = tl.program_id(1)
    dtype: tl.constexpr = _accumulator(OP, x.dtype.element_ty)
    identity: tl.constexpr = _identity(OP, x.dtype.element_ty)
    first = part.to(tl.int64) * span
    last = tl.minimum(first + span, n)
    total = tl.full((COLS,) if FOLD else (ROWS, COLS), identity, dtype)
    x += outer * n * inner
    for start in range(first, last, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < last)[:, None] & (column < inner)[None, :]
        value = tl.load(x + (row * inner)[:, None] + column[None, :], mask, identity)
        value = _prepare(value, OP, dtype)
        if FOLD:
            value = _fold(value, 0, OP)
        total = _combine(total, value, OP)
    result = total
    if not FOLD:
        result = _reduce(total, 0, OP)
    to = out + (outer * tl.num_programs(1) + part) * inner + column
    tl.store(to, _finish(result, count, MEAN, out.dtype.element_ty), column < inner)


@triton.jit
def _better(a, b, SIGN: tl.constexpr):
    """Whether a comes before b: the larger (or smaller) one, NaN before all."""
    if SIGN > 0:
        ordered = a > b
    else:
        ordered = a < b
    if a.dtype.is_floating():
        return ordered | ((a != a) & (b == b))
    else:
        return ordered


@triton.jit
def _first(a, i, b, j, SIGN: tl.constexpr):
    # Neither comes before the other: the smaller index.
    take = _better(a, b, SIGN) | ((i < j) & (_better(b, a, SIGN) == 0))
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def _first_greatest(a, i, b, j):
    return _first(a, i, b, j, 1)


@triton.jit
def _first_smallest(a, i, b, j):
    return _first(a, i, b, j, -1)


@triton.jit
def _reduce_first(value, index, axis: tl.constexpr, SIGN: tl.constexpr):
    if SIGN > 0:
        return tl.reduce((value, index), axis, _first_greatest)
    else:
        return tl.reduce((value, index), axis, _first_smallest)


@triton.jit
def arg_rows(
    x,
    indices,
    values,
    index,
    m,
    n,
    span,
    SIGN: tl.constexpr,
    HAS_INDICES: tl.constexpr,
    PARTIAL: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The position of the first greatest (SIGN 1) or smallest (-1) element of each
    row's part; with HAS_INDICES, that of `indices` in its place."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    part = tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    first = part * span
    last = tl.minimum(first + span, n)
    base = (row * n)[:, None]
    # The first block starts the comparison: there is no value after all others.
    column = first + lane
    clamped = tl.minimum(column, last - 1)
    inside = (row < m)[:, None]
    best = tl.load(x + base + clamped[None, :], inside, 0)
    at = tl.zeros((ROWS, BLOCK), tl.int32) + clamped[None, :]
    for start in range(first + BLOCK, last, BLOCK):
        column = start + lane
        mask = inside & (column < last)[None, :]
        value = tl.load(x + base + column[None, :], mask, 0)
        take = _better(value, best, SIGN) & mask
        best = tl.where(take, value, best)
        at = tl.where(take, column[None, :], at)
    best, at = _reduce_first(best, at, 1, SIGN)
    to = row * tl.num_programs(1) + part
    if HAS_INDICES:
        at = tl.load(indices + row * n + at, row < m)
    if PARTIAL:
        tl.store(values + to, best, row < m)
    tl.store(index + to, at.to(index.dtype.element_ty), row < m)


@triton.jit
def arg_columns(x, index, n, inner, SIGN: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    across = tl.cdiv(inner, COLS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    outer = (tl.program_id(0) // across).to(tl.int64)
    lane = tl.arange(0, ROWS)
    x += outer * n * inner
    inside = (column < inner)[None, :]
    clamped = tl.minimum(lane, n - 1)
    best = tl.load(x + (clamped.to(tl.int64) * inner)[:, None] + column[None, :], inside, 0)
    at = tl.zeros((ROWS, COLS), tl.int32) + clamped[:, None]
    for start in range(ROWS, n, ROWS):
        row = start + lane
        mask = (row < n)[:, None] & inside
        value = tl.load(x + (row.to(tl.int64) * inner)[:, None] + column[None, :], mask, 0)
        take = _better(value, best, SIGN) & mask
        best = tl.where(take, value, best)
        at = tl.where(take, row[:, None], at)
    best, at = _reduce_first(best, at, 0, SIGN)
    tl.store(index + outer * inner + column, at.to(index.dtype.element_ty), column < inner)


@triton.jit
def _merge_lanes(mean, square, weight, axis: tl.constexpr):
    """Mean, squared deviations and weight of all lanes (Chan, Golub, LeVeque)."""
    total = tl.sum(weight, axis)
    safe = tl.where(total > 0, total, 1)
    center = tl.sum(mean * weight, axis) / safe
    if axis == 1:
        apart = mean - center[:, None]
    else:
        apart = mean - center[None, :]
    return center, tl.sum(square + weight * apart * apart, axis), total


@triton.jit
def var_rows(
    x,
    mean,
    square,
    out,
    m,
    n,
    correction,
    span,
    PARTIAL: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    part = tl.program_id(1)
    lane = tl.arange(0, BLOCK)
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    first = part.to(tl.int64) * span
    last = tl.minimum(first + span, n)
    base = (row * n)[:, None]
    average = tl.zeros((ROWS, BLOCK), wide)
    squares = tl.zeros((ROWS, BLOCK), wide)
    count = tl.zeros((1, BLOCK), wide)
    for start in range(first, last, BLOCK):
        column = start + lane
        inside = (column < last)[None, :]
        mask = (row < m)[:, None] & inside
        value = tl.load(x + base + column[None, :], mask, 0).to(wide)
        count += tl.where(inside, 1.0, 0.0).to(wide)
        apart = tl.where(mask, value - average, 0)
        average += apart / tl.maximum(count, 1.0)
        squares += apart * (value - average)
    weight = tl.broadcast_to(count, (ROWS, BLOCK))
    center, total, size = _merge_lanes(average, squares, weight, 1)
    to = row * tl.num_programs(1) + part
    if PARTIAL:
        tl.store(mean + to, center, row < m)
        tl.store(square + to, total, row < m)
    else:
        # Not enough elements: NaN, as 0 / 0, or infinity.
        left = tl.maximum(n - correction, 0).to(wide)
        tl.store(out + to, (total / left).to(out.dtype.element_ty), row < m)


@triton.jit
def var_merge(mean, square, out, m, n, correction, parts, span, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Variances from the means and squares of parts."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    part = tl.arange(0, BLOCK)
    mask = (row < m)[:, None] & (part < parts)[None, :]
    at = (row * parts)[:, None] + part[None, :]
    average = tl.load(mean + at, mask, 0)
    squares = tl.load(square + at, mask, 0)
    size = tl.minimum(n - part.to(tl.int64) * span, span)
    weight = tl.where(mask, tl.maximum(size, 0)[None, :], 0).to(average.dtype)
    center, total, size = _merge_lanes(average, squares, weight, 1)
    left = tl.maximum(n - correction, 0).to(average.dtype)
    tl.store(out + row, (total / left).to(out.dtype.element_ty), row < m)


@triton.jit
def var_columns(x, out, n, inner, correction, ROWS: tl.constexpr, COLS: tl.constexpr):
    across = tl.cdiv(inner, COLS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    outer = (tl.program_id(0) // across).to(tl.int64)
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    x += outer * n * inner
    average = tl.zeros((ROWS, COLS), wide)
    squares = tl.zeros((ROWS, COLS), wide)
    count = tl.zeros((ROWS, 1), wide)
    for start in range(0, n, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row < n)[:, None]
        mask = inside & (column < inner)[None, :]
        at = (row.to(tl.int64) * inner)[:, None] + column[None, :]
        value = tl.load(x + at, mask, 0).to(wide)
        count += tl.where(inside, 1.0, 0.0).to(wide)
        apart = tl.where(mask, value - average, 0)
        average += apart / tl.maximum(count, 1.0)
        squares += apart * (value - average)
    weight = tl.broadcast_to(count, (ROWS, COLS))
    center, total, size = _merge_lanes(average, squares, weight, 0)
    left = tl.maximum(n - correction, 0).to(wide)
    tl.store(out + outer * inner + column, (total / left).to(out.dtype.element_ty), column < inner)
