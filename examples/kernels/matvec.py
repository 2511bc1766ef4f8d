"""Products of a matrix and a vector, without tensor cores: sums of rows, or of columns."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def matvec_kernel(
    a_ptr, x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = rows[:, None] < M
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        mask = inside & (cols < N)[None, :]
        a = tl.load(a_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        acc += a.to(tl.float32) * x.to(tl.float32)[None, :]
    tl.store(y_ptr + rows, tl.sum(acc, axis=1), mask=rows < M)


@triton.jit
def vecmat_kernel(
    x_ptr, a_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = cols[None, :] < N
    acc = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for start in range(0, M, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        mask = (rows < M)[:, None] & inside
        a = tl.load(a_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
        x = tl.load(x_ptr + rows, mask=rows < M, other=0.0)
        acc += tl.sum(a.to(tl.float32) * x.to(tl.float32)[:, None], axis=0)
    tl.store(y_ptr + cols, acc, mask=cols < N)


def _args(is_matvec, a, x, m, n, block_m, block_n):
    args = dict(a_ptr=a, x_ptr=x) if is_matvec else dict(x_ptr=x, a_ptr=a)
    y = torch.zeros(m if is_matvec else n)
    return dict(**args, y_ptr=y, M=m, N=n, BLOCK_M=block_m, BLOCK_N=block_n)


def cases():
    m, n = 150, 117
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        rng = generator(f"matvec_{name}")
        a = randn(rng, m, n).to(dtype)
        x, z = randn(rng, n).to(dtype), randn(rng, m).to(dtype)
        yield Case(
            f"matvec_{name}",
            matvec_kernel,
            (cdiv(m, 64),),
            _args(True, a, x, m, n, 64, 32),
            {"y_ptr": near(a.double() @ x.double(), torch.float32, 1e-4, 1e-4)},
        )
        yield Case(
            f"vecmat_{name}",
            vecmat_kernel,
            (cdiv(n, 32),),
            _args(False, a, z, m, n, 64, 32),
            {"y_ptr": near(z.double() @ a.double(), torch.float32, 1e-4, 1e-4)},
        )


def bench():
    m, n = 4096, 4096
    a, x = torch.empty(m, n), torch.empty(n)
    for is_matvec in (True, False):
        block = (32, 64)
        yield Case(
            "matvec" if is_matvec else "vecmat",
            matvec_kernel if is_matvec else vecmat_kernel,
            (m // block[0] if is_matvec else n // block[1],),
            _args(is_matvec, a, x, m, n, *block),
            outputs=("y_ptr",),
            work={"bytes": 4 * (m * n + m + n)},
        )
