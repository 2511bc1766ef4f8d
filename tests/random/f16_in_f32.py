"""Operations on f16 that were extended to f32, against numpy: all 65,536 values,
and each of them with numbers that are special.

Compilers narrow such operations to f16. Values are compared bit for bit; a NaN
equals every other.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import argparse
import sys

import packages

packages.require("numpy")
import numpy as np

from device import Device

BLOCK = 256

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
SPECIAL = np.array(
    [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0, -7.5, 0.333, 6e-8, -6e-8, 65504.0], np.float16
)
LEFT = np.concatenate([np.tile(EVERY, len(SPECIAL)), np.repeat(SPECIAL, len(EVERY))])
RIGHT = np.concatenate([np.repeat(SPECIAL, len(EVERY)), np.tile(EVERY, len(SPECIAL))])
OTHER = np.random.default_rng(1).permutation(LEFT)


def maximum(x, y):
    """NaN if one is; of two zeros the positive one."""
    return np.where((x == 0) & (y == 0), x + y, np.maximum(x, y))


def rounded_away(x):
    return np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x)


UNARY = {
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.round": rounded_away,
    "math.roundeven": np.rint,
    "math.sqrt": np.sqrt,
    "math.trunc": np.trunc,
    "arith.negf": np.negative,
}

BINARY = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.maximumf": maximum,
    "arith.minimumf": lambda x, y: -maximum(-x, -y),
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.copysign": np.copysign,
}

COMPARE = {
    "oeq": np.equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "one": lambda x, y: (x < y) | (x > y),
    "ord": lambda x, y: (x == x) & (y == y),
    "ueq": lambda x, y: ~((x < y) | (x > y)),
    "ugt": lambda x, y: ~(x <= y),
    "uge": lambda x, y: ~(x < y),
    "ult": lambda x, y: ~(x >= y),
    "ule": lambda x, y: ~(x > y),
    "une": np.not_equal,
    "uno": lambda x, y: (x != x) | (y != y),
}


def fused(x, y, z):
    """Of f16 numbers, f64 holds the product and, nearly, the sum."""
    return x.astype(np.float64) * y + z


class Case:
    """A kernel whose block of code makes %r of the f32 tiles %x, %y and %z."""

    def __init__(self, name: str, code: str, inputs: list, expected, result: str = "f16"):
        self.name, self.code, self.inputs, self.result = name, code, inputs, result
        self.expected = expected

    def text(self) -> str:
        tile = f"tensor<{BLOCK}x"
        names = "xyz"[: len(self.inputs)]
        pointers = [(name, "f16") for name in names] + [("r", self.result)]
        signature = ", ".join(f"%{name}p: !tt.ptr<{kind}> {{tt.divisibility = 16 : i32}}" for name, kind in pointers)
        lines = [
            f"tt.func public @kernel({signature}) {{",
            "%program = tt.get_program_id x : i32",
            f"%block = arith.constant {BLOCK} : i32",
            "%first = arith.muli %program, %block : i32",
            f"%range = tt.make_range {{end = {BLOCK} : i32, start = 0 : i32}} : {tile}i32>",
            f"%start = tt.splat %first : i32 -> {tile}i32>",
            f"%index = arith.addi %start, %range : {tile}i32>",
        ]
        for name, kind in pointers:
            lines += [
                f"%{name}base = tt.splat %{name}p : !tt.ptr<{kind}> -> {tile}!tt.ptr<{kind}>>",
                f"%{name}at = tt.addptr %{name}base, %index : {tile}!tt.ptr<{kind}>>, {tile}i32>",
            ]
        for name in names:
            lines += [
                f"%{name}half = tt.load %{name}at : {tile}!tt.ptr<f16>>",
                f"%{name} = arith.extf %{name}half : {tile}f16> to {tile}f32>",
            ]
        lines += [self.code.replace("tile<", tile), f"tt.store %rat, %r : {tile}!tt.ptr<{self.result}>>"]
        return "\n".join([*lines, "tt.return", "}"])


def cases():
    """Each operation truncated to f16 again, and as f32."""

    def floats(name, operation, inputs, function):
        operands = ", ".join(f"%{operand}" for operand in "xyz"[: len(inputs)])
        code = f"{operation} {operands} : tile<f32>"
        with np.errstate(all="ignore"):
            wide = function(*(x.astype(np.float32) for x in inputs)).astype(np.float32)
            yield Case(name, f"%r = {code}", inputs, wide, "f32")
            narrow = f"%w = {code}\n%r = arith.truncf %w : tile<f32> to tile<f16>"
            yield Case(f"{name} to f16", narrow, inputs, wide.astype(np.float16))

    for operation, function in UNARY.items():
        yield from floats(operation, operation, [EVERY], function)
    for operation, function in BINARY.items():
        yield from floats(operation, operation, [LEFT, RIGHT], function)
    yield from floats("math.fma", "math.fma", [LEFT, RIGHT, OTHER], fused)
    constant = "%y = arith.constant dense<1.5> : tile<f32>\n"
    truth = "\n%r = arith.extui %c : tile<i1> to tile<i8>"
    select = "\n%w = arith.select %c, %x, %y : tile<i1>, tile<f32>\n%r = arith.truncf %w : tile<f32> to tile<f16>"
    for predicate, function in COMPARE.items():
        code = f"%c = arith.cmpf {predicate}, %x, %y : tile<f32>"
        holds = function(LEFT, RIGHT)
        name = f"arith.cmpf {predicate}"
        yield Case(name, code + truth, [LEFT, RIGHT], holds.astype(np.int8), "i8")
        against = function(EVERY, np.float16(1.5)).astype(np.int8)
        yield Case(f"{name} 1.5", constant + code + truth, [EVERY], against, "i8")
        yield Case(f"{name} and select", code + select, [LEFT, RIGHT], np.where(holds, LEFT, RIGHT))


def configurations(device: Device) -> list[dict]:
    """Options of the compiler: for the device, and for older x86 processors."""
    arch, features = device.architecture()
    found = [{}]
    if arch == "x86_64":
        found.append({"cpu": "x86-64"})
        if {"avx2", "fma", "bmi2", "f16c"} <= set(features.replace("+", "").split(",")):
            found.append({"cpu": "x86-64-v3"})
    return found


def run(device: Device, case: Case, options: dict) -> np.ndarray:
    backend, number = device.backend, device.number
    kernel = device.run_text(case.text(), options)
    out = np.zeros_like(case.expected)
    arrays = [*case.inputs, out]
    addresses = [backend.allocate(number, array.nbytes) for array in arrays]
    try:
        for address, array in zip(addresses, arrays):
            backend.copy_in(number, 0, address, array.ctypes.data, array.nbytes)
        kernel.launch((len(out) // BLOCK,), 0, None, *addresses)
        backend.synchronize(number, 0)
        backend.copy_out(number, 0, out.ctypes.data, addresses[-1], out.nbytes)
        backend.synchronize(number, 0)
    finally:
        for address in addresses:
            backend.free(number, address)
    return out


def differing(case: Case, found: np.ndarray) -> np.ndarray:
    """Where the result is another one."""
    expected = case.expected
    if found.dtype.kind != "f":
        return np.nonzero(found != expected)[0]
    unsigned = f"u{found.itemsize}"
    differ = found.view(unsigned) != expected.view(unsigned)
    differ &= ~(np.isnan(found) & np.isnan(expected))
    if "num" in case.name:  # maxnumf and minnumf take either of two zeros
        differ &= ~((found == 0) & (expected == 0))
    return np.nonzero(differ)[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="cpu")
    device = Device(parser.parse_args().target)
    failures = 0
    for options in configurations(device):
        for case in cases():
            found = run(device, case, options)
            places = differing(case, found)
            if len(places):
                failures += 1
                at = places[0]
                operands = ", ".join(str(x[at]) for x in case.inputs)
                print(
                    f"FAIL {case.name} {options}: {len(places)} of {len(found)} differ, the first "
                    f"of ({operands}): found {found[at]}, expected {case.expected[at]}"
                )
    print(f"{failures} operations failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
