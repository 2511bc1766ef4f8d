"""Softmax and log-softmax of [outer, n, inner], row-major, over n.

`rows`: inner is 1 and a row fits one block; several short rows share a program.
`long_rows`: inner is 1; the row is read twice, with one running maximum and sum for
each lane or, with FOLD, for all lanes: fewer exponentials. `stored_rows`: the same
with one exponential for each element, which the result keeps. `columns`: inner is
above 1; lanes run along inner.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def _wide(x):
    if x.dtype.primitive_bitwidth < 32:
        return x.to(tl.float32)
    else:
        return x


@triton.jit
def _merge(m, s, x):
    """Running maximum and sum of exponentials, with x added."""
    new = tl.maximum(m, x)
    # exp(-inf - -inf) is NaN: an empty sum stays 0.
    base = tl.where(new == float("-inf"), 0.0, new)
    return new, s * tl.exp(m - base) + tl.exp(x - base)


@triton.jit
def rows(x, y, m, n, LOG: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    mask = (row < m)[:, None] & (column < n)[None, :]
    at = (row * n)[:, None] + column[None, :]
    value = _wide(tl.load(x + at, mask, float("-inf")))
    value = value - tl.max(value, 1)[:, None]
    power = tl.exp(value)
    total = tl.sum(power, 1)
    if LOG:
        result = value - tl.log(total)[:, None]
    else:
        result = power / total[:, None]
    tl.store(y + at, result.to(y.dtype.element_ty), mask)


@triton.jit
def long_rows(x, y, m, n, LOG: tl.constexpr, FOLD: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * n
    y += row * n
    lane = tl.arange(0, BLOCK)
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    if FOLD:
        top = tl.full((), float("-inf"), wide)
        total = tl.zeros((), wide)
        for start in range(0, n, BLOCK):
            value = tl.load(x + start + lane, start + lane < n, float("-inf")).to(wide)
            new = tl.maximum(top, tl.max(value, 0))
            # exp(-inf - -inf) is NaN: an empty sum stays 0.
            base = tl.where(new == float("-inf"), 0.0, new)
            total = total * tl.exp(top - base) + tl.sum(tl.exp(value - base), 0)
            top = new
    else:
        high = tl.full((BLOCK,), float("-inf"), wide)
        sums = tl.zeros((BLOCK,), wide)
        for start in range(0, n, BLOCK):
            value = tl.load(x + start + lane, start + lane < n, float("-inf")).to(wide)
            high, sums = _merge(high, sums, value)
        top = tl.max(high, 0)
        total = tl.sum(tl.where(high == float("-inf"), sums * 0, sums * tl.exp(high - top)), 0)
    # NaN in any lane's sum, or a row of -inf alone, makes the row NaN.
    if LOG:
        shift = top + tl.log(total)
        for start in range(0, n, BLOCK):
            mask = start + lane < n
            value = tl.load(x + start + lane, mask).to(wide)
            tl.store(y + start + lane, (value - shift).to(y.dtype.element_ty), mask)
    else:
        scale = 1 / total
        for start in range(0, n, BLOCK):
            mask = start + lane < n
            value = tl.load(x + start + lane, mask).to(wide)
            tl.store(y + start + lane, (tl.exp(value - top) * scale).to(y.dtype.element_ty), mask)


@triton.jit
def stored_rows(x, y, n, BLOCK: tl.constexpr):
    """For results that are as wide as the sums, and a program that runs its loops one
    after another."""
    row = tl.program_id(0).to(tl.int64)
    x += row * n
    y += row * n
    lane = tl.arange(0, BLOCK)
    wide: tl.constexpr = x.dtype.element_ty
    top = tl.full((), float("-inf"), wide)
    for start in range(0, n, BLOCK):
        value = tl.load(x + start + lane, start + lane < n, float("-inf"))
        top = tl.maximum(top, tl.max(value, 0))
    total = tl.zeros((), wide)
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        power = tl.exp(tl.load(x + start + lane, mask, float("-inf")) - top)
        tl.store(y + start + lane, power, mask)
        total += tl.sum(power, 0)
    scale = 1 / total
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        tl.store(y + start + lane, tl.load(y + start + lane, mask) * scale, mask)


@triton.jit
def columns(x, y, n, inner, LOG: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    across = tl.cdiv(inner, COLS)
    outer = (tl.program_id(0) // across).to(tl.int64)
    x += outer * n * inner
    y += outer * n * inner
    column = tl.program_id(0) % across * COLS + tl.arange(0, COLS)
    inside = column < inner
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    high = tl.full((COLS,), float("-inf"), wide)
    total = tl.zeros((COLS,), wide)
    for start in range(0, n, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < n)[:, None] & inside[None, :]
        at = row.to(tl.int64)[:, None] * inner + column[None, :]
        value = tl.load(x + at, mask, float("-inf")).to(wide)
        new = tl.maximum(high, tl.max(value, 0))
        base = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(high - base) + tl.sum(tl.exp(value - base[None, :]), 0)
        high = new
    if LOG:
        shift = high + tl.log(total)
    else:
        shift = high
    for start in range(0, n, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < n)[:, None] & inside[None, :]
        at = row.to(tl.int64)[:, None] * inner + column[None, :]
        value = tl.load(x + at, mask).to(wide) - shift[None, :]
        if not LOG:
            value = tl.exp(value) / total[None, :]
        tl.store(y + at, value.to(y.dtype.element_ty), mask)


@triton.jit
def _gradient(g, y, total, LOG: tl.constexpr):
    if LOG:
        return g - tl.exp(y) * total
    else:
        return (g - total) * y


@triton.jit
def rows_gradient(grad, y, dx, m, n, LOG: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    mask = (row < m)[:, None] & (column < n)[None, :]
    at = (row * n)[:, None] + column[None, :]
    g = _wide(tl.load(grad + at, mask, 0))
    value = _wide(tl.load(y + at, mask, 0))
    if LOG:
        total = tl.sum(g, 1)
    else:
        total = tl.sum(g * value, 1)
    tl.store(dx + at, _gradient(g, value, total[:, None], LOG).to(dx.dtype.element_ty), mask)


@triton.jit
def long_rows_gradient(grad, y, dx, m, n, LOG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    grad += row * n
    y += row * n
    dx += row * n
    lane = tl.arange(0, BLOCK)
    wide: tl.constexpr = tl.float64 if y.dtype.element_ty == tl.float64 else tl.float32
    sums = tl.zeros((BLOCK,), wide)
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        g = tl.load(grad + start + lane, mask, 0).to(wide)
        if LOG:
            sums += g
        else:
            sums += g * tl.load(y + start + lane, mask, 0).to(wide)
    total = tl.sum(sums, 0)
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        g = tl.load(grad + start + lane, mask, 0).to(wide)
        value = tl.load(y + start + lane, mask, 0).to(wide)
        tl.store(dx + start + lane, _gradient(g, value, total, LOG).to(dx.dtype.element_ty), mask)


@triton.jit
def columns_gradient(grad, y, dx, n, inner, LOG: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    across = tl.cdiv(inner, COLS)
    outer = (tl.program_id(0) // across).to(tl.int64)
    grad += outer * n * inner
    y += outer * n * inner
    dx += outer * n * inner
    column = tl.program_id(0) % across * COLS + tl.arange(0, COLS)
    inside = column < inner
    wide: tl.constexpr = tl.float64 if y.dtype.element_ty == tl.float64 else tl.float32
    total = tl.zeros((COLS,), wide)
    for start in range(0, n, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < n)[:, None] & inside[None, :]
        at = row.to(tl.int64)[:, None] * inner + column[None, :]
        g = tl.load(grad + at, mask, 0).to(wide)
        if LOG:
            total += tl.sum(g, 0)
        else:
            total += tl.sum(g * tl.load(y + at, mask, 0).to(wide), 0)
    for start in range(0, n, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < n)[:, None] & inside[None, :]
        at = row.to(tl.int64)[:, None] * inner + column[None, :]
        g = tl.load(grad + at, mask, 0).to(wide)
        value = tl.load(y + at, mask, 0).to(wide)
        tl.store(dx + at, _gradient(g, value, total[None, :], LOG).to(dx.dtype.element_ty), mask)
