"""Cross entropy over a large vocabulary: loss, and gradient in place."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import torch
import triton
import triton.language as tl

from case import Case, generator, near, randint, randn


@triton.jit
def cross_entropy_fwd_kernel(
    logits_ptr,
    stride,
    labels_ptr,
    loss_ptr,
    lse_ptr,
    n_cols,
    ignore_index,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * stride
    cols = tl.arange(0, BLOCK_SIZE)
    label = tl.load(labels_ptr + row).to(tl.int32)
    logits = tl.load(logits_ptr + cols, mask=cols < n_cols, other=-float("inf"))
    top = tl.max(logits, 0)
    lse = top + tl.log(tl.sum(tl.exp(logits - top), 0))
    tl.store(lse_ptr + row, lse)
    if label != ignore_index:
        x = tl.load(logits_ptr + label)
        loss = lse - x
    else:
        loss = 0.0
    tl.store(loss_ptr + row, loss)


@triton.jit
def cross_entropy_inplace_kernel(
    X_ptr,
    X_stride,
    Y_ptr,
    loss_ptr,
    n_cols,
    n_non_ignore,
    ignore_index,
    BLOCK_SIZE: tl.constexpr,
):
    program_id = tl.program_id(0).to(tl.int64)
    y = tl.load(Y_ptr + program_id)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return
    # Running maximum and sum: the row is read once for the loss.
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y)
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(
            X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")
        )
        block_max = tl.max(X_block)
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(
            X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")
        )
        X_block = tl.exp(X_block - m) / d
        X_block = tl.where(X_offsets == y, X_block - 1, X_block) / n_non_ignore
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)
    # X[y] is read before and written after: order the two.
    tl.debug_barrier()
    loss = -(ori_X_y - m - tl.log(d)) / n_non_ignore
    tl.store(loss_ptr + program_id, loss)


IGNORE = -100


def _data(name, m, n):
    rng = generator(name)
    logits = randn(rng, m, n, scale=2.0)
    labels = randint(rng, 0, n, m, dtype=torch.int64)
    labels[m // 3] = IGNORE
    return logits, labels


def _forward():
    name = "cross_entropy_fwd_f32"
    logits, labels = _data(name, 12, 1000)
    loss = torch.nn.functional.cross_entropy(
        logits.double(), labels, ignore_index=IGNORE, reduction="none"
    )
    args = dict(
        logits_ptr=logits,
        stride=1000,
        labels_ptr=labels,
        loss_ptr=torch.zeros(12),
        lse_ptr=torch.zeros(12),
        n_cols=1000,
        ignore_index=IGNORE,
        BLOCK_SIZE=1024,
    )
    return Case(
        name,
        cross_entropy_fwd_kernel,
        (12,),
        args,
        {
            "loss_ptr": near(loss, torch.float32, atol=1e-5),
            "lse_ptr": near(torch.logsumexp(logits.double(), 1), torch.float32),
        },
    )


def _in_place():
    name = "cross_entropy_inplace_f32"
    logits, labels = _data(name, 9, 600)
    leaf = logits.double().requires_grad_()
    loss = (
        torch.nn.functional.cross_entropy(
            leaf, labels, ignore_index=IGNORE, reduction="none"
        )
        / 8
    )
    loss.sum().backward()
    args = dict(
        X_ptr=logits,
        X_stride=600,
        Y_ptr=labels,
        loss_ptr=torch.zeros(9),
        n_cols=600,
        n_non_ignore=8,
        ignore_index=IGNORE,
        BLOCK_SIZE=256,
    )
    return Case(
        name,
        cross_entropy_inplace_kernel,
        (9,),
        args,
        {
            "X_ptr": near(leaf.grad, torch.float32, rtol=1e-4, atol=1e-6),
            "loss_ptr": near(loss.detach(), torch.float32),
        },
    )


def cases():
    yield _forward()
    yield _in_place()


def bench():
    for rows, columns in ((1024, 8192), (512, 32768)):
        args = dict(
            logits_ptr=torch.empty(rows, columns),
            stride=columns,
            labels_ptr=torch.empty(rows, dtype=torch.int64),
            loss_ptr=torch.empty(rows),
            lse_ptr=torch.empty(rows),
            n_cols=columns,
            ignore_index=IGNORE,
            BLOCK_SIZE=columns,
        )
        yield Case(
            f"cross_entropy_{columns}",
            cross_entropy_fwd_kernel,
            (rows,),
            args,
            outputs=("loss_ptr", "lse_ptr"),
            work={"bytes": 4 * rows * columns},
        )
