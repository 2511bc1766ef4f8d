"""Softmax of rows, with the row in one block or in pieces."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def whole(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    column = tl.arange(0, BLOCK)
    value = tl.load(x + row + column, column < n, float("-inf")).to(tl.float32)
    power = tl.exp(value - tl.max(value, 0))
    result = power / tl.sum(power, 0)
    tl.store(y + row + column, result.to(y.dtype.element_ty), column < n)


@triton.jit
def pieces(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    lane = tl.arange(0, BLOCK)
    # A running maximum and sum in each lane. The first piece may be shorter than
    # the block, so that a lane without a value has -inf, and a sum of 0.
    high = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        column = start + lane
        value = tl.load(x + row + column, column < n, float("-inf")).to(tl.float32)
        new = tl.maximum(high, value)
        base = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(high - base) + tl.exp(value - base)
        high = new
    top = tl.max(high, 0)
    scale = 1 / tl.sum(total * tl.exp(high - top), 0)
    for start in range(0, n, BLOCK):
        column = start + lane
        value = tl.load(x + row + column, column < n, 0.0).to(tl.float32)
        result = tl.exp(value - top) * scale
        tl.store(y + row + column, result.to(y.dtype.element_ty), column < n)
