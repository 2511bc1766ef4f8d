"""Printing and assertions from a kernel."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, near, print_lines


@triton.jit
def print_kernel(x_ptr, y_ptr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets)
    y = tl.load(y_ptr + offsets)
    tl.device_print("pid ", pid)
    tl.device_print("x: ", x)
    tl.device_print("y: ", y)


@triton.jit
def print_hex_kernel(x_ptr, M: tl.constexpr, N: tl.constexpr):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.device_print("bits ", x, hex=True)
    tl.device_print("done")


@triton.jit
def assert_kernel(index_ptr, x_ptr, out_ptr, n_rows, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    index = tl.load(index_ptr + offsets)
    tl.device_assert((index >= 0) & (index < n_rows), "index out of range")
    tl.store(out_ptr + offsets, tl.load(x_ptr + index))


def _print():
    x = torch.arange(16, dtype=torch.int32) * 3 - 5
    y = torch.arange(16, dtype=torch.float32) / 4
    lines = []
    for pid in range(2):
        part = slice(pid * 8, pid * 8 + 8)
        lines += print_lines((pid, 0, 0), "pid: ", pid)
        lines += print_lines((pid, 0, 0), "x: ", x[part].tolist(), (8,))
        floats = [f"{value:f}" for value in y[part].tolist()]
        lines += print_lines((pid, 0, 0), "y: ", floats, (8,))
    args = dict(x_ptr=x, y_ptr=y, BLOCK_SIZE=8)
    return Case(
        "device_print",
        print_kernel,
        (2,),
        args,
        stdout=lines,
        not_interpreted="the interpreter prints whole tensors",
    )


def _print_hex():
    x = torch.tensor([-1, 0, 127, -(2**31), 5, 6, 7, 100], dtype=torch.int32)
    values = [f"0x{value & 0xFFFFFFFF:08x}" for value in x.tolist()]
    lines = print_lines((0, 0, 0), "bits: ", values, (2, 4))
    args = dict(x_ptr=x.reshape(2, 4), M=2, N=4)
    return Case(
        "device_print_hex",
        print_hex_kernel,
        (1,),
        args,
        stdout=lines + ["pid (0, 0, 0) done"],
        not_interpreted="the interpreter prints whole tensors",
    )


def _assert(name, wrong):
    x = torch.arange(10, dtype=torch.float32) + 1
    index = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6], dtype=torch.int32)
    # The index 9 fails the assertion if wrong, but is a readable address.
    args = dict(
        index_ptr=index,
        x_ptr=x,
        out_ptr=torch.zeros(8),
        n_rows=9 if wrong else 10,
        BLOCK_SIZE=8,
    )
    if wrong:
        return Case(
            name,
            assert_kernel,
            (1,),
            args,
            fault="index out of range",
            options={"debug": True},
        )
    return Case(
        name,
        assert_kernel,
        (1,),
        args,
        options={"debug": True},
        locations=True,
        expect={"out_ptr": near(x[index.long()])},
    )


def cases():
    yield _print()
    yield _print_hex()
    yield _assert("device_assert_holds", False)
    yield _assert("device_assert_fails", True)
