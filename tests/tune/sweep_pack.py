# sweep_pack.py - an operator pack whose candidates fail in every way
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def twice(x, out, n, FACTOR: tl.constexpr, FAR: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at + FAR, tl.load(x + at, at < n) * FACTOR, at < n)


@triton.jit
def endless(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n), at < n)
    first = tl.load(x, volatile=True)
    while first < 2:
        first = tl.load(x, volatile=True)
    tl.store(out, first)


@triton.jit
def raised(x, out, n, BLOCK: tl.constexpr):
    # In place. Data are below 1: what was not restored leads out of the array.
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n) + 1
    tl.store(x + at, value, at < n)
    far = (value >= 2).to(tl.int64) * 1000000000000
    tl.store(out + at + far, value, at < n)
"""

SCHEMA = """
schema:
  inputs:
    x: {dtype: [f32], rank: 1}
  outputs:
    out: {dtype: x.dtype, shape: x.shape}
let: {n: x.numel}
empty: n == 0
key: {n: exact}
variants:
"""


def variant(name, kernel, more="", block="256", tune="", extra=""):
    return (f"  - name: {name}\n{more}    kernel: kernels.py:{kernel}\n"
            f"    arguments: {{x: x, out: out, n: n}}\n"
            f"    constants: {{{extra}BLOCK: {block}}}\n"
            f"    grid: ['cdiv(n, BLOCK)']\n{tune}")


def twice(name, factor=2, far=0, **more):
    return variant(name, "twice", extra=f"FACTOR: {factor}, FAR: {far}, ", **more)


def write_pack(pack):
    """Writes the pack to this folder."""
    (pack / "ops").mkdir(parents=True, exist_ok=True)
    (pack / "vendor.yaml").write_text("vendor_name: test\ntargets: ['*']\n")
    (pack / "ops/kernels.py").write_text(KERNELS)
    operators = {
        "twice": twice("plain", tune="    tune: twice\n") + twice("wrong", 3)
        + twice("crashes", far=10**12) + variant("hangs", "endless")
        + twice("absent", more="    when: n < 0\n") + twice("odd", block="300"),
        "raised": variant("only", "raised", tune="    tune: blocks\n"),
        "hung": variant("only", "endless"),
        "bad": twice("only", far=10**12),
        "many": twice("plain", tune="    tune: many\n"),
    }
    for name, text in operators.items():
        (pack / f"ops/{name}.yaml").write_text(f"operator: {name}\n{SCHEMA}{text}")
    (pack / "tune_configs.yaml").write_text(
        "twice:\n- {META: {BLOCK: 64}}\n- {META: {BLOCK: 1024}}\n- {META: {BLOCK: 4096}}\n"
        "blocks:\n- {META: {BLOCK: 1024}}\n"
        "many:\n" + "".join(f"- {{META: {{BLOCK: {2 ** i}}}}}\n" for i in range(4, 13)))
