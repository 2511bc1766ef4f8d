"""Operations that move elements: shapes, order, pairs, gather, histogram."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import FLOATS, FP8, INTEGERS, any_values, assert_same_bits, integers

KINDS = ["bool", *INTEGERS, *FLOATS, *FP8]
ORDERED = ["int8", "uint8", "int16", "int32", "uint32", "int64", "float16", "float32", "float64"]


@triton.jit
def shape_kernel(x_ptr, y_ptr, out_ptr, pair_ptr):
    """x and y are 4 x 8 x 2; each result has 64 elements, those of pair_ptr 128."""
    i = tl.arange(0, 64)
    x = tl.reshape(tl.load(x_ptr + i), (4, 8, 2))
    y = tl.reshape(tl.load(y_ptr + i), (4, 8, 2))
    tl.store(out_ptr + i, tl.reshape(tl.trans(x, 2, 0, 1), (64,)))
    tl.store(out_ptr + 64 + i, tl.reshape(tl.permute(x, (1, 2, 0)), (64,)))
    tl.store(out_ptr + 128 + i, tl.ravel(tl.trans(tl.reshape(x, (16, 4)))))
    low, high = tl.split(x)
    tl.store(out_ptr + 192 + i, tl.reshape(tl.join(high, low), (64,)))
    wide = tl.broadcast_to(tl.expand_dims(low, 1), (4, 2, 8))
    tl.store(out_ptr + 256 + i, tl.reshape(wide, (64,)))
    j = tl.arange(0, 128)
    tl.store(pair_ptr + j, tl.reshape(tl.interleave(x, y), (128,)))
    tl.store(pair_ptr + 128 + j, tl.reshape(tl.join(x, y), (128,)))
    tl.store(pair_ptr + 256 + j, tl.cat(tl.reshape(x, (64,)), tl.reshape(y, (64,)), can_reorder=True))


@pytest.mark.parametrize("kind", KINDS)
def test_shape(kind):
    x, y = any_values(kind, 64), any_values(kind, 128)[64:].contiguous()
    out = torch.zeros(5 * 64, dtype=x.dtype)
    pairs = torch.zeros(3 * 128, dtype=x.dtype)
    shape_kernel[(1,)](x, y, out, pairs)
    a, b = x.reshape(4, 8, 2), y.reshape(4, 8, 2)
    low, high = a.unbind(-1)
    parts = [
        a.permute(2, 0, 1), a.permute(1, 2, 0), a.reshape(16, 4).T,
        torch.stack([high, low], -1), low[:, None].expand(4, 2, 8),
    ]  # fmt: skip
    assert_same_bits(out, torch.cat([part.reshape(64) for part in parts]))
    joined = torch.stack([a, b], -1).reshape(128)
    assert_same_bits(pairs[:256], torch.cat([joined, joined]))
    # The order of what cat gives is its own.
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    found, expected = pairs[256:].view(width), torch.cat([x, y]).view(width)
    assert torch.equal(found.sort()[0], expected.sort()[0])


@triton.jit
def repeat_kernel(x_ptr, y_ptr, out_ptr, first, end, M: tl.constexpr, N: tl.constexpr):
    """Rows of interleaved and of repeated elements, of loads whose masks end inside a vector."""
    m = tl.arange(0, M)[:, None]
    half = tl.arange(0, N // 2)[None, :]
    quarter = tl.arange(0, N // 4)[None, :]
    rows = m < M - 1
    x = tl.load(x_ptr + m * N + half, rows & (half < end), 5)
    y = tl.load(y_ptr + m * N + half, (half >= first) & (half < end), tl.load(x_ptr + m * N + half))
    few = tl.load(x_ptr + m * N + quarter, rows & (quarter >= first), 3)
    all = m * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + all, tl.interleave(x, y))
    many = tl.reshape(tl.broadcast_to(few[:, :, None], (M, N // 4, 4)), (M, N))
    tl.store(out_ptr + M * N + all, many, all % N < 4 * end)


@pytest.mark.parametrize("kind", ["bool", "int8", "int64", "float16", "float32"])
def test_repeated(kind):
    m, n = 4, 128
    x, y = any_values(kind, m * n).reshape(m, n), any_values(kind, 2 * m * n)[m * n :].reshape(m, n)
    half, quarter = torch.arange(n // 2), torch.arange(n // 4)
    rows = torch.arange(m)[:, None] < m - 1
    filled = [torch.tensor(value).to(x.dtype) for value in (5, 3)]
    for first, end in ((0, 64), (0, 0), (5, 51), (17, 33), (-3, 70), (40, 20)):
        out = torch.zeros((2, m, n), dtype=x.dtype)
        repeat_kernel[(1,)](x, y, out, first, end, m, n)
        left = torch.where(rows & (half < end), x[:, : n // 2], filled[0])
        right = torch.where((half >= first) & (half < end), y[:, : n // 2], x[:, : n // 2])
        assert_same_bits(out[0], torch.stack([left, right], -1).reshape(m, n))
        few = torch.where(rows & (quarter >= first), x[:, : n // 4], filled[1]).repeat_interleave(4, 1)
        few[:, max(0, 4 * end) :] = 0
        assert_same_bits(out[1], few)


@triton.jit
def order_kernel(x_ptr, out_ptr, top_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    i = rows * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.sort(x))
    tl.store(out_ptr + M * N + i, tl.sort(x, descending=True))
    tl.store(out_ptr + 2 * M * N + i, tl.flip(x, 1))
    tl.store(out_ptr + 3 * M * N + i, tl.flip(x, 0))
    tl.store(top_ptr + rows * K + tl.arange(0, K)[None, :], tl.topk(x, K))


@pytest.mark.parametrize("kind", ORDERED)
def test_order(kind):
    x = any_values(kind, 8 * 32).reshape(8, 32)
    out = torch.zeros((4, 8, 32), dtype=x.dtype)
    top = torch.zeros((8, 4), dtype=x.dtype)
    order_kernel[(1,)](x, out, top, 8, 32, 4)
    up = torch.from_numpy(np.sort(x.numpy(), axis=1))
    turned = [x.numpy()[:, ::-1], x.numpy()[::-1]]
    expected = [up, *(torch.from_numpy(part.copy()) for part in (up.numpy()[:, ::-1], *turned))]
    for found, values in zip(out, expected, strict=True):
        assert_same_bits(found, values)
    assert_same_bits(top, expected[1][:, :4].contiguous())


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.gather(tl.load(x_ptr + i), tl.load(index_ptr + i), AXIS))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("index", ["int16", "int32", "int64"])
@pytest.mark.parametrize("kind", ["int8", "int16", "int64", "bfloat16", "float32", "float64"])
def test_gather(kind, index, axis):
    x = any_values(kind, 16 * 8).reshape(16, 8)
    at = torch.from_numpy(integers(index, 16 * 8, 0, x.shape[axis] - 1)).reshape(16, 8)
    out = torch.zeros_like(x)
    gather_kernel[(1,)](x, at, out, axis, 16, 8)
    assert_same_bits(out, torch.gather(x, axis, at.long()))


@triton.jit
def histogram_kernel(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    b = tl.arange(0, BINS)
    tl.store(out_ptr + b, tl.histogram(x, BINS))
    tl.store(out_ptr + BINS + b, tl.histogram(x, BINS, mask=x % 3 == 0))


_TAKES_32_BITS = tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 9)


@pytest.mark.parametrize("kind", ["uint8", "int16", "int32", "uint32", "int64"])
def test_histogram(kind):
    if _TAKES_32_BITS and not kind.endswith("32"):
        pytest.skip("this Triton's histogram takes 32-bit integers alone")
    x = integers(kind, 1024, 0, 31)
    out = torch.zeros((2, 32), dtype=torch.int32)
    histogram_kernel[(1,)](torch.from_numpy(x), out, 1024, 32)
    expected = [np.bincount(values, minlength=32) for values in (x, x[x % 3 == 0])]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def range_kernel(out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.full((N,), 7, out_ptr.dtype.element_ty) + tl.arange(N, 2 * N))


@pytest.mark.parametrize("kind", ["int16", "int64", "float32"])
def test_full_and_range(kind):
    out = torch.zeros(64, dtype=getattr(torch, kind))
    range_kernel[(1,)](out, 64)
    assert torch.equal(out, (torch.arange(64, 128) + 7).to(out.dtype))
