"""2-D convolution as an implicit matrix product."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def conv2d_kernel(
    x_ptr,
    w_ptr,
    y_ptr,
    IN_C,
    IN_H,
    IN_W,
    OUT_C,
    OUT_H,
    OUT_W,
    n_pixels,
    padding,
    KH: tl.constexpr,
    KW: tl.constexpr,
    STRIDE: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_C: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # Rows of the product are output pixels of all images, columns channels.
    pixel = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    channel = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    image = pixel // (OUT_H * OUT_W)
    out_y = (pixel // OUT_W) % OUT_H
    out_x = pixel % OUT_W
    acc = tl.zeros((BLOCK_P, BLOCK_C), dtype=tl.float32)
    for ky in tl.static_range(KH):
        for kx in tl.static_range(KW):
            in_y = out_y * STRIDE + ky - padding
            in_x = out_x * STRIDE + kx - padding
            inside = (
                (in_y >= 0)
                & (in_y < IN_H)
                & (in_x >= 0)
                & (in_x < IN_W)
                & (pixel < n_pixels)
            )
            for c0 in range(0, IN_C, BLOCK_K):
                c = c0 + tl.arange(0, BLOCK_K)
                x_ptrs = x_ptr + (
                    ((image[:, None] * IN_C + c[None, :]) * IN_H + in_y[:, None]) * IN_W
                    + in_x[:, None]
                )
                x = tl.load(
                    x_ptrs, mask=inside[:, None] & (c < IN_C)[None, :], other=0.0
                )
                w_ptrs = w_ptr + (
                    ((channel[None, :] * IN_C + c[:, None]) * KH + ky) * KW + kx
                )
                w = tl.load(
                    w_ptrs,
                    mask=(c < IN_C)[:, None] & (channel < OUT_C)[None, :],
                    other=0.0,
                )
                acc = tl.dot(x, w, acc)
    y_ptrs = y_ptr + (
        ((image[:, None] * OUT_C + channel[None, :]) * OUT_H + out_y[:, None]) * OUT_W
        + out_x[:, None]
    )
    tl.store(y_ptrs, acc, mask=(pixel < n_pixels)[:, None] & (channel < OUT_C)[None, :])


def cases():
    name = "conv2d_f32"
    rng = generator(name)
    x, w = randn(rng, 2, 12, 11, 13), randn(rng, 10, 12, 3, 3)
    expected = torch.nn.functional.conv2d(x.double(), w.double(), stride=2, padding=1)
    images, out_c, out_h, out_w = expected.shape
    pixels = images * out_h * out_w
    args = dict(
        x_ptr=x,
        w_ptr=w,
        y_ptr=torch.zeros(expected.shape),
        IN_C=12,
        IN_H=11,
        IN_W=13,
        OUT_C=out_c,
        OUT_H=out_h,
        OUT_W=out_w,
        n_pixels=pixels,
        padding=1,
        KH=3,
        KW=3,
        STRIDE=2,
        BLOCK_P=32,
        BLOCK_C=16,
        BLOCK_K=16,
    )
    yield Case(
        name,
        conv2d_kernel,
        (cdiv(pixels, 32), cdiv(out_c, 16)),
        args,
        {"y_ptr": near(expected, torch.float32, 1e-4, 1e-4)},
    )
