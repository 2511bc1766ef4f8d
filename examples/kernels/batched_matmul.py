"""Batched matrix product: batch, row and column blocks on a 3-D grid."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn, short


@triton.jit
def bmm_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_ab,
    stride_am,
    stride_ak,
    stride_bb,
    stride_bk,
    stride_bn,
    stride_cb,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    batch = tl.program_id(2)
    a_ptr += batch * stride_ab
    b_ptr += batch * stride_bb
    c_ptr += batch * stride_cb
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    A = a_ptr + (rm[:, None] * stride_am + rk[None, :] * stride_ak)
    B = b_ptr + (rk[:, None] * stride_bk + rn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(A, mask=(rm[:, None] < M) & (rk[None, :] < K - k), other=0.0)
        b = tl.load(B, mask=(rk[:, None] < K - k) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
        A += BLOCK_K * stride_ak
        B += BLOCK_K * stride_bk
    C = c_ptr + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    tl.store(C, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def grouped_matmul_kernel(
    x_ptr,
    w_ptr,
    y_ptr,
    ends_ptr,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # Rows from the end of the group before to its own end have one matrix, as the
    # tokens of an expert have.
    group = tl.program_id(2)
    end = tl.load(ends_ptr + group)
    start = 0
    if group > 0:
        start = tl.load(ends_ptr + group - 1)
    start += tl.program_id(1) * BLOCK_M
    if start >= end:
        return
    rm = start + tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    rows = rm[:, None] < end
    columns = rn[None, :] < N
    x_ptrs = x_ptr + rm[:, None] * K + rk[None, :]
    w_ptrs = w_ptr + group * K * N + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=rows & (rk[None, :] < K - k), other=0.0)
        w = tl.load(w_ptrs, mask=(rk[:, None] < K - k) & columns, other=0.0)
        acc = tl.dot(x, w, acc)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * N
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=rows & columns)


@triton.jit
def batched_dot_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    B: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    # The batch is a dimension of the tile: one three-dimensional tl.dot.
    ob = tl.arange(0, B)[:, None, None]
    om = tl.arange(0, M)
    on = tl.arange(0, N)
    ok = tl.arange(0, K)
    a = tl.load(a_ptr + ob * M * K + om[None, :, None] * K + ok[None, None, :])
    b = tl.load(b_ptr + ob * K * N + ok[None, :, None] * N + on[None, None, :])
    c = tl.dot(a, b)
    tl.store(c_ptr + ob * M * N + om[None, :, None] * N + on[None, None, :], c)


@triton.jit
def batched_dot_loop_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    K,
    B: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # The right operand has its columns one after the other in memory.
    ob = tl.arange(0, B)[:, None, None]
    om = tl.arange(0, M)
    on = tl.arange(0, N)
    ok = tl.arange(0, BLOCK_K)
    pa = a_ptr + ob * M * K + om[None, :, None] * K + ok[None, None, :]
    pb = b_ptr + ob * N * K + on[None, None, :] * K + ok[None, :, None]
    acc = tl.zeros((B, M, N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(pa, mask=ok[None, None, :] < K - k, other=0.0)
        b = tl.load(pb, mask=ok[None, :, None] < K - k, other=0.0)
        acc = tl.dot(a, b, acc)
        pa += BLOCK_K
        pb += BLOCK_K
    tl.store(c_ptr + ob * M * N + om[None, :, None] * N + on[None, None, :], acc)


def _bmm():
    name = "batched_matmul_f32"
    rng = generator(name)
    batch, m, n, k = 3, 40, 36, 25
    # The second operand is a transposed view, as attention has it.
    a, b = randn(rng, batch, m, k), randn(rng, batch, n, k).transpose(1, 2)
    c = torch.zeros(batch, m, n)
    strides = [s for t in (a, b, c) for s in t.stride()]
    names = [
        f"stride_{t}" for t in ("ab", "am", "ak", "bb", "bk", "bn", "cb", "cm", "cn")
    ]
    args = dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=c,
        M=m,
        N=n,
        K=k,
        **dict(zip(names, strides)),
        BLOCK_M=16,
        BLOCK_N=32,
        BLOCK_K=16,
    )
    grid = (cdiv(n, 32), cdiv(m, 16), batch)
    expected = torch.bmm(a.double(), b.double())
    return Case(
        name,
        bmm_kernel,
        grid,
        args,
        expect={"c_ptr": near(expected, torch.float32, rtol=1e-4, atol=1e-4)},
    )


def _grouped():
    name = "grouped_matmul_f32"
    rng = generator(name)
    n, k = 40, 50
    ends = torch.tensor([20, 20, 53], dtype=torch.int32)  # one has no rows
    x, w = randn(rng, 53, k), randn(rng, 3, k, n)
    args = dict(
        x_ptr=x,
        w_ptr=w,
        y_ptr=torch.zeros(53, n),
        ends_ptr=ends,
        N=n,
        K=k,
        BLOCK_M=16,
        BLOCK_N=32,
        BLOCK_K=16,
    )
    expected = torch.cat([x[:20].double() @ w[0].double(), x[20:].double() @ w[2].double()])
    return Case(
        name,
        grouped_matmul_kernel,
        (cdiv(n, 32), cdiv(53, 16), 3),
        args,
        expect={"y_ptr": near(expected, torch.float32, rtol=1e-4, atol=1e-4)},
    )


def _three_dimensional(dtype, b, m, n, k):
    name = f"batched_dot_3d_{short(dtype)}"
    rng = generator(name)
    left, right = randn(rng, b, m, k, dtype=dtype), randn(rng, b, k, n, dtype=dtype)
    out = torch.zeros(b, m, n)
    args = dict(a_ptr=left, b_ptr=right, c_ptr=out, B=b, M=m, N=n, K=k)
    expected = torch.bmm(left.double(), right.double())
    return Case(
        name,
        batched_dot_kernel,
        (1,),
        args,
        expect={"c_ptr": near(expected, torch.float32, rtol=1e-4, atol=1e-5)},
    )


def _three_dimensional_loop():
    name = "batched_dot_loop_f16"
    rng = generator(name)
    b, m, n, k = 2, 32, 32, 40
    left = randn(rng, b, m, k, dtype=torch.float16)
    right = randn(rng, b, n, k, dtype=torch.float16)
    out = torch.zeros(b, m, n)
    args = dict(a_ptr=left, b_ptr=right, c_ptr=out, K=k, B=b, M=m, N=n, BLOCK_K=16)
    expected = torch.bmm(left.double(), right.double().transpose(1, 2))
    return Case(
        name,
        batched_dot_loop_kernel,
        (1,),
        args,
        expect={"c_ptr": near(expected, torch.float32, rtol=1e-4, atol=1e-4)},
    )


def cases():
    yield _bmm()
    yield _grouped()
    yield _three_dimensional(torch.float32, 4, 16, 32, 8)
    yield _three_dimensional(torch.float16, 8, 16, 32, 16)
    yield _three_dimensional_loop()


def bench():
    batch, n = 16, 256
    a, b, c = (torch.empty(batch, n, n) for _ in range(3))
    strides = [s for t in (a, b, c) for s in t.stride()]
    names = [f"stride_{t}" for t in ("ab", "am", "ak", "bb", "bk", "bn", "cb", "cm", "cn")]
    args = dict(a_ptr=a, b_ptr=b, c_ptr=c, M=n, N=n, K=n)
    args |= dict(zip(names, strides)) | dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    yield Case(
        "bmm_64x64x32",
        bmm_kernel,
        (n // 64, n // 64, batch),
        args,
        outputs=("c_ptr",),
        work={"flops": 2 * batch * n**3},
    )
    groups, rows, n = 8, 1024, 512
    args = dict(
        x_ptr=torch.empty(rows, n),
        w_ptr=torch.empty(groups, n, n),
        y_ptr=torch.empty(rows, n),
        ends_ptr=torch.empty(groups, dtype=torch.int32),
        N=n,
        K=n,
        BLOCK_M=64,
        BLOCK_N=64,
        BLOCK_K=32,
    )
    # Any split into groups has the same work; a group has all rows at most.
    yield Case(
        "grouped_64x64x32",
        grouped_matmul_kernel,
        (n // 64, rows // 64, groups),
        args,
        outputs=("y_ptr",),
        work={"flops": 2 * rows * n * n},
    )
