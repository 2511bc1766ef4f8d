"""Layer, RMS and group norm, and their gradients.

Rows are row-major and contiguous: [m, n]. A group norm's rows are its groups, of
`channels` times `size` elements. Everything is computed in 32 bits at least; the
mean is subtracted before squares are summed.
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
def _inverse_root(x):
    if x.dtype == tl.float64:
        return 1 / tl.sqrt(x)
    else:
        return 1 / tl.sqrt_rn(x)


@triton.jit
def rows(
    x,
    weight,
    bias,
    y,
    mean,
    rstd,
    m,
    n,
    eps,
    RMS: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    EPS: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Rows of up to BLOCK elements, ROWS in a program."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    inside = column < n
    mask = (row < m)[:, None] & inside[None, :]
    at = (row * n)[:, None] + column[None, :]
    value = tl.load(x + at, mask, 0).to(wide)
    if not RMS:
        average = tl.sum(value, 1) / n
        tl.store(mean + row, average.to(mean.dtype.element_ty), row < m)
        value = tl.where(mask, value - average[:, None], 0)
    scale = _inverse_root(tl.sum(value * value, 1) / n + _number(eps, EPS, wide))
    tl.store(rstd + row, scale.to(rstd.dtype.element_ty), row < m)
    value = value * scale[:, None]
    if HAS_WEIGHT:
        value = value * tl.load(weight + column, inside, 0).to(wide)[None, :]
    if HAS_BIAS:
        value = value + tl.load(bias + column, inside, 0).to(wide)[None, :]
    tl.store(y + at, value.to(y.dtype.element_ty), mask)


@triton.jit
def long_rows(
    x,
    weight,
    bias,
    y,
    mean,
    rstd,
    n,
    eps,
    RMS: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    EPS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A row in each program, in blocks."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    x += row * n
    y += row * n
    lane = tl.arange(0, BLOCK)
    average = tl.sum(tl.zeros((BLOCK,), wide), 0)
    if not RMS:
        sums = tl.zeros((BLOCK,), wide)
        for start in range(0, n, BLOCK):
            sums += tl.load(x + start + lane, start + lane < n, 0).to(wide)
        average = tl.sum(sums, 0) / n
        tl.store(mean + row, average.to(mean.dtype.element_ty))
    squares = tl.zeros((BLOCK,), wide)
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        value = tl.load(x + start + lane, mask, 0).to(wide)
        value = tl.where(mask, value - average, 0)
        squares += value * value
    scale = _inverse_root(tl.sum(squares, 0) / n + _number(eps, EPS, wide))
    tl.store(rstd + row, scale.to(rstd.dtype.element_ty))
    for start in range(0, n, BLOCK):
        column = start + lane
        mask = column < n
        value = (tl.load(x + column, mask, 0).to(wide) - average) * scale
        if HAS_WEIGHT:
            value = value * tl.load(weight + column, mask, 0).to(wide)
        if HAS_BIAS:
            value = value + tl.load(bias + column, mask, 0).to(wide)
        tl.store(y + column, value.to(y.dtype.element_ty), mask)


@triton.jit
def rows_gradient(
    grad,
    x,
    weight,
    mean,
    rstd,
    dx,
    m,
    n,
    RMS: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    inside = column < n
    mask = (row < m)[:, None] & inside[None, :]
    at = (row * n)[:, None] + column[None, :]
    scale = tl.load(rstd + row, row < m, 0).to(wide)[:, None]
    value = tl.load(x + at, mask, 0).to(wide)
    if not RMS:
        value = value - tl.load(mean + row, row < m, 0).to(wide)[:, None]
    value = tl.where(mask, value * scale, 0)
    g = tl.load(grad + at, mask, 0).to(wide)
    if HAS_WEIGHT:
        g = g * tl.load(weight + column, inside, 0).to(wide)[None, :]
    along = (tl.sum(g * value, 1) / n)[:, None]
    result = g - value * along
    if not RMS:
        result = result - (tl.sum(g, 1) / n)[:, None]
    tl.store(dx + at, (result * scale).to(dx.dtype.element_ty), mask)


@triton.jit
def long_rows_gradient(
    grad, x, weight, mean, rstd, dx, n, RMS: tl.constexpr, HAS_WEIGHT: tl.constexpr, BLOCK: tl.constexpr
):
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    grad += row * n
    x += row * n
    dx += row * n
    lane = tl.arange(0, BLOCK)
    scale = tl.load(rstd + row).to(wide)
    average = tl.sum(tl.zeros((BLOCK,), wide), 0)
    if not RMS:
        average = tl.load(mean + row).to(wide)
    along = tl.zeros((BLOCK,), wide)
    total = tl.zeros((BLOCK,), wide)
    for start in range(0, n, BLOCK):
        column = start + lane
        mask = column < n
        value = (tl.load(x + column, mask, 0).to(wide) - average) * scale
        g = tl.load(grad + column, mask, 0).to(wide)
        if HAS_WEIGHT:
            g = g * tl.load(weight + column, mask, 0).to(wide)
        along += g * value
        total += g
    slope = tl.sum(along, 0) / n
    level = tl.sum(total, 0) / n
    if RMS:
        level = level * 0
    for start in range(0, n, BLOCK):
        column = start + lane
        mask = column < n
        value = (tl.load(x + column, mask, 0).to(wide) - average) * scale
        g = tl.load(grad + column, mask, 0).to(wide)
        if HAS_WEIGHT:
            g = g * tl.load(weight + column, mask, 0).to(wide)
        tl.store(dx + column, ((g - level - value * slope) * scale).to(dx.dtype.element_ty), mask)


@triton.jit
def parameters_gradient(
    grad,
    x,
    mean,
    rstd,
    dweight,
    dbias,
    m,
    n,
    span,
    RMS: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """Program (i, p): the sums over part p, of `span` rows, to [parts, n]."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    part = tl.program_id(1)
    first = part.to(tl.int64) * span
    last = tl.minimum(first + span, m)
    weights = tl.zeros((ROWS, COLS), wide)
    biases = tl.zeros((ROWS, COLS), wide)
    for start in range(first, last, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row < last)[:, None] & (column < n)[None, :]
        at = (row * n)[:, None] + column[None, :]
        g = tl.load(grad + at, mask, 0).to(wide)
        if HAS_WEIGHT:
            value = tl.load(x + at, mask, 0).to(wide)
            if not RMS:
                value = value - tl.load(mean + row, row < last, 0).to(wide)[:, None]
            weights += g * value * tl.load(rstd + row, row < last, 0).to(wide)[:, None]
        if HAS_BIAS:
            biases += g
    to = part.to(tl.int64) * n + column
    if HAS_WEIGHT:
        tl.store(dweight + to, tl.sum(weights, 0).to(dweight.dtype.element_ty), column < n)
    if HAS_BIAS:
        tl.store(dbias + to, tl.sum(biases, 0).to(dbias.dtype.element_ty), column < n)


@triton.jit
def sum_parts(source, out, parts, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    """The columns' sums of [parts, n]."""
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    total = tl.zeros((ROWS, COLS), source.dtype.element_ty)
    for start in range(0, parts, ROWS):
        row = start + tl.arange(0, ROWS).to(tl.int64)
        mask = (row < parts)[:, None] & (column < n)[None, :]
        total += tl.load(source + (row * n)[:, None] + column[None, :], mask, 0)
    tl.store(out + column, tl.sum(total, 0).to(out.dtype.element_ty), column < n)


@triton.jit
def groups(
    x,
    weight,
    bias,
    y,
    mean,
    rstd,
    groups,
    channels,
    size,
    eps,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    EPS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A group in each program: [channels, size] elements."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    n = channels * size
    x += row * n
    y += row * n
    lane = tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK,), wide)
    for start in range(0, n, BLOCK):
        sums += tl.load(x + start + lane, start + lane < n, 0).to(wide)
    average = tl.sum(sums, 0) / n
    squares = tl.zeros((BLOCK,), wide)
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        value = tl.load(x + start + lane, mask, 0).to(wide)
        value = tl.where(mask, value - average, 0)
        squares += value * value
    scale = _inverse_root(tl.sum(squares, 0) / n + _number(eps, EPS, wide))
    tl.store(mean + row, average.to(mean.dtype.element_ty))
    tl.store(rstd + row, scale.to(rstd.dtype.element_ty))
    channel = row % groups * channels
    for c in range(channels):
        slope = scale
        if HAS_WEIGHT:
            slope = scale * tl.load(weight + channel + c).to(wide)
        level = -average * slope
        if HAS_BIAS:
            level += tl.load(bias + channel + c).to(wide)
        for start in range(0, size, BLOCK):
            mask = start + lane < size
            value = tl.load(x + c * size + start + lane, mask, 0).to(wide)
            tl.store(y + c * size + start + lane, (value * slope + level).to(y.dtype.element_ty), mask)


@triton.jit
def channel_sums(grad, x, mean, rstd, along, total, channels, size, BLOCK: tl.constexpr):
    """A channel of a sample in each program: the sums of g (x - mean) rstd and of g."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    average = tl.load(mean + row // channels).to(wide)
    scale = tl.load(rstd + row // channels).to(wide)
    products = tl.zeros((BLOCK,), wide)
    sums = tl.zeros((BLOCK,), wide)
    for start in range(0, size, BLOCK):
        mask = start + lane < size
        g = tl.load(grad + row * size + start + lane, mask, 0).to(wide)
        value = tl.load(x + row * size + start + lane, mask, 0).to(wide)
        products += g * (value - average)
        sums += g
    tl.store(along + row, tl.sum(products, 0) * scale)
    tl.store(total + row, tl.sum(sums, 0))


@triton.jit
def groups_gradient(
    grad,
    x,
    weight,
    mean,
    rstd,
    along,
    total,
    dx,
    groups,
    channels,
    size,
    HAS_WEIGHT: tl.constexpr,
    CHANNELS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A channel of a sample in each program."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    group = row // channels
    channel = tl.arange(0, CHANNELS)
    products = tl.zeros((CHANNELS,), wide)
    sums = tl.zeros((CHANNELS,), wide)
    for start in range(0, channels, CHANNELS):
        inside = start + channel < channels
        at = group * channels + start + channel
        product = tl.load(along + at, inside, 0).to(wide)
        part = tl.load(total + at, inside, 0).to(wide)
        if HAS_WEIGHT:
            w = tl.load(weight + group % groups * channels + start + channel, inside, 0).to(wide)
            product = product * w
            part = part * w
        products += product
        sums += part
    n = channels * size
    slope = tl.sum(products, 0) / n
    level = tl.sum(sums, 0) / n
    average = tl.load(mean + group).to(wide)
    scale = tl.load(rstd + group).to(wide)
    lane = tl.arange(0, BLOCK)
    for start in range(0, size, BLOCK):
        mask = start + lane < size
        g = tl.load(grad + row * size + start + lane, mask, 0).to(wide)
        if HAS_WEIGHT:
            g = g * tl.load(weight + row % (groups * channels)).to(wide)
        value = (tl.load(x + row * size + start + lane, mask, 0).to(wide) - average) * scale
        tl.store(
            dx + row * size + start + lane,
            ((g - level - value * slope) * scale).to(dx.dtype.element_ty),
            mask,
        )
