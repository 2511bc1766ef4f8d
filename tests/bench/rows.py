"""The rows that scripts/bench compares: a kernel of tests/data/kernels/bench, the
arguments in which it differs from its manifest, and the same work for the peers.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import kernels  # noqa: E402

# The ratio to the best peer that is aimed at: in cache, and outside.
GOALS = {
    "add": (1.0, 1.0),
    "chains": (2.0, 1.0),
    "reductions": (1.0, 1.0),
    "softmax": (1.5, 1.15),
    "layer norm": (1.5, 1.15),
    "rms norm": (1.5, 1.15),
    "moves": (1.0, 1.0),
    "fused": (1.5, 1.5),
    "matmul f32": (1.0, 1.0),
    "matmul narrow": (1.0, 1.0),
    "products": (1.2, 1.2),
    "attention": (1.25, 1.25),
}

SIZES = {"float32": 4, "bfloat16": 2, "float16": 2, "int8": 1, "int32": 4, "int64": 8}
SHORT = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "int8": "i8"}


@dataclass(frozen=True)
class Row:
    name: str
    group: str
    op: str  # as peer_functions.py calls it
    shape: tuple
    manifest: str
    dtype: str = "float32"
    bytes: int = 0  # that must move: each input and output once
    flops: int = 0  # nominal where bytes are what counts; 0 if there are none
    by_flops: bool = False
    # By index: a shape, a scalar's value, or, as text, how a tensor is filled.
    changes: dict = field(default_factory=dict)
    grid: tuple = None

    @property
    def work(self):
        return self.flops if self.by_flops else self.bytes

    @property
    def unit(self):
        return "GFLOP/s" if self.by_flops else "GB/s"

    def goal(self, cache):
        """The goal on a machine with so many bytes of last-level cache."""
        return GOALS[self.group][0 if self.bytes <= cache else 1]

    def load(self):
        """The manifest with these arguments and this grid, and its path."""
        path = kernels.DATA / "bench" / f"{self.manifest}.json"
        manifest = json.loads(path.read_text())
        for index, change in self.changes.items():
            arg = manifest["args"][index]
            if isinstance(change, str):
                arg["init"] = change
            elif arg["kind"] == "tensor":
                arg["shape"] = list(change)
            else:
                arg["value"] = change
        if self.grid:
            manifest["grid"] = [*self.grid, 1, 1][:3]
        return path, manifest


def cdiv(a, b):
    return -(-a // b)


def _label(op, shape):
    return f"{op} {'x'.join(map(str, shape))}"


def _streams(group, op, n, manifest, tensors, ops, changes, grid, name=None):
    return Row(
        name or _label(op, (n,)), group, op, (n,), manifest,
        bytes=4 * tensors * n, flops=ops * n, changes=changes, grid=grid,
    )  # fmt: skip


def _rows(group, op, shape, manifest, tensors, ops, **more):
    size = SIZES[more.get("dtype", "float32")] * math.prod(shape)
    name = more.pop("name", None) or _label(op, shape)
    return Row(
        name, group, op, shape, manifest,
        bytes=tensors * size, flops=ops * math.prod(shape), **more,
    )  # fmt: skip


def _pointwise():
    for power in (10, 12, 14, 16, 18, 20, 22, 24, 26):
        n = 1 << power
        changes = {0: [n], 1: [n], 2: [n], 3: n}
        yield _streams("add", "add", n, "vector_add_1024", 3, 1, changes, (cdiv(n, 1024),))
    n = 1 << 22
    changes = {0: [n], 1: [n], 2: [n], 3: n}
    name = _label("add by strides", (n,))
    yield _streams("add", "add", n, "add_by_strides_1024", 3, 1, changes, None, name=name)
    for op, ops in (("gelu", 12), ("mish", 12), ("sine", 16)):
        for n in (1 << 16, 1 << 22):
            changes = {0: [n], 1: [n], 2: n}
            yield _streams("chains", op, n, f"{op}_1024", 2, ops, changes, (cdiv(n, 1024),))


def _reductions():
    for power in (16, 22, 26):
        n = 1 << power
        grid = (min(64, n // 4096),)
        yield _streams("reductions", "sum", n, "sum_4096", 1, 1, {0: [n], 2: n}, grid)
    for op, kernel in (("max", "row_max"), ("argmax", "argmax")):
        for shape in ((4096, 1024), (512, 32768)):
            yield _rows("reductions", op, shape, f"{kernel}_{shape[1]}", 1, 1)
    shapes = {
        "256": (128, 256),
        "1024_ragged": (4096, 781),
        "1024": (4096, 1024),
        "4096": (4096, 4096),
        "32768": (512, 32768),
    }
    for shape in ((4096, 1024), (4096, 4096)):
        name = _label("softmax persistent", shape)
        yield _rows("softmax", "softmax", shape, f"softmax_persistent_{shape[1]}", 2, 5, name=name)
    kinds = (("softmax", "softmax", 5), ("layernorm", "layer_norm", 8), ("rmsnorm", "rms_norm", 4))
    for op, kernel, ops in kinds:
        for name, shape in shapes.items():
            yield _rows(kernel.replace("_", " "), op, shape, f"{kernel}_{name}", 2, ops)


def _moves():
    yield _rows("moves", "cumsum", (4096, 1024), "cumsum_1024", 2, 1)
    name = _label("cumsum i64", (4096, 1024))
    yield _rows("moves", "cumsum", (4096, 1024), "cumsum_i64_1024", 2, 1, name=name, dtype="int64")
    yield _rows("moves", "sort", (4096, 256), "sort_256", 2, 0)
    yield _rows("moves", "sort", (4096, 1024), "sort_1024", 2, 0)
    yield _rows("moves", "topk", (4096, 1024), "topk_1024", 1, 0)
    changes = {0: "random:1:0:256"}
    yield _rows("moves", "histogram", (1 << 22,), "histogram_1024", 1, 0, dtype="int32", changes=changes)
    name = _label("channel sums", (8, 64, 3136))
    yield _rows("moves", "channelsum", (8, 64, 3136), "channel_sum_1024", 1, 1, name=name)
    yield _rows("moves", "flip", (4096, 1024), "flip_1024", 2, 0)
    name = _label("flip by addresses", (4096, 1024))
    yield _rows("moves", "flip", (4096, 1024), "reverse_1024", 2, 0, name=name)
    tokens, vocabulary, dim = 2048, 32000, 1024
    yield Row(
        _label("embedding", (tokens, dim)), "moves", "embedding", (tokens, vocabulary, dim),
        f"embedding_{dim}", bytes=8 * tokens * dim, changes={1: f"random:1:0:{vocabulary}"},
    )  # fmt: skip
    yield Row(
        _label("embedding backward", (tokens, dim)), "moves", "index_add", (tokens, vocabulary, dim),
        f"embedding_backward_{dim}", bytes=12 * tokens * dim,
        changes={1: f"random:1:0:{vocabulary}"},
    )  # fmt: skip
    yield _rows("moves", "roll", (2048, 2048), "roll_1024", 2, 0)
    for dtype in ("float32", "float16", "int8"):
        for n in (512, 2048):
            changes = {0: [n, n], 1: [n, n], 2: n, 3: n, 4: n, 5: n}
            yield _rows(
                "moves", "transpose", (n, n), f"transpose_64x64_{SHORT[dtype]}", 2, 0,
                dtype=dtype, changes=changes, grid=(n // 64, n // 64),
                name=f"{_label('transpose', (n, n))} {SHORT[dtype]}",
            )  # fmt: skip


def _fused():
    for shape in ((1024, 8192), (512, 32768)):
        changes = {2: f"random:1:0:{shape[1]}"}
        yield _rows("fused", "crossentropy", shape, f"cross_entropy_{shape[1]}", 1, 4, changes=changes)
    # It runs in place: the same numbers again, which neither grow nor vanish.
    turns = {2: "ones", 3: "zeros"}
    yield _rows("fused", "rotary", (2048, 32, 128), "rotary_128", 2, 3, changes=turns)
    yield _rows("fused", "swiglu", (2048, 4096), "swiglu_4096", 3, 6)
    yield _streams("fused", "dropout", 1 << 22, "dropout_1024", 2, 2, {}, None)


def _product(op, kernel, block, sizes, dtype, group, changes, grid, out=None):
    m, k, n = sizes
    size = SIZES[dtype]
    return Row(
        f"{op} {m}x{n}x{k} {SHORT[dtype]}, block {block}", group, op, sizes, kernel, dtype,
        bytes=size * (m * k + k * n) + (out or size) * m * n, flops=2 * m * n * k, by_flops=True,
        changes=changes, grid=grid,
    )  # fmt: skip


def _square(op, kernel, block, n, dtype):
    """A product of the tutorial's kernel, or of the one for int8."""
    group = "matmul f32" if dtype == "float32" else "matmul narrow"
    tiles = cdiv(n, block)
    changes = {i: [n, n] for i in range(3)} | {i: n for i in range(3, 9)}
    one_axis = dtype != "int8"
    grid = (tiles * tiles,) if one_axis else (tiles, tiles)
    out = None if one_axis else 4
    return _product(op, kernel, block, (n, n, n), dtype, group, changes, grid, out)


def _products():
    for n in (64, 128, 256, 512, 1024, 2048):
        yield _square("matmul", "matmul_64x64x32_f32", 64, n, "float32")
    for n in (128, 256, 512, 1024, 2048):
        for op in ("matmul", "linear"):
            yield _square(op, f"{op}_128x128x32_f32", 128, n, "float32")
    for n in (256, 512, 1024, 2048):
        yield _square("matmul", "matmul_64x64x32_bf16", 64, n, "bfloat16")
        for op in ("matmul", "linear"):
            yield _square(op, f"{op}_128x128x32_bf16", 128, n, "bfloat16")
        for block in (64, 128):
            yield _square("matmul", f"gpu_matmul_{block}x{block}x32_f16", block, n, "float16")
            yield _square("matmul", f"gpu_matmul_{block}x{block}x32_i8", block, n, "int8")
        yield _square("linear", "gpu_linear_128x128x64_i8", 128, n, "int8")
    for dtype in ("float32", "bfloat16"):
        group = "matmul f32" if dtype == "float32" else "matmul narrow"
        for op in ("matmul", "linear"):
            for m in (1, 8, 16):
                changes = {0: [m, 4096], 2: [m, 4096], 3: m}
                kernel = f"{op}_skinny_{SHORT[dtype]}"
                yield _product(op, kernel, 16, (m, 4096, 4096), dtype, group, changes, None)
    shape = (16, 256, 256, 256)
    yield Row(
        "bmm 16 of 256x256x256", "products", "bmm", shape, "bmm_64x64x32",
        bytes=12 * 16 * 256 * 256, flops=2 * math.prod(shape), by_flops=True,
    )  # fmt: skip
    # Eight groups of 128 rows.
    groups, rows, n = 8, 1024, 512
    yield Row(
        "grouped 8 of 128x512x512", "products", "grouped", (groups, rows, n, n), "grouped_64x64x32",
        bytes=4 * (2 * rows * n + groups * n * n), flops=2 * rows * n * n, by_flops=True,
        changes={3: "ends:128"}, grid=(n // 64, rows // groups // 64, groups),
    )  # fmt: skip
    images, channels, size, filters = shape = (2, 128, 28, 128)
    pixels = images * size * size
    for kernel in ("conv2d", "conv2d_one_loop"):
        yield Row(
            f"{kernel.replace('_', ' ')} 3x3 {images}x{channels}x{size}x{size}", "products", "conv2d", shape,
            f"{kernel}_128", bytes=4 * (pixels * (channels + filters) + 9 * channels * filters),
            flops=2 * 9 * pixels * channels * filters, by_flops=True,
        )  # fmt: skip
    sizes = (128, 16384, 128)
    yield Row(
        "split-k 128x128x16384", "products", "matmul", sizes, "split_k_64x64x64",
        bytes=8 * 128 * 16384, flops=2 * math.prod(sizes), by_flops=True,
    )  # fmt: skip
    n = 4096
    for kernel, sizes in (("matvec", (n, n, 1)), ("vecmat", (1, n, n))):
        yield Row(
            f"{kernel} {n}x{n}", "products", "matmul", sizes, kernel,
            bytes=4 * n * (n + 2), flops=2 * math.prod(sizes),
        )  # fmt: skip
    # The peers multiply by weights that are floats.
    sizes, group = (16, 4096, 4096), 128
    m, k, n = sizes
    for along in ("n", "k"):
        yield Row(
            f"int4 along {along} {m}x{n}x{k}", "products", "matmul", sizes, f"packed_matmul_along_{along}",
            bytes=4 * m * (k + n) + (k + 9 * k // group) * n // 2, flops=2 * math.prod(sizes), by_flops=True,
        )  # fmt: skip


def _attention():
    for shape in ((8, 1024, 64), (8, 2048, 128)):
        for dtype, suffix in (("float32", ""), ("bfloat16", "_bf16")):
            for op in ("attention", "causal"):
                heads, length, dim = shape
                flops = 4 * heads * length * length * dim
                kernel = f"flash_attention_{dim}{'_causal' if op == 'causal' else ''}{suffix}"
                yield Row(
                    f"{_label('attention', shape)} {SHORT[dtype]}{' causal' if op == 'causal' else ''}",
                    "attention", op, shape, kernel, dtype,
                    bytes=4 * SIZES[dtype] * math.prod(shape),
                    flops=flops // 2 if op == "causal" else flops, by_flops=True,
                )  # fmt: skip


def all_rows():
    for part in (_pointwise, _reductions, _moves, _fused, _products, _attention):
        yield from part()


def selected(rows, words):
    """Those with all letters of one of the words, as in "softmax" or "matmul 64x64"."""
    return [row for row in rows if not words or any(w in row.name or w == row.group for w in words)]
