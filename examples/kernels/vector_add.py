"""Vector add: one block a program, the tail masked."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import BF16_BITS, Case, cdiv, generator, near, randint, randn, short


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    output = x + y
    tl.store(out_ptr + offsets, output, mask=mask)


@triton.jit
def xor_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x ^ y, mask=mask)


@triton.jit
def add_strided_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # Grid-stride loop: any number of programs covers any number of elements.
    start = tl.program_id(0) * BLOCK_SIZE
    step = tl.num_programs(0) * BLOCK_SIZE
    for base in tl.range(start, n_elements, step):
        offsets = base + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
        y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
        tl.store(out_ptr + offsets, x + y, mask=mask)


def _values(rng, n, dtype):
    if dtype.is_floating_point:
        return randn(rng, n, dtype=dtype)
    info = torch.iinfo(dtype)
    # A quarter of the range, so that no sum depends on how overflow wraps.
    return randint(rng, info.min // 4, info.max // 4, n, dtype=dtype)


def _add(name, n, block, dtype=torch.float32, kernel=add_kernel, **options):
    rng = generator(name)
    grid = options.pop("grid", (cdiv(n, block),))
    x, y = _values(rng, n, dtype), _values(rng, n, dtype)
    # The tail beyond n must keep its content.
    out = torch.full((n + 19,), 7, dtype=dtype)
    expected = out.clone()
    expected[:n] = x + y
    args = dict(x_ptr=x, y_ptr=y, out_ptr=out, n_elements=n, BLOCK_SIZE=block)
    expect = {"out_ptr": near(expected)}
    return Case(name, kernel, grid, args, expect, **options)


def cases():
    yield _add("vector_add_f32", 4001, 1024, raw=True, locations=True)
    yield _add("vector_add_f32_one_block", 781, 1024)
    yield _add("vector_add_f32_block16384", 9000, 16384)
    yield _add("vector_add_f32_block65536", 8192, 65536)
    yield _add(
        "vector_add_f32_strided", 5000, 256, kernel=add_strided_kernel, grid=(3,)
    )
    for dtype in (
        torch.float64,
        torch.float16,
        torch.bfloat16,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
    ):
        reason = BF16_BITS if dtype == torch.bfloat16 else None
        yield _add(
            f"vector_add_{short(dtype)}", 1025, 256, dtype, not_interpreted=reason
        )
    yield _unaligned()
    yield _booleans()


def _unaligned():
    """Views that start in the middle: no divisibility in the signature."""
    case = _add("vector_add_f32_unaligned", 1000, 256)
    for name in ("x_ptr", "y_ptr"):
        padded = torch.cat([torch.zeros(1), case.args[name]])
        case.args[name] = padded[1:]
    return case


def _booleans():
    name = "vector_xor_i1"
    rng = generator(name)
    x = randint(rng, 0, 2, 1000, dtype=torch.bool)
    y = randint(rng, 0, 2, 1000, dtype=torch.bool)
    out = torch.zeros(1000, dtype=torch.bool)
    args = dict(x_ptr=x, y_ptr=y, out_ptr=out, n_elements=1000, BLOCK_SIZE=256)
    return Case(name, xor_kernel, (4,), args, {"out_ptr": near(x ^ y)})


def bench():
    n = 1 << 24
    for block in (1024, 65536):
        args = {p: torch.empty(n) for p in ("x_ptr", "y_ptr", "out_ptr")}
        args |= dict(n_elements=n, BLOCK_SIZE=block)
        yield Case(
            f"vector_add_{block}",
            add_kernel,
            (n // block,),
            args,
            outputs=("out_ptr",),
            work={"bytes": 12 * n},
        )
