"""A product of matrices in tiles, with groups of rows for the cache."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def tiles(
    x, y, out, m, n, k,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    down, across = tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
    group = tl.program_id(0) // (GROUP * across)
    first = group * GROUP
    height = min(down - first, GROUP)
    inside = tl.program_id(0) % (GROUP * across)
    row = (first + inside % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = inside // height * BLOCK_N + tl.arange(0, BLOCK_N)
    # Out of range rows and columns wrap around; they are not stored.
    left = x + (row % m).to(tl.int64)[:, None] * k
    right = y + (column % n)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, k, BLOCK_K):
        depth = start + tl.arange(0, BLOCK_K)
        a = tl.load(left + depth[None, :], depth[None, :] < k, 0.0)
        b = tl.load(right + depth.to(tl.int64)[:, None] * n, depth[:, None] < k, 0.0)
        total = tl.dot(a, b, total)
    to = out + row.to(tl.int64)[:, None] * n + column[None, :]
    tl.store(to, total.to(out.dtype.element_ty), (row < m)[:, None] & (column < n)[None, :])
