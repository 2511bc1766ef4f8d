"""Matrix products: type pairs, batches, accumulators, scaled operands."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import torch
import triton
import triton.language as tl
from targets import ways
from values import FLOATS, FP8, floats, integers

KINDS = {kind: tl.float32 for kind in ["float16", "bfloat16", "float32", *FP8]}
KINDS.update(float64=tl.float64, int8=tl.int32)


def operand(kind, *shape):
    count = torch.Size(shape).numel()
    if kind == "int8":
        return torch.from_numpy(integers(kind, count)).reshape(shape)
    return floats("float32", count, scale=1.0, special=False).to(getattr(torch, kind)).reshape(shape)


@triton.jit
def dot_kernel(
    a_ptr, b_ptr, c_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    TYPE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + m * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K)[:, None] * N + n)
    c = tl.load(c_ptr + m * N + n)
    d = tl.dot(a, b, c, input_precision=PRECISION, out_dtype=TYPE)
    tl.store(out_ptr + m * N + n, d)


def check_dot(kind, shape, precision="ieee", out=None, tolerance=1e-5):
    m, n, k = shape
    out_type = out or KINDS[kind]
    a, b = operand(kind, m, k), operand(kind, k, n)
    result = torch.zeros((m, n), dtype=getattr(torch, {"fp16": "float16"}.get(str(out_type)) or
                         {"fp32": "float32", "fp64": "float64", "int32": "int32"}[str(out_type)]))
    c = torch.arange(m * n).reshape(m, n).remainder(7).to(result.dtype)
    dot_kernel[(1,)](a, b, c, result, m, n, k, out_type, precision)
    expected = a.double() @ b.double() + c.double()
    torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance * k)


@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 64, 32), (64, 16, 128)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_dot(kind, shape):
    check_dot(kind, shape)


@pytest.mark.parametrize("precision, tolerance", [("tf32", 2e-3), ("tf32x3", 1e-5)])
def test_precision(precision, tolerance):
    check_dot("float32", (32, 32, 32), precision, tolerance=tolerance)


def test_half_accumulator():
    check_dot("float16", (32, 32, 32), out=tl.float16, tolerance=4e-3)


@triton.jit
def batch_kernel(a_ptr, b_ptr, out_ptr, B: tl.constexpr, S: tl.constexpr, TYPE: tl.constexpr):
    z = tl.arange(0, B)[:, None, None] * S * S
    i = z + tl.arange(0, S)[None, :, None] * S + tl.arange(0, S)[None, None, :]
    d = tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i), input_precision="ieee", out_dtype=TYPE)
    tl.store(out_ptr + i, d)


@pytest.mark.parametrize("kind", ["int8", *FLOATS])
def test_batched(kind):
    a, b = operand(kind, 4, 16, 16), operand(kind, 4, 16, 16).flip(0)
    exact = {"int8": torch.int32, "float64": torch.float64}.get(kind, torch.float32)
    out = torch.zeros((4, 16, 16), dtype=exact)
    batch_kernel[(1,)](a, b, out, 4, 16, KINDS[kind])
    torch.testing.assert_close(out.double(), a.double() @ b.double(), rtol=1e-5, atol=1e-4)


@triton.jit
def strided_kernel(
    a_ptr, b_ptr, out_ptr, depth, height, sam, sak, sbk, sbn, M: tl.constexpr, N: tl.constexpr,
    K: tl.constexpr, TYPE: tl.constexpr, TRANS: tl.constexpr,
):  # fmt: skip
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    rows = m % height
    total = tl.zeros((M, N), TYPE)
    for start in range(0, depth, K):
        at = start + k
        if TRANS:
            a = tl.trans(tl.load(a_ptr + at[:, None] * sak + rows[None, :] * sam, at[:, None] < depth, 0.0))
            b = tl.trans(tl.load(b_ptr + n[:, None] * sbn + at[None, :] * sbk, at[None, :] < depth, 0.0))
        else:
            a = tl.load(a_ptr + rows[:, None] * sam + at[None, :] * sak, at[None, :] < depth, 0.0)
            b = tl.load(b_ptr + at[:, None] * sbk + n[None, :] * sbn, at[:, None] < depth, 0.0)
        total = tl.dot(a, b, total, input_precision="ieee", out_dtype=TYPE)
    tl.store(out_ptr + m[:, None] * N + n[None, :], total)


@ways("none", "all,-dot-transposed")
@pytest.mark.parametrize("kind", ["int8", "bfloat16", "float16", "float64"])
@pytest.mark.parametrize("layout", ["NT", "TN", "TT"])
def test_transposed(layout, kind, options):
    """Operands whose columns lie in memory one after the other, by their strides or by tl.trans."""
    exact = {"int8": torch.int32, "float64": torch.float64}.get(kind, torch.float32)
    for m, n, k, trans in ((16, 64, 32, True), (64, 32, 16, False), (64, 16, 128, False)):
        depth, height = 2 * k + 3, m - 5
        a, b = operand(kind, m, depth), operand(kind, depth, n)
        if layout[0] == "T":
            a = a.T.contiguous().T
        if layout[1] == "T":
            b = b.T.contiguous().T
        out = torch.zeros((m, n), dtype=exact)
        strided_kernel[(1,)](
            a, b, out, depth, height, *a.stride(), *b.stride(), m, n, k, KINDS[kind], trans, **options
        )
        rows = torch.arange(m) % height
        torch.testing.assert_close(out.double(), a.double()[rows] @ b.double(), rtol=1e-5, atol=1e-3)


@triton.jit
def batch_transposed_kernel(a_ptr, b_ptr, out_ptr, B: tl.constexpr, S: tl.constexpr, TYPE: tl.constexpr):
    z = tl.arange(0, B)[:, None, None] * S * S
    i = tl.arange(0, S)[None, :, None]
    j = tl.arange(0, S)[None, None, :]
    a = tl.load(a_ptr + z + j * S + i)
    b = tl.trans(tl.load(b_ptr + z + i * S + j), 0, 2, 1)
    tl.store(out_ptr + z + i * S + j, tl.dot(a, b, input_precision="ieee", out_dtype=TYPE))


@pytest.mark.parametrize("kind", ["int8", *FLOATS])
def test_batch_transposed(kind):
    a, b = operand(kind, 4, 32, 32), operand(kind, 4, 32, 32).flip(0)
    exact = {"int8": torch.int32, "float64": torch.float64}.get(kind, torch.float32)
    out = torch.zeros((4, 32, 32), dtype=exact)
    batch_transposed_kernel[(1,)](a, b, out, 4, 32, KINDS[kind])
    torch.testing.assert_close(out.double(), a.double().mT @ b.double().mT, rtol=1e-5, atol=1e-4)


@triton.jit
def rounds_kernel(
    a_ptr, b_ptr, out_ptr, other_ptr, rounds, S: tl.constexpr, TYPE: tl.constexpr,
    CASE: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, S)[:, None]
    j = tl.arange(0, S)[None, :]
    width = rounds * S
    a_ptrs = a_ptr + i * width + j
    b_ptrs = b_ptr + i * S + j
    total = tl.zeros((S, S), TYPE)
    other = tl.zeros((S, S), TYPE)
    rows = tl.zeros((S,), TYPE)
    a = tl.load(a_ptrs, mask=i < width, other=0)
    for r in range(rounds):
        b = tl.load(b_ptrs)
        if CASE == "next":
            following = tl.load(a_ptrs + S, mask=j < (rounds - 1 - r) * S, other=0)
        elif CASE != "same":
            a = tl.load(a_ptrs)
        if CASE == "square":
            b = a
        total = tl.dot(a, b, total, input_precision="ieee", out_dtype=TYPE)
        if CASE == "two":
            other = tl.dot(a, tl.trans(b), other, input_precision="ieee", out_dtype=TYPE)
        elif CASE == "seen":
            other += total
        elif CASE == "rows":
            rows += tl.sum(a.to(TYPE), 1)
        elif CASE == "written":
            tl.store(a_ptrs, a + a)
        elif CASE == "next":
            a = following
        a_ptrs += S
        b_ptrs += S * S
    tl.store(out_ptr + i * S + j, total)
    tl.store(other_ptr + i * S + j, other + rows[:, None])


@ways("none", "all,-dot-deferred", "all,-dot-tiles")
@pytest.mark.parametrize("kind", ["int8", "bfloat16", "float32"])
@pytest.mark.parametrize("case", ["plain", "two", "square", "same", "seen", "rows", "written", "next"])
def test_rounds(case, kind, options):
    """Products that are added up in a loop, whatever else it does with them."""
    s = 32
    for rounds in (0, 1, 2, 19):
        a, b = (operand(kind, s, rounds * s), operand(kind, rounds * s, s))
        if kind == "int8":
            a = a // 2
        exact = torch.int32 if kind == "int8" else torch.float32
        out, other = torch.zeros((2, s, s), dtype=exact)
        left = [a.double()[:, r * s : r * s + s] for r in range(rounds)]
        right = [b.double()[r * s : r * s + s] for r in range(rounds)]
        if case == "square":
            right = left
        if case == "same":
            left = left[:1] * rounds
        zero = torch.zeros((s, s), dtype=torch.float64)
        partial = [sum((x @ y for x, y in zip(left[:r], right)), zero) for r in range(1, rounds + 1)]
        total = partial[-1] if rounds else zero
        expected = {
            "two": sum((x @ y.T for x, y in zip(left, right)), zero),
            "seen": sum(partial, zero),
            "rows": sum((x.sum(1)[:, None] for x in left), zero).expand(s, s),
        }.get(case, zero)
        written = a * 2 if case == "written" else a.clone()
        rounds_kernel[(1,)](a, b, out, other, rounds, s, KINDS[kind], case, **options)
        for got, wanted in ((out, total), (other, expected), (a, written)):
            torch.testing.assert_close(got.double(), wanted.double(), rtol=1e-5, atol=2e-3)


@triton.jit
def scaled_kernel(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr,
    K: tl.constexpr, A: tl.constexpr, B: tl.constexpr, AK: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)
    blocks = tl.arange(0, K // 32)[None, :]
    a = tl.load(a_ptr + m * AK + tl.arange(0, AK)[None, :])
    b = tl.load(b_ptr + tl.arange(0, BK)[:, None] * N + n[None, :])
    a_scale = tl.load(a_scale_ptr + m * (K // 32) + blocks)
    b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + blocks)
    d = tl.dot_scaled(a, a_scale, A, b, b_scale, B)
    tl.store(out_ptr + m * N + n[None, :], d)


E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def scaled_operand(kind, rows, k):
    """What is given to the kernel, rows by k, and its values."""
    if kind == "e2m1":
        packed = torch.from_numpy(integers("uint8", rows * k // 2)).reshape(rows, k // 2)
        halves = torch.stack([packed & 15, packed >> 4], -1).reshape(rows, k)
        return packed, E2M1[halves.long()]
    names = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "bf16": "bfloat16", "fp16": "float16"}
    values = operand(names[kind], rows, k)
    return (values.view(torch.uint8) if kind[0] == "e" else values), values.float()


PAIRS = [(a, b) for a in ["e2m1", "e4m3", "e5m2", "bf16", "fp16"] for b in ["e2m1", "e4m3", "e5m2"]]


@pytest.mark.parametrize("left, right", PAIRS)
def test_scaled(left, right):
    m, n, k = 32, 32, 64
    a, a_values = scaled_operand(left, m, k)
    b, b_values = scaled_operand(right, n, k)
    b = b.T.contiguous()
    scales = [torch.from_numpy(integers("uint8", s * k // 32, 122, 132)).reshape(s, -1) for s in (m, n)]
    out = torch.zeros((m, n))
    scaled_kernel[(1,)](
        a, scales[0], b, scales[1], out, m, n, k, left, right, a.shape[1], b.shape[0]
    )
    a_exact, b_exact = (
        values.double() * torch.exp2(scale.double() - 127).repeat_interleave(32, 1)
        for values, scale in zip((a_values, b_values), scales)
    )
    torch.testing.assert_close(out.double(), a_exact @ b_exact.T, rtol=2e-2, atol=2e-1)
