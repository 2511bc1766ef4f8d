"""What a kernel file offers to the exporter: cases with inputs and results.

A kernel file has `cases()`: each Case is one launch, with arguments exactly as
a user would pass them to `kernel[grid](...)` and results computed by torch or
numpy. It may have `bench()`, whose cases carry sizes but no results.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math
import zlib
from dataclasses import dataclass, field

import numpy as np
import torch

# rtol and atol for a result that took a handful of operations in its own type.
TOLERANCE = {
    torch.float64: (1e-12, 1e-12),
    torch.float32: (1e-5, 1e-6),
    torch.float16: (2e-3, 1e-3),
    torch.bfloat16: (1.6e-2, 1e-2),
    torch.float8_e5m2: (0.0, 0.0),
    torch.float8_e4m3fn: (0.0, 0.0),
}


# Why Triton's interpreter cannot check some types.
BF16_BITS = "the interpreter computes bf16 on its bits and truncates"
FP8_CARRY = "the interpreter loses a carry when it rounds to fp8"


@dataclass
class Expect:
    """The content of an argument after the launch, and how near to be."""

    value: torch.Tensor
    rtol: float
    atol: float


def near(value, dtype=None, rtol=None, atol=None):
    """Expect `value` (often float64) rounded to `dtype`."""
    value = value if dtype is None else value.to(dtype)
    standard = TOLERANCE.get(value.dtype, (0.0, 0.0))
    return Expect(
        value.contiguous(),
        standard[0] if rtol is None else rtol,
        standard[1] if atol is None else atol,
    )


@dataclass
class Case:
    """One launch of a kernel. `args` are all parameters by name, in order."""

    name: str
    kernel: object
    grid: tuple
    args: dict
    expect: dict = field(default_factory=dict)
    tags: tuple = ()  # what the operations of the module do not say
    options: dict = field(default_factory=dict)  # launch options (debug, ...)
    raw: bool = False  # keep the module before any pass, too
    locations: bool = False  # keep source locations in the text
    # Let Triton turn descriptors and block pointers into plain pointers.
    rewrite_pointers: bool = False
    stdout: list = None  # lines that the launch prints, in any order
    fault: str = None  # text of the assertion that the launch violates
    since: str = None  # the first Triton release with what is used
    before: str = None  # the first Triton release without what is used
    not_interpreted: str = None  # why Triton's interpreter cannot check this
    outputs: tuple = ()  # bench only: arguments that are written
    work: dict = field(default_factory=dict)  # bench only: bytes or flops


def generator(name):
    """A numpy generator whose seed is a fixed function of the case's name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def randn(rng, *shape, dtype=torch.float32, scale=1.0):
    """Normal values; for float64 already rounded as a float32 would be."""
    values = rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)
    return torch.from_numpy(values).to(dtype)


def rand(rng, *shape, dtype=torch.float32):
    """Values between 0 and 1."""
    return torch.from_numpy(rng.random(shape, dtype=np.float32)).to(dtype)


def randint(rng, low, high, *shape, dtype=torch.int32):
    """Integers from `low` to `high` - 1."""
    values = rng.integers(low, high, shape, dtype=np.int64)
    return torch.from_numpy(values).to(dtype)


def cdiv(a, b):
    """Quotient rounded up, as triton.cdiv but usable without Triton."""
    return -(-a // b)


def short(dtype):
    """The name of a torch type in file names and manifests: f32, bf16, i8."""
    special = {
        torch.bfloat16: "bf16",
        torch.bool: "i1",
        torch.float8_e5m2: "f8e5m2",
        torch.float8_e4m3fn: "f8e4m3fn",
    }
    if dtype in special:
        return special[dtype]
    return f"{'f' if dtype.is_floating_point else 'i'}{dtype.itemsize * 8}"


def print_lines(pid, text, values, shape=()):
    """The lines that tl.device_print writes for one program and operand."""
    where = "pid (" + ", ".join(str(p) for p in pid) + ")"
    if not shape:
        return [f"{where} idx () {text}{values}"]
    width = [len(str(n - 1)) for n in shape]
    lines = []
    for flat in range(math.prod(shape)):
        index = np.unravel_index(flat, shape)
        idx = ", ".join(str(i).rjust(w) for i, w in zip(index, width))
        lines.append(f"{where} idx ({idx}) {text}{values[flat]}")
    return lines
