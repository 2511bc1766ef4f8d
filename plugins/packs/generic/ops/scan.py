"""Running sums of [outer, n, inner], row-major, along n."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.constexpr_function
def _accumulator(dtype):
    if dtype.is_floating():
        return tl.float64 if dtype == tl.float64 else tl.float32
    return tl.int64


@triton.jit
def rows(x, sums, out, m, n, span, HAS_SUMS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Program (i, p) scans part p, of `span` elements, of ROWS rows; with HAS_SUMS, it
    starts with the sum of the parts before it, from [m, parts]."""
    dtype: tl.constexpr = _accumulator(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    part = tl.program_id(1).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    base = (row * n)[:, None]
    first = part * span
    last = tl.minimum(first + span, n)
    carry = tl.zeros((ROWS,), dtype)
    if HAS_SUMS:
        if part > 0:
            carry = tl.load(sums + row * tl.num_programs(1) + part - 1, row < m, 0)
    for start in range(first, last, BLOCK):
        column = start + lane
        mask = (row < m)[:, None] & (column < last)[None, :]
        value = tl.load(x + base + column[None, :], mask, 0).to(dtype)
        result = tl.cumsum(value, 1) + carry[:, None]
        tl.store(out + base + column[None, :], result.to(out.dtype.element_ty), mask)
        # The last of the sums. Triton 3.6 does not compile `carry += tl.sum(value, 1)`
        # for GPUs: it changes the layout of an accumulator that has other uses.
        carry = tl.sum(tl.where((lane == BLOCK - 1)[None, :], result, 0), 1)


@triton.jit
def columns(x, out, n, inner, ROWS: tl.constexpr, COLS: tl.constexpr):
    dtype: tl.constexpr = _accumulator(x.dtype.element_ty)
    across = tl.cdiv(inner, COLS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS)
    outer = (tl.program_id(0) // across).to(tl.int64)
    x += outer * n * inner
    out += outer * n * inner
    carry = tl.zeros((COLS,), dtype)
    for start in range(0, n, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < n)[:, None] & (column < inner)[None, :]
        at = (row.to(tl.int64) * inner)[:, None] + column[None, :]
        value = tl.load(x + at, mask, 0).to(dtype)
        tl.store(out + at, (tl.cumsum(value, 0) + carry[None, :]).to(out.dtype.element_ty), mask)
        carry += tl.sum(value, 0)
