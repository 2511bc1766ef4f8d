"""Strides that Triton does not specialize, and offsets computed by divisions."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn

SHIFT = 3


@triton.jit
def add_by_strides_kernel(
    x_ptr, y_ptr, out_ptr, n_elements,
    x_stride: int, y_stride: int, out_stride: int,
    BLOCK_SIZE: tl.constexpr,
):  # fmt: skip
    # With an annotation, an argument that is one is an argument like others.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets * x_stride, mask=mask)
    y = tl.load(y_ptr + offsets * y_stride, mask=mask)
    tl.store(out_ptr + offsets * out_stride, x + y, mask=mask)


@triton.jit
def roll_kernel(x_ptr, y_ptr, n_elements, columns, shift, BLOCK_SIZE: tl.constexpr):
    # Each row rolled by `shift` columns.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    row = offsets // columns
    column = (offsets % columns - shift + columns) % columns
    x = tl.load(x_ptr + row * columns + column, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)


def _add(name, n, strides):
    rng = generator(name)
    size = 3 * n
    x, y, out = randn(rng, size), randn(rng, size), torch.full((size,), 7.0)
    places = [torch.arange(n) * stride for stride in strides]
    expected = out.clone()
    expected[places[2]] = x[places[0]] + y[places[1]]
    args = dict(x_ptr=x, y_ptr=y, out_ptr=out, n_elements=n)
    args.update(zip(("x_stride", "y_stride", "out_stride"), strides), BLOCK_SIZE=256)
    return Case(
        name, add_by_strides_kernel, (cdiv(n, 256),), args, {"out_ptr": near(expected)}
    )


def _roll(name, shape, shift):
    x = randn(generator(name), *shape)
    n, columns = x.numel(), shape[1]
    args = dict(
        x_ptr=x, y_ptr=torch.zeros_like(x), n_elements=n, columns=columns, shift=shift,
        BLOCK_SIZE=256,
    )  # fmt: skip
    expected = torch.roll(x, shift, 1)
    return Case(name, roll_kernel, (cdiv(n, 256),), args, {"y_ptr": near(expected)})


def cases():
    yield _add("strides_one", 700, (1, 1, 1))
    yield _add("strides_mixed", 700, (1, 0, 2))
    yield _add("strides_two", 700, (2, 1, 1))
    yield _roll("roll_rows", (9, 100), SHIFT)
    yield _roll("roll_long_rows", (3, 512), 500)


def bench():
    n = 1 << 22
    args = dict(x_ptr=torch.empty(n), y_ptr=torch.empty(n), out_ptr=torch.empty(n))
    strides = dict(n_elements=n, x_stride=1, y_stride=1, out_stride=1, BLOCK_SIZE=1024)
    yield Case(
        "add_by_strides_1024", add_by_strides_kernel, (cdiv(n, 1024),), args | strides,
        outputs=("out_ptr",), work={"bytes": 12 * n},
    )  # fmt: skip
    args = dict(
        x_ptr=torch.empty(2048, 2048), y_ptr=torch.empty(2048, 2048), n_elements=n,
        columns=2048, shift=SHIFT, BLOCK_SIZE=1024,
    )  # fmt: skip
    yield Case(
        "roll_1024", roll_kernel, (cdiv(n, 1024),), args, outputs=("y_ptr",), work={"bytes": 8 * n}
    )
