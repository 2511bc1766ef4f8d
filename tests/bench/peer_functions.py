"""The kernels of peers.py in each peer: a function without parameters, on its own
inputs, or None if the peer has no equivalent.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import math

# The modules of each peer; it is available if all can be imported.
NEEDS = {
    "numpy": ("numpy",),
    "torch": ("numpy", "torch"),
    "inductor": ("numpy", "torch"),
    "numba": ("numpy", "numba"),
    "jax": ("numpy", "jax"),
    "iree": ("numpy", "jax", "iree.compiler", "iree.runtime"),
}


def inputs(op, shape):
    import numpy as np

    rng = np.random.default_rng(0)
    sizes = {
        "add": [shape, shape],
        "layernorm": [shape, shape[-1:], shape[-1:]],
        "matmul": [shape[:2], shape[1:]],
        "linear": [shape[:2], shape[:0:-1]],
    }.get(op, [shape])
    return [rng.standard_normal(size, dtype=np.float32) for size in sizes]


def _numpy(op, shape, dtype, threads):
    import numpy as np

    if dtype != "float32":
        return None
    arrays = inputs(op, shape)
    if op == "sum":
        return arrays[0].sum
    if op == "add":
        out = np.empty_like(arrays[0])
        return lambda: np.add(*arrays, out=out)
    if op in ("matmul", "linear"):
        a, b = arrays[0], arrays[1] if op == "matmul" else arrays[1].T
        out = np.empty((shape[0], shape[2]), np.float32)
        return lambda: np.matmul(a, b, out=out)
    return None


def _tensors(op, shape, dtype, threads):
    import torch

    torch.set_num_threads(threads)
    return [torch.from_numpy(x).to(getattr(torch, dtype)) for x in inputs(op, shape)]


def _torch(op, shape, dtype, threads):
    import torch

    tensors = _tensors(op, shape, dtype, threads)
    if op == "sum":
        return tensors[0].sum
    if op == "gelu":
        return lambda: torch.nn.functional.gelu(tensors[0], approximate="tanh")
    if op == "layernorm":
        a, weight, bias = tensors
        return lambda: torch.nn.functional.layer_norm(a, shape[-1:], weight, bias)
    if op == "linear":
        tensors[1] = tensors[1].T
    size = (shape[0], shape[2]) if op in ("matmul", "linear") else shape
    out = torch.empty(size, dtype=tensors[0].dtype)
    if op == "softmax":
        return lambda: torch.softmax(tensors[0], -1, out=out)
    function = torch.add if op == "add" else torch.mm
    return lambda: function(*tensors, out=out)


def _inductor(op, shape, dtype, threads):
    import torch

    functions = {
        "add": lambda a, b: a + b,
        "gelu": lambda a: torch.nn.functional.gelu(a, approximate="tanh"),
        "sum": lambda a: a.sum(),
        "softmax": lambda a: torch.softmax(a, -1),
        "layernorm": lambda a, w, b: torch.nn.functional.layer_norm(
            a, a.shape[-1:], w, b
        ),
        "matmul": lambda a, b: a @ b,
        "linear": lambda a, b: a @ b.T,
    }
    tensors = _tensors(op, shape, dtype, threads)
    function = torch.compile(functions[op], dynamic=False)
    return torch.no_grad()(lambda: function(*tensors))


def _jax_function(op):
    import jax

    def layernorm(a, weight, bias):
        mean = a.mean(-1, keepdims=True)
        variance = ((a - mean) ** 2).mean(-1, keepdims=True)
        return (a - mean) * jax.lax.rsqrt(variance + 1e-5) * weight + bias

    return {
        "add": lambda a, b: a + b,
        "gelu": lambda a: jax.nn.gelu(a, approximate=True),
        "sum": lambda a: a.sum(),
        "softmax": lambda a: jax.nn.softmax(a, -1),
        "layernorm": layernorm,
        "matmul": lambda a, b: a @ b,
        "linear": lambda a, b: a @ b.T,
    }[op]


def _jax(op, shape, dtype, threads):
    import jax

    arrays = [jax.numpy.asarray(x, dtype=dtype) for x in inputs(op, shape)]
    function = jax.jit(_jax_function(op))
    return lambda: function(*arrays).block_until_ready()


def _iree(op, shape, dtype, threads):
    import iree.compiler
    import iree.runtime
    import jax
    import numpy as np

    arrays = [jax.numpy.asarray(x, dtype=dtype) for x in inputs(op, shape)]
    lowered = jax.jit(_jax_function(op)).lower(*arrays)
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


def _numba(op, shape, dtype, threads):
    if dtype != "float32" or op not in ("add", "softmax"):
        return None
    import numba
    import numpy as np

    jit = numba.njit(parallel=threads > 1, fastmath=True)

    @jit
    def add(a, b, out):
        for i in numba.prange(a.size):
            out[i] = a[i] + b[i]

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

    arrays = inputs(op, shape)
    arrays.append(np.empty_like(arrays[0]))
    function = {"add": add, "softmax": softmax}[op]
    return lambda: function(*arrays)


_MAKERS = {
    "numpy": _numpy,
    "torch": _torch,
    "inductor": _inductor,
    "numba": _numba,
    "jax": _jax,
    "iree": _iree,
}


def make(peer, op, shape, dtype, threads):
    return _MAKERS[peer](op, shape, dtype, threads)
