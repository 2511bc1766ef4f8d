"""A program on a device with memory of its own; fails where a copy is wrong."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n):
    pass


@triton.jit
def double_const(x_ptr: tl.const, out_ptr, n):
    pass


def main():
    target = triton.runtime.driver.active.get_current_target()
    assert (target.backend, target.warp_size) == ("apart", 32)

    # Views: each storage goes over once, and every part of it lies right.
    base = torch.arange(64, dtype=torch.float32)
    double[(1,)](base[8:], base[32:], 16)
    expected = torch.arange(64, dtype=torch.float32)
    expected[32:48] = 2 * expected[8:24]
    assert torch.equal(base, expected)

    x, out = torch.randn(1000), torch.zeros(1000)
    double_const[(1,)](x, out, 1000)
    assert torch.equal(out, 2 * x)

    class Address:
        dtype = torch.float32

        def data_ptr(self):
            return x.data_ptr()

    try:
        double[(1,)](Address(), out, 10)
    except ValueError as error:
        assert "cannot be accessed from Triton" in str(error)
    else:
        raise AssertionError("an object of unknown size was copied")


main()
