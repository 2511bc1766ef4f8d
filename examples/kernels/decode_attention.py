"""Attention of one new token per sequence, over keys and values in pages.

A program has the heads that share keys and values, padded to the 16 rows that a
dot needs, and follows the page table of its sequence."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

import torch
import triton
import triton.language as tl
from case import Case, generator, near, randn


@triton.jit
def decode_attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    pages_ptr,
    lengths_ptr,
    scale,
    stride_pages,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    PAGE: tl.constexpr,
    BLOCK_H: tl.constexpr,
):
    sequence = tl.program_id(0)
    kv_head = tl.program_id(1)
    group: tl.constexpr = HEADS // KV_HEADS
    length = tl.load(lengths_ptr + sequence)
    if length == 0:
        return
    h = tl.arange(0, BLOCK_H)
    d = tl.arange(0, HEAD_DIM)
    n = tl.arange(0, PAGE)
    is_head = h < group
    rows = (sequence * HEADS + kv_head * group + h)[:, None] * HEAD_DIM + d[None, :]
    q = tl.load(q_ptr + rows, mask=is_head[:, None], other=0.0)
    highest = tl.full((BLOCK_H,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_H,), tl.float32)
    acc = tl.zeros((BLOCK_H, HEAD_DIM), tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        number = tl.load(pages_ptr + sequence * stride_pages + page)
        is_token = page * PAGE + n < length
        places = ((number * PAGE + n) * KV_HEADS + kv_head)[:, None] * HEAD_DIM + d[None, :]
        k = tl.load(k_ptr + places, mask=is_token[:, None], other=0.0)
        v = tl.load(v_ptr + places, mask=is_token[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        scores = tl.where(is_token[None, :], scores, float("-inf"))
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        shrink = tl.exp(highest - new_highest)
        p = tl.exp(scores - new_highest[:, None])
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        total = total * shrink + tl.sum(p, 1)
        highest = new_highest
    acc = acc / total[:, None]
    tl.store(out_ptr + rows, acc.to(out_ptr.dtype.element_ty), mask=is_head[:, None])


def arguments(sequences, heads, kv_heads, dim, page, q, k, v, out, pages, lengths):
    return dict(
        q_ptr=q,
        k_ptr=k,
        v_ptr=v,
        out_ptr=out,
        pages_ptr=pages,
        lengths_ptr=lengths,
        scale=1 / math.sqrt(dim),
        stride_pages=pages.shape[1],
        HEADS=heads,
        KV_HEADS=kv_heads,
        HEAD_DIM=dim,
        PAGE=page,
        BLOCK_H=16,
    )


def attention(q, k, v, pages, lengths):
    """In f64; sequences without a token keep zeros."""
    out = torch.zeros_like(q, dtype=torch.float64)
    group = q.shape[1] // k.shape[2]
    for i, length in enumerate(lengths.tolist()):
        if length:
            keys, values = (
                t.double()[pages[i].long()].flatten(0, 1)[:length].repeat_interleave(group, 1)
                for t in (k, v)
            )
            scores = torch.einsum("hd,nhd->hn", q[i].double(), keys) / math.sqrt(q.shape[2])
            out[i] = torch.einsum("hn,nhd->hd", torch.softmax(scores, 1), values)
    return out


def cases():
    for name, dtype, tolerance in (
        ("decode_attention_f32", torch.float32, 1e-5),
        ("decode_attention_f16", torch.float16, 5e-3),
    ):
        rng = generator(name)
        sequences, heads, kv_heads, dim, page, count = 3, 6, 2, 32, 16, 4
        q = randn(rng, sequences, heads, dim).to(dtype)
        k, v = (randn(rng, sequences * count, page, kv_heads, dim).to(dtype) for _ in range(2))
        order = rng.permutation(sequences * count).reshape(sequences, count)
        pages = torch.from_numpy(order).to(torch.int32)
        lengths = torch.tensor([count * page, 0, 21], dtype=torch.int32)
        args = arguments(
            sequences, heads, kv_heads, dim, page, q, k, v, torch.zeros_like(q), pages, lengths
        )
        expected = attention(q, k, v, pages, lengths)
        yield Case(
            name,
            decode_attention_kernel,
            (sequences, kv_heads),
            args,
            expect={"out_ptr": near(expected, dtype, tolerance, tolerance)},
        )
