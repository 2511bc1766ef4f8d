"""Sort rows, take the largest of each, choose experts with them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randint, randn


@triton.jit
def sort_kernel(
    x_ptr, z_ptr, N: tl.constexpr, M: tl.constexpr, DESCENDING: tl.constexpr
):
    offsets = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(z_ptr + offsets, tl.sort(x, descending=DESCENDING))


@triton.jit
def sort_rows_kernel(x_ptr, z_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=float("inf"))
    tl.store(z_ptr + row * n_cols + cols, tl.sort(x), mask=mask)


@triton.jit
def topk_kernel(x_ptr, z_ptr, n_cols, BLOCK_SIZE: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    z = tl.topk(x, K)
    tl.store(z_ptr + row * K + tl.arange(0, K), z)


@triton.jit
def topk_gate_kernel(
    logits_ptr,
    weight_ptr,
    expert_ptr,
    n_experts,
    BLOCK_SIZE: tl.constexpr,
    K: tl.constexpr,
):
    # Softmax over the K best experts, taken one after another.
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    logits = tl.load(
        logits_ptr + row * n_experts + cols, mask=cols < n_experts, other=-float("inf")
    )
    best = tl.max(logits, axis=0)
    total = 0.0
    for k in tl.static_range(K):
        value, expert = tl.max(logits, axis=0, return_indices=True)
        weight = tl.exp(value - best)
        total += weight
        tl.store(weight_ptr + row * K + k, weight)
        tl.store(expert_ptr + row * K + k, expert)
        logits = tl.where(cols == expert, -float("inf"), logits)
    places = tl.arange(0, K)
    tl.debug_barrier()
    weights = tl.load(weight_ptr + row * K + places)
    tl.store(weight_ptr + row * K + places, weights / total)


def _sort(name, dtype, descending):
    rng = generator(name)
    if dtype.is_floating_point:
        x = randn(rng, 8, 64, dtype=dtype)
    else:
        x = randint(rng, -1000, 1000, 8, 64, dtype=dtype)
    args = dict(x_ptr=x, z_ptr=torch.zeros_like(x), N=64, M=8, DESCENDING=descending)
    expected = x.sort(1, descending=descending).values
    return Case(name, sort_kernel, (1,), args, {"z_ptr": near(expected, None, 0, 0)})


def _sort_rows():
    name = "sort_rows_f32"
    x = randn(generator(name), 5, 100)
    args = dict(x_ptr=x, z_ptr=torch.zeros_like(x), n_cols=100, BLOCK_SIZE=128)
    expected = x.sort(1).values
    return Case(
        name, sort_rows_kernel, (5,), args, {"z_ptr": near(expected, None, 0, 0)}
    )


def _topk():
    name = "topk_f32"
    x = randn(generator(name), 5, 200)
    args = dict(x_ptr=x, z_ptr=torch.zeros(5, 8), n_cols=200, BLOCK_SIZE=256, K=8)
    expected = x.topk(8, dim=1).values
    return Case(name, topk_kernel, (5,), args, {"z_ptr": near(expected, None, 0, 0)})


def _gate():
    name = "topk_gate_f32"
    x = randn(generator(name), 10, 60)
    args = dict(
        logits_ptr=x,
        weight_ptr=torch.zeros(10, 4),
        expert_ptr=torch.zeros(10, 4, dtype=torch.int32),
        n_experts=60,
        BLOCK_SIZE=64,
        K=4,
    )
    values, experts = x.double().topk(4, dim=1)
    return Case(
        name,
        topk_gate_kernel,
        (10,),
        args,
        {
            "weight_ptr": near(values.softmax(1), torch.float32),
            "expert_ptr": near(experts.int()),
        },
    )


def cases():
    yield _sort("sort_f32", torch.float32, False)
    yield _sort("sort_i32_descending", torch.int32, True)
    yield _sort_rows()
    yield _topk()
    yield _gate()


def bench():
    rows = 4096
    for columns in (256, 1024):
        args = dict(
            x_ptr=torch.empty(rows, columns),
            z_ptr=torch.empty(rows, columns),
            n_cols=columns,
            BLOCK_SIZE=columns,
        )
        yield Case(
            f"sort_{columns}",
            sort_rows_kernel,
            (rows,),
            args,
            outputs=("z_ptr",),
            work={"bytes": 8 * rows * columns},
        )
    args = dict(
        x_ptr=torch.empty(rows, 1024),
        z_ptr=torch.empty(rows, 8),
        n_cols=1024,
        BLOCK_SIZE=1024,
        K=8,
    )
    yield Case(
        "topk_1024",
        topk_kernel,
        (rows,),
        args,
        outputs=("z_ptr",),
        work={"bytes": 4 * rows * 1024},
    )
