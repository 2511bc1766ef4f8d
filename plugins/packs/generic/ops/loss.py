"""Cross entropy of [m, classes] and its gradient."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import triton
import triton.language as tl


@triton.jit
def _number(value, EXACT: tl.constexpr, T: tl.constexpr):
    """A number in type T. Numbers are passed in 32 bits; EXACT has those of f64."""
    if EXACT is None:
        return value
    else:
        return tl.full((), EXACT, T)


@triton.jit
def cross_entropy(
    x,
    target,
    weight,
    losses,
    weights,
    lse,
    classes,
    ignored,
    smoothing,
    HAS_WEIGHT: tl.constexpr,
    SMOOTH: tl.constexpr,
    EXACT: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A row in each program: its loss, its weight and its log of the sum of
    exponentials. The loss of a target out of range is NaN."""
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    row = tl.program_id(0).to(tl.int64)
    x += row * classes
    smoothing = _number(smoothing, EXACT, wide)
    lane = tl.arange(0, BLOCK)
    high = tl.full((BLOCK,), float("-inf"), wide)
    total = tl.zeros((BLOCK,), wide)
    level = tl.zeros((BLOCK,), wide)
    share = tl.zeros((BLOCK,), wide)
    for start in range(0, classes, BLOCK):
        mask = start + lane < classes
        value = tl.load(x + start + lane, mask, float("-inf")).to(wide)
        new = tl.maximum(high, value)
        base = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(high - base) + tl.exp(value - base)
        high = new
        if SMOOTH:
            if HAS_WEIGHT:
                w = tl.load(weight + start + lane, mask, 0).to(wide)
            else:
                w = tl.where(mask, 1.0, 0.0).to(wide)
            level += tl.where(mask, w * value, 0)
            share += w
    top = tl.max(high, 0)
    sums = tl.where(high == float("-inf"), total * 0, total * tl.exp(high - top))
    logs = top + tl.log(tl.sum(sums, 0))
    label = tl.load(target + row).to(tl.int64)
    valid = (label >= 0) & (label < classes)
    own = tl.load(x + label, valid, 0).to(wide)
    w = tl.where(label == label, 1.0, 0.0).to(wide)
    if HAS_WEIGHT:
        w = tl.load(weight + label, valid, 0).to(wide)
    loss = w * (logs - own)
    if SMOOTH:
        spread = smoothing / classes
        loss = (1 - smoothing) * loss + spread * (tl.sum(share, 0) * logs - tl.sum(level, 0))
    loss = tl.where(valid, loss, float("nan"))
    loss = tl.where(label == ignored, 0.0, loss)
    w = tl.where(label == ignored, 0.0, w)
    tl.store(losses + row, loss.to(losses.dtype.element_ty))
    tl.store(weights + row, w.to(weights.dtype.element_ty))
    tl.store(lse + row, logs.to(lse.dtype.element_ty))


@triton.jit
def total(losses, weights, loss, weight, m, MEAN: tl.constexpr, BLOCK: tl.constexpr):
    """The sum, or weighted mean, of all losses, and the sum of weights."""
    lane = tl.arange(0, BLOCK)
    dtype = losses.dtype.element_ty
    sums = tl.zeros((BLOCK,), dtype)
    shares = tl.zeros((BLOCK,), dtype)
    for start in range(0, m, BLOCK):
        mask = start + lane < m
        sums += tl.load(losses + start + lane, mask, 0)
        shares += tl.load(weights + start + lane, mask, 0)
    result = tl.sum(sums, 0)
    share = tl.sum(shares, 0)
    if MEAN:
        result = result / share
    tl.store(loss, result.to(loss.dtype.element_ty))
    tl.store(weight, share)


@triton.jit
def cross_entropy_gradient(
    grad,
    x,
    target,
    weight,
    lse,
    share,
    dx,
    classes,
    ignored,
    smoothing,
    HAS_WEIGHT: tl.constexpr,
    SMOOTH: tl.constexpr,
    EXACT: tl.constexpr,
    REDUCTION: tl.constexpr,
    BLOCK: tl.constexpr,
):
    wide: tl.constexpr = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32
    row = tl.program_id(0).to(tl.int64)
    x += row * classes
    dx += row * classes
    smoothing = _number(smoothing, EXACT, wide)
    lane = tl.arange(0, BLOCK)
    label = tl.load(target + row).to(tl.int64)
    valid = (label >= 0) & (label < classes)
    if REDUCTION == "none":
        g = tl.load(grad + row).to(wide)
    else:
        g = tl.load(grad).to(wide)
    if REDUCTION == "mean":
        g = g / tl.load(share).to(wide)
    logs = tl.load(lse + row).to(wide)
    own = g
    if HAS_WEIGHT:
        own = g * tl.load(weight + label, valid, 0).to(wide)
    spread = g * 0
    shares = g * 0
    if SMOOTH:
        own = own * (1 - smoothing)
        spread = g * (smoothing / classes)
        if HAS_WEIGHT:
            sums = tl.zeros((BLOCK,), wide)
            for start in range(0, classes, BLOCK):
                sums += tl.load(weight + start + lane, start + lane < classes, 0).to(wide)
            shares = tl.sum(sums, 0)
        else:
            shares = g * 0 + classes
    counted = label != ignored
    for start in range(0, classes, BLOCK):
        column = start + lane
        mask = column < classes
        value = tl.load(x + column, mask, float("-inf")).to(wide)
        p = tl.exp(value - logs)
        result = own * (p - tl.where(column == label, 1.0, 0.0))
        if SMOOTH:
            if HAS_WEIGHT:
                w = tl.load(weight + column, mask, 0).to(wide)
                result += spread * (p * shares - w)
            else:
                result += spread * (p * shares - 1)
        result = tl.where(counted, result, 0)
        tl.store(dx + column, result.to(dx.dtype.element_ty), mask)
