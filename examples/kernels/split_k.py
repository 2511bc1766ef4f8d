"""Matrix product split along K: partial results meet by atomic add."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def split_k_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_bk,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLIT_K: tl.constexpr,
):
    pid = tl.program_id(0)
    pid_k = tl.program_id(1)
    grid_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // grid_n
    pid_n = pid % grid_n
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = pid_k * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + ram[:, None] * stride_am + rk[None, :]
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rbn[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        k_remaining = K - k * (BLOCK_K * SPLIT_K)
        a = tl.load(a_ptrs, mask=rk[None, :] < k_remaining, other=0.0)
        b = tl.load(b_ptrs, mask=rk[:, None] < k_remaining, other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K * stride_bk
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    tl.atomic_add(
        c_ptr + rm[:, None] * stride_cm + rn[None, :], acc, mask=mask, sem="relaxed"
    )


def cases():
    name = "split_k_f32"
    rng = generator(name)
    # M and N are whole blocks: the hints about the wrapped offsets are true.
    m, n, k, block, split = 32, 64, 150, 32, 3
    a, b = randn(rng, m, k), randn(rng, k, n)
    args = dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=torch.zeros(m, n),
        M=m,
        N=n,
        K=k,
        stride_am=k,
        stride_bk=n,
        stride_cm=n,
        BLOCK_M=block,
        BLOCK_N=block,
        BLOCK_K=16,
        SPLIT_K=split,
    )
    grid = (cdiv(m, block) * cdiv(n, block), split)
    expected = a.double() @ b.double()
    yield Case(
        name,
        split_k_kernel,
        grid,
        args,
        expect={"c_ptr": near(expected, torch.float32, 1e-4, 1e-4)},
    )


def bench():
    m, n, k, block, split = 128, 128, 16384, 64, 8
    args = dict(
        a_ptr=torch.empty(m, k),
        b_ptr=torch.empty(k, n),
        c_ptr=torch.empty(m, n),
        M=m,
        N=n,
        K=k,
        stride_am=k,
        stride_bk=n,
        stride_cm=n,
        BLOCK_M=block,
        BLOCK_N=block,
        BLOCK_K=64,
        SPLIT_K=split,
    )
    yield Case(
        "split_k_64x64x64",
        split_k_kernel,
        (cdiv(m, block) * cdiv(n, block), split),
        args,
        outputs=("c_ptr",),
        work={"flops": 2 * m * n * k},
    )
