"""Matrix product with block pointers, which Triton had until 3.8."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import dataclasses

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def block_pointer_matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    a_block = tl.make_block_ptr(
        a_ptr,
        (M, K),
        (stride_am, stride_ak),
        (pid_m * BLOCK_M, 0),
        (BLOCK_M, BLOCK_K),
        (1, 0),
    )
    b_block = tl.make_block_ptr(
        b_ptr,
        (K, N),
        (stride_bk, stride_bn),
        (0, pid_n * BLOCK_N),
        (BLOCK_K, BLOCK_N),
        (1, 0),
    )
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))
    c_block = tl.make_block_ptr(
        c_ptr,
        (M, N),
        (stride_cm, stride_cn),
        (pid_m * BLOCK_M, pid_n * BLOCK_N),
        (BLOCK_M, BLOCK_N),
        (1, 0),
    )
    tl.store(c_block, acc, boundary_check=(0, 1))


def cases():
    name = "block_pointer_matmul_f32"
    rng = generator(name)
    m, n, k = 50, 70, 45
    a, b, c = randn(rng, m, k), randn(rng, k, n), torch.zeros(m, n)
    args = dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=c,
        M=m,
        N=n,
        K=k,
        stride_am=k,
        stride_ak=1,
        stride_bk=n,
        stride_bn=1,
        stride_cm=n,
        stride_cn=1,
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=16,
    )
    expected = a.double() @ b.double()
    case = Case(
        name,
        block_pointer_matmul_kernel,
        (cdiv(m, 32), cdiv(n, 32)),
        args,
        before="3.8",
        raw=True,
        expect={"c_ptr": near(expected, torch.float32, 1e-4, 1e-4)},
    )
    yield case
    yield dataclasses.replace(
        case, name=f"{name}_rewritten", raw=False, rewrite_pointers=True
    )
