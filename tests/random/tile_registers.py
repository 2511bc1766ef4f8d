"""The instructions of AMX as LLVM IR, one byte or product after the other.

Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. The
registers are globals: kernels that use them must run on one thread.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re

_REGISTERS = """
@amx.tiles = internal global [8 x [16 x [64 x i8]]] zeroinitializer, align 64
@amx.rows = internal global [8 x i64] zeroinitializer
@amx.bytes = internal global [8 x i64] zeroinitializer
"""


def _loops(extents: list[str], body: str) -> str:
    """`body` in nested loops over %i0, %i1, ... below the extents, from the block %entry on."""
    lines, before = [], "entry"
    for level, extent in enumerate(extents):
        lines += [
            f"  br label %head{level}",
            f"head{level}:",
            f"  %i{level} = phi i64 [ 0, %{before} ], [ %n{level}, %latch{level} ]",
            f"  %c{level} = icmp ult i64 %i{level}, {extent}",
            f"  br i1 %c{level}, label %in{level}, label %out{level}",
            f"in{level}:",
        ]
        before = f"in{level}"
    lines.append(body)
    for level in reversed(range(len(extents))):
        lines += [
            f"  br label %latch{level}",
            f"latch{level}:",
            f"  %n{level} = add i64 %i{level}, 1",
            f"  br label %head{level}",
            f"out{level}:",
        ]
    return "\n".join(lines)


def _function(name: str, arguments: str, body: str) -> str:
    return f"define internal void @{name}({arguments}) {{\nentry:\n{body}\n  ret void\n}}\n"


def _size(tile: str) -> str:
    """%<tile>.n, its number, %<tile>.rows and %<tile>.bytes."""
    lines = [f"  %{tile}.n = zext i8 %{tile} to i64"]
    for what in ("rows", "bytes"):
        lines.append(f"  %{tile}.{what}.at = getelementptr i64, ptr @amx.{what}, i64 %{tile}.n")
        lines.append(f"  %{tile}.{what} = load i64, ptr %{tile}.{what}.at")
    return "\n".join(lines)


def _place(result: str, tile: str, row: str, byte: str) -> str:
    kind = "[8 x [16 x [64 x i8]]]"
    return f"  %{result} = getelementptr {kind}, ptr @amx.tiles, i64 0, i64 %{tile}.n, i64 {row}, i64 {byte}"


def _clear(tile: str) -> str:
    return _loops(["16", "64"], _place("to", tile, "%i0", "%i1") + "\n  store i8 0, ptr %to")


def _configure(name: str) -> str:
    lines = []
    for what, first, kind, size in (("bytes", 16, "i16", 2), ("rows", 48, "i8", 1)):
        lines += [
            f"  %{what}.number = mul i64 %i0, {size}",
            f"  %{what}.offset = add i64 %{what}.number, {first}",
            f"  %{what}.from = getelementptr i8, ptr %p, i64 %{what}.offset",
            f"  %{what}.short = load {kind}, ptr %{what}.from, align 1",
            f"  %{what}.long = zext {kind} %{what}.short to i64",
            f"  %{what}.to = getelementptr i64, ptr @amx.{what}, i64 %i0",
            f"  store i64 %{what}.long, ptr %{what}.to",
        ]
    return _function(name, "ptr %p", _loops(["8"], "\n".join(lines)))


def _move(name: str, loads: bool) -> str:
    body = "\n".join([
        "  %row = mul i64 %i0, %stride",
        "  %offset = add i64 %row, %i1",
        "  %memory = getelementptr i8, ptr %p, i64 %offset",
        _place("register", "t", "%i0", "%i1"),
        f"  %byte = load i8, ptr %{'memory' if loads else 'register'}",
        f"  store i8 %byte, ptr %{'register' if loads else 'memory'}",
    ])
    move = _size("t") + "\n" + _loops(["%t.rows", "%t.bytes"], body)
    clear = "  call void @emulated.x86.tilezero(i8 %t)\n" if loads else ""
    return _function(name, "i8 %t, ptr %p, i64 %stride", clear + move)


def _multiply(name: str, element: str, together: int) -> str:
    """Adds, for each row, column and word, the products of the elements of a word."""
    total = "float" if element == "bf16" else "i32"
    narrow = f"i{32 // together}"
    lines = ["  %column = mul i64 %i1, 4", "  %word = mul i64 %i2, 4", _place("sum", "d", "%i0", "%column")]
    lines.append(f"  %s0 = load {total}, ptr %sum")
    for i in range(together):
        lines.append(f"  %a.byte{i} = add i64 %word, {i * 4 // together}")
        lines.append(_place(f"a.at{i}", "a", "%i0", f"%a.byte{i}"))
        lines.append(f"  %b.byte{i} = add i64 %column, {i * 4 // together}")
        lines.append(_place(f"b.at{i}", "b", "%i2", f"%b.byte{i}"))
        for side in "ab":
            lines.append(f"  %{side}.x{i} = load {narrow}, ptr %{side}.at{i}")
            if element == "bf16":
                lines.append(f"  %{side}.z{i} = zext i16 %{side}.x{i} to i32")
                lines.append(f"  %{side}.u{i} = shl i32 %{side}.z{i}, 16")
                lines.append(f"  %{side}{i} = bitcast i32 %{side}.u{i} to float")
            else:
                lines.append(f"  %{side}{i} = sext i8 %{side}.x{i} to i32")
        multiply, add = ("fmul", "fadd") if total == "float" else ("mul", "add")
        lines.append(f"  %p{i} = {multiply} {total} %a{i}, %b{i}")
        lines.append(f"  %s{i + 1} = {add} {total} %s{i}, %p{i}")
    lines.append(f"  store {total} %s{together}, ptr %sum")
    sizes = "\n".join(_size(t) for t in "dab")
    sizes += "\n  %columns = udiv i64 %d.bytes, 4\n  %words = udiv i64 %a.bytes, 4"
    body = _loops(["%d.rows", "%columns", "%words"], "\n".join(lines))
    return _function(name, "i8 %d, i8 %a, i8 %b", sizes + "\n" + body)


def emulated_tiles(llvm_ir: str) -> str:
    """The same module without tile registers."""
    if "@llvm.x86.ldtilecfg" not in llvm_ir:
        return llvm_ir
    text = re.sub(r"^declare void @llvm\.x86\.(t|ldt)(ile|dp).*$", "", llvm_ir, flags=re.MULTILINE)
    text = re.sub(r"@llvm\.x86\.(?=ldtilecfg|tile|tdp)", "@emulated.x86.", text)
    return "\n".join([
        text, _REGISTERS,
        _configure("emulated.x86.ldtilecfg"),
        _function("emulated.x86.tilerelease", "", ""),
        _function("emulated.x86.tilezero", "i8 %t", "  %t.n = zext i8 %t to i64\n" + _clear("t")),
        _move("emulated.x86.tileloadd64", loads=True),
        _move("emulated.x86.tilestored64", loads=False),
        _multiply("emulated.x86.tdpbf16ps", "bf16", 2),
        _multiply("emulated.x86.tdpbssd", "i8", 4),
    ])
