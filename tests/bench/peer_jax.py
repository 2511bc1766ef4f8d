"""The operations as functions of JAX, compiled by XLA or by IREE."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

from peer_inputs import BEST, BINS, DROPPED, ROLLED, inputs


def _jax_function(op, shape):
    import jax
    import jax.numpy as jnp

    def layernorm(a, weight, bias):
        mean = a.mean(-1, keepdims=True)
        variance = ((a - mean) ** 2).mean(-1, keepdims=True)
        return (a - mean) * jax.lax.rsqrt(variance + 1e-5) * weight + bias

    def rmsnorm(a, weight):
        return a * jax.lax.rsqrt((a * a).mean(-1, keepdims=True) + 1e-6) * weight

    def crossentropy(a, labels):
        picked = jnp.take_along_axis(a, labels[:, None], 1)[:, 0]
        return jax.nn.logsumexp(a, axis=1) - picked

    def rotary(q, cos, sin):
        first, second = jnp.split(q, 2, -1)
        c, s = cos[:, None], sin[:, None]
        return jnp.concatenate([first * c - second * s, second * c + first * s], -1)

    def product(a, b):
        wide = jnp.int32 if a.dtype == jnp.int8 else None
        return jnp.matmul(a, b, preferred_element_type=wide)

    def grouped(x, w):
        rows = x.reshape(w.shape[0], -1, x.shape[1])
        return jnp.matmul(rows, w).reshape(x.shape[0], -1)

    def attention(q, k, v):
        scores = jnp.einsum("hmd,hnd->hmn", q, k, preferred_element_type=jnp.float32)
        scores = scores / math.sqrt(shape[2])
        if op == "causal":
            places = jnp.arange(shape[1])
            scores = jnp.where(places[:, None] >= places[None, :], scores, -jnp.inf)
        return jnp.einsum("hmn,hnd->hmd", jax.nn.softmax(scores, -1).astype(v.dtype), v)

    def dropout(a):
        kept = jax.random.bernoulli(jax.random.key(0), 1 - DROPPED, a.shape)
        return jnp.where(kept, a / (1 - DROPPED), 0)

    return {
        "add": lambda a, b: a + b,
        "gelu": lambda a: jax.nn.gelu(a, approximate=True),
        "mish": jax.nn.mish,
        "sine": jnp.sin,
        "sum": lambda a: a.sum(),
        "max": lambda a: a.max(1),
        "argmax": lambda a: a.argmax(1),
        "channelsum": lambda a: a.sum((0, 2)),
        "conv2d": lambda a, w: jax.lax.conv(a, w, (1, 1), "SAME"),
        "softmax": lambda a: jax.nn.softmax(a, -1),
        "layernorm": layernorm,
        "rmsnorm": rmsnorm,
        "cumsum": lambda a: jnp.cumsum(a, 1),
        "sort": lambda a: jnp.sort(a, 1),
        "topk": lambda a: jax.lax.top_k(a, BEST)[0],
        "histogram": lambda a: jnp.bincount(a, length=BINS),
        "flip": lambda a: jnp.flip(a, 1),
        "embedding": lambda table, rows: table[rows],
        "index_add": lambda table, a, rows: table.at[rows].add(a),
        "roll": lambda a: jnp.roll(a, ROLLED, 1),
        "transpose": lambda a: a.T,
        "crossentropy": crossentropy,
        "rotary": rotary,
        "swiglu": lambda a, b: jax.nn.silu(a) * b,
        "dropout": dropout,
        "matmul": product,
        "linear": lambda a, b: product(a, b.T),
        "bmm": jnp.matmul,
        "grouped": grouped,
        "attention": attention,
        "causal": attention,
    }[op]


def _jax_arrays(op, shape, dtype):
    import jax

    narrow = dtype in ("bfloat16", "float16")
    arrays = [jax.numpy.asarray(x) for x in inputs(op, shape, dtype)]
    return [a.astype(dtype) if narrow else a for a in arrays]


def make_jax(op, shape, dtype, threads):
    import jax

    if dtype == "int64":  # JAX computes in 32 bits
        return None
    arrays = _jax_arrays(op, shape, dtype)
    function = jax.jit(_jax_function(op, shape))
    return lambda: function(*arrays).block_until_ready()


def make_iree(op, shape, dtype, threads):
    import iree.compiler
    import iree.runtime
    import jax
    import numpy as np

    if dtype == "int64":
        return None
    arrays = _jax_arrays(op, shape, dtype)
    lowered = jax.jit(_jax_function(op, shape)).lower(*arrays)
    module = iree.compiler.compile_str(
        str(lowered.compiler_ir("stablehlo")),
        target_backends=["llvm-cpu"],
        input_type="stablehlo",
        extra_args=[
            "--iree-llvmcpu-target-cpu=host",
            "--iree-opt-level=O3",
            "--iree-opt-data-tiling=true",
        ],
    )
    if threads > 1:
        iree.runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
    config = iree.runtime.Config("local-task" if threads > 1 else "local-sync")
    context = iree.runtime.SystemContext(config=config)
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, module))
    function = next(m for n, m in context.modules.items() if n != "hal")["main"]
    given = [iree.runtime.asdevicearray(config.device, np.asarray(x)) for x in arrays]
    return lambda: function(*given)
