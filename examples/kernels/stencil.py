"""Seven-point stencil on a 3-D grid: a step of the heat equation."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def heat_kernel(
    u_ptr,
    out_ptr,
    NZ,
    NY,
    NX,
    stride_z,
    stride_y,
    alpha,
    BLOCK_Y: tl.constexpr,
    BLOCK_X: tl.constexpr,
):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]
    z = tl.program_id(2)
    inside = (x < NX) & (y < NY)
    here = u_ptr + z * stride_z + y * stride_y + x
    center = tl.load(here, mask=inside, other=0.0)
    # Beyond the border the temperature is zero.
    west = tl.load(here - 1, mask=inside & (x > 0), other=0.0)
    east = tl.load(here + 1, mask=inside & (x < NX - 1), other=0.0)
    north = tl.load(here - stride_y, mask=inside & (y > 0), other=0.0)
    south = tl.load(here + stride_y, mask=inside & (y < NY - 1), other=0.0)
    below = tl.load(here - stride_z, mask=inside & (z > 0), other=0.0)
    above = tl.load(here + stride_z, mask=inside & (z < NZ - 1), other=0.0)
    neighbors = west + east + north + south + below + above
    tl.store(
        out_ptr + z * stride_z + y * stride_y + x,
        center + alpha * (neighbors - 6.0 * center),
        mask=inside,
    )


def _heat(name, dtype):
    nz, ny, nx = 5, 18, 40
    u = randn(generator(name), nz, ny, nx, dtype=dtype)
    args = dict(
        u_ptr=u,
        out_ptr=torch.zeros_like(u),
        NZ=nz,
        NY=ny,
        NX=nx,
        stride_z=ny * nx,
        stride_y=nx,
        alpha=0.125,
        BLOCK_Y=8,
        BLOCK_X=32,
    )
    p = torch.nn.functional.pad(u.double(), (1, 1, 1, 1, 1, 1))
    neighbors = (
        p[1:-1, 1:-1, :-2]
        + p[1:-1, 1:-1, 2:]
        + p[1:-1, :-2, 1:-1]
        + p[1:-1, 2:, 1:-1]
        + p[:-2, 1:-1, 1:-1]
        + p[2:, 1:-1, 1:-1]
    )
    expected = u.double() + 0.125 * (neighbors - 6 * u.double())
    return Case(
        name,
        heat_kernel,
        (cdiv(nx, 32), cdiv(ny, 8), nz),
        args,
        {"out_ptr": near(expected, dtype)},
    )


def cases():
    yield _heat("stencil_3d_f32", torch.float32)
    yield _heat("stencil_3d_f64", torch.float64)
