"""The rows of rows.py in each peer: a function without parameters, on its own
inputs, or None if the peer has no equivalent.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

from peer_inputs import BEST, BINS, DROPPED, ROLLED, inputs
from peer_jax import make_iree, make_jax

# The modules of each peer; it is available if all can be imported.
NEEDS = {
    "numpy": ("numpy",),
    "torch": ("numpy", "torch"),
    "inductor": ("numpy", "torch"),
    "numba": ("numpy", "numba"),
    "jax": ("numpy", "jax"),
    "iree": ("numpy", "jax", "iree.compiler", "iree.runtime"),
}
# What pip installs for them.
PACKAGES = ("numpy", "torch", "numba", "jax", "iree-base-compiler", "iree-base-runtime")


def _numpy(op, shape, dtype, threads):
    import numpy as np

    if dtype != "float32" and op not in ("histogram", "transpose"):
        return None
    arrays = inputs(op, shape, dtype)
    if dtype == "float16":
        arrays = [a.astype(np.float16) for a in arrays]
    a = arrays[0]
    if op == "sum":
        return a.sum
    if op in ("max", "argmax"):
        return lambda: getattr(a, op)(axis=1)
    if op == "channelsum":
        return lambda: a.sum((0, 2))
    if op == "histogram":
        return lambda: np.bincount(a, minlength=BINS)
    if op == "sort":
        return lambda: np.sort(a, axis=1)
    out = np.empty_like(a)
    if op == "add":
        return lambda: np.add(*arrays, out=out)
    if op == "cumsum":
        return lambda: np.cumsum(a, axis=1, out=out)
    if op == "flip":
        return lambda: np.copyto(out, a[:, ::-1])
    if op == "embedding":
        rows = inputs(op, shape, dtype)[1]
        return lambda: np.take(a, rows, axis=0)
    if op == "roll":
        return lambda: np.roll(a, ROLLED, axis=1)
    if op == "sine":
        return lambda: np.sin(a, out=out)
    if op == "transpose":
        return lambda: np.copyto(out, a.T)
    if op in ("matmul", "linear", "bmm"):
        b = arrays[1] if op != "linear" else arrays[1].T
        out = np.empty((*a.shape[:-1], b.shape[-1]), np.float32)
        return lambda: np.matmul(a, b, out=out)
    return None


def _torch_functions(op, shape):
    """The row with functions of torch that return their results."""
    import torch
    import torch.nn.functional as F

    def rmsnorm(x, weight):
        return F.rms_norm(x, shape[-1:], weight, 1e-6)

    def rotary(q, cos, sin):
        first, second = q.chunk(2, -1)
        c, s = cos[:, None], sin[:, None]
        return torch.cat([first * c - second * s, second * c + first * s], -1)

    def grouped(x, w):
        size = x.shape[0] // w.shape[0]
        return torch.cat([x[size * g : size * (g + 1)] @ w[g] for g in range(w.shape[0])])

    def product(a, b):
        return torch._int_mm(a, b) if a.dtype == torch.int8 else a @ b

    return {
        "add": lambda a, b: a + b,
        "gelu": lambda a: F.gelu(a, approximate="tanh"),
        "mish": F.mish,
        "sine": torch.sin,
        "sum": lambda a: a.sum(),
        "max": lambda a: a.amax(1),
        "argmax": lambda a: a.argmax(1),
        "channelsum": lambda a: a.sum((0, 2)),
        "conv2d": lambda a, w: F.conv2d(a, w, padding=1),
        "softmax": lambda a: torch.softmax(a, -1),
        "layernorm": lambda a, w, b: F.layer_norm(a, shape[-1:], w, b),
        "rmsnorm": rmsnorm,
        "cumsum": lambda a: a.cumsum(1),
        "sort": lambda a: torch.sort(a, 1)[0],
        "topk": lambda a: torch.topk(a, BEST, 1)[0],
        "histogram": lambda a: torch.bincount(a, minlength=BINS),
        "flip": lambda a: a.flip(1),
        "embedding": lambda table, rows: F.embedding(rows, table),
        "index_add": lambda table, a, rows: table.index_add_(0, rows, a),
        "roll": lambda a: a.roll(ROLLED, 1),
        "transpose": lambda a: a.t().contiguous(),
        "crossentropy": lambda a, labels: F.cross_entropy(a, labels, reduction="none"),
        "rotary": rotary,
        "swiglu": lambda a, b: F.silu(a) * b,
        "dropout": lambda a: F.dropout(a, DROPPED),
        "matmul": product,
        "linear": lambda a, b: product(a, b.t()),
        "bmm": torch.bmm,
        "grouped": grouped,
        "attention": lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None]),
        "causal": lambda q, k, v: F.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=True
        ),
    }[op]


def _tensors(op, shape, dtype, threads):
    import torch

    torch.set_num_threads(threads)
    narrow = dtype in ("bfloat16", "float16")
    tensors = [torch.from_numpy(x) for x in inputs(op, shape, dtype)]
    return [t.to(getattr(torch, dtype)) if narrow else t for t in tensors]


def _torch(op, shape, dtype, threads):
    import torch

    tensors = _tensors(op, shape, dtype, threads)
    a = tensors[0]
    out = torch.empty_like(a)
    if op == "linear":
        tensors[1] = tensors[1].t()
    if op in ("matmul", "linear") and dtype != "int8":
        out = a.new_empty(shape[0], shape[2])
        return lambda: torch.mm(*tensors, out=out)
    if op == "linear":
        return lambda: torch._int_mm(*tensors)
    with_out = {
        "add": lambda: torch.add(*tensors, out=out),
        "softmax": lambda: torch.softmax(a, -1, out=out),
        "cumsum": lambda: torch.cumsum(a, 1, out=out),
        "transpose": lambda: out.copy_(a.t()),
    }
    if op in with_out:
        return with_out[op]
    function = _torch_functions(op, shape)
    return torch.no_grad()(lambda: function(*tensors))


def _inductor(op, shape, dtype, threads):
    import torch

    tensors = _tensors(op, shape, dtype, threads)
    function = torch.compile(_torch_functions(op, shape), dynamic=False)
    return torch.no_grad()(lambda: function(*tensors))


def _numba_functions(threads):
    import numba
    import numpy as np

    jit = numba.njit(parallel=threads > 1, fastmath=True)

    @jit
    def add(a, b, out):
        for i in numba.prange(a.size):
            out[i] = a[i] + b[i]

    @jit
    def gelu(a, out):
        for i in numba.prange(a.size):
            x = a[i]
            inner = np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)
            out[i] = np.float32(0.5) * x * (np.float32(1) + math.tanh(inner))

    @jit
    def softmax(a, out):
        for row in numba.prange(a.shape[0]):
            most = a[row, 0]
            for i in range(a.shape[1]):
                most = max(most, a[row, i])
            total = np.float32(0)
            for i in range(a.shape[1]):
                power = math.exp(a[row, i] - most)
                out[row, i] = power
                total += power
            total = np.float32(1) / total
            for i in range(a.shape[1]):
                out[row, i] *= total

    @jit
    def rmsnorm(a, weight, out):
        for row in numba.prange(a.shape[0]):
            total = np.float32(0)
            for i in range(a.shape[1]):
                total += a[row, i] * a[row, i]
            scale = np.float32(1) / math.sqrt(total / np.float32(a.shape[1]) + np.float32(1e-6))
            for i in range(a.shape[1]):
                out[row, i] = a[row, i] * scale * weight[i]

    @jit
    def cumsum(a, out):
        for row in numba.prange(a.shape[0]):
            total = np.float32(0)
            for i in range(a.shape[1]):
                total += a[row, i]
                out[row, i] = total

    @jit
    def flip(a, out):
        for row in numba.prange(a.shape[0]):
            for i in range(a.shape[1]):
                out[row, i] = a[row, a.shape[1] - 1 - i]

    @jit
    def swiglu(a, b, out):
        for row in numba.prange(a.shape[0]):
            for i in range(a.shape[1]):
                x = a[row, i]
                out[row, i] = x / (np.float32(1) + math.exp(-x)) * b[row, i]

    return {f.__name__: f for f in (add, gelu, softmax, rmsnorm, cumsum, flip, swiglu)}


def _numba(op, shape, dtype, threads):
    function = dtype == "float32" and _numba_functions(threads).get(op)
    if not function:
        return None
    import numpy as np

    arrays = inputs(op, shape)
    arrays.append(np.empty_like(arrays[0]))
    return lambda: function(*arrays)


_MAKERS = {
    "numpy": _numpy,
    "torch": _torch,
    "inductor": _inductor,
    "numba": _numba,
    "jax": make_jax,
    "iree": make_iree,
}


def make(peer, op, shape, dtype, threads):
    return _MAKERS[peer](op, tuple(shape), dtype, threads)
