"""Atomic operations: kinds, types, tensors and scalars, masks, results."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import any_values, assert_same_bits, floats, integers

WIDE = ["int32", "uint32", "int64", "uint64"]
FUNCTIONS = {
    "add": np.add, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "max": np.maximum, "min": np.minimum, "xchg": lambda old, new: new,
}  # fmt: skip


@triton.jit
def apply(p, v, mask, KIND: tl.constexpr, ORDER: tl.constexpr):
    if KIND == "add":
        old = tl.atomic_add(p, v, mask, sem=ORDER)
    elif KIND == "and":
        old = tl.atomic_and(p, v, mask, sem=ORDER)
    elif KIND == "or":
        old = tl.atomic_or(p, v, mask, sem=ORDER)
    elif KIND == "xor":
        old = tl.atomic_xor(p, v, mask, sem=ORDER)
    elif KIND == "max":
        old = tl.atomic_max(p, v, mask, sem=ORDER)
    elif KIND == "min":
        old = tl.atomic_min(p, v, mask, sem=ORDER)
    else:
        old = tl.atomic_xchg(p, v, mask, sem=ORDER)
    return old


@triton.jit
def atomic_kernel(x_ptr, v_ptr, old_ptr, KIND: tl.constexpr, ORDER: tl.constexpr, N: tl.constexpr):
    """Four parts: masked with result, without result, a scalar, a masked-off scalar."""
    i = tl.arange(0, N)
    v = tl.load(v_ptr + i)
    mask = i % 3 != 0
    old = apply(x_ptr + i, v, mask, KIND, ORDER)
    tl.store(old_ptr + i, old, mask=mask)
    apply(x_ptr + N + i, v, None, KIND, ORDER)
    scalar = tl.load(v_ptr + 1)
    tl.store(old_ptr + N, apply(x_ptr + 2 * N, scalar, None, KIND, ORDER))
    apply(x_ptr + 2 * N + 1, scalar, tl.program_id(0) > 0, KIND, ORDER)


CASES = [(name, kind) for name in FUNCTIONS for kind in WIDE]
CASES += [("add", kind) for kind in ["float16", "bfloat16", "float32", "float64"]]
CASES += [(name, kind) for name in ["max", "min", "xchg"] for kind in ["float32", "float64"]]
ORDERS = ["relaxed", "acquire", "release", "acq_rel"]


@pytest.mark.parametrize("number", range(len(CASES)), ids=["-".join(case) for case in CASES])
def test_atomic(number):
    name, kind = CASES[number]
    n = 64
    x, v = any_values(kind, 2 * n + 2), any_values(kind, 2 * n)[n:].contiguous()
    found, old = x.clone(), torch.zeros(n + 1, dtype=x.dtype)
    atomic_kernel[(1,)](found, v, old, name, ORDERS[number % 4], n)
    mask = torch.arange(n) % 3 != 0
    taken = torch.cat([mask, torch.ones(n + 1, dtype=torch.bool), torch.zeros(1, dtype=torch.bool)])
    values = torch.cat([v, v, v[1:2], v[1:2]])
    if kind == "bfloat16":
        combined = x + values
    else:
        combined = torch.from_numpy(FUNCTIONS[name](x.numpy(), values.numpy()))
    assert_same_bits(found[taken], combined[taken])
    assert_same_bits(found[~taken], x[~taken])
    assert_same_bits(old[:n][mask], x[:n][mask])
    assert_same_bits(old[n:], x[2 * n : 2 * n + 1])


@triton.jit
def sum_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out_ptr + i % 2, tl.load(x_ptr + tl.program_id(0) * N + i))


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
def test_same_cell(kind):
    """Each of many updates of one cell counts, within and between programs."""
    x = torch.from_numpy(integers("int32", 32 * 256, -100, 100)).to(getattr(torch, kind))
    out = torch.zeros(2, dtype=x.dtype)
    sum_kernel[(32,)](x, out, 256)
    assert torch.equal(out, torch.stack([x[::2].sum(), x[1::2].sum()]))


@triton.jit
def cas_kernel(x_ptr, expected_ptr, new_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    expected = tl.load(expected_ptr + i)
    tl.store(old_ptr + i, tl.atomic_cas(x_ptr + i, expected, tl.load(new_ptr + i)))
    first = tl.load(expected_ptr)
    tl.store(old_ptr + N, tl.atomic_cas(x_ptr + N, first, tl.load(new_ptr), sem="relaxed"))


@pytest.mark.parametrize("kind", ["int16", *WIDE, "float16", "float32", "float64"])
def test_compare_and_swap(kind):
    n = 64
    if kind.startswith("f"):
        x = floats(kind, n + 1, special=False)
    else:
        x = torch.from_numpy(integers(kind, n + 1))
    new = any_values(kind, n)
    expected = torch.from_numpy(np.where(np.arange(n) % 2 == 0, x[:n].numpy(), x.numpy()[1:]))
    found, old = x.clone(), torch.zeros_like(x)
    cas_kernel[(1,)](found, expected, new, old, n)
    equal = x.numpy() == np.append(expected.numpy(), expected.numpy()[0])
    swapped = np.where(equal, np.append(new.numpy(), new.numpy()[0]), x.numpy())
    assert_same_bits(found, torch.from_numpy(swapped))
    assert_same_bits(old, x)


@triton.jit
def lock_kernel(lock_ptr, out_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


def test_lock():
    lock, out = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    lock_kernel[(200,)](lock, out)
    assert out.item() == 200 and lock.item() == 0
