"""Loads and stores: masks, block pointers, descriptors, large tiles."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
from targets import ways
from values import FLOATS, FP8, INTEGERS, RELEASE, any_values, assert_same_bits, floats

block_pointers = pytest.mark.skipif(
    RELEASE >= (3, 7),
    reason="Triton has no block pointers since 3.7",
)


@triton.jit
def masked_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=1.0, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(out_ptr + i, x)
    tl.store(out_ptr + 2 * N + i, x, mask=i % 3 == 0)
    scalar = tl.load(x_ptr + n, mask=n > 1000000, other=0.0)
    tl.store(out_ptr + 4 * N, scalar, mask=n >= 0)


@pytest.mark.parametrize("kind", ["bool", *INTEGERS, *FLOATS, *FP8])
def test_masked(kind):
    """What is masked off is neither read nor written; others fill the rest."""
    n, width = 100, 64
    x = any_values(kind, n)
    out = torch.zeros(4 * width + 1, dtype=x.dtype)
    out[-1] = torch.ones((), dtype=x.dtype)
    masked_kernel[(2,)](x, out, n, width)
    filled = torch.cat([x, torch.ones(28).to(x.dtype)])
    third = torch.where(torch.arange(128) % 3 == 0, filled.float(), 0.0)
    assert_same_bits(out[:128], filled)
    if kind in FP8 or kind == "bool":
        torch.testing.assert_close(out[128:256].float(), third, rtol=0, atol=0)
    else:
        kept = torch.zeros_like(filled)
        kept[::3] = filled[::3]
        assert_same_bits(out[128:256], kept)
    assert out[-1].float() == 0


@triton.jit
def block_kernel(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    target = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    for _ in range(0, tl.cdiv(n, N)):
        x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, x + x, boundary_check=(0, 1))
        source = tl.advance(source, (0, N))
        target = tl.advance(target, (0, N))


@block_pointers
@pytest.mark.parametrize("kind", ["int8", "int32", "int64", *FLOATS])
def test_block_pointer(kind):
    x = any_values(kind, 13 * 41).reshape(13, 41)
    out = torch.zeros_like(x)
    block_kernel[(1,)](x, out, 13, 41, 16, 16)
    assert_same_bits(out, x + x)


@triton.jit
def descriptor_kernel(x, out, total, m, n, M: tl.constexpr, N: tl.constexpr):
    for row in range(0, m, M):
        for column in range(0, n, N):
            tile = x.load([row, column])
            out.store([row, column], tile)
            total.atomic_add([row, column], tile)


@pytest.mark.parametrize("kind", ["int32", "uint32", "uint64", "float16", "bfloat16", "float32"])
def test_descriptor(kind):
    x = any_values(kind, 24 * 48).reshape(24, 48)
    out = torch.zeros_like(x)
    total = torch.ones(24, 48).to(x.dtype)
    described = [TensorDescriptor.from_tensor(part, [16, 32]) for part in (x, out, total)]
    descriptor_kernel[(1,)](*described, 24, 48, 16, 32)
    assert_same_bits(out, x)
    if kind[0] != "u":
        assert_same_bits(total, x + torch.ones(24, 48).to(x.dtype))


@triton.jit
def reduce_kernel(x_ptr, out_ptr, KIND: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [M, N])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [M, N])
    tile = x.load([0, 0])
    if KIND == "min":
        out.atomic_min([0, 0], tile)
    elif KIND == "max":
        out.atomic_max([0, 0], tile)
    elif KIND == "and":
        out.atomic_and([0, 0], tile)
    elif KIND == "or":
        out.atomic_or([0, 0], tile)
    else:
        out.atomic_xor([0, 0], tile)


def allocate(size, alignment, stream):
    return torch.empty(size, dtype=torch.int8)


@pytest.mark.parametrize("name", ["min", "max", "and", "or", "xor"])
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_descriptor_reduce(kind, name):
    triton.set_allocator(allocate)
    x, y = any_values(kind, 256).reshape(8, 32), any_values(kind, 512)[256:].reshape(8, 32)
    found = y.clone()
    reduce_kernel[(1,)](x, found, name, 8, 32)
    function = {"min": torch.minimum, "max": torch.maximum}.get(name)
    assert_same_bits(found, (function or getattr(torch, f"bitwise_{name}"))(y, x))


@triton.jit
def rows_kernel(x, out, rows_ptr, start, R: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, R))
    out.scatter(x.gather(rows, start), rows, start)


@pytest.mark.parametrize("kind", ["int8", "int32", "float16", "bfloat16", "float32"])
def test_descriptor_rows(kind):
    x = any_values(kind, 32 * 64).reshape(32, 64)
    out = torch.zeros_like(x)
    rows = torch.randperm(32, generator=torch.Generator().manual_seed(0))[:8].int()
    described = [TensorDescriptor.from_tensor(part, [1, 32]) for part in (x, out)]
    rows_kernel[(1,)](*described, rows, 32, 8)
    expected = torch.zeros_like(x)
    expected[rows.long(), 32:] = x[rows.long(), 32:]
    assert_same_bits(out, expected)


@triton.jit
def large_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x * 2 + tl.max(x, 0))


@pytest.mark.parametrize("power", [12, 16, 20])
def test_large_tile(power):
    x = floats("float32", 2**power, special=False)
    out = torch.zeros_like(x)
    large_kernel[(1,)](x, out, 2**power)
    torch.testing.assert_close(out, x * 2 + x.max(), rtol=1e-6, atol=1e-6)


@triton.jit
def overtaken_kernel(f_ptr, out_ptr, n, rounds, N: tl.constexpr, CASE: tl.constexpr):
    """Uses of what was made from `f` after `f` was overwritten."""
    i = tl.arange(0, N)
    value = tl.load(f_ptr + i)
    mask = (value > 40) & (i < n)
    place = value * 2 + 1
    rows = (value > 40)[:, None]
    both = rows & (tl.arange(0, 2) < 2)[None, :]
    if CASE == "exchange":
        tl.atomic_xchg(f_ptr + i, i * 0)
    else:
        tl.store(f_ptr + i, i * 0)
    if CASE == "mask" or CASE == "exchange":
        if rounds == 3:
            tl.store(out_ptr + i, 1.0, mask)
    elif CASE == "return":
        if rounds != 3:
            return
        tl.store(out_ptr + i, 1.0, mask)
    elif CASE == "load":
        if rounds == 3:
            tl.store(out_ptr + i, tl.load(out_ptr + N + i, mask, 0.0) + 1.0, mask)
    elif CASE == "offset":
        if rounds == 3:
            tl.store(out_ptr + place, 1.0)
    elif CASE == "rows":
        if rounds == 3:
            tl.store(out_ptr + i[:, None], 1.0, rows)
    elif CASE == "for":
        for _ in range(rounds):
            tl.atomic_add(out_ptr + i[:, None] * 2 + tl.arange(0, 2)[None, :], 1.0, both)
    else:
        k = 0
        while k < rounds:
            tl.atomic_add(out_ptr + i, 1.0, mask)
            k += 1


@ways("none")
@pytest.mark.parametrize("case", ["mask", "exchange", "return", "load", "offset", "rows", "for", "while"])
def test_overtaken(case, options):
    """A tile keeps its elements when the memory that it came from changes."""
    size, n = 64, 50
    f = torch.randperm(size, generator=torch.Generator().manual_seed(0)).int()
    above = (f > 40).float()
    mask = above * (torch.arange(size) < n)
    expected = torch.zeros(4 * size)
    if case == "offset":
        expected[f.long() * 2 + 1] = 1
    elif case == "for":
        expected[: 2 * size] = above.repeat_interleave(2) * 3
    else:
        expected[:size] = {"rows": above, "while": mask * 3}.get(case, mask)
    out = torch.zeros(4 * size)
    overtaken_kernel[(1,)](f, out, n, 3, size, case, **options)
    assert torch.equal(out, expected)
