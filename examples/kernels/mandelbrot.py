"""Mandelbrot set: a fixed loop whose lanes stop at different times."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, near


@triton.jit
def mandelbrot_kernel(
    out_ptr,
    width,
    height,
    x0,
    y0,
    step,
    n_iterations,
    BLOCK_Y: tl.constexpr,
    BLOCK_X: tl.constexpr,
):
    px = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]
    py = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]
    cx = (x0 + px * step) + tl.zeros([BLOCK_Y, BLOCK_X], dtype=tl.float32)
    cy = (y0 + py * step) + tl.zeros([BLOCK_Y, BLOCK_X], dtype=tl.float32)
    x = tl.zeros_like(cx)
    y = tl.zeros_like(cy)
    count = tl.zeros([BLOCK_Y, BLOCK_X], dtype=tl.int32)
    i = 0
    inside = x * x + y * y <= 4.0
    while (i < n_iterations) & (tl.max(tl.ravel(inside).to(tl.int32)) > 0):
        x_next = x * x - y * y + cx
        y_next = 2.0 * x * y + cy
        x = tl.where(inside, x_next, x)
        y = tl.where(inside, y_next, y)
        count += inside.to(tl.int32)
        inside = x * x + y * y <= 4.0
        i += 1
    tl.store(out_ptr + py * width + px, count, mask=(px < width) & (py < height))


def cases():
    width, height, iterations = 40, 30, 12
    # The step is a power of two and there are few iterations: a contracted
    # multiply-add moves no pixel over the border.
    x0, y0, step = -2.0, -0.9375, 0.0625
    c = (x0 + step * torch.arange(width).double())[None, :] + 1j * (
        y0 + step * torch.arange(height).double()
    )[:, None]
    z = torch.zeros_like(c)
    count = torch.zeros(height, width, dtype=torch.int32)
    for _ in range(iterations):
        inside = z.real**2 + z.imag**2 <= 4
        count += inside
        z = torch.where(inside, z * z + c, z)
    args = dict(
        out_ptr=torch.zeros_like(count),
        width=width,
        height=height,
        x0=x0,
        y0=y0,
        step=step,
        n_iterations=iterations,
        BLOCK_Y=8,
        BLOCK_X=32,
    )
    yield Case(
        "mandelbrot_i32",
        mandelbrot_kernel,
        (cdiv(width, 32), cdiv(height, 8)),
        args,
        {"out_ptr": near(count)},
    )
