"""Runs the LLVM IR of one processor on another, whose instructions are a subset.

LLVM splits vectors that are too wide and emulates what is generic. The intrinsics
of single instructions are replaced by functions that do the same by definition.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re

from tile_registers import emulated_tiles

# Of each intrinsic: the elements of a word, of the left and of the right operand, how
# they are extended, and whether it adds the products to its first operand.
_PRODUCTS = {
    "llvm.x86.sse2.pmadd.wd": ("i16", "sext", "sext", False),
    "llvm.x86.avx2.pmadd.wd": ("i16", "sext", "sext", False),
    "llvm.x86.avx512.pmaddw.d.512": ("i16", "sext", "sext", False),
    "llvm.x86.avx512.vpdpbusd.*": ("i8", "zext", "sext", True),
    "llvm.x86.avx2.vpdpbssd.*": ("i8", "sext", "sext", True),
    "llvm.aarch64.neon.sdot.*": ("i8", "sext", "sext", True),
    "llvm.x86.avx512bf16.dpbf16ps.*": ("i16", "bf16", "bf16", True),
}
# Processors by name, as options of the compiler.
EMULATED = {
    name: {"arch": "x86_64", "cpu": name}
    for name in ("cascadelake", "znver4", "alderlake", "sierraforest", "sapphirerapids")
}
EMULATED["neoverse-n1"] = {"arch": "aarch64", "cpu": "neoverse-n1"}

_DECLARATION = re.compile(r"^declare (<(\d+) x (\w+)>) @(llvm\.[\w.]+)\((.*)\).*$", re.MULTILINE)


def _product_of(name: str):
    for known, product in _PRODUCTS.items():
        if name == known or (known.endswith("*") and name.startswith(known[:-1])):
            return product
    return None


def _definition(name: str, result: str, lanes: int, total: str, types: list[str], product) -> str:
    """A function that adds the products of neighbours, one position after the other."""
    element, extend_left, extend_right, adds = product
    together = 2 if element != "i8" else 4
    narrow, wide = (f"<{lanes * together} x {t}>" for t in (element, total))
    multiply, add = ("fmul", "fadd") if total == "float" else ("mul", "add")
    left, right = (len(types) - 2, len(types) - 1)
    lines = [f"define internal {result} @{name}({', '.join(f'{t} %{i}' for i, t in enumerate(types))}) {{"]
    for side, place, extend in (("x", left, extend_left), ("y", right, extend_right)):
        lines.append(f"  %{side}n = bitcast {types[place]} %{place} to {narrow}")
        if extend == "bf16":
            bits = wide.replace("float", "i32")
            lines.append(f"  %{side}z = zext {narrow} %{side}n to {bits}")
            lines.append(f"  %{side}u = shl {bits} %{side}z, splat (i32 16)")
            lines.append(f"  %{side} = bitcast {bits} %{side}u to {wide}")
        else:
            lines.append(f"  %{side} = {extend} {narrow} %{side}n to {wide}")
    lines.append(f"  %p = {multiply} {wide} %x, %y")
    last = "%0" if adds else "zeroinitializer"
    for i in range(together):
        places = ", ".join(f"i32 {lane * together + i}" for lane in range(lanes))
        lines.append(f"  %p{i} = shufflevector {wide} %p, {wide} poison, <{lanes} x i32> <{places}>")
        lines.append(f"  %s{i} = {add} {result} {last}, %p{i}")
        last = f"%s{i}"
    return "\n".join([*lines, f"  ret {result} {last}", "}"])


_ROUNDING = re.compile(r"fptrunc <(\d+) x float> (\S+) to <\d+ x bfloat>")


def _rounding(lanes: str) -> str:
    """Rounds f32 to the bits of bf16 and, as AVX512-BF16's instruction, flushes subnormal numbers."""
    bits, floats = f"<{lanes} x i32>", f"<{lanes} x float>"
    return f"""define internal <{lanes} x i16> @emulated.rounding.{lanes}({floats} %x) {{
  %b = bitcast {floats} %x to {bits}
  %h = lshr {bits} %b, splat (i32 16)
  %o = and {bits} %h, splat (i32 1)
  %u = add {bits} %o, splat (i32 32767)
  %s = add {bits} %b, %u
  %q = or {bits} %b, splat (i32 4194304)
  %n = fcmp uno {floats} %x, %x
  %r = select <{lanes} x i1> %n, {bits} %q, {bits} %s
  %m = and {bits} %b, splat (i32 2139095040)
  %z = icmp eq {bits} %m, zeroinitializer
  %e = and {bits} %b, splat (i32 -2147483648)
  %f = select <{lanes} x i1> %z, {bits} %e, {bits} %r
  %t = lshr {bits} %f, splat (i32 16)
  %i = trunc {bits} %t to <{lanes} x i16>
  ret <{lanes} x i16> %i
}}"""


def _with_emulated_rounding(text: str) -> str:
    """The same module, in which bf16 are still called so, without conversions to them."""
    sizes = sorted({match[1] for match in _ROUNDING.finditer(text)}, key=int)
    text = _ROUNDING.sub(
        lambda match: f"call <{match[1]} x bfloat> @emulated.rounding.{match[1]}(<{match[1]} x float> {match[2]})", text
    )
    return "\n".join([text, *map(_rounding, sizes), ""]) if sizes else text


_EXTREMUM = re.compile(
    r"^declare (<(\d+) x \w+>) @llvm\.(x86\.avx512\.mask\.range\.\w+\.\d+)\(.*?(i\d+)((?:, i32 immarg)?)\).*$", re.MULTILINE
)


def _with_emulated_extrema(text: str) -> str:
    """The same module without AVX-512's instructions for the larger and smaller number."""

    def definition(match: re.Match) -> str:
        kind, lanes, name, mask, rounding = match.groups()
        flags = f"<{lanes} x i1>"
        return f"""define internal {kind} @emulated.{name}({kind} %x, {kind} %y, i32 %which, {kind} %0, {mask} %1{", i32 %2" if rounding else ""}) {{
  %n = fcmp uno {kind} %x, %x
  %l = fcmp olt {kind} %x, %y
  %g = fcmp ogt {kind} %x, %y
  %m = icmp eq i32 %which, 5
  %w = select i1 %m, {flags} %l, {flags} %g
  %u = or {flags} %n, %w
  %r = select {flags} %u, {kind} %y, {kind} %x
  ret {kind} %r
}}"""

    return _EXTREMUM.sub(definition, text).replace("@llvm.x86.avx512.mask.range.", "@emulated.x86.avx512.mask.range.")


# Of a load by a mask.
_LOAD = re.compile(r"^declare (<(\d+) x \w+>) @llvm\.(masked\.load\.[\w.]+)\(.*$", re.MULTILINE)


def _with_hidden_masks(text: str) -> str:
    """The same module, whose loads do not see where their masks come from. LLVM 19 splits
    those that are wider than a register; if the mask is a splat and a constant that
    excludes one half, it loads that half without a mask."""

    def definition(match: re.Match) -> str:
        kind, lanes, name = match.groups()
        arguments = f"(ptr %0, i32 %1, <{lanes} x i1> %2, {kind} %3)"
        return (
            f"define internal {kind} @hidden.{name}{arguments} noinline {{\n"
            f"  %5 = call {kind} @llvm.{name}{arguments.replace('%1', '1')}\n"
            f"  ret {kind} %5\n}}"
        )

    hidden = re.sub(r"(call <[^@]*)@llvm\.masked\.load", r"\1@hidden.masked.load", text)
    return _LOAD.sub(lambda match: f"{match[0]}\n{definition(match)}", hidden)


def emulated(llvm_ir: str) -> str:
    """The same module without instructions of some processors only."""
    definitions = []

    def replace(match: re.Match) -> str:
        result, lanes, total, name, types = match.groups()
        product = _product_of(name)
        if not product:
            return match[0]
        kinds = [t.strip() for t in re.split(r",\s*(?=<)", types)]
        definitions.append((name, name.replace("llvm.", "emulated.", 1)))
        return _definition(definitions[-1][1], result, int(lanes), total, kinds, product)

    # bf16 is only moved, and without instructions for it LLVM converts what is moved.
    rounded = _with_emulated_rounding(_with_emulated_extrema(llvm_ir))
    bits = re.sub("0xR([0-9A-F]{4})", lambda match: str(int(match[1], 16)), rounded)
    text = _DECLARATION.sub(replace, bits.replace("bfloat", "i16"))
    for name, other in definitions:
        text = text.replace(f"@{name}(", f"@{other}(")
    return emulated_tiles(_with_hidden_masks(text))
