"""Tensor descriptors: made in the kernel, or on the host and passed to it."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import dataclasses

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from case import Case, cdiv, generator, near, randint, randn


@triton.jit
def descriptor_matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    off_m = tl.program_id(0) * BLOCK_M
    off_n = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for off_k in range(0, K, BLOCK_K):
        a = a_desc.load([off_m, off_k])
        b = b_desc.load([off_n, off_k])
        acc = tl.dot(a, b.T, acc)
    c_desc.store([off_m, off_n], acc.to(c_ptr.dtype.element_ty))


@triton.jit
def host_descriptor_matmul_kernel(
    a_desc,
    b_desc,
    c_desc,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    off_m = tl.program_id(0) * BLOCK_M
    off_n = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for off_k in range(0, K, BLOCK_K):
        a = a_desc.load([off_m, off_k])
        b = b_desc.load([off_n, off_k])
        acc = tl.dot(a, b.T, acc)
    c_desc.store([off_m, off_n], acc)


@triton.jit
def descriptor_gather_kernel(
    x_ptr, rows_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [1, BLOCK_N])
    rows = tl.load(rows_ptr + tl.arange(0, BLOCK_M))
    off_n = tl.program_id(0) * BLOCK_N
    tile = x_desc.gather(rows, off_n)
    out = (
        out_ptr
        + tl.arange(0, BLOCK_M)[:, None] * N
        + off_n
        + tl.arange(0, BLOCK_N)[None, :]
    )
    tl.store(out, tile)


@triton.jit
def descriptor_reduce_kernel(
    x_ptr, sum_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    # All row blocks add into one block of the result.
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    sum_desc = tl.make_tensor_descriptor(
        sum_ptr, [BLOCK_M, N], [N, 1], [BLOCK_M, BLOCK_N]
    )
    off_n = tl.program_id(1) * BLOCK_N
    x = x_desc.load([tl.program_id(0) * BLOCK_M, off_n])
    sum_desc.atomic_add([0, off_n], x)


def _matmul_data(name, m, n, k, dtype):
    rng = generator(name)
    a, b = randn(rng, m, k, dtype=dtype), randn(rng, n, k, dtype=dtype)
    return a, b, torch.zeros(m, n, dtype=dtype), a.double() @ b.double().t()


def _device(name, dtype):
    m, n, k = 50, 72, 48
    a, b, c, expected = _matmul_data(name, m, n, k, dtype)
    args = dict(
        a_ptr=a, b_ptr=b, c_ptr=c, M=m, N=n, K=k, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32
    )
    tolerance = (1e-4, 1e-4) if dtype == torch.float32 else ()
    return Case(
        name,
        descriptor_matmul_kernel,
        (cdiv(m, 32), cdiv(n, 32)),
        args,
        {"c_ptr": near(expected, dtype, *tolerance)},
    )


def _host():
    name = "host_descriptor_matmul_f32_rewritten"
    m, n, k = 50, 72, 48
    a, b, c, expected = _matmul_data(name, m, n, k, torch.float32)
    args = dict(
        a_desc=TensorDescriptor.from_tensor(a, [32, 16]),
        b_desc=TensorDescriptor.from_tensor(b, [32, 16]),
        c_desc=TensorDescriptor.from_tensor(c, [32, 32]),
        K=k,
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=16,
    )
    return Case(
        name,
        host_descriptor_matmul_kernel,
        (cdiv(m, 32), cdiv(n, 32)),
        args,
        {"c_desc": near(expected, torch.float32, 1e-4, 1e-4)},
        rewrite_pointers=True,
    )


def _gather():
    name = "descriptor_gather_f32"
    rng = generator(name)
    x = randn(rng, 40, 64)
    rows = randint(rng, 0, 40, 16)
    args = dict(
        x_ptr=x,
        rows_ptr=rows,
        out_ptr=torch.zeros(16, 64),
        M=40,
        N=64,
        BLOCK_M=16,
        BLOCK_N=32,
    )
    return Case(
        name,
        descriptor_gather_kernel,
        (2,),
        args,
        {"out_ptr": near(x[rows.long()], None, 0, 0)},
    )


def _reduce():
    name = "descriptor_reduce_f32"
    x = randn(generator(name), 30, 40)
    args = dict(x_ptr=x, sum_ptr=torch.zeros(8, 40), M=30, N=40, BLOCK_M=8, BLOCK_N=32)
    padded = torch.cat([x.double(), torch.zeros(2, 40).double()])
    expected = padded.reshape(4, 8, 40).sum(0)
    return Case(
        name,
        descriptor_reduce_kernel,
        (4, 2),
        args,
        {"sum_ptr": near(expected, torch.float32, atol=1e-5)},
        not_interpreted="the interpreter cannot reduce by descriptor",
    )


def cases():
    matmul = _device("descriptor_matmul_f32", torch.float32)
    yield matmul
    yield dataclasses.replace(
        matmul, name=f"{matmul.name}_rewritten", rewrite_pointers=True
    )
    yield _device("descriptor_matmul_f16", torch.float16)
    yield _host()
    yield _gather()
    yield _reduce()
