"""Matrix product with grouped program order, wrapped offsets, an activation."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import BF16_BITS, Case, cdiv, generator, near, randint, randn


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(
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
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
    ACTIVATION: tl.constexpr,
):
    # Programs that run one after another share rows of A and columns of B.
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)

    # Rows and columns beyond the end wrap around: loads need no mask for them.
    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c = accumulator.to(c_ptr.dtype.element_ty)

    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, c, mask=c_mask)


@triton.jit
def matmul_int8_kernel(
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
):
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, K, BLOCK_K):
        offs_k = k + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + offs_m[:, None] * stride_am + offs_k[None, :],
            mask=(offs_m[:, None] < M) & (offs_k[None, :] < K),
            other=0,
        )
        b = tl.load(
            b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :],
            mask=(offs_k[:, None] < K) & (offs_n[None, :] < N),
            other=0,
        )
        acc += tl.dot(a, b)
    tl.store(
        c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :],
        acc,
        mask=(offs_m[:, None] < M) & (offs_n[None, :] < N),
    )


@triton.jit
def linear_int8_kernel(
    x_ptr,
    w_ptr,
    y_ptr,
    M,
    N,
    K,
    stride_xm,
    stride_wn,
    stride_ym,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, K, BLOCK_K):
        offs_k = k + tl.arange(0, BLOCK_K)
        x = tl.load(
            x_ptr + offs_m[:, None] * stride_xm + offs_k[None, :],
            mask=(offs_m[:, None] < M) & (offs_k[None, :] < K),
            other=0,
        )
        w = tl.load(
            w_ptr + offs_n[None, :] * stride_wn + offs_k[:, None],
            mask=(offs_n[None, :] < N) & (offs_k[:, None] < K),
            other=0,
        )
        acc += tl.dot(x, w)
    tl.store(
        y_ptr + offs_m[:, None] * stride_ym + offs_n[None, :],
        acc,
        mask=(offs_m[:, None] < M) & (offs_n[None, :] < N),
    )


@triton.jit
def matmul_f16_sums_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    K,
    stride_am,
    stride_bk,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # Whole blocks only.
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float16)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        acc = tl.dot(a, b, acc, out_dtype=tl.float16)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :], acc)


def _arguments(a, b, c, blocks, group, activation):
    m, k = a.shape
    n = b.shape[1]
    return dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=c,
        M=m,
        N=n,
        K=k,
        stride_am=a.stride(0),
        stride_ak=a.stride(1),
        stride_bk=b.stride(0),
        stride_bn=b.stride(1),
        stride_cm=c.stride(0),
        stride_cn=c.stride(1),
        BLOCK_SIZE_M=blocks[0],
        BLOCK_SIZE_N=blocks[1],
        BLOCK_SIZE_K=blocks[2],
        GROUP_SIZE_M=group,
        ACTIVATION=activation,
    )


def _matmul(
    name,
    shape,
    blocks,
    dtype=torch.float32,
    activation="",
    group=2,
    transposed=False,
    **options,
):
    rng = generator(name)
    m, n, k = shape
    a = randn(rng, m, k, dtype=dtype)
    b = (
        randn(rng, n, k, dtype=dtype).t()
        if transposed
        else randn(rng, k, n, dtype=dtype)
    )
    c = torch.zeros(m, n, dtype=dtype)
    expected = a.double() @ b.double()
    if activation:
        expected = torch.where(expected >= 0, expected, 0.01 * expected)
    grid = (cdiv(m, blocks[0]) * cdiv(n, blocks[1]),)
    tolerance = dict(rtol=1e-4, atol=1e-4) if dtype == torch.float32 else {}
    return Case(
        name,
        matmul_kernel,
        grid,
        _arguments(a, b, c, blocks, group, activation),
        {"c_ptr": near(expected, dtype, **tolerance)},
        **options,
    )


def _strided(a, b, c, blocks):
    """The arguments that matmul_int8_kernel and matmul_f16_sums_kernel share."""
    return dict(
        a_ptr=a,
        b_ptr=b,
        c_ptr=c,
        K=a.shape[1],
        stride_am=a.stride(0),
        stride_bk=b.stride(0),
        stride_cm=c.stride(0),
        BLOCK_M=blocks[0],
        BLOCK_N=blocks[1],
        BLOCK_K=blocks[2],
    )


def _int8_arguments(a, b, c, blocks):
    args = _strided(a, b, c, blocks)
    pointers = [args.pop(name) for name in ("a_ptr", "b_ptr", "c_ptr")]
    return dict(
        zip(("a_ptr", "b_ptr", "c_ptr"), pointers), M=a.shape[0], N=b.shape[1], **args
    )


def _int8():
    name = "matmul_i8"
    rng = generator(name)
    a = randint(rng, -128, 128, 50, 70, dtype=torch.int8)
    b = randint(rng, -128, 128, 70, 90, dtype=torch.int8)
    return Case(
        name,
        matmul_int8_kernel,
        (2, 3),
        _int8_arguments(a, b, torch.zeros(50, 90, dtype=torch.int32), (32, 32, 32)),
        {"c_ptr": near(a.int() @ b.int())},
    )


def _linear_int8_arguments(x, w, y, blocks):
    return dict(
        x_ptr=x,
        w_ptr=w,
        y_ptr=y,
        M=x.shape[0],
        N=w.shape[0],
        K=x.shape[1],
        stride_xm=x.stride(0),
        stride_wn=w.stride(0),
        stride_ym=y.stride(0),
        BLOCK_M=blocks[0],
        BLOCK_N=blocks[1],
        BLOCK_K=blocks[2],
    )


def _linear_int8():
    name = "linear_i8"
    rng = generator(name)
    x = randint(rng, -128, 128, 50, 80, dtype=torch.int8)
    w = randint(rng, -128, 128, 90, 80, dtype=torch.int8)
    y = torch.zeros(50, 90, dtype=torch.int32)
    return Case(
        name,
        linear_int8_kernel,
        (2, 3),
        _linear_int8_arguments(x, w, y, (32, 32, 32)),
        {"y_ptr": near(x.int() @ w.int().t())},
    )


def _f16_sums():
    name = "matmul_f16_sums"
    rng = generator(name)
    a = randn(rng, 64, 96, dtype=torch.float16)
    b = randn(rng, 96, 64, dtype=torch.float16)
    c = torch.zeros(64, 64, dtype=torch.float16)
    return Case(
        name,
        matmul_f16_sums_kernel,
        (2, 2),
        _strided(a, b, c, (32, 32, 32)),
        # Each sum may be rounded after each of 96 additions.
        {"c_ptr": near(a.double() @ b.double(), torch.float16, atol=0.15)},
    )


def cases():
    yield _matmul(
        "matmul_f32",
        (100, 90, 75),
        (32, 32, 16),
        activation="leaky_relu",
        raw=True,
        locations=True,
    )
    yield _matmul("matmul_f32_square", (64, 64, 64), (32, 32, 32))
    yield _matmul("matmul_f32_transposed", (65, 33, 40), (16, 16, 16), transposed=True)
    yield _matmul("matmul_f32_large_tile", (130, 130, 40), (128, 128, 32))
    yield _matmul(
        "matmul_f16", (70, 50, 60), (32, 32, 32), torch.float16, activation="leaky_relu"
    )
    yield _matmul(
        "matmul_bf16",
        (70, 50, 60),
        (32, 32, 32),
        torch.bfloat16,
        not_interpreted=BF16_BITS,
    )
    yield _int8()
    yield _linear_int8()
    yield _f16_sums()


def bench():
    yield from _bench_cpu()
    yield from _bench_gpu()


def _bench_gpu():
    """Products of 4096 x 4096 in blocks for a GPU's matrix units."""
    n = 4096
    f16, bf16, i8 = torch.float16, torch.bfloat16, torch.int8
    flops = {"flops": 2 * n**3}
    blocks_of_all = (128, 128, 32), (128, 128, 64), (128, 256, 32), (64, 64, 32)
    for blocks in blocks_of_all:
        size = "x".join(map(str, blocks))
        grid = (cdiv(n, blocks[0]), cdiv(n, blocks[1]))
        for dtype, suffix in ((torch.float32, "f32"), (f16, "f16"), (bf16, "bf16")):
            a, b, c = (torch.empty(n, n, dtype=dtype) for _ in range(3))
            yield Case(
                f"gpu_matmul_{size}_{suffix}",
                matmul_kernel,
                (grid[0] * grid[1],),
                _arguments(a, b, c, blocks, 8, ""),
                outputs=("c_ptr",),
                work=flops,
            )
        a, b, c = (torch.empty(n, n, dtype=f16) for _ in range(3))
        yield Case(
            f"gpu_matmul_{size}_f16_sums",
            matmul_f16_sums_kernel,
            grid,
            _strided(a, b, c, blocks),
            outputs=("c_ptr",),
            work=flops,
        )
    for blocks in (*blocks_of_all, (128, 128, 128), (128, 256, 64)):
        size = "x".join(map(str, blocks))
        a, b = (torch.empty(n, n, dtype=i8) for _ in range(2))
        yield Case(
            f"gpu_matmul_{size}_i8",
            matmul_int8_kernel,
            (cdiv(n, blocks[0]), cdiv(n, blocks[1])),
            _int8_arguments(a, b, torch.empty(n, n, dtype=torch.int32), blocks),
            outputs=("c_ptr",),
            work=flops,
        )


    for blocks in ((128, 128, 64), (128, 128, 32)):
        x, w = (torch.empty(n, n, dtype=i8) for _ in range(2))
        yield Case(
            f"gpu_linear_{'x'.join(map(str, blocks))}_i8",
            linear_int8_kernel,
            (cdiv(n, blocks[0]), cdiv(n, blocks[1])),
            _linear_int8_arguments(x, w, torch.empty(n, n, dtype=torch.int32), blocks),
            outputs=("y_ptr",),
            work=flops,
        )


def _bench_cpu():
    n = 1024
    for blocks in ((128, 128, 32), (64, 64, 32), (32, 32, 32)):
        for dtype, suffix in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
            a, b, c = (torch.empty(n, n, dtype=dtype) for _ in range(3))
            operands = {"matmul_": b}
            if blocks == (128, 128, 32):
                operands["linear_"] = b.t()  # as the weights of a layer lie
            for prefix, right in operands.items():
                yield Case(
                    prefix + "x".join(map(str, blocks)) + "_" + suffix,
                    matmul_kernel,
                    (cdiv(n, blocks[0]) * cdiv(n, blocks[1]),),
                    _arguments(a, right, c, blocks, 8, ""),
                    outputs=("c_ptr",),
                    work={"flops": 2 * n**3},
                )
    # A few rows, as when a model writes one token after the other.
    m, n, blocks = 8, 4096, (16, 64, 128)
    for dtype, suffix in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        a, c = (torch.empty(m, n, dtype=dtype) for _ in range(2))
        b = torch.empty(n, n, dtype=dtype)
        for prefix, right in (("matmul", b), ("linear", b.t())):
            yield Case(
                f"{prefix}_skinny_{suffix}",
                matmul_kernel,
                (cdiv(n, blocks[1]),),
                _arguments(a, right, c, blocks, 8, ""),
                outputs=("c_ptr",),
                work={"flops": 2 * m * n * n},
            )
