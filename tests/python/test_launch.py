"""Unmodified Triton programs, launched through the cpu plugin."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    x = tl.load(x_ptr + index, mask=mask)
    y = tl.load(y_ptr + index, mask=mask)
    tl.store(out_ptr + index, x + y, mask=mask)


@pytest.mark.parametrize("size", [1, 16, 1000, 98432])
def test_vector_add(size):
    x, y = torch.randn(size), torch.randn(size)
    out = torch.empty(size)
    add_kernel[lambda meta: (triton.cdiv(size, meta["BLOCK"]),)](x, y, out, size, BLOCK=256)
    assert torch.equal(out, x + y)


def test_target_is_the_cpu():
    target = triton.runtime.driver.active.get_current_target()
    assert (target.backend, target.warp_size) == ("cpu", 32)


def test_texts_of_stages():
    x = torch.zeros(16)
    kernel = add_kernel[(1,)](x, x, x, 16, BLOCK=16)
    assert "tt.func public @add_kernel" in kernel.asm["ttir"]
    assert "define " in kernel.asm["llir"]
    assert ".text" in kernel.asm["asm"]
    assert kernel.asm["so"].startswith(b"\x7fELF")


@pytest.mark.parametrize("grid", [(0,), (3, 0), (1, 1, 0)])
def test_empty_grid_is_no_launch(grid):
    out = torch.zeros(16)
    add_kernel[grid](out, out, out, 16, BLOCK=16)
    assert not out.any()


@triton.jit
def store_kernel(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def store_f16_kernel(out_ptr, value: tl.float16):
    tl.store(out_ptr, value)


@triton.jit
def store_bf16_kernel(out_ptr, value: tl.bfloat16):
    tl.store(out_ptr, value)


@triton.jit
def store_f64_kernel(out_ptr, value: tl.float64):
    tl.store(out_ptr, value)


@triton.jit
def store_i8_kernel(out_ptr, value: tl.int8):
    tl.store(out_ptr, value)


@pytest.mark.parametrize(
    "kernel, dtype, value",
    [
        (store_kernel, torch.bool, True),
        (store_kernel, torch.int32, 7),
        (store_kernel, torch.int32, -(2**31)),
        (store_kernel, torch.int64, 2**40 + 3),
        (store_kernel, torch.int64, -(2**63)),
        (store_kernel, torch.uint64, 2**64 - 5),
        (store_kernel, torch.float32, 0.1),
        (store_kernel, torch.float32, float("inf")),
        (store_f16_kernel, torch.float16, 0.1),
        (store_bf16_kernel, torch.bfloat16, 0.1),
        (store_f64_kernel, torch.float64, 0.1),
        (store_i8_kernel, torch.int8, -3),
    ],
)
def test_scalars(kernel, dtype, value):
    out = torch.zeros(1, dtype=dtype)
    kernel[(1,)](out, value)
    assert out.item() == torch.tensor(value, dtype=dtype).item()
