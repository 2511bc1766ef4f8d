"""Values of every type of Triton, the same ones in every run."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math
import zlib

import numpy as np
import torch
import triton

RELEASE = tuple(map(int, triton.__version__.split(".")[:2]))

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float16", "bfloat16", "float32", "float64"]
FP8 = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]

# The steps between 1 and what follows it.
EPS = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-52}


def rng(*key):
    """A generator that depends on nothing but the key."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def integers(kind, count, low=None, high=None):
    """Integers of all sizes, with the ends of the range among them."""
    info = np.iinfo(kind)
    low = info.min if low is None else low
    high = info.max if high is None else high
    values = rng(kind, count, low, high).integers(low, high, count, kind, endpoint=True)
    ends = [low, high, min(max(low, 0), high), min(max(low, 1), high)]
    values[: min(4, count)] = ends[: min(4, count)]
    return values


def floats(kind, count, scale=4.0, special=True):
    """Floats around 0; infinities, NaN and signed zeros come first if wanted."""
    values = rng(kind, count, scale).normal(0, scale, count)
    if special:
        ends = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0]
        values[: len(ends)] = ends
    return torch.from_numpy(values).to(getattr(torch, kind))


def any_values(kind, count):
    """A tensor of `count` finite values of any type, repeated ones among them."""
    if kind == "bool":
        return torch.from_numpy(rng(kind, count).integers(0, 2, count).astype(bool))
    if kind in INTEGERS:
        return torch.from_numpy(integers(kind, count))
    return floats("float32", count, special=False).to(getattr(torch, kind))


def bits(tensor):
    """The bytes of a tensor as numpy's integers, for types that numpy lacks."""
    return tensor.contiguous().view(-1).view(torch.uint8).numpy()


def assert_same_bits(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    different = np.nonzero(bits(found) != bits(expected))[0] // found.element_size()
    assert different.size == 0, (
        f"{different.size} bytes differ, first at {different[0]}: "
        f"{found.view(-1)[different[0]]}, expected {expected.reshape(-1)[different[0]]}"
    )


def assert_close(found, expected, ulps, kind=None):
    """Equal within so many steps of the type, where NaN equals NaN."""
    step = EPS[kind or str(found.dtype).removeprefix("torch.")]
    torch.testing.assert_close(
        found.double(), expected.double(), rtol=ulps * step, atol=ulps * step, equal_nan=True
    )
