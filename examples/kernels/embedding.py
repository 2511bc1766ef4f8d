"""Embedding: gather rows by index, and scatter their gradients back."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, randn


@triton.jit
def embedding_forward_kernel(
    table_ptr,
    indices_ptr,
    output_ptr,
    n_elements,
    embedding_dim: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    offsets_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = mask_m[:, None] & (offsets_n < embedding_dim)[None, :]
    rows = tl.load(
        table_ptr + indices[:, None] * embedding_dim + offsets_n[None, :],
        mask=mask,
        other=0.0,
    )
    tl.store(
        output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :],
        rows,
        mask=mask,
    )


@triton.jit
def embedding_backward_kernel(
    grad_ptr,
    indices_ptr,
    table_grad_ptr,
    n_elements,
    embedding_dim: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    offsets_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = mask_m[:, None] & (offsets_n < embedding_dim)[None, :]
    grad = tl.load(
        grad_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :],
        mask=mask,
        other=0.0,
    )
    tl.atomic_add(
        table_grad_ptr + indices[:, None] * embedding_dim + offsets_n[None, :],
        grad,
        mask=mask,
    )


def _setup(name):
    rng = generator(name)
    vocabulary, dim, tokens = 50, 72, 37
    indices = randint(rng, 0, vocabulary, tokens, dtype=torch.int64)
    grid = (cdiv(tokens, 16), cdiv(dim, 64))
    sizes = dict(n_elements=tokens, embedding_dim=dim, BLOCK_SIZE_M=16, BLOCK_SIZE_N=64)
    return rng, vocabulary, dim, tokens, indices, grid, sizes


def _forward():
    name = "embedding_f32"
    rng, vocabulary, dim, tokens, indices, grid, sizes = _setup(name)
    table = randn(rng, vocabulary, dim)
    args = dict(
        table_ptr=table,
        indices_ptr=indices,
        output_ptr=torch.zeros(tokens, dim),
        **sizes,
    )
    return Case(
        name,
        embedding_forward_kernel,
        grid,
        args,
        {"output_ptr": near(table[indices], None, 0, 0)},
    )


def _backward():
    name = "embedding_backward_f32"
    rng, vocabulary, dim, tokens, indices, grid, sizes = _setup(name)
    grad = randn(rng, tokens, dim)
    table = torch.zeros(vocabulary, dim)
    expected = table.double().index_add(0, indices, grad.double())
    args = dict(grad_ptr=grad, indices_ptr=indices, table_grad_ptr=table, **sizes)
    return Case(
        name,
        embedding_backward_kernel,
        grid,
        args,
        {"table_grad_ptr": near(expected, torch.float32, atol=1e-5)},
    )


def cases():
    yield _forward()
    yield _backward()


def bench():
    vocabulary, dim, tokens = 32000, 1024, 2048
    table, rows = torch.empty(vocabulary, dim), torch.empty(tokens, dim)
    indices = torch.zeros(tokens, dtype=torch.int64)
    grid = (cdiv(tokens, 32), cdiv(dim, 128))
    sizes = dict(n_elements=tokens, embedding_dim=dim, BLOCK_SIZE_M=32, BLOCK_SIZE_N=128)
    yield Case(
        f"embedding_{dim}",
        embedding_forward_kernel,
        grid,
        dict(table_ptr=table, indices_ptr=indices, output_ptr=rows, **sizes),
        outputs=("output_ptr",),
        work={"bytes": 8 * tokens * dim},
    )
    yield Case(
        f"embedding_backward_{dim}",
        embedding_backward_kernel,
        grid,
        dict(grad_ptr=rows, indices_ptr=indices, table_grad_ptr=table, **sizes),
        outputs=("table_grad_ptr",),
        work={"bytes": 12 * tokens * dim},
    )
