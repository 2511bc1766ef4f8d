"""Arithmetic, comparisons and functions of one element, on every type."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import FLOATS, INTEGERS, any_values, assert_close, floats, integers

COUNT = 256


@triton.jit
def compare(x, y, out_ptr, i, N: tl.constexpr):
    tl.store(out_ptr + i, x == y)
    tl.store(out_ptr + N + i, x != y)
    tl.store(out_ptr + 2 * N + i, x < y)
    tl.store(out_ptr + 3 * N + i, x <= y)
    tl.store(out_ptr + 4 * N + i, x > y)
    tl.store(out_ptr + 5 * N + i, x >= y)


@triton.jit
def integer_kernel(x_ptr, y_ptr, d_ptr, s_ptr, out_ptr, truth_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    divisor = tl.load(d_ptr + i)
    shift = tl.load(s_ptr + i)
    tl.store(out_ptr + i, x + y)
    tl.store(out_ptr + N + i, x - y)
    tl.store(out_ptr + 2 * N + i, x * y)
    tl.store(out_ptr + 3 * N + i, x // divisor)
    tl.store(out_ptr + 4 * N + i, x % divisor)
    tl.store(out_ptr + 5 * N + i, x & y)
    tl.store(out_ptr + 6 * N + i, x | y)
    tl.store(out_ptr + 7 * N + i, x ^ y)
    tl.store(out_ptr + 8 * N + i, x << shift)
    tl.store(out_ptr + 9 * N + i, x >> shift)
    tl.store(out_ptr + 10 * N + i, ~x)
    tl.store(out_ptr + 11 * N + i, -x)
    tl.store(out_ptr + 12 * N + i, tl.minimum(x, y))
    tl.store(out_ptr + 13 * N + i, tl.maximum(x, y))
    tl.store(out_ptr + 14 * N + i, tl.abs(x))
    tl.store(out_ptr + 15 * N + i, tl.where(x < y, x, divisor))
    compare(x, y, truth_ptr, i, N)


def comparisons(x, y):
    return [x == y, x != y, x < y, x <= y, x > y, x >= y]


def integer_inputs(kind):
    """Operands, divisors that divide without overflow, and shift amounts."""
    x = integers(kind, COUNT)
    y = np.roll(integers(kind, COUNT), 3)
    y[32:64] = x[32:64]
    d = np.where((y == 0) | (y.astype("int64") == -1), np.array(3, kind), y)
    return x, y, d, integers(kind, COUNT, 0, np.iinfo(kind).bits - 1)


def run_integer(kind):
    arrays = integer_inputs(kind)
    out = np.zeros((16, COUNT), kind)
    truth = np.zeros((6, COUNT), bool)
    tensors = [torch.from_numpy(array) for array in (*arrays, out, truth)]
    integer_kernel[(1,)](*tensors, COUNT)
    return tensors[-2].numpy(), tensors[-1].numpy()


@pytest.mark.parametrize("kind", INTEGERS)
def test_integer(kind):
    x, y, d, s = integer_inputs(kind)
    with np.errstate(all="ignore"):
        expected = [
            x + y, x - y, x * y, (x - np.fmod(x, d)) // d, np.fmod(x, d), x & y, x | y, x ^ y,
            x << s, x >> s, ~x, np.array(0, kind) - x, np.minimum(x, y), np.maximum(x, y),
            np.abs(x), np.where(x < y, x, d),
        ]  # fmt: skip
    out, truth = run_integer(kind)
    for row, values in enumerate(expected):
        np.testing.assert_array_equal(out[row], values, err_msg=f"row {row}")
    np.testing.assert_array_equal(truth, comparisons(x, y))


@triton.jit
def bool_kernel(x_ptr, y_ptr, out_ptr, truth_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, x & y)
    tl.store(out_ptr + N + i, x | y)
    tl.store(out_ptr + 2 * N + i, x ^ y)
    tl.store(out_ptr + 3 * N + i, ~x)
    tl.store(out_ptr + 4 * N + i, tl.where(x, y, ~y))
    compare(x, y, truth_ptr, i, N)


def test_bool():
    x, y = any_values("bool", COUNT), any_values("bool", COUNT).flip(0)
    out = torch.zeros((5, COUNT), dtype=torch.bool)
    truth = torch.zeros((6, COUNT), dtype=torch.bool)
    bool_kernel[(1,)](x, y, out, truth, COUNT)
    assert torch.equal(out, torch.stack([x & y, x | y, x ^ y, ~x, torch.where(x, y, ~y)]))
    np.testing.assert_array_equal(truth, comparisons(x.byte().numpy(), y.byte().numpy()))


@triton.jit
def mulhi_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.umulhi(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64"])
def test_mulhi(kind):
    width = np.iinfo(kind).bits
    unsigned = f"uint{width}"
    x, y, _, _ = integer_inputs(kind)
    out = np.zeros_like(x)
    mulhi_kernel[(1,)](*map(torch.from_numpy, (x, y, out)), COUNT)
    pairs = zip(x.view(unsigned).tolist(), y.view(unsigned).tolist())
    assert out.view(unsigned).tolist() == [a * b >> width for a, b in pairs]


@triton.jit
def float_kernel(x_ptr, y_ptr, out_ptr, truth_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    every: tl.constexpr = tl.PropagateNan.ALL
    tl.store(out_ptr + i, x + y)
    tl.store(out_ptr + N + i, x - y)
    tl.store(out_ptr + 2 * N + i, x * y)
    tl.store(out_ptr + 3 * N + i, x / y)
    tl.store(out_ptr + 4 * N + i, -x)
    tl.store(out_ptr + 5 * N + i, tl.abs(x))
    tl.store(out_ptr + 6 * N + i, tl.minimum(x, y))
    tl.store(out_ptr + 7 * N + i, tl.maximum(x, y))
    tl.store(out_ptr + 8 * N + i, tl.minimum(x, y, propagate_nan=every))
    tl.store(out_ptr + 9 * N + i, tl.maximum(x, y, propagate_nan=every))
    tl.store(out_ptr + 10 * N + i, tl.where(x < y, x, y))
    tl.store(out_ptr + 11 * N + i, x % y)
    compare(x, y, truth_ptr, i, N)


@pytest.mark.parametrize("kind", FLOATS)
def test_float(kind):
    x, y = floats(kind, COUNT), floats(kind, COUNT).roll(3)
    y[32:64] = x[32:64]
    out = torch.zeros((12, COUNT), dtype=x.dtype)
    truth = torch.zeros((6, COUNT), dtype=torch.bool)
    float_kernel[(1,)](x, y, out, truth, COUNT)
    expected = [
        x + y, x - y, x * y, x / y, -x, x.abs(), torch.fmin(x, y), torch.fmax(x, y),
        torch.minimum(x, y), torch.maximum(x, y), torch.where(x < y, x, y), torch.fmod(x, y),
    ]  # fmt: skip
    for row, values in enumerate(expected):
        assert torch.equal(out[row].nan_to_num(7), values.nan_to_num(7)), f"row {row}"
        assert torch.equal(out[row].isnan(), values.isnan()), f"row {row}"
    np.testing.assert_array_equal(truth, torch.stack(comparisons(x, y)))


@triton.jit
def math_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    a = tl.abs(x) + 0.5
    tl.store(out_ptr + i, tl.exp(x))
    tl.store(out_ptr + N + i, tl.exp2(x))
    tl.store(out_ptr + 2 * N + i, tl.log(a))
    tl.store(out_ptr + 3 * N + i, tl.log2(a))
    tl.store(out_ptr + 4 * N + i, tl.sin(x))
    tl.store(out_ptr + 5 * N + i, tl.cos(x))
    tl.store(out_ptr + 6 * N + i, tl.sqrt(a))
    tl.store(out_ptr + 7 * N + i, tl.rsqrt(a))
    tl.store(out_ptr + 8 * N + i, tl.floor(x))
    tl.store(out_ptr + 9 * N + i, tl.ceil(x))
    tl.store(out_ptr + 10 * N + i, tl.erf(x))
    tl.store(out_ptr + 11 * N + i, tl.fma(x, a, x))
    tl.store(out_ptr + 12 * N + i, tl.sigmoid(x))
    tl.store(out_ptr + 13 * N + i, tl.clamp(x, -1.0, 2.0))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_math(kind):
    x = floats(kind, COUNT, special=False)
    out = torch.zeros((14, COUNT), dtype=x.dtype)
    math_kernel[(1,)](x, out, COUNT)
    x = x.double()
    a = (x.to(out.dtype).abs() + 0.5).double()
    expected = [
        x.exp(), x.exp2(), a.log(), a.log2(), x.sin(), x.cos(), a.sqrt(), a.rsqrt(), x.floor(),
        x.ceil(), x.erf(), x * a + x, x.sigmoid(), x.clamp(-1, 2),
    ]  # fmt: skip
    for found, values in zip(out, expected, strict=True):
        assert_close(found, values, ulps=8)


@triton.jit
def rounded_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, tl.sqrt_rn(x))
    tl.store(out_ptr + N + i, tl.div_rn(x, y))


def test_correctly_rounded():
    x, y = floats("float32", COUNT).abs(), floats("float32", COUNT).roll(3)
    out = torch.zeros((2, COUNT))
    rounded_kernel[(1,)](x, y, out, COUNT)
    # torch's own square root is not.
    np.testing.assert_array_equal(out[0], np.sqrt(x.numpy()))
    np.testing.assert_array_equal(out[1], x / y)


@triton.jit
def signs_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + 2 * i)
    tl.store(out_ptr + i, tl.where(i % 2 == 0, -x, tl.minimum(x, tl.abs(x))))


@pytest.mark.parametrize("kind", FLOATS)
def test_signs_of_every_other(kind):
    """Half of a rotary embedding on interleaved pairs: signs alone change."""
    size = 64
    x = floats(kind, 2 * size, special=False)
    out = torch.empty(size, dtype=x.dtype)
    signs_kernel[(1,)](x, out, size)
    every = x[::2]
    expected = torch.where(torch.arange(size) % 2 == 0, -every, every)
    assert torch.equal(out, expected)
