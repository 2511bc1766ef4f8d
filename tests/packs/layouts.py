"""Tensors of many layouts, and when results are close enough."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch

# Half the distance between 1 and the next number.
UNIT = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float32: 2.0**-24, torch.float64: 2.0**-53}

LAYOUTS = ("contiguous", "transposed", "strided", "misaligned", "expanded")


def values(shape, dtype, generator, low=-3.0, high=3.0):
    """Random numbers between low and high; integers of small magnitude."""
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.5
    numbers = torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low
    if dtype.is_floating_point:
        return numbers.to(dtype)
    numbers = (numbers * 10).round()
    return (numbers.abs() if dtype == torch.uint8 else numbers).to(dtype)


def laid_out(tensor, layout):
    """The same elements in memory of another layout; the memory between them holds
    other values. `expanded` repeats the first element of a dimension."""
    if layout == "contiguous" or tensor.dim() == 0 and layout != "misaligned":
        return tensor.contiguous()
    if layout == "transposed":
        order = list(reversed(range(tensor.dim())))
        return tensor.permute(order).contiguous().permute(order)
    if layout == "strided":
        memory = torch.ones([2 * size + 1 for size in tensor.shape], dtype=tensor.dtype)
        view = memory[tuple(slice(1, None, 2) for _ in tensor.shape)]
        view.copy_(tensor)
        return view
    if layout == "misaligned":
        memory = torch.ones(tensor.numel() + 1, dtype=tensor.dtype)
        view = memory[1:].view(tensor.shape)
        view.copy_(tensor)
        return view
    assert layout == "expanded"
    return tensor[:1].contiguous().expand(tensor.shape)


def assert_close(got, expected, scale=None, rounds=4.0, what=""):
    """Checks |got - expected| <= u |expected| + rounds v scale, with u the unit of the
    result's type and v that of the type it is computed in, f32 at least. The scale is
    the size of what is added up, |expected| if it is not given."""
    assert got.shape == expected.shape, (what, got.shape, expected.shape)
    if not got.dtype.is_floating_point:
        assert torch.equal(got.double(), expected.double()), what
        return
    unit = UNIT[got.dtype]
    expected = expected.double()
    size = expected.abs() if scale is None else torch.as_tensor(scale, dtype=torch.float64)
    bound = unit * expected.abs() + rounds * min(unit, UNIT[torch.float32]) * size
    bound = bound + torch.finfo(got.dtype).tiny
    apart = (got.double() - expected).abs()
    same = (got.double() == expected) | (got.isnan() & expected.isnan())
    # What the type cannot hold became infinite.
    same |= got.isinf() & (expected.abs() > torch.finfo(got.dtype).max * (1 - unit))
    bad = ~same & ~(apart <= bound)
    if bad.any():
        at = tuple(int(i) for i in bad.nonzero()[0])
        raise AssertionError(
            f"{what}: {int(bad.sum())} of {bad.numel()} elements differ; at {at}: {got[at].item()!r}, "
            f"expected {expected[at].item()!r} within {bound.expand(apart.shape)[at].item():.3g}"
        )
