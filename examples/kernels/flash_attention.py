"""Flash attention, forward: softmax kept running over blocks of keys."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def attention_inner(
    acc,
    l_i,
    m_i,
    q,
    k_ptrs,
    v_ptrs,
    stride_kn,
    stride_vn,
    qk_scale,
    lo,
    hi,
    N_CTX,
    offs_m,
    offs_n,
    BLOCK_N: tl.constexpr,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        cols = start_n + offs_n
        k = tl.load(k_ptrs + start_n * stride_kn, mask=cols[None, :] < N_CTX, other=0.0)
        qk = tl.dot(q, k) * qk_scale
        if MASKED:
            keep = cols[None, :] < N_CTX
            if CAUSAL:
                keep &= offs_m[:, None] >= cols[None, :]
            qk = tl.where(keep, qk, -1.0e6)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs + start_n * stride_vn, mask=cols[:, None] < N_CTX, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_ij
    return acc, l_i, m_i


@triton.jit
def attention_kernel(
    Q,
    K,
    V,
    Out,
    Lse,
    sm_scale,
    stride_qh,
    stride_qm,
    stride_kh,
    stride_kn,
    stride_vh,
    stride_vn,
    stride_oh,
    stride_om,
    N_CTX,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    start_m = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    row_mask = offs_m[:, None] < N_CTX
    q_ptrs = Q + head * stride_qh + offs_m[:, None] * stride_qm + offs_d[None, :]
    k_ptrs = K + head * stride_kh + offs_n[None, :] * stride_kn + offs_d[:, None]
    v_ptrs = V + head * stride_vh + offs_n[:, None] * stride_vn + offs_d[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    # exp2 instead of exp: the scale takes the factor 1 / ln 2.
    qk_scale = sm_scale * 1.44269504
    q = tl.load(q_ptrs, mask=row_mask, other=0.0)
    # Blocks of keys that need no mask first, the ragged or diagonal ones after.
    if CAUSAL:
        full = (start_m * BLOCK_M) // BLOCK_N * BLOCK_N
        hi = tl.minimum((start_m + 1) * BLOCK_M, N_CTX)
    else:
        full = N_CTX // BLOCK_N * BLOCK_N
        hi = N_CTX
    acc, l_i, m_i = attention_inner(
        acc,
        l_i,
        m_i,
        q,
        k_ptrs,
        v_ptrs,
        stride_kn,
        stride_vn,
        qk_scale,
        0,
        full,
        N_CTX,
        offs_m,
        offs_n,
        BLOCK_N,
        False,
        CAUSAL,
    )
    acc, l_i, m_i = attention_inner(
        acc,
        l_i,
        m_i,
        q,
        k_ptrs,
        v_ptrs,
        stride_kn,
        stride_vn,
        qk_scale,
        full,
        hi,
        N_CTX,
        offs_m,
        offs_n,
        BLOCK_N,
        True,
        CAUSAL,
    )
    acc = acc / l_i[:, None]
    tl.store(Lse + head * N_CTX + offs_m, m_i + tl.math.log2(l_i), mask=offs_m < N_CTX)
    o_ptrs = Out + head * stride_oh + offs_m[:, None] * stride_om + offs_d[None, :]
    tl.store(o_ptrs, acc.to(Out.dtype.element_ty), mask=row_mask)


def _arguments(q, k, v, blocks, causal):
    heads, n_ctx, dim = q.shape
    args = dict(
        Q=q,
        K=k,
        V=v,
        Out=torch.zeros_like(q),
        Lse=torch.zeros(heads, n_ctx),
        sm_scale=1 / math.sqrt(dim),
    )
    for name, t in zip("qkvo", (q, k, v, q)):
        inner = "m" if name in "qo" else "n"
        args[f"stride_{name}h"] = t.stride(0)
        args[f"stride_{name}{inner}"] = t.stride(1)
    return args | dict(
        N_CTX=n_ctx, HEAD_DIM=dim, BLOCK_M=blocks[0], BLOCK_N=blocks[1], CAUSAL=causal
    )


def _attention(name, shape, blocks, causal, dtype=torch.float32, **options):
    rng = generator(name)
    q, k, v = (randn(rng, *shape, dtype=dtype) for _ in range(3))
    heads, n_ctx, dim = shape
    scores = q.double() @ k.double().transpose(1, 2) / math.sqrt(dim)
    if causal:
        future = torch.ones(n_ctx, n_ctx, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    out = torch.softmax(scores, -1) @ v.double()
    # The kernel starts l_i at 1 with weight exp(-inf) = 0.
    lse = torch.logsumexp(scores, -1) / math.log(2)
    tolerance = (1e-4, 1e-5) if dtype == torch.float32 else (1e-2, 1e-2)
    expect = {
        "Out": near(out, dtype, *tolerance),
        "Lse": near(lse, torch.float32, *tolerance),
    }
    return Case(
        name,
        attention_kernel,
        (cdiv(n_ctx, blocks[0]), heads),
        _arguments(q, k, v, blocks, causal),
        expect,
        **options,
    )


def cases():
    yield _attention("flash_attention_f32", (2, 100, 32), (32, 16), False, raw=True)
    yield _attention("flash_attention_causal_f32", (2, 90, 32), (32, 32), True)
    yield _attention(
        "flash_attention_causal_f16", (2, 70, 64), (32, 32), True, torch.float16
    )


def bench():
    for heads, n_ctx, dim in ((8, 1024, 64), (8, 2048, 128)):
        flops = 4 * heads * n_ctx * n_ctx * dim
        for suffix, dtype in (("", torch.float32), ("_bf16", torch.bfloat16)):
            for causal in (False, True):
                q, k, v = (torch.empty(heads, n_ctx, dim, dtype=dtype) for _ in "qkv")
                yield Case(
                    f"flash_attention_{dim}" + "_causal" * causal + suffix,
                    attention_kernel,
                    (cdiv(n_ctx, 64), heads),
                    _arguments(q, k, v, (64, 64), causal),
                    outputs=("Out", "Lse"),
                    work={"flops": flops // 2 if causal else flops},
                )
    heads, n_ctx, dim = 16, 4096, 64
    for blocks in ((64, 64), (128, 64), (128, 32)):
        q, k, v = (torch.empty(heads, n_ctx, dim, dtype=torch.float16) for _ in "qkv")
        yield Case(
            f"gpu_flash_attention_{blocks[0]}x{blocks[1]}",
            attention_kernel,
            (cdiv(n_ctx, blocks[0]), heads),
            _arguments(q, k, v, blocks, False),
            outputs=("Out", "Lse"),
            work={"flops": 4 * heads * n_ctx * n_ctx * dim},
        )
