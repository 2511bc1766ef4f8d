"""Products of tokens with the experts that they are routed to.

Tokens are sorted by expert; a block of rows has one expert, whose last block is
filled up with a number that is no token's. Rows are gathered and scattered."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl
from case import Case, cdiv, generator, near, randn


@triton.jit
def experts_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    weights_ptr,
    tokens_ptr,
    experts_ptr,
    count_ptr,
    N,
    K,
    num_tokens,
    stride_am,
    stride_be,
    stride_bn,
    stride_cm,
    TOP_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(0)
    grid_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // grid_n
    pid_n = pid % grid_n
    if pid_m * BLOCK_M >= tl.load(count_ptr):
        return
    token = tl.load(tokens_ptr + pid_m * BLOCK_M + tl.arange(0, BLOCK_M))
    is_token = token < num_tokens
    expert = tl.load(experts_ptr + pid_m).to(tl.int64)
    rn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)) % N
    rk = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + token[:, None] // TOP_K * stride_am + rk[None, :]
    b_ptrs = b_ptr + expert * stride_be + rk[:, None] + rn[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        is_inside = rk < K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=is_token[:, None] & is_inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=is_inside[:, None], other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    acc *= tl.load(weights_ptr + token, mask=is_token, other=0.0)[:, None]
    cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + token[:, None] * stride_cm + cn[None, :]
    tl.store(
        c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=is_token[:, None] & (cn < N)[None, :]
    )


def sort_tokens(choices, num_experts, block):
    """The numbers of tokens, times `top_k`, by expert, in whole blocks, and the expert
    of each block."""
    flat = choices.flatten()
    tokens, experts = [], []
    for expert in range(num_experts):
        own = (flat == expert).nonzero().flatten()
        blocks = cdiv(len(own), block)
        tokens.append(torch.full((blocks * block,), len(flat)))
        tokens[-1][: len(own)] = own
        experts += [expert] * blocks
    return torch.cat(tokens).to(torch.int32), torch.tensor(experts, dtype=torch.int32)


def launch(a, b, c, weights, choices, block_m, block_n, block_k, spare=0):
    """The grid, with blocks to spare, and the arguments."""
    num_experts, n, k = b.shape
    tokens, experts = sort_tokens(choices, num_experts, block_m)
    args = dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=c,
        weights_ptr=weights,
        tokens_ptr=tokens,
        experts_ptr=experts,
        count_ptr=torch.tensor([len(tokens)], dtype=torch.int32),
        N=n,
        K=k,
        num_tokens=choices.numel(),
        stride_am=k,
        stride_be=n * k,
        stride_bn=k,
        stride_cm=n,
        TOP_K=choices.shape[1],
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
    )
    return ((len(experts) + spare) * cdiv(n, block_n),), args


def cases():
    for name, dtype, tolerance in (
        ("experts_f32", torch.float32, 1e-5),
        ("experts_f16", torch.float16, 5e-3),
    ):
        rng = generator(name)
        num_tokens, num_experts, top_k, n, k = 21, 4, 2, 40, 56
        a = randn(rng, num_tokens, k).to(dtype)
        b = (randn(rng, num_experts, n, k) / 8).to(dtype)
        weights = randn(rng, num_tokens * top_k).abs()
        choices = torch.stack(
            [torch.from_numpy(rng.permutation(num_experts)[:top_k]) for _ in range(num_tokens)]
        )
        c = torch.zeros(num_tokens * top_k, n, dtype=dtype)
        grid, args = launch(a, b, c, weights, choices, 16, 32, 32, spare=1)
        rows = a.double().repeat_interleave(top_k, 0)
        expected = torch.einsum("tk,tnk->tn", rows, b.double()[choices.flatten()])
        expected *= weights.double()[:, None]
        yield Case(
            name,
            experts_kernel,
            grid,
            args,
            expect={"c_ptr": near(expected, dtype, tolerance, tolerance)},
        )
