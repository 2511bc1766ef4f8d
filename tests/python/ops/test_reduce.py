"""Reductions and scans: built-in and free combinations, on every axis."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import INTEGERS, assert_close, floats, integers

SHAPES = [(64,), (8, 32), (4, 8, 16)]
AXES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]


@triton.jit
def offsets(SHAPE: tl.constexpr):
    """Row-major indices of a tile."""
    return tl.reshape(tl.arange(0, tl.constexpr(_product(SHAPE))), SHAPE)


@triton.constexpr_function
def _product(shape):
    count = 1
    for size in shape:
        count *= size
    return count


@triton.jit
def exclusive_or(a, b):
    return a ^ b


@triton.jit
def reduce_kernel(x_ptr, out_ptr, index_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, R: tl.constexpr):
    x = tl.load(x_ptr + offsets(SHAPE))
    rest: tl.constexpr = _product(SHAPE) // SHAPE[AXIS]
    o = tl.arange(0, rest)
    tl.store(out_ptr + o, tl.reshape(tl.sum(x, AXIS, dtype=x.dtype, keep_dims=True), (rest,)))
    tl.store(out_ptr + rest + o, tl.reshape(tl.max(x, AXIS, keep_dims=True), (rest,)))
    tl.store(out_ptr + 2 * rest + o, tl.reshape(tl.min(x, AXIS, keep_dims=True), (rest,)))
    tl.store(index_ptr + o, tl.reshape(tl.argmax(x, AXIS, keep_dims=True), (rest,)))
    tl.store(index_ptr + rest + o, tl.reshape(tl.argmin(x, AXIS, keep_dims=True), (rest,)))
    if x.dtype.is_int():
        exclusive = tl.reduce(x, AXIS, exclusive_or, keep_dims=True)
        tl.store(out_ptr + 3 * rest + o, tl.reshape(exclusive, (rest,)))


def reduced(kind, x, shape, axis):
    rest = x.size // shape[axis] if isinstance(x, np.ndarray) else x.numel() // shape[axis]
    tensor = torch.from_numpy(x) if isinstance(x, np.ndarray) else x
    out = torch.zeros((4, rest), dtype=tensor.dtype)
    index = torch.zeros((2, rest), dtype=torch.int32)
    reduce_kernel[(1,)](tensor, out, index, shape, axis, rest)
    return out, index


@pytest.mark.parametrize("shape, axis", AXES, ids=str)
@pytest.mark.parametrize("kind", INTEGERS)
def test_reduce_integer(kind, shape, axis):
    x = integers(kind, int(np.prod(shape))).reshape(shape)
    x.flat[20:24] = x.flat[40:44]
    out, index = reduced(kind, x, shape, axis)
    expected = [
        x.sum(axis, dtype=kind), x.max(axis), x.min(axis), np.bitwise_xor.reduce(x, axis),
    ]  # fmt: skip
    np.testing.assert_array_equal(out, [values.ravel() for values in expected])
    np.testing.assert_array_equal(index, [x.argmax(axis).ravel(), x.argmin(axis).ravel()])


@pytest.mark.parametrize("shape, axis", AXES, ids=str)
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_reduce_float(kind, shape, axis):
    x = floats(kind, int(np.prod(shape)), special=False).reshape(shape)
    out, index = reduced(kind, x, shape, axis)
    assert_close(out[0], x.double().sum(axis).ravel(), ulps=256)
    assert torch.equal(out[1], x.amax(axis).ravel()) and torch.equal(out[2], x.amin(axis).ravel())
    exact = x.double().numpy()
    np.testing.assert_array_equal(index, [exact.argmax(axis).ravel(), exact.argmin(axis).ravel()])


@triton.jit
def sum_and_peak(sum_a, peak_a, at_a, sum_b, peak_b, at_b):
    """Three operands of three types, with branches."""
    if peak_a > peak_b:
        peak = peak_a
        at = at_a
    elif peak_a == peak_b:
        peak = peak_a
        at = min(at_a, at_b)
    else:
        peak = peak_b
        at = at_b
    return sum_a + sum_b, peak, at


@triton.jit
def several_kernel(x_ptr, sum_ptr, peak_ptr, at_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + offsets((M, N)))
    columns = tl.broadcast_to(tl.arange(0, N)[None, :], (M, N)).to(tl.int64)
    total, peak, at = tl.reduce((x.to(tl.float64), x, columns), 1, sum_and_peak)
    rows = tl.arange(0, M)
    tl.store(sum_ptr + rows, total)
    tl.store(peak_ptr + rows, peak)
    tl.store(at_ptr + rows, at)


def test_reduce_several_with_branches():
    x = torch.from_numpy(integers("int32", 16 * 64, -20, 20)).reshape(16, 64)
    total = torch.zeros(16, dtype=torch.float64)
    peak, at = torch.zeros(16, dtype=torch.int32), torch.zeros(16, dtype=torch.int64)
    several_kernel[(1,)](x, total, peak, at, 16, 64)
    assert torch.equal(total, x.double().sum(1))
    assert torch.equal(peak, x.amax(1))
    np.testing.assert_array_equal(at, x.numpy().argmax(1))


@triton.jit
def affine(a1, b1, a2, b2):
    """Composition of x -> a * x + b: associative, and not commutative."""
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scan_kernel(x_ptr, out_ptr, a_ptr, b_ptr, SHAPE: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = offsets(SHAPE)
    count: tl.constexpr = _product(SHAPE)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.cumsum(x, AXIS, reverse=REVERSE, dtype=x.dtype))
    tl.store(out_ptr + count + i, tl.cumprod(x, AXIS, reverse=REVERSE))
    a, b = tl.associative_scan((x, x + 1), AXIS, affine, reverse=REVERSE)
    tl.store(a_ptr + i, a)
    tl.store(b_ptr + i, b)


def scanned(x, axis, reverse, combine):
    """The running combination along an axis, of tuples of arrays."""
    lines = [np.moveaxis(values, axis, 0) for values in x]
    if reverse:
        lines = [line[::-1] for line in lines]
    rows = [tuple(line[0] for line in lines)]
    for k in range(1, lines[0].shape[0]):
        rows.append(combine(rows[-1], tuple(line[k] for line in lines)))
    results = [np.stack(part) for part in zip(*rows)]
    return [np.moveaxis(part[::-1] if reverse else part, 0, axis) for part in results]


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize("shape, axis", AXES, ids=str)
@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "uint32", "int64", "float32", "float64"])
def test_scan(kind, shape, axis, reverse):
    count = int(np.prod(shape))
    if kind.startswith("float"):
        x = floats(kind, count, scale=0.5, special=False).numpy().reshape(shape)
    else:
        x = integers(kind, count, 0 if kind[0] == "u" else -7, 7).reshape(shape)
    out = torch.zeros((2, *shape), dtype=getattr(torch, kind))
    a, b = out[0].clone(), out[0].clone()
    scan_kernel[(1,)](torch.from_numpy(x), out, a, b, shape, axis, reverse)
    with np.errstate(over="ignore"):
        total = scanned((x,), axis, reverse, lambda p, q: (p[0] + q[0],))
        product = scanned((x,), axis, reverse, lambda p, q: (p[0] * q[0],))
        one = np.array(1, kind)
        both = scanned(
            (x, x + one), axis, reverse, lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1])
        )
    pairs = [(out[0], total[0]), (out[1], product[0]), (a, both[0]), (b, both[1])]
    for found, expected in pairs:
        if kind.startswith("float"):
            assert_close(found, torch.from_numpy(expected.copy()), ulps=512)
        else:
            np.testing.assert_array_equal(found, expected)
