"""Fused softmax: a row stays in registers from load to store."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randn


@triton.jit
def softmax_kernel(
    output_ptr,
    input_ptr,
    input_row_stride,
    output_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    row_idx = tl.program_id(0)
    row_start_ptr = input_ptr + row_idx * input_row_stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    input_ptrs = row_start_ptr + col_offsets
    mask = col_offsets < n_cols
    row = tl.load(input_ptrs, mask=mask, other=-float("inf"))
    row_minus_max = row - tl.max(row, axis=0)
    numerator = tl.exp(row_minus_max)
    denominator = tl.sum(numerator, axis=0)
    softmax_output = numerator / denominator
    output_row_start_ptr = output_ptr + row_idx * output_row_stride
    tl.store(output_row_start_ptr + col_offsets, softmax_output, mask=mask)


@triton.jit
def softmax_persistent_kernel(
    output_ptr,
    input_ptr,
    input_row_stride,
    output_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
    num_stages: tl.constexpr,
):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        row_start_ptr = input_ptr + row_idx * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(row_start_ptr + col_offsets, mask=mask, other=-float("inf"))
        numerator = tl.exp(row - tl.max(row, axis=0))
        softmax_output = numerator / tl.sum(numerator, axis=0)
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        tl.store(output_row_start_ptr + col_offsets, softmax_output, mask=mask)


@triton.jit
def softmax_f16_kernel(
    output_ptr, input_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr
):
    row_idx = tl.program_id(0)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    row = tl.load(
        input_ptr + row_idx * row_stride + col_offsets, mask=mask, other=-float("inf")
    )
    probabilities = tl.softmax(row.to(tl.float32))
    tl.store(
        output_ptr + row_idx * row_stride + col_offsets,
        probabilities.to(tl.float16),
        mask=mask,
    )


def _row_case(name, n_rows, n_cols, block, **options):
    x = randn(generator(name), n_rows, n_cols, scale=3.0)
    out = torch.zeros_like(x)
    args = dict(
        output_ptr=out,
        input_ptr=x,
        input_row_stride=x.stride(0),
        output_row_stride=out.stride(0),
        n_cols=n_cols,
        BLOCK_SIZE=block,
    )
    expected = torch.softmax(x.double(), dim=1)
    expect = {"output_ptr": near(expected, x.dtype, rtol=1e-5, atol=1e-7)}
    return Case(name, softmax_kernel, (n_rows,), args, expect, **options)


def _persistent():
    name = "softmax_persistent_f32"
    x = randn(generator(name), 37, 200, scale=3.0)
    out = torch.zeros_like(x)
    args = dict(
        output_ptr=out,
        input_ptr=x,
        input_row_stride=200,
        output_row_stride=200,
        n_rows=37,
        n_cols=200,
        BLOCK_SIZE=256,
        num_stages=4,
    )
    expected = torch.softmax(x.double(), dim=1)
    expect = {"output_ptr": near(expected, x.dtype, atol=1e-7)}
    return Case(name, softmax_persistent_kernel, (8,), args, expect)


def _half():
    name = "softmax_f16"
    x = randn(generator(name), 16, 300, dtype=torch.float16, scale=3.0)
    args = dict(
        output_ptr=torch.zeros_like(x),
        input_ptr=x,
        row_stride=300,
        n_cols=300,
        BLOCK_SIZE=512,
    )
    expected = torch.softmax(x.double(), dim=1)
    return Case(
        name,
        softmax_f16_kernel,
        (16,),
        args,
        {"output_ptr": near(expected, x.dtype, atol=1e-5)},
    )


def cases():
    yield _row_case("softmax_f32", 33, 781, 1024, raw=True, locations=True)
    yield _row_case("softmax_f32_full", 8, 128, 128)
    yield _row_case("softmax_f32_block16384", 2, 9001, 16384)
    yield _persistent()
    yield _half()


def _bench_persistent(n_rows, n_cols):
    args = dict(
        output_ptr=torch.empty(n_rows, n_cols),
        input_ptr=torch.empty(n_rows, n_cols),
        input_row_stride=n_cols,
        output_row_stride=n_cols,
        n_rows=n_rows,
        n_cols=n_cols,
        BLOCK_SIZE=n_cols,
        num_stages=4,
    )
    return Case(
        f"softmax_persistent_{n_cols}",
        softmax_persistent_kernel,
        (32,),
        args,
        outputs=("output_ptr",),
        work={"bytes": 8 * n_rows * n_cols},
    )


def bench():
    yield _bench_persistent(4096, 1024)
    yield _bench_persistent(4096, 4096)
    shapes = (
        (128, 256),
        (4096, 781),
        (4096, 1024),
        (4096, 4096),
        (512, 32768),
        (256, 65536),
        (4096, 8192),
    )
    for n_rows, n_cols in shapes:
        block = triton.next_power_of_2(n_cols)
        args = dict(
            output_ptr=torch.empty(n_rows, n_cols),
            input_ptr=torch.empty(n_rows, n_cols),
            input_row_stride=n_cols,
            output_row_stride=n_cols,
            n_cols=n_cols,
            BLOCK_SIZE=block,
        )
        yield Case(
            f"softmax_{block}" + ("_ragged" if n_cols % 16 else ""),
            softmax_kernel,
            (n_rows,),
            args,
            outputs=("output_ptr",),
            work={"bytes": 8 * n_rows * n_cols},
        )
