"""Histograms: by an atomic add an element, and by tiles of tl.histogram."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, randn


@triton.jit
def atomic_histogram_kernel(
    x_ptr, bins_ptr, n_elements, low, scale, n_bins, BLOCK_SIZE: tl.constexpr
):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    bins = ((x - low) * scale).to(tl.int32)
    bins = tl.minimum(tl.maximum(bins, 0), n_bins - 1)
    tl.atomic_add(bins_ptr + bins, 1, mask=mask, sem="relaxed")


@triton.jit
def tile_histogram_kernel(
    x_ptr, bins_ptr, n_elements, BLOCK_SIZE: tl.constexpr, N_BINS: tl.constexpr
):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0)
    counts = tl.histogram(x, N_BINS, mask=mask)
    tl.atomic_add(bins_ptr + tl.arange(0, N_BINS), counts)


@triton.jit
def segment_sum_kernel(
    x_ptr, segment_ptr, sums_ptr, most_ptr, n_rows, n_cols, BLOCK_SIZE: tl.constexpr
):
    # Rows add up in the segment that they name; its extremes are kept, too.
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    segment = tl.load(segment_ptr + row)
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask)
    tl.atomic_add(sums_ptr + segment * n_cols + cols, x, mask=mask)
    tl.atomic_max(most_ptr + segment * n_cols + cols, x, mask=mask)


def _atomic():
    name = "histogram_atomic_f32"
    n = 3000
    x = randn(generator(name), n)
    # Powers of two: the bin of a value is exact in any precision.
    low, scale, n_bins = -2.0, 8.0, 32
    bins = ((x.double() - low) * scale).trunc().clamp(0, n_bins - 1).long()
    args = dict(
        x_ptr=x,
        bins_ptr=torch.zeros(n_bins, dtype=torch.int32),
        n_elements=n,
        low=low,
        scale=scale,
        n_bins=n_bins,
        BLOCK_SIZE=512,
    )
    expected = torch.bincount(bins, minlength=n_bins).int()
    return Case(
        name,
        atomic_histogram_kernel,
        (cdiv(n, 512),),
        args,
        {"bins_ptr": near(expected)},
    )


def _tile():
    name = "histogram_tile_i32"
    n = 2500
    x = randint(generator(name), 0, 64, n)
    args = dict(
        x_ptr=x,
        bins_ptr=torch.zeros(64, dtype=torch.int32),
        n_elements=n,
        BLOCK_SIZE=1024,
        N_BINS=64,
    )
    expected = torch.bincount(x, minlength=64).int()
    return Case(
        name,
        tile_histogram_kernel,
        (cdiv(n, 1024),),
        args,
        {"bins_ptr": near(expected)},
    )


def _segments():
    name = "segment_sum_f32"
    rng = generator(name)
    rows, cols, segments = 40, 50, 6
    x = randn(rng, rows, cols)
    segment = randint(rng, 0, segments, rows, dtype=torch.int64)
    index = segment[:, None].expand(rows, cols)
    sums = torch.zeros(segments, cols).double().scatter_add(0, index, x.double())
    most = torch.full((segments, cols), -100.0)
    expected_most = most.scatter_reduce(0, index, x, "amax")
    args = dict(
        x_ptr=x,
        segment_ptr=segment,
        sums_ptr=torch.zeros(segments, cols),
        most_ptr=most,
        n_rows=rows,
        n_cols=cols,
        BLOCK_SIZE=64,
    )
    return Case(
        name,
        segment_sum_kernel,
        (rows,),
        args,
        {
            "sums_ptr": near(sums, torch.float32, 1e-4, 1e-5),
            "most_ptr": near(expected_most, None, 0, 0),
        },
    )


def cases():
    yield _atomic()
    yield _tile()
    yield _segments()


def bench():
    n, bins = 1 << 22, 256
    args = dict(
        x_ptr=torch.empty(n, dtype=torch.int32),
        bins_ptr=torch.empty(bins, dtype=torch.int32),
        n_elements=n,
        BLOCK_SIZE=1024,
        N_BINS=bins,
    )
    yield Case(
        "histogram_1024",
        tile_histogram_kernel,
        (cdiv(n, 1024),),
        args,
        outputs=("bins_ptr",),
        work={"bytes": 4 * n},
    )
