"""A program of Triton that knows nothing of Nereid: adds, and says on what."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    x = tl.load(x_ptr + index, mask=mask)
    tl.store(out_ptr + index, x + tl.load(y_ptr + index, mask=mask), mask=mask)


def main():
    if "--activate" in sys.argv:
        import nereid.triton

        nereid.triton.activate("cpu")
    x, y, out = torch.randn(300), torch.randn(300), torch.zeros(300)
    kernel = add_kernel[(2,)](x, y, out, 300, BLOCK=256)
    assert torch.equal(out, x + y)
    print(type(triton.runtime.driver.active).__name__, kernel.metadata.target.backend)


main()
