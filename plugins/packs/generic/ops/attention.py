"""Attention, softmax(q k^T scale) v, without the matrix of scores, and its gradients.

q is [batch, heads, length, size], k and v [batch, key heads, keys, size] of any
strides; each key head serves heads / key heads heads. Causal: query i sees the keys
0 to i.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.constexpr_function
def _wide(dtype):
    return tl.float64 if dtype == tl.float64 else tl.float32


@triton.jit
def _number(value, EXACT: tl.constexpr, T: tl.constexpr):
    """A number in type T. Numbers are passed in 32 bits; EXACT has those of f64."""
    if EXACT is None:
        return value
    else:
        return tl.full((), EXACT, T)


@triton.jit
def _dot(a, b, T: tl.constexpr):
    return tl.dot(a, b, input_precision="ieee", out_dtype=T)


@triton.jit
def forward(
    q,
    k,
    v,
    out,
    lse,
    heads,
    share,
    length,
    keys,
    size,
    scale,
    qb,
    qh,
    qm,
    qd,
    kb,
    kh,
    kn,
    kd,
    vb,
    vh,
    vn,
    vd,
    ob,
    oh,
    om,
    od,
    CAUSAL: tl.constexpr,
    EXACT: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    wide: tl.constexpr = _wide(q.dtype.element_ty)
    scale = _number(scale, EXACT, wide)
    which = tl.program_id(1)
    batch = (which // heads).to(tl.int64)
    head = (which % heads).to(tl.int64)
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    lane = tl.arange(0, BLOCK_N)
    part = tl.arange(0, BLOCK_D)
    parts = part < size
    rows = row < length
    q += batch * qb + head * qh
    k += batch * kb + head // share * kh
    v += batch * vb + head // share * vh
    queries = tl.load(
        q + (row.to(tl.int64) * qm)[:, None] + (part * qd)[None, :], rows[:, None] & parts[None, :], 0
    )
    high = tl.full((BLOCK_M,), float("-inf"), wide)
    total = tl.zeros((BLOCK_M,), wide)
    result = tl.zeros((BLOCK_M, BLOCK_D), wide)
    last = keys
    if CAUSAL:
        last = tl.minimum(keys, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, last, BLOCK_N):
        column = start + lane
        columns = column < keys
        at = column.to(tl.int64)
        key = tl.load(k + (part * kd)[:, None] + (at * kn)[None, :], parts[:, None] & columns[None, :], 0)
        scores = _dot(queries, key, wide) * scale
        seen = columns[None, :]
        if CAUSAL:
            seen = seen & (column[None, :] <= row[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        new = tl.maximum(high, tl.max(scores, 1))
        base = tl.where(new == float("-inf"), 0.0, new)
        power = tl.exp(scores - base[:, None])
        shrink = tl.exp(high - base)
        total = total * shrink + tl.sum(power, 1)
        value = tl.load(v + (at * vn)[:, None] + (part * vd)[None, :], columns[:, None] & parts[None, :], 0)
        result = result * shrink[:, None] + _dot(power.to(value.dtype), value, wide)
        high = new
    result = result / total[:, None]
    to = out + batch * ob + head * oh + (row.to(tl.int64) * om)[:, None] + (part * od)[None, :]
    tl.store(to, result.to(out.dtype.element_ty), rows[:, None] & parts[None, :])
    tl.store(lse + which.to(tl.int64) * length + row, high + tl.log(total), rows)


@triton.jit
def row_products(
    grad,
    out,
    delta,
    heads,
    length,
    size,
    gb,
    gh,
    gm,
    gd,
    ob,
    oh,
    om,
    od,
    BLOCK_M: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """delta = the sum of grad * out over each row."""
    wide: tl.constexpr = _wide(out.dtype.element_ty)
    which = tl.program_id(1)
    batch = (which // heads).to(tl.int64)
    head = (which % heads).to(tl.int64)
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    part = tl.arange(0, BLOCK_D)
    mask = (row < length)[:, None] & (part < size)[None, :]
    at = row.to(tl.int64)
    g = tl.load(grad + batch * gb + head * gh + (at * gm)[:, None] + (part * gd)[None, :], mask, 0).to(wide)
    o = tl.load(out + batch * ob + head * oh + (at * om)[:, None] + (part * od)[None, :], mask, 0).to(wide)
    tl.store(delta + which.to(tl.int64) * length + row, tl.sum(g * o, 1), row < length)


@triton.jit
def keys_gradient(
    grad,
    q,
    k,
    v,
    lse,
    delta,
    dk,
    dv,
    key_heads,
    share,
    length,
    keys,
    size,
    scale,
    gb,
    gh,
    gm,
    gd,
    qb,
    qh,
    qm,
    qd,
    kb,
    kh,
    kn,
    kd,
    vb,
    vh,
    vn,
    vd,
    CAUSAL: tl.constexpr,
    EXACT: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """dk and dv, row-major: a block of keys of a key head in each program, which sums
    over the heads that it serves."""
    wide: tl.constexpr = _wide(q.dtype.element_ty)
    narrow = q.dtype.element_ty
    scale = _number(scale, EXACT, wide)
    which = tl.program_id(1)
    batch = (which // key_heads).to(tl.int64)
    key_head = (which % key_heads).to(tl.int64)
    column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    part = tl.arange(0, BLOCK_D)
    lane = tl.arange(0, BLOCK_M)
    parts = (part < size)[None, :]
    columns = (column < keys)[:, None] & parts
    at = column.to(tl.int64)
    key = tl.load(k + batch * kb + key_head * kh + (at * kn)[:, None] + (part * kd)[None, :], columns, 0)
    value = tl.load(v + batch * vb + key_head * vh + (at * vn)[:, None] + (part * vd)[None, :], columns, 0)
    by_key = tl.zeros((BLOCK_N, BLOCK_D), wide)
    by_value = tl.zeros((BLOCK_N, BLOCK_D), wide)
    first = 0
    if CAUSAL:
        first = tl.program_id(0) * BLOCK_N // BLOCK_M * BLOCK_M
    for member in range(share):
        head = key_head * share + member
        line = (batch * key_heads * share + head) * length
        for start in range(first, length, BLOCK_M):
            row = start + lane
            rows = row < length
            down = row.to(tl.int64)
            query = tl.load(
                q + batch * qb + head * qh + (down * qm)[:, None] + (part * qd)[None, :],
                rows[:, None] & parts,
                0,
            )
            g = tl.load(
                grad + batch * gb + head * gh + (down * gm)[:, None] + (part * gd)[None, :],
                rows[:, None] & parts,
                0,
            )
            logs = tl.load(lse + line + row, rows, 0)
            scores = _dot(key, tl.trans(query), wide) * scale
            seen = rows[None, :] & (column < keys)[:, None]
            if CAUSAL:
                seen = seen & (column[:, None] <= row[None, :])
            power = tl.where(seen, tl.exp(scores - logs[None, :]), 0)
            by_value += _dot(power.to(narrow), g, wide)
            slope = _dot(value, tl.trans(g), wide)
            slope = power * (slope - tl.load(delta + line + row, rows, 0)[None, :])
            by_key += _dot(slope.to(narrow), query, wide)
    to = ((which.to(tl.int64) * keys + at) * size)[:, None] + part[None, :]
    tl.store(dk + to, (by_key * scale).to(dk.dtype.element_ty), columns)
    tl.store(dv + to, by_value.to(dv.dtype.element_ty), columns)


@triton.jit
def queries_gradient(
    grad,
    q,
    k,
    v,
    lse,
    delta,
    dq,
    heads,
    share,
    length,
    keys,
    size,
    scale,
    gb,
    gh,
    gm,
    gd,
    qb,
    qh,
    qm,
    qd,
    kb,
    kh,
    kn,
    kd,
    vb,
    vh,
    vn,
    vd,
    CAUSAL: tl.constexpr,
    EXACT: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """dq, row-major."""
    wide: tl.constexpr = _wide(q.dtype.element_ty)
    narrow = q.dtype.element_ty
    scale = _number(scale, EXACT, wide)
    which = tl.program_id(1)
    batch = (which // heads).to(tl.int64)
    head = (which % heads).to(tl.int64)
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    part = tl.arange(0, BLOCK_D)
    lane = tl.arange(0, BLOCK_N)
    parts = part < size
    rows = row < length
    down = row.to(tl.int64)
    mask = rows[:, None] & parts[None, :]
    query = tl.load(q + batch * qb + head * qh + (down * qm)[:, None] + (part * qd)[None, :], mask, 0)
    g = tl.load(grad + batch * gb + head * gh + (down * gm)[:, None] + (part * gd)[None, :], mask, 0)
    line = which.to(tl.int64) * length
    logs = tl.load(lse + line + row, rows, 0)
    level = tl.load(delta + line + row, rows, 0)
    k += batch * kb + head // share * kh
    v += batch * vb + head // share * vh
    result = tl.zeros((BLOCK_M, BLOCK_D), wide)
    last = keys
    if CAUSAL:
        last = tl.minimum(keys, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, last, BLOCK_N):
        column = start + lane
        columns = column < keys
        at = column.to(tl.int64)
        key = tl.load(k + (at * kn)[:, None] + (part * kd)[None, :], columns[:, None] & parts[None, :], 0)
        value = tl.load(v + (part * vd)[:, None] + (at * vn)[None, :], parts[:, None] & columns[None, :], 0)
        scores = _dot(query, tl.trans(key), wide) * scale
        seen = rows[:, None] & columns[None, :]
        if CAUSAL:
            seen = seen & (column[None, :] <= row[:, None])
        power = tl.where(seen, tl.exp(scores - logs[:, None]), 0)
        slope = power * (_dot(g, value, wide) - level[:, None])
        result += _dot(slope.to(narrow), key, wide)
    to = ((line + down) * size)[:, None] + part[None, :]
    tl.store(dq + to, (result * scale).to(dq.dtype.element_ty), mask)
