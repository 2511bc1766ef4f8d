"""Microscaled products: fp4 and fp8 with a scale for every 32 elements of K."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randint, randn

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
NO_INTERPRETER = "the interpreter has no dot_scaled"


@triton.jit
def scaled_kernel(
    a_ptr,
    a_scale_ptr,
    b_ptr,
    b_scale_ptr,
    c_ptr,
    A: tl.constexpr,
    B: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    PACK_K: tl.constexpr,
    HAS_A_SCALE: tl.constexpr,
    GROUP: tl.constexpr,
):
    # Two codes of e2m1 share a byte, along K or along the other dimension.
    a_k: tl.constexpr = 2 if A == "e2m1" and PACK_K else 1
    a_m: tl.constexpr = 2 if A == "e2m1" and not PACK_K else 1
    b_k: tl.constexpr = 2 if B == "e2m1" and PACK_K else 1
    b_n: tl.constexpr = 2 if B == "e2m1" and not PACK_K else 1
    m = tl.arange(0, M // a_m)[:, None]
    n = tl.arange(0, N // b_n)[None, :]
    a = tl.load(a_ptr + m * (K // a_k) + tl.arange(0, K // a_k)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K // b_k)[:, None] * (N // b_n) + n)
    groups = tl.arange(0, K // GROUP)[None, :]
    a_scale = None
    if HAS_A_SCALE:
        rows = tl.arange(0, M)[:, None]
        a_scale = tl.load(a_scale_ptr + rows * (K // GROUP) + groups)
    columns = tl.arange(0, N)
    b_scale = tl.load(b_scale_ptr + columns[:, None] * (K // GROUP) + groups)
    c = tl.dot_scaled(
        a, a_scale, A, b, b_scale, B, lhs_k_pack=PACK_K, rhs_k_pack=PACK_K
    )
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + columns[None, :], c)


def _unpack(codes, dim):
    """The values of bytes with two codes, which lie along `dim`."""
    codes = codes.long()
    pairs = torch.stack([codes & 15, codes >> 4], dim + 1)
    pairs = pairs.flatten(dim, dim + 1)
    return torch.where(pairs >= 8, -1.0, 1.0) * E2M1[pairs & 7]


def _operand(rng, format, rows, columns, dim):
    """Codes and the values that they stand for."""
    if format == "e2m1":
        shape = [rows, columns]
        shape[dim] //= 2
        codes = randint(rng, 0, 256, *shape, dtype=torch.uint8)
        return codes, _unpack(codes, dim)
    types = dict(
        e4m3=torch.float8_e4m3fn,
        e5m2=torch.float8_e5m2,
        bf16=torch.bfloat16,
        fp16=torch.float16,
    )
    codes = randn(rng, rows, columns, dtype=types[format])
    return codes, codes.float()


def _scaled(name, a_format, b_format, pack_k=True, group=32):
    rng = generator(name)
    m, n, k = 16, 32, 64
    a, a_values = _operand(rng, a_format, m, k, 1 if pack_k else 0)
    b, b_values = _operand(rng, b_format, k, n, 0 if pack_k else 1)
    has_a_scale = a_format not in ("bf16", "fp16")

    def scales(rows):
        if group == 16:
            codes = randn(rng, rows, k // group).abs().to(torch.float8_e4m3fn)
            return codes, codes.float()
        codes = randint(rng, 120, 132, rows, k // group)
        return codes.to(torch.uint8), torch.exp2(codes.float() - 127)

    a_codes, a_scale = scales(m)
    b_codes, b_scale = scales(n)
    if has_a_scale:
        a_values = a_values * a_scale.repeat_interleave(group, 1)
    b_values = b_values * b_scale.repeat_interleave(group, 1).T
    expected = a_values.double() @ b_values.double()
    args = dict(
        a_ptr=a,
        a_scale_ptr=a_codes,
        b_ptr=b,
        b_scale_ptr=b_codes,
        c_ptr=torch.zeros(m, n),
        A=a_format,
        B=b_format,
        M=m,
        N=n,
        K=k,
        PACK_K=pack_k,
        HAS_A_SCALE=has_a_scale,
        GROUP=group,
    )
    return Case(
        name,
        scaled_kernel,
        (1,),
        args,
        {"c_ptr": near(expected, torch.float32, 1e-4, 1e-3)},
        not_interpreted=NO_INTERPRETER,
    )


def cases():
    yield _scaled("dot_scaled_e2m1", "e2m1", "e2m1")
    yield _scaled("dot_scaled_e2m1_along_m", "e2m1", "e2m1", pack_k=False)
    yield _scaled("dot_scaled_nvfp4", "e2m1", "e2m1", group=16)
    yield _scaled("dot_scaled_e4m3_e5m2", "e4m3", "e5m2")
    yield _scaled("dot_scaled_bf16_e2m1", "bf16", "e2m1")
    yield _scaled("dot_scaled_fp16_e4m3", "fp16", "e4m3")
