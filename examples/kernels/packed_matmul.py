"""Matrix product with weights of 4 bits, eight to a word, as GPTQ and AWQ have them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randint, randn


@triton.jit
def packed_matmul_kernel(
    a_ptr,
    w_ptr,
    zero_ptr,
    scale_ptr,
    c_ptr,
    M,
    N,
    K,
    GROUP: tl.constexpr,
    ALONG_N: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # A word has weights of neighbouring columns, or of neighbouring rows. Each
    # group of rows has a scale and a zero for each column.
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rm[:, None] * K + rk[None, :]
    if ALONG_N:
        w_ptrs = w_ptr + rk[:, None] * (N // 8) + rn[None, :] // 8
        shift = (rn[None, :] % 8) * 4
    else:
        w_ptrs = w_ptr + (rk[:, None] // 8) * N + rn[None, :]
        shift = (rk[:, None] % 8) * 4
    inside = rm[:, None] < M
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        group = k // GROUP
        scale = tl.load(scale_ptr + group * N + rn)
        zero = tl.load(zero_ptr + group * (N // 8) + rn // 8)
        zero = (zero >> (rn % 8) * 4) & 15
        a = tl.load(a_ptrs, mask=inside, other=0.0)
        w = (tl.load(w_ptrs) >> shift) & 15
        b = (w - zero[None, :]).to(tl.float32) * scale[None, :]
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * (N // 8)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=inside)


def _packed(numbers):
    """Words of eight numbers, of the last dimension."""
    eight = numbers.view(*numbers.shape[:-1], -1, 8).long()
    words = (eight << torch.arange(0, 32, 4)).sum(-1)
    return torch.where(words < 1 << 31, words, words - (1 << 32)).int()


def cases():
    m, n, k, group = 5, 64, 128, 64
    for along_n in (True, False):
        name = f"packed_matmul_along_{'n' if along_n else 'k'}_f32"
        rng = generator(name)
        a, scale = randn(rng, m, k), randn(rng, k // group, n)
        w, zero = randint(rng, 0, 16, k, n), randint(rng, 0, 16, k // group, n)
        args = dict(
            a_ptr=a,
            w_ptr=_packed(w) if along_n else _packed(w.t()).t().contiguous(),
            zero_ptr=_packed(zero),
            scale_ptr=scale,
            c_ptr=torch.zeros(m, n),
            M=m,
            N=n,
            K=k,
            GROUP=group,
            ALONG_N=along_n,
            BLOCK_M=16,
            BLOCK_N=32,
            BLOCK_K=32,
        )
        wide = [x.double().repeat_interleave(group, 0) for x in (zero, scale)]
        expected = a.double() @ ((w.double() - wide[0]) * wide[1])
        yield Case(
            name,
            packed_matmul_kernel,
            (cdiv(m, 16), n // 32),
            args,
            {"c_ptr": near(expected, torch.float32, 1e-4, 1e-3)},
        )


def bench():
    m, n, k, group, block = 16, 4096, 4096, 128, 64
    for along_n in (True, False):
        args = dict(
            a_ptr=torch.empty(m, k),
            w_ptr=torch.empty(k * n // 8, dtype=torch.int32),
            zero_ptr=torch.empty(k // group, n // 8, dtype=torch.int32),
            scale_ptr=torch.empty(k // group, n),
            c_ptr=torch.empty(m, n),
            M=m,
            N=n,
            K=k,
            GROUP=group,
            ALONG_N=along_n,
            BLOCK_M=16,
            BLOCK_N=block,
            BLOCK_K=block,
        )
        yield Case(
            f"packed_matmul_along_{'n' if along_n else 'k'}",
            packed_matmul_kernel,
            (1, n // block),
            args,
            outputs=("c_ptr",),
            work={"flops": 2 * m * n * k},
        )
