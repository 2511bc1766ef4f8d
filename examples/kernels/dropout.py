"""Dropout whose mask comes from a counter: Philox, seeded, never stored."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import torch
import triton
import triton.language as tl

from case import Case, cdiv, generator, near, randn


@triton.jit
def seeded_dropout_kernel(
    x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr
):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    x_keep = random > p
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)


@triton.jit
def random_bits_kernel(out_ptr, seed, BLOCK_SIZE: tl.constexpr):
    # Four integers a counter, stored side by side.
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    a, b, c, d = tl.randint4x(seed, offsets)
    tl.store(out_ptr + offsets * 4, a)
    tl.store(out_ptr + offsets * 4 + 1, b)
    tl.store(out_ptr + offsets * 4 + 2, c)
    tl.store(out_ptr + offsets * 4 + 3, d)


@triton.jit
def random_normal_kernel(out_ptr, n_elements, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(out_ptr + offsets, tl.randn(seed, offsets), mask=offsets < n_elements)


def philox(seed, counter):
    """Philox 4x32 with 10 rounds, from its paper: four words a counter."""
    mask = np.uint64(0xFFFFFFFF)
    c = [counter.astype(np.uint64)] + [np.zeros_like(counter, np.uint64)] * 3
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        high = [np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]]
        c = [
            (high[1] >> np.uint64(32)) ^ c[1] ^ k[0],
            high[1] & mask,
            (high[0] >> np.uint64(32)) ^ c[3] ^ k[1],
            high[0] & mask,
        ]
        k = [
            (k[0] + np.uint64(0x9E3779B9)) & mask,
            (k[1] + np.uint64(0xBB67AE85)) & mask,
        ]
    return [word.astype(np.uint32).astype(np.int64) for word in c]


def uniform(words):
    """Words to [0, 1): negative ones are folded onto the positive ones."""
    signed = np.where(words >= 2**31, words - 2**32, words)
    return np.where(signed < 0, -signed - 1, signed) * 4.6566127342e-10


SEED = 0x1234567890


def _dropout():
    name = "dropout_f32"
    n = 1500
    x = randn(generator(name), n)
    args = dict(
        x_ptr=x,
        output_ptr=torch.zeros(n),
        n_elements=n,
        p=0.3,
        seed=SEED,
        BLOCK_SIZE=512,
    )
    random = uniform(philox(SEED, np.arange(n))[0])
    # No value may be so near p that rounding decides about it.
    assert np.abs(random - 0.3).min() > 1e-6
    keep = torch.from_numpy(random > 0.3)
    expected = torch.where(keep, x.double() / 0.7, 0.0)
    return Case(
        name,
        seeded_dropout_kernel,
        (cdiv(n, 512),),
        args,
        {"output_ptr": near(expected, torch.float32)},
    )


def _bits():
    name = "random_bits_i32"
    words = philox(123, np.arange(512))
    expected = torch.from_numpy(np.stack(words, 1).astype(np.uint32).view(np.int32))
    args = dict(
        out_ptr=torch.zeros(512, 4, dtype=torch.int32), seed=123, BLOCK_SIZE=256
    )
    return Case(name, random_bits_kernel, (2,), args, {"out_ptr": near(expected)})


def _normal():
    name = "random_normal_f32"
    n = 1000
    words = philox(77, np.arange(n))
    u1, u2 = np.maximum(1e-7, uniform(words[0])), uniform(words[1])
    expected = np.sqrt(-2 * np.log(u1)) * np.cos(2 * np.pi * u2)
    args = dict(out_ptr=torch.zeros(n), n_elements=n, seed=77, BLOCK_SIZE=256)
    return Case(
        name,
        random_normal_kernel,
        (cdiv(n, 256),),
        args,
        {"out_ptr": near(torch.from_numpy(expected), torch.float32, 1e-4, 1e-5)},
    )


def cases():
    yield _dropout()
    yield _bits()
    yield _normal()


def bench():
    n = 1 << 22
    args = dict(
        x_ptr=torch.empty(n),
        output_ptr=torch.empty(n),
        n_elements=n,
        p=0.3,
        seed=SEED,
        BLOCK_SIZE=1024,
    )
    yield Case(
        "dropout_1024",
        seeded_dropout_kernel,
        (cdiv(n, 1024),),
        args,
        outputs=("output_ptr",),
        work={"bytes": 8 * n},
    )
