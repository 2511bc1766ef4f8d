"""Matrix products: batched, with a bias and an activation, grouped, and those that
convolutions are made of.

Operands have any strides. Sums are made in f32, of f64 in f64.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.constexpr_function
def _wide(dtype):
    return tl.float64 if dtype == tl.float64 else tl.float32


@triton.jit
def _activate(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        return tl.where(x <= 0, 0, x)
    elif ACTIVATION == "gelu":
        return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    elif ACTIVATION == "gelu_tanh":
        return x / (1 + tl.exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)))
    elif ACTIVATION == "silu":
        return x / (1 + tl.exp(-x))
    elif ACTIVATION == "sigmoid":
        return 1 / (1 + tl.exp(-x))
    elif ACTIVATION == "tanh":
        return libdevice.tanh(x)
    else:
        tl.static_assert(ACTIVATION == "none", "unknown activation")
        return x


@triton.jit
def _place(pid, m, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """The tile of a program: GROUP_M rows of tiles share the right operand's columns."""
    across = tl.cdiv(n, BLOCK_N)
    group = pid // (GROUP_M * across)
    first = group * GROUP_M
    height = tl.minimum(tl.cdiv(m, BLOCK_M) - first, GROUP_M)
    inside = pid % (GROUP_M * across)
    return first + inside % height, inside // height


@triton.jit
def matmul(
    x,
    y,
    bias,
    out,
    m,
    n,
    k,
    inner,
    xb,
    xc,
    xm,
    xk,
    yb,
    yc,
    yk,
    yn,
    ob,
    oc,
    out_m,
    out_n,
    bb,
    bc,
    bias_n,
    HAS_BIAS: tl.constexpr,
    BIAS_ROWS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    EVEN_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """out = activation(x @ y + bias), for each of [outer, inner] batches. The bias is one of columns, or of rows."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    tiles = tl.cdiv(m, BLOCK_M) * tl.cdiv(n, BLOCK_N)
    tile_m, tile_n = _place(tl.program_id(0) % tiles, m, n, BLOCK_M, BLOCK_N, GROUP_M)
    which = tl.program_id(0) // tiles
    outer = (which // inner).to(tl.int64)
    batch = (which % inner).to(tl.int64)
    row = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    rows = (row < m)[:, None]
    columns = (column < n)[None, :]
    left = x + outer * xb + batch * xc + (row.to(tl.int64) * xm)[:, None] + (depth * xk)[None, :]
    right = y + outer * yb + batch * yc + (depth * yk)[:, None] + (column.to(tl.int64) * yn)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), wide)
    for start in range(0, k, BLOCK_K):
        if EVEN_K:
            a = tl.load(left, rows, 0)
            b = tl.load(right, columns, 0)
        else:
            a = tl.load(left, rows & (start + depth < k)[None, :], 0)
            b = tl.load(right, (start + depth < k)[:, None] & columns, 0)
        total = tl.dot(a, b, total, input_precision="ieee", out_dtype=wide)
        left += BLOCK_K * xk
        right += BLOCK_K * yk
    if HAS_BIAS:
        if BIAS_ROWS:
            total += tl.load(bias + batch * bc + row * bias_n, row < m, 0).to(wide)[:, None]
        else:
            total += tl.load(bias + batch * bc + column * bias_n, column < n, 0).to(wide)[None, :]
    total = _activate(total, ACTIVATION)
    to = (
        out
        + outer * ob
        + batch * oc
        + (row.to(tl.int64) * out_m)[:, None]
        + (column.to(tl.int64) * out_n)[None, :]
    )
    tl.store(to, total.to(out.dtype.element_ty), rows & columns)


@triton.jit
def _end(ends, group, rows):
    """The row after a group's last, among those that there are."""
    return tl.minimum(tl.maximum(tl.load(ends + group), 0), rows).to(tl.int32)


@triton.jit
def grouped_matmul(
    x,
    y,
    ends,
    out,
    groups,
    rows,
    n,
    k,
    xm,
    xk,
    yg,
    yk,
    yn,
    out_m,
    out_n,
    EVEN_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Rows ends[g - 1] to ends[g] of x times y[g], where they exist. Program (s, i): slot
    s is a tile of rows; each group has as many as it needs, and the slots that are left
    return."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    slot = tl.program_id(0)
    first = slot * 0
    last = slot * 0
    group = slot * 0
    before = slot * 0
    used = slot * 0
    for g in range(groups):
        end = _end(ends, g, rows)
        tiles = tl.cdiv(tl.maximum(end - before, 0), BLOCK_M)
        mine = (slot >= used) & (slot < used + tiles)
        first = tl.where(mine, before + (slot - used) * BLOCK_M, first)
        last = tl.where(mine, end, last)
        group = tl.where(mine, g, group)
        used += tiles
        before = tl.maximum(before, end)
    if slot < used:
        row = first + tl.arange(0, BLOCK_M)
        column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
        depth = tl.arange(0, BLOCK_K)
        inside = (row < last)[:, None]
        columns = (column < n)[None, :]
        left = x + (row.to(tl.int64) * xm)[:, None] + (depth * xk)[None, :]
        right = y + group.to(tl.int64) * yg + (depth * yk)[:, None] + (column.to(tl.int64) * yn)[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), wide)
        for start in range(0, k, BLOCK_K):
            if EVEN_K:
                a = tl.load(left, inside, 0)
                b = tl.load(right, columns, 0)
            else:
                a = tl.load(left, inside & (start + depth < k)[None, :], 0)
                b = tl.load(right, (start + depth < k)[:, None] & columns, 0)
            total = tl.dot(a, b, total, input_precision="ieee", out_dtype=wide)
            left += BLOCK_K * xk
            right += BLOCK_K * yk
        to = out + (row.to(tl.int64) * out_m)[:, None] + (column.to(tl.int64) * out_n)[None, :]
        tl.store(to, total.to(out.dtype.element_ty), inside & columns)


@triton.jit
def grouped_sum(
    x,
    y,
    ends,
    out,
    rows,
    m,
    n,
    xr,
    xm,
    yr,
    yn,
    out_g,
    out_m,
    out_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """out[g] = x^T @ y of the rows of x, [rows, m], and y, [rows, n], from ends[g - 1] to
    ends[g]; a program along 1 for each group."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    group = tl.program_id(1)
    first = group * 0
    for g in range(group):
        first = tl.maximum(first, _end(ends, g, rows))
    last = _end(ends, group, rows)
    across = tl.cdiv(n, BLOCK_N)
    row = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(0) % across * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    left = x + (row.to(tl.int64) * xm)[:, None]
    right = y + (column.to(tl.int64) * yn)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), wide)
    for start in range(first, last, BLOCK_K):
        at = start + depth
        inside = at < last
        a = tl.load(left + (at.to(tl.int64) * xr)[None, :], (row < m)[:, None] & inside[None, :], 0)
        b = tl.load(right + (at.to(tl.int64) * yr)[:, None], inside[:, None] & (column < n)[None, :], 0)
        total = tl.dot(a, b, total, input_precision="ieee", out_dtype=wide)
    to = (
        out
        + group.to(tl.int64) * out_g
        + (row.to(tl.int64) * out_m)[:, None]
        + (column.to(tl.int64) * out_n)[None, :]
    )
    tl.store(to, total.to(out.dtype.element_ty), (row < m)[:, None] & (column < n)[None, :])


@triton.jit
def product_sum(
    x,
    y,
    out,
    m,
    n,
    k,
    batches,
    xb,
    xc,
    xm,
    xk,
    yb,
    yc,
    yk,
    yn,
    oc,
    out_m,
    out_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """out = the sum of x[b] @ y[b] over all batches; a program along 1 for each group."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    across = tl.cdiv(n, BLOCK_N)
    row = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(0) % across * BLOCK_N + tl.arange(0, BLOCK_N)
    group = tl.program_id(1).to(tl.int64)
    depth = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), wide)
    for batch in range(batches):
        left = (
            x
            + batch.to(tl.int64) * xb
            + group * xc
            + (row.to(tl.int64) * xm)[:, None]
            + (depth * xk)[None, :]
        )
        right = (
            y
            + batch.to(tl.int64) * yb
            + group * yc
            + (depth * yk)[:, None]
            + (column.to(tl.int64) * yn)[None, :]
        )
        for start in range(0, k, BLOCK_K):
            inside = start + depth < k
            a = tl.load(left, (row < m)[:, None] & inside[None, :], 0)
            b = tl.load(right, inside[:, None] & (column < n)[None, :], 0)
            total = tl.dot(a, b, total, input_precision="ieee", out_dtype=wide)
            left += BLOCK_K * xk
            right += BLOCK_K * yk
    to = out + group * oc + (row.to(tl.int64) * out_m)[:, None] + (column.to(tl.int64) * out_n)[None, :]
    tl.store(to, total.to(out.dtype.element_ty), (row < m)[:, None] & (column < n)[None, :])


@triton.jit
def image_to_columns(
    x,
    out,
    height,
    width,
    out_height,
    out_width,
    kh,
    kw,
    stride_h,
    stride_w,
    pad_h,
    pad_w,
    dilation_h,
    dilation_w,
    BLOCK_H: tl.constexpr,
    BLOCK_W: tl.constexpr,
):
    """Program (p, h, w): what element p of [images, channels, kh, kw] is multiplied with,
    for BLOCK_H x BLOCK_W pixels of the result; 0 outside of the image."""
    element = tl.program_id(0).to(tl.int64)
    i = (element // kw % kh).to(tl.int32)
    j = (element % kw).to(tl.int32)
    image = element // (kh * kw)
    row = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    column = tl.program_id(2) * BLOCK_W + tl.arange(0, BLOCK_W)
    source_row = row * stride_h - pad_h + i * dilation_h
    source_column = column * stride_w - pad_w + j * dilation_w
    inside = ((source_row >= 0) & (source_row < height))[:, None] & (
        (source_column >= 0) & (source_column < width)
    )[None, :]
    value = tl.load(
        x + image * height * width + (source_row * width)[:, None] + source_column[None, :], inside, 0
    )
    to = out + element * out_height * out_width + (row * out_width)[:, None] + column[None, :]
    tl.store(to, value, (row < out_height)[:, None] & (column < out_width)[None, :])


@triton.jit
def convolve(
    x,
    weight,
    bias,
    out,
    filters,
    channels,
    n,
    groups,
    taps,
    kw,
    width,
    plane,
    out_width,
    out_plane,
    step_h,
    step_w,
    HAS_BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr,
    EVEN_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """A convolution with a stride of 1 as the sum of the products of each tap, [filters,
    channels], with the image moved. x is [images * groups, channels, plane] with its
    padding, weight is [taps, groups * filters, channels]. Pixels are the first n of an
    image of the width of x, so that they are contiguous; those that the result does not
    have are not stored."""
    wide: tl.constexpr = _wide(x.dtype.element_ty)
    tiles = tl.cdiv(filters, BLOCK_M) * tl.cdiv(n, BLOCK_N)
    tile_m, tile_n = _place(tl.program_id(0) % tiles, filters, n, BLOCK_M, BLOCK_N, GROUP_M)
    which = (tl.program_id(0) // tiles).to(tl.int64)
    row = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    pixel = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    rows = (row < filters)[:, None]
    pixels = (pixel < n)[None, :]
    first = which % groups * filters
    left = weight + ((first + row) * channels)[:, None] + depth[None, :]
    right = x + which * channels * plane + (depth.to(tl.int64) * plane)[:, None] + pixel[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), wide)
    blocks = tl.cdiv(channels, BLOCK_K)
    for step in range(taps * blocks):
        tap = (step // blocks).to(tl.int64)
        start = step % blocks * BLOCK_K
        a_at = left + tap * groups * filters * channels + start
        b_at = right + start.to(tl.int64) * plane + (tap // kw * step_h + tap % kw * step_w)
        if EVEN_K:
            a = tl.load(a_at, rows, 0)
            b = tl.load(b_at, pixels, 0)
        else:
            a = tl.load(a_at, rows & (start + depth < channels)[None, :], 0)
            b = tl.load(b_at, (start + depth < channels)[:, None] & pixels, 0)
        total = tl.dot(a, b, total, input_precision="ieee", out_dtype=wide)
    if HAS_BIAS:
        total += tl.load(bias + first + row, row < filters, 0).to(wide)[:, None]
    total = _activate(total, ACTIVATION)
    column = pixel % width
    place = pixel // width * out_width + column
    to = out + ((which * filters + row) * out_plane)[:, None] + place[None, :]
    tl.store(to, total.to(out.dtype.element_ty), rows & ((pixel < n) & (column < out_width))[None, :])


@triton.jit
def columns_to_image(
    source,
    out,
    height,
    width,
    out_height,
    out_width,
    kh,
    kw,
    stride_h,
    stride_w,
    pad_h,
    pad_w,
    dilation_h,
    dilation_w,
    BLOCK_H: tl.constexpr,
    BLOCK_W: tl.constexpr,
):
    """Program (c, h, w): for BLOCK_H x BLOCK_W pixels of channel c, the sum of the
    elements of [images, channels, kh, kw, out_height, out_width] that they went to."""
    channel = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    column = tl.program_id(2) * BLOCK_W + tl.arange(0, BLOCK_W)
    total = tl.zeros((BLOCK_H, BLOCK_W), source.dtype.element_ty)
    source += channel * kh * kw * out_height * out_width
    for i in range(kh):
        up = row + pad_h - i * dilation_h
        at_row = up // stride_h
        good_row = (up >= 0) & (at_row * stride_h == up) & (at_row < out_height)
        for j in range(kw):
            along = column + pad_w - j * dilation_w
            at_column = along // stride_w
            good_column = (along >= 0) & (at_column * stride_w == along) & (at_column < out_width)
            at = source + (i * kw + j).to(tl.int64) * out_height * out_width
            total += tl.load(
                at + (at_row * out_width)[:, None] + at_column[None, :],
                good_row[:, None] & good_column[None, :],
                0,
            )
    to = out + channel * height * width + (row * width)[:, None] + column[None, :]
    tl.store(to, total.to(out.dtype.element_ty), (row < height)[:, None] & (column < width)[None, :])


@triton.jit
def channel_sum(grad, out, images, channels, pixels, BLOCK: tl.constexpr):
    """A channel of [images, channels, pixels] in each program: its sum."""
    wide: tl.constexpr = _wide(grad.dtype.element_ty)
    channel = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), wide)
    for image in range(images):
        at = grad + (image.to(tl.int64) * channels + channel) * pixels
        for start in range(0, pixels, BLOCK):
            total += tl.load(at + start + lane, start + lane < pixels, 0).to(wide)
    tl.store(out + channel, tl.sum(total, 0).to(out.dtype.element_ty))
