"""Softmax of rows, for `nereid build`: one kernel for each type and row size."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl

TYPES = ("fp16", "fp32")
SIZES = (1024, 2048, 4096, 8192, 16384)


@triton.jit
def softmax(output, input, output_stride, input_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(input + row * input_stride + offsets, mask=mask, other=-float("inf"))
    x = x.to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    result = numerator / tl.sum(numerator, axis=0)
    tl.store(output + row * output_stride + offsets, result, mask=mask)


def get_function_table():
    return [
        {
            "name": f"softmax_{dtype}_{size}",
            "group": f"softmax_{dtype}",
            "func": softmax,
            "sig": f"*{dtype}:16,*{dtype}:16,i32:16,i32:16,i32",
            "kwargs": {"BLOCK": size, "num_warps": min(32, size // 256)},
        }
        for dtype in TYPES
        for size in SIZES
    ]
