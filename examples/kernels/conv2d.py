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


@triton.jit
def conv2d_one_loop_kernel(
    x_ptr,
    w_ptr,
    y_ptr,
    N,
    C,
    H,
    W,
    FILTERS,
    OUT_H,
    OUT_W,
    KERNEL_H: tl.constexpr,
    KERNEL_W: tl.constexpr,
    STRIDE: tl.constexpr,
    PADDING: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    # A round multiplies some channels at one place of the filter.
    pixel = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    filters = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    n = pixel // (OUT_H * OUT_W)
    row = pixel // OUT_W % OUT_H
    column = pixel % OUT_W
    is_filter = filters < FILTERS
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    channel_blocks = tl.cdiv(C, BLOCK_C)
    for block in range(KERNEL_H * KERNEL_W * channel_blocks):
        channel = block % channel_blocks * BLOCK_C + tl.arange(0, BLOCK_C)
        kernel_row = block // channel_blocks // KERNEL_W
        kernel_column = block // channel_blocks % KERNEL_W
        h = row * STRIDE + kernel_row - PADDING
        w = column * STRIDE + kernel_column - PADDING
        is_inside = (n < N) & (h >= 0) & (h < H) & (w >= 0) & (w < W)
        is_channel = channel < C
        places = (n * C * H * W + h * W + w)[:, None] + (channel * H * W)[None, :]
        x = tl.load(x_ptr + places, mask=is_inside[:, None] & is_channel[None, :], other=0.0)
        places = (filters * C)[None, :] + channel[:, None]
        places = places * (KERNEL_H * KERNEL_W) + kernel_row * KERNEL_W + kernel_column
        y = tl.load(w_ptr + places, mask=is_channel[:, None] & is_filter[None, :], other=0.0)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    places = (n * FILTERS * OUT_H * OUT_W + row * OUT_W + column)[:, None]
    places = places + (filters * OUT_H * OUT_W)[None, :]
    tl.store(
        y_ptr + places,
        acc.to(y_ptr.dtype.element_ty),
        mask=(n < N)[:, None] & is_filter[None, :],
    )


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
    for name, dtype, tolerance, stride, padding in (
        ("conv2d_one_loop_f32", torch.float32, 1e-5, 1, 1),
        ("conv2d_one_loop_f16", torch.float16, 5e-3, 2, 0),
    ):
        rng = generator(name)
        x = randn(rng, 2, 20, 9, 19).to(dtype)
        w = randn(rng, 24, 20, 3, 3).to(dtype)
        expected = torch.nn.functional.conv2d(
            x.double(), w.double(), stride=stride, padding=padding
        )
        y = torch.zeros_like(expected, dtype=dtype)
        pixels = y.shape[0] * y.shape[2] * y.shape[3]
        yield Case(
            name,
            conv2d_one_loop_kernel,
            (cdiv(pixels, 32), cdiv(w.shape[0], 16)),
            dict(
                x_ptr=x,
                w_ptr=w,
                y_ptr=y,
                N=x.shape[0],
                C=x.shape[1],
                H=x.shape[2],
                W=x.shape[3],
                FILTERS=w.shape[0],
                OUT_H=y.shape[2],
                OUT_W=y.shape[3],
                KERNEL_H=3,
                KERNEL_W=3,
                STRIDE=stride,
                PADDING=padding,
                BLOCK_M=32,
                BLOCK_N=16,
                BLOCK_C=16,
            ),
            expect={"y_ptr": near(expected, dtype, tolerance, tolerance)},
        )


def bench():
    images, channels, size, filters = 2, 128, 28, 128
    x, w = torch.empty(images, channels, size, size), torch.empty(filters, channels, 3, 3)
    y = torch.empty(images, filters, size, size)
    pixels = images * size * size
    grid = (cdiv(pixels, 64), cdiv(filters, 64))
    work = {"flops": 2 * pixels * filters * channels * 9}
    sizes = dict(IN_C=channels, IN_H=size, IN_W=size, OUT_C=filters, OUT_H=size, OUT_W=size)
    blocks = dict(BLOCK_P=64, BLOCK_C=64, BLOCK_K=32)
    yield Case(
        "conv2d_128",
        conv2d_kernel,
        grid,
        dict(
            x_ptr=x, w_ptr=w, y_ptr=y, **sizes, n_pixels=pixels, padding=1, KH=3, KW=3, STRIDE=1, **blocks
        ),
        outputs=("y_ptr",),
        work=work,
    )
    sizes = dict(N=images, C=channels, H=size, W=size, FILTERS=filters, OUT_H=size, OUT_W=size)
    yield Case(
        "conv2d_one_loop_128",
        conv2d_one_loop_kernel,
        grid,
        dict(
            x_ptr=x, w_ptr=w, y_ptr=y, **sizes,
            KERNEL_H=3, KERNEL_W=3, STRIDE=1, PADDING=1, BLOCK_M=64, BLOCK_N=64, BLOCK_C=32,
        ),
        outputs=("y_ptr",),
        work=work,
    )  # fmt: skip
