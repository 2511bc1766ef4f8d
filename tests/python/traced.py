"""A program for a debugger: a kernel, its helper, and one launch."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl


@triton.jit
def tripled(x):
    return x * 3.0 + 1.0  # line of the helper


@triton.jit
def traced_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < n)
    z = tripled(x)
    total = tl.sum(z)
    tl.store(out_ptr + index, z - total, mask=index < n)  # line of the store


out = torch.empty(1000)
traced_kernel[(4,)](torch.ones(1000), out, 1000, BLOCK=256)
print("finished")
