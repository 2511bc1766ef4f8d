"""Pointwise kernels over tensors of any strides.

A program computes a tile of ROWS x COLS elements. Columns are the innermost
dimension of the collapsed iteration space, rows are all the others; a tensor that
is contiguous, or collapses to one dimension, has one row. `dims` has the sizes and
`*_steps` the strides of a tensor along them, 0 where it is broadcast.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _wide(x):
    """The value in the type that arithmetic is done in."""
    if x.dtype.is_floating() and x.dtype.primitive_bitwidth < 32:
        return x.to(tl.float32)
    else:
        return x


@triton.jit
def _tile(dims, RANK: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Rows, columns and mask of the program's tile."""
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
    """Offsets of a tile's elements in a tensor."""
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
def _load(x, row, column, dims, steps, mask, RANK: tl.constexpr):
    return _wide(tl.load(x + _offsets(row, column, dims, steps, RANK), mask))


@triton.jit
def _erf_gelu_gradient(x):
    density = tl.exp(-0.5 * x * x) * 0.3989422804014327
    return 0.5 * (1 + tl.erf(x * 0.7071067811865476)) + x * density


@triton.jit
def _sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def _unary(x, OP: tl.constexpr):
    if OP == "exp":
        return tl.exp(x)
    elif OP == "log":
        return tl.log(x)
    elif OP == "sqrt":
        if x.dtype == tl.float32:
            return tl.sqrt_rn(x)
        else:
            return tl.sqrt(x)
    elif OP == "rsqrt":
        return libdevice.rsqrt(x)
    elif OP == "abs":
        return tl.abs(x)
    elif OP == "neg":
        return -x
    elif OP == "relu":
        return tl.where(x <= 0, 0, x)
    elif OP == "gelu_none":
        return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    elif OP == "gelu_tanh":
        # (1 + tanh(u)) / 2 is the sigmoid of 2 u.
        return x / (1 + tl.exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)))
    elif OP == "silu":
        return x / (1 + tl.exp(-x))
    elif OP == "tanh":
        return libdevice.tanh(x)
    elif OP == "sigmoid":
        return _sigmoid(x)
    else:
        tl.static_assert(OP == "copy", "unknown operation")
        return x


@triton.jit
def _gradient(g, x, OP: tl.constexpr):
    """The gradient by x from that by the result; x is the result where the name
    says so."""
    if OP == "relu_result":
        return tl.where(x <= 0, 0, g)
    elif OP == "exp_result":
        return g * x
    elif OP == "log":
        return g / x
    elif OP == "sqrt_result":
        return g / (2 * x)
    elif OP == "rsqrt_result":
        return -0.5 * g * x * x * x
    elif OP == "abs":
        return tl.where(x > 0, g, tl.where(x < 0, -g, g * 0))
    elif OP == "gelu_none":
        return g * _erf_gelu_gradient(x)
    elif OP == "gelu_tanh":
        u = 1.5957691216057308 * (x + 0.044715 * x * x * x)
        s = _sigmoid(u)
        slope = 1.5957691216057308 * (1 + 0.134145 * x * x)
        return g * (s + x * s * (1 - s) * slope)
    elif OP == "silu":
        s = _sigmoid(x)
        return g * s * (1 + x * (1 - s))
    elif OP == "tanh_result":
        return g * (1 - x * x)
    else:
        tl.static_assert(OP == "sigmoid_result", "unknown operation")
        return g * x * (1 - x)


@triton.jit
def _divide(x, y):
    if x.dtype == tl.float32:
        return tl.div_rn(x, y)
    else:
        return x / y


@triton.jit
def _divide_integers(x, y, FLOOR: tl.constexpr):
    """The quotient, 0 if y is 0. Neither a division by 0 nor one that overflows, which
    processors answer with a trap, is executed."""
    if x.dtype.is_int_signed():
        special = (y == 0) | (y == -1)
        divisor = tl.where(special, 1, y)
        quotient = x // divisor
        if FLOOR:
            down = (x % divisor != 0) & ((x < 0) != (divisor < 0))
            quotient = tl.where(down, quotient - 1, quotient)
        return tl.where(special, -x * (y == -1).to(x.dtype), quotient)
    else:
        return tl.where(y == 0, 0, x // tl.where(y == 0, 1, y))


@triton.jit
def _binary(x, y, OP: tl.constexpr):
    if OP == "mul":
        return x * y
    elif OP == "div_none":
        return _divide(x, y)
    elif OP == "div_floor":
        if x.dtype.is_floating():
            # What the remainder leaves is divided exactly but for the rounding.
            rest = libdevice.fmod(x, y)
            quotient = libdevice.rint((x - rest) / y)
            down = (rest != 0) & ((rest < 0) != (y < 0))
            return tl.where(y == 0, x / y, tl.where(down, quotient - 1, quotient))
        else:
            return _divide_integers(x, y, True)
    elif OP == "div_trunc":
        if x.dtype.is_floating():
            return libdevice.trunc(_divide(x, y))
        else:
            return _divide_integers(x, y, False)
    elif OP == "pow":
        return libdevice.pow(x, y)
    elif OP == "maximum":
        # If y is NaN no comparison holds, and y is the result.
        return tl.where((x > y) | (x != x), x, y)
    else:
        tl.static_assert(OP == "minimum", "unknown operation")
        return tl.where((x < y) | (x != x), x, y)


@triton.jit
def _scalar(value, EXACT: tl.constexpr, like):
    """A number in the shape and type of `like`. Floats are passed in 32 bits; EXACT,
    where it is not None, is the value that has more of them."""
    if EXACT is None:
        return tl.full(like.shape, value, like.dtype)
    else:
        return tl.full(like.shape, EXACT, like.dtype)


@triton.jit
def unary(
    x,
    out,
    dims,
    x_steps,
    out_steps,
    OP: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    value = _unary(_load(x, row, column, dims, x_steps, mask, RANK), OP)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, value.to(out.dtype.element_ty), mask)


@triton.jit
def gradient(
    grad,
    x,
    out,
    dims,
    grad_steps,
    x_steps,
    out_steps,
    OP: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    g = _load(grad, row, column, dims, grad_steps, mask, RANK)
    value = _gradient(g, _load(x, row, column, dims, x_steps, mask, RANK), OP)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, value.to(out.dtype.element_ty), mask)


@triton.jit
def binary(
    x,
    y,
    out,
    dims,
    x_steps,
    y_steps,
    out_steps,
    OP: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    a = _load(x, row, column, dims, x_steps, mask, RANK)
    b = _load(y, row, column, dims, y_steps, mask, RANK)
    if OP == "div_none" and a.dtype.is_int():
        value = _binary(a.to(tl.float32), b.to(tl.float32), OP)
    else:
        value = _binary(a, b, OP)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, value.to(out.dtype.element_ty), mask)


@triton.jit
def add_scaled(
    x,
    y,
    out,
    alpha,
    dims,
    x_steps,
    y_steps,
    out_steps,
    ALPHA: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """out = x + alpha y."""
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    a = _load(x, row, column, dims, x_steps, mask, RANK)
    b = _load(y, row, column, dims, y_steps, mask, RANK)
    if ALPHA == 1:
        value = a + b
    elif ALPHA == -1:
        value = a - b
    else:
        value = a + _scalar(alpha, ALPHA, a) * b
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, value.to(out.dtype.element_ty), mask)


@triton.jit
def select(
    condition,
    x,
    y,
    out,
    dims,
    condition_steps,
    x_steps,
    y_steps,
    out_steps,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    take = tl.load(condition + _offsets(row, column, dims, condition_steps, RANK), mask)
    a = tl.load(x + _offsets(row, column, dims, x_steps, RANK), mask)
    b = tl.load(y + _offsets(row, column, dims, y_steps, RANK), mask)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, tl.where(take != 0, a, b), mask)


@triton.jit
def select_gradient(
    grad,
    condition,
    dx,
    dy,
    dims,
    grad_steps,
    condition_steps,
    dx_steps,
    dy_steps,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    take = tl.load(condition + _offsets(row, column, dims, condition_steps, RANK), mask)
    g = tl.load(grad + _offsets(row, column, dims, grad_steps, RANK), mask)
    zero = tl.zeros_like(g)
    tl.store(dx + _offsets(row, column, dims, dx_steps, RANK), tl.where(take != 0, g, zero), mask)
    tl.store(dy + _offsets(row, column, dims, dy_steps, RANK), tl.where(take != 0, zero, g), mask)


@triton.jit
def binary_gradient(
    grad,
    x,
    y,
    dx,
    dy,
    dims,
    grad_steps,
    x_steps,
    y_steps,
    dx_steps,
    dy_steps,
    OP: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """The gradients by x and y from that by the result."""
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    g = _load(grad, row, column, dims, grad_steps, mask, RANK)
    a = _load(x, row, column, dims, x_steps, mask, RANK)
    b = _load(y, row, column, dims, y_steps, mask, RANK)
    if OP == "mul":
        by_x = g * b
        by_y = g * a
    elif OP == "div":
        by_x = g / b
        by_y = -by_x * (a / b)
    elif OP == "pow":
        by_x = tl.where(b == 0, 0, g * b * libdevice.pow(a, b - 1))
        by_y = tl.where((a == 0) & (b >= 0), 0, g * libdevice.pow(a, b) * tl.log(a))
    else:
        # Equal operands share the gradient.
        if OP == "maximum":
            first = a > b
        else:
            tl.static_assert(OP == "minimum", "unknown operation")
            first = a < b
        half = tl.where(a == b, g * 0.5, 0)
        by_x = tl.where(first, g, half)
        by_y = tl.where(first, 0, tl.where(a == b, half, g))
    tl.store(dx + _offsets(row, column, dims, dx_steps, RANK), by_x.to(dx.dtype.element_ty), mask)
    tl.store(dy + _offsets(row, column, dims, dy_steps, RANK), by_y.to(dy.dtype.element_ty), mask)


@triton.jit
def fill_where(
    x,
    condition,
    out,
    value,
    dims,
    x_steps,
    condition_steps,
    out_steps,
    VALUE: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    take = tl.load(condition + _offsets(row, column, dims, condition_steps, RANK), mask)
    a = tl.load(x + _offsets(row, column, dims, x_steps, RANK), mask)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, tl.where(take != 0, _scalar(value, VALUE, a), a), mask)


@triton.jit
def clamp(
    x,
    out,
    low,
    high,
    dims,
    x_steps,
    out_steps,
    HAS_LOW: tl.constexpr,
    HAS_HIGH: tl.constexpr,
    LOW: tl.constexpr,
    HIGH: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """NaN stays NaN; the upper bound wins."""
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    value = _load(x, row, column, dims, x_steps, mask, RANK)
    if HAS_LOW:
        bound = _scalar(low, LOW, value)
        value = tl.where(value < bound, bound, value)
    if HAS_HIGH:
        bound = _scalar(high, HIGH, value)
        value = tl.where(value > bound, bound, value)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, value.to(out.dtype.element_ty), mask)


@triton.jit
def clamp_gradient(
    grad,
    x,
    out,
    low,
    high,
    dims,
    grad_steps,
    x_steps,
    out_steps,
    HAS_LOW: tl.constexpr,
    HAS_HIGH: tl.constexpr,
    LOW: tl.constexpr,
    HIGH: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    g = _load(grad, row, column, dims, grad_steps, mask, RANK)
    value = _load(x, row, column, dims, x_steps, mask, RANK)
    if HAS_LOW:
        g = tl.where(value >= _scalar(low, LOW, value), g, 0)
    if HAS_HIGH:
        g = tl.where(value <= _scalar(high, HIGH, value), g, 0)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, g.to(out.dtype.element_ty), mask)


@triton.jit
def _random(seed, counter):
    """Four numbers in [0, 1) for each counter."""
    low = (counter & 0xFFFFFFFF).to(tl.uint32)
    high = (counter >> 32).to(tl.uint32)
    a, b, c, d = tl.philox(seed, low, high, low * 0, low * 0)
    a = tl.uint_to_uniform_float(a)
    b = tl.uint_to_uniform_float(b)
    c = tl.uint_to_uniform_float(c)
    d = tl.uint_to_uniform_float(d)
    return a, b, c, d


@triton.jit
def _dropped(x, random, p, scale, SCALE: tl.constexpr):
    return tl.where(random >= p, x * _scalar(scale, SCALE, x), 0)


# Philox makes four numbers at once, for elements that are 256 apart: element i uses
# number i % 1024 // 256 of counter i // 1024 * 256 + i % 256, where i is its index in
# row-major order plus the offset. The gradient of dropout is dropout of the gradient.


@triton.jit
def dropout(
    x,
    out,
    seed,
    offset,
    p,
    scale,
    dims,
    x_steps,
    out_steps,
    SCALE: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    value = _load(x, row, column, dims, x_steps, mask, RANK)
    index = row[:, None] * dims[RANK - 1] + column[None, :] + offset
    a, b, c, d = _random(seed, index // 1024 * 256 + index % 256)
    which = index % 1024 // 256
    random = tl.where(which < 2, tl.where(which == 0, a, b), tl.where(which == 2, c, d))
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, _dropped(value, random, p, scale, SCALE).to(out.dtype.element_ty), mask)


@triton.jit
def dropout_flat(x, out, seed, offset, p, scale, n, SCALE: tl.constexpr, BLOCKS: tl.constexpr):
    """Tensors without gaps, and an offset that is a multiple of 1024: blocks of 1024."""
    lane = tl.arange(0, 256)
    for block in range(BLOCKS):
        start = (tl.program_id(0).to(tl.int64) * BLOCKS + block) * 1024
        a, b, c, d = _random(seed, (start + offset) // 4 + lane)
        for quarter in tl.static_range(4):
            at = start + quarter * 256 + lane
            value = _wide(tl.load(x + at, at < n))
            if quarter == 0:
                random = a
            elif quarter == 1:
                random = b
            elif quarter == 2:
                random = c
            else:
                random = d
            tl.store(out + at, _dropped(value, random, p, scale, SCALE).to(out.dtype.element_ty), at < n)


@triton.jit
def silu_and_mul(
    gate,
    up,
    out,
    dims,
    gate_steps,
    up_steps,
    out_steps,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    a = _load(gate, row, column, dims, gate_steps, mask, RANK)
    b = _load(up, row, column, dims, up_steps, mask, RANK)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    tl.store(to, (a / (1 + tl.exp(-a)) * b).to(out.dtype.element_ty), mask)


@triton.jit
def silu_and_mul_gradient(
    grad,
    gate,
    up,
    dgate,
    dup,
    dims,
    grad_steps,
    gate_steps,
    up_steps,
    dgate_steps,
    dup_steps,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    g = _load(grad, row, column, dims, grad_steps, mask, RANK)
    a = _load(gate, row, column, dims, gate_steps, mask, RANK)
    b = _load(up, row, column, dims, up_steps, mask, RANK)
    s = _sigmoid(a)
    to = dgate + _offsets(row, column, dims, dgate_steps, RANK)
    tl.store(to, (g * b * s * (1 + a * (1 - s))).to(dgate.dtype.element_ty), mask)
    to = dup + _offsets(row, column, dims, dup_steps, RANK)
    tl.store(to, (g * a * s).to(dup.dtype.element_ty), mask)


@triton.jit
def fill(
    out,
    value,
    dims,
    out_steps,
    VALUE: tl.constexpr,
    RANK: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row, column, mask = _tile(dims, RANK, ROWS, COLS)
    to = out + _offsets(row, column, dims, out_steps, RANK)
    zeros = tl.zeros((ROWS, COLS), out.dtype.element_ty)
    tl.store(to, _scalar(value, VALUE, zeros), mask)
