"""Layer norm, forward and backward; the backward sums weights under locks."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def layer_norm_fwd_fused(
    X,  # pointer to the input
    Y,  # pointer to the output
    W,  # pointer to the weights
    B,  # pointer to the biases
    Mean,  # pointer to the mean
    Rstd,  # pointer to the 1/std
    stride,  # how much to increase the pointer when moving by 1 row
    N,  # number of columns in X
    eps,  # epsilon to avoid division by zero
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        x_hat = (x - mean) * rstd
        y = x_hat * w + b
        tl.store(Y + cols, y, mask=mask)


@triton.jit
def layer_norm_bwd_dx_fused(
    DX,
    DY,
    DW,
    DB,
    X,
    W,
    Mean,
    Rstd,
    Lock,
    stride,
    N,
    GROUP_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    # Rows with the same lock share one partial sum of DW and DB.
    lock_id = row % GROUP_SIZE_M
    Lock += lock_id
    Count = Lock + GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = (x - mean) * rstd
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.0)
    wdy = tl.where(mask, wdy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (xhat * c1 + c2)) * rstd
    tl.store(DX + cols, dx, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = dy.to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        # The first to come stores, so the sums need no clearing.
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    # All lanes must have stored before the lock opens.
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def layer_norm_bwd_dwdb(
    DW,
    DB,
    FINAL_DW,
    FINAL_DB,
    M,
    N,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
):
    pid = tl.program_id(0)
    cols = pid * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dw = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_SIZE_M):
        rows = i + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offs = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offs, mask=mask, other=0.0)
        db += tl.load(DB + offs, mask=mask, other=0.0)
    sum_dw = tl.sum(dw, axis=0)
    sum_db = tl.sum(db, axis=0)
    tl.store(FINAL_DW + cols, sum_dw, mask=cols < N)
    tl.store(FINAL_DB + cols, sum_db, mask=cols < N)


EPS = 1e-5


def _statistics(x):
    x = x.double()
    mean = x.mean(dim=1)
    rstd = 1 / torch.sqrt(x.var(dim=1, unbiased=False) + EPS)
    return mean, rstd


def _forward(name, m, n, block, dtype=torch.float32, **options):
    rng = generator(name)
    x = randn(rng, m, n, dtype=dtype) * 2 + 0.5
    w = randn(rng, n, dtype=dtype)
    b = randn(rng, n, dtype=dtype)
    args = dict(
        X=x,
        Y=torch.zeros_like(x),
        W=w,
        B=b,
        Mean=torch.zeros(m),
        Rstd=torch.zeros(m),
        stride=x.stride(0),
        N=n,
        eps=EPS,
        BLOCK_SIZE=block,
    )
    mean, rstd = _statistics(x)
    y = (x.double() - mean[:, None]) * rstd[:, None] * w.double() + b.double()
    expect = {
        "Y": near(y, dtype, *((1e-5, 1e-5) if dtype == torch.float32 else ())),
        "Mean": near(mean, torch.float32, atol=1e-5),
        "Rstd": near(rstd, torch.float32),
    }
    return Case(name, layer_norm_fwd_fused, (m,), args, expect, **options)


def _backward(name, m, n, groups, block, **options):
    rng = generator(name)
    x = randn(rng, m, n) * 2 + 0.5
    w, dy = randn(rng, n), randn(rng, m, n, scale=0.1)
    mean, rstd = _statistics(x)
    args = dict(
        DX=torch.zeros_like(x),
        DY=dy,
        DW=torch.zeros(groups, n),
        DB=torch.zeros(groups, n),
        X=x,
        W=w,
        Mean=mean.float(),
        Rstd=rstd.float(),
        Lock=torch.zeros(2 * groups, dtype=torch.int32),
        stride=n,
        N=n,
        GROUP_SIZE_M=groups,
        BLOCK_SIZE_N=block,
    )
    xd, wd = x.double().requires_grad_(), w.double()
    y = torch.nn.functional.layer_norm(xd, (n,), wd, eps=EPS)
    y.backward(dy.double())
    xhat = (x.double() - mean[:, None]) * rstd[:, None]
    dw, db = torch.zeros(groups, n).double(), torch.zeros(groups, n).double()
    for row in range(m):
        dw[row % groups] += dy[row].double() * xhat[row]
        db[row % groups] += dy[row].double()
    used = min(groups, m)
    lock = torch.zeros(2 * groups, dtype=torch.int32)
    lock[groups : groups + used] = 1
    expect = {
        "DX": near(xd.grad, torch.float32, atol=1e-5),
        "DW": near(dw, torch.float32, rtol=1e-4, atol=1e-5),
        "DB": near(db, torch.float32, rtol=1e-4, atol=1e-5),
        "Lock": near(lock),
    }
    return Case(
        name,
        layer_norm_bwd_dx_fused,
        (m,),
        args,
        expect,
        tags=("lock",),
        **options,
    )


def _weights():
    name = "layer_norm_bwd_dwdb_f32"
    rng = generator(name)
    m, n = 40, 200
    dw, db = randn(rng, m, n), randn(rng, m, n)
    args = dict(
        DW=dw,
        DB=db,
        FINAL_DW=torch.zeros(n),
        FINAL_DB=torch.zeros(n),
        M=m,
        N=n,
        BLOCK_SIZE_M=32,
        BLOCK_SIZE_N=128,
    )
    expect = {
        "FINAL_DW": near(dw.double().sum(0), torch.float32, atol=1e-5),
        "FINAL_DB": near(db.double().sum(0), torch.float32, atol=1e-5),
    }
    return Case(name, layer_norm_bwd_dwdb, (cdiv(n, 128),), args, expect)


def cases():
    yield _forward("layer_norm_fwd_f32", 16, 781, 1024, raw=True, locations=True)
    yield _forward("layer_norm_fwd_f32_looped", 8, 1500, 256)
    yield _forward("layer_norm_fwd_f16", 16, 300, 512, torch.float16)
    yield _backward("layer_norm_bwd_dx_f32", 48, 200, 8, 256)
    yield _weights()


def bench():
    shapes = (
        (128, 256),
        (4096, 781),
        (4096, 1024),
        (4096, 4096),
        (512, 32768),
        (256, 65536),
        (4096, 8192),
    )
    for m, n in shapes:
        block = triton.next_power_of_2(n)
        args = dict(
            X=torch.empty(m, n),
            Y=torch.empty(m, n),
            W=torch.empty(n),
            B=torch.empty(n),
            Mean=torch.empty(m),
            Rstd=torch.empty(m),
            stride=n,
            N=n,
            eps=EPS,
            BLOCK_SIZE=block,
        )
        yield Case(
            f"layer_norm_{block}" + ("_ragged" if n % 16 else ""),
            layer_norm_fwd_fused,
            (m,),
            args,
            outputs=("Y", "Mean", "Rstd"),
            work={"bytes": 8 * m * n},
        )
