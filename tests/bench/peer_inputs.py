"""What the peers compute with: constants, shapes and inputs of the operations."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

BINS = 256  # of a histogram
BEST = 8  # of top-k
DROPPED = 0.3
ROLLED = 3


def shapes(op, shape):
    """Of the inputs that are floats, or int8."""
    if op in ("matmul", "linear"):
        m, k, n = shape
        return [(m, k), (k, n) if op == "matmul" else (n, k)]
    if op == "conv2d":
        images, channels, size, filters = shape
        return [(images, channels, size, size), (filters, channels, 3, 3)]
    if op == "bmm":
        batch, m, k, n = shape
        return [(batch, m, k), (batch, k, n)]
    if op == "grouped":
        groups, rows, k, n = shape
        return [(rows, k), (groups, k, n)]
    if op == "embedding":
        return [shape[1:]]
    if op == "index_add":
        tokens, vocabulary, dim = shape
        return [(vocabulary, dim), (tokens, dim)]
    if op == "rotary":
        half = (shape[0], shape[2] // 2)
        return [shape, half, half]
    more = {
        "add": [shape],
        "swiglu": [shape],
        "layernorm": [shape[-1:], shape[-1:]],
        "rmsnorm": [shape[-1:]],
        "attention": [shape, shape],
        "causal": [shape, shape],
    }
    return [shape, *more.get(op, [])]


def inputs(op, shape, dtype="float32"):
    """Arrays of numpy; those of a narrow float type are float32 still."""
    import numpy as np

    rng = np.random.default_rng(0)
    if op == "histogram":
        return [rng.integers(0, BINS, shape, dtype=np.int32)]
    if dtype == "int8":
        return [rng.integers(-100, 100, size, dtype=np.int8) for size in shapes(op, shape)]
    if dtype == "int64":
        return [rng.integers(-100, 100, size, dtype=np.int64) for size in shapes(op, shape)]
    arrays = [rng.standard_normal(size, dtype=np.float32) for size in shapes(op, shape)]
    if op in ("crossentropy", "embedding", "index_add"):
        arrays.append(rng.integers(0, shape[1], shape[0], dtype=np.int64))
    return arrays
