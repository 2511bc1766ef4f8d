"""The element types of random kernels: their text, their bytes, their values.

Integers are numpy's signed integers of the same width, `i1` is a bool. A float
that numpy lacks (bf16, the two f8) is computed as an f32 and rounded; two
roundings of one sum, product or quotient are as good as one. `Element.exact` is
the largest magnitude up to which every integer has a representation.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Element:
    name: str  # as TTIR spells it
    bits: int
    kind: str  # "int", "float" or "ptr"
    value: type  # numpy's type of the values
    storage: type  # numpy's type of the bytes in memory
    exact: int = 0  # floats: integers up to this magnitude are representable
    small: int = 0  # floats: the magnitude of what memory holds

    @property
    def size(self) -> int:
        return max(1, self.bits // 8)

    @property
    def is_int(self) -> bool:
        return self.kind == "int"

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    def __repr__(self) -> str:
        return self.name


I1 = Element("i1", 1, "int", np.bool_, np.uint8)
I8 = Element("i8", 8, "int", np.int8, np.int8)
I16 = Element("i16", 16, "int", np.int16, np.int16)
I32 = Element("i32", 32, "int", np.int32, np.int32)
I64 = Element("i64", 64, "int", np.int64, np.int64)
F8E5 = Element("f8E5M2", 8, "float", np.float32, np.uint8, 8, 4)
F8E4 = Element("f8E4M3FN", 8, "float", np.float32, np.uint8, 16, 4)
F16 = Element("f16", 16, "float", np.float16, np.float16, 2048, 16)
BF16 = Element("bf16", 16, "float", np.float32, np.uint16, 256, 8)
F32 = Element("f32", 32, "float", np.float32, np.float32, 1 << 24, 64)
F64 = Element("f64", 64, "float", np.float64, np.float64, 1 << 50, 64)

INTS = (I8, I16, I32, I64)
EIGHT_BIT_FLOATS = (F8E5, F8E4)
FLOATS = (F16, BF16, F32, F64)  # those with arithmetic
IN_MEMORY = INTS + EIGHT_BIT_FLOATS + FLOATS


@dataclass(frozen=True)
class Pointer(Element):
    """A pointer into memory; its values are byte addresses."""

    pointee: Element = I8


def pointer_to(element: Element) -> Pointer:
    return Pointer(f"!tt.ptr<{element.name}>", 64, "ptr", np.int64, np.int64, pointee=element)


def _table(exponent_bits: int, mantissa_bits: int, bias: int) -> np.ndarray:
    """The values of the 256 codes; those of no number are NaN."""
    out = np.full(256, np.nan, np.float32)
    for code in range(256):
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = code & ((1 << mantissa_bits) - 1)
        largest = exponent == (1 << exponent_bits) - 1
        if largest and mantissa == (1 << mantissa_bits) - 1:
            continue
        if largest and exponent_bits == 5:
            out[code] = np.nan if mantissa else -np.inf if code & 0x80 else np.inf
            continue
        scale = 2.0 ** (max(exponent, 1) - bias - mantissa_bits)
        value = (mantissa + ((1 << mantissa_bits) if exponent else 0)) * scale
        out[code] = -value if code & 0x80 else value
    return out


_CODES = {F8E5.name: _table(5, 2, 15), F8E4.name: _table(4, 3, 7)}


def decode(stored: np.ndarray, element: Element) -> np.ndarray:
    """The values of what memory holds."""
    if element is I1:
        return stored != 0
    if element is BF16:
        return (stored.astype(np.uint32) << 16).view(np.float32)
    if element.name in _CODES:
        return _CODES[element.name][stored]
    return stored


def encode(values: np.ndarray, element: Element) -> np.ndarray:
    """What memory holds for `values`; they have to be representable."""
    values = np.array(values, order="C")
    if element is I1:
        return values.astype(np.uint8)
    if element is BF16:
        bits = values.astype(np.float32).view(np.uint32)
        assert not (bits & 0xFFFF)[~np.isnan(values)].any(), "a value is not a bf16"
        return (bits >> 16).astype(np.uint16)
    if element.name in _CODES:
        table = _CODES[element.name]
        order = np.argsort(table, kind="stable")
        order = order[~np.isnan(table[order])]
        place = np.clip(np.searchsorted(table[order], values), 0, len(order) - 1)
        codes = order[place].astype(np.uint8)
        codes = np.where(values == 0, np.where(np.signbit(values), 0x80, 0), codes)
        codes = codes.astype(np.uint8)
        codes = np.where(np.isnan(values), 0x7F, codes).astype(np.uint8)
        assert np.array_equal(table[codes], values, equal_nan=True), "a value is not an f8"
        return codes
    return values.astype(element.storage)


# Bits of the mantissa, the exponent of the smallest normal number, the largest
# number. What is too large for an f8 becomes that, an infinity too.
_FORMATS = {
    F8E5.name: (2, -14, 57344.0),
    F8E4.name: (3, -6, 448.0),
    F16.name: (10, -14, 65504.0),
    BF16.name: (7, -126, float.fromhex("0x1.fep127")),
    F32.name: (23, -126, float.fromhex("0x1.fffffep127")),
}


def rounded(values: np.ndarray, element: Element, towards_zero: bool = False) -> np.ndarray:
    """`values` as this type of floats: to nearest, of two the even one."""
    if element is F64:
        return values.astype(np.float64)
    mantissa, least, largest = _FORMATS[element.name]
    wide = values.astype(np.float64)
    unit = np.ldexp(1.0, np.maximum(np.frexp(wide)[1] - 1, least) - mantissa)
    out = (np.trunc if towards_zero else np.rint)(wide / unit) * unit
    if element in EIGHT_BIT_FLOATS:
        out = np.clip(out, -largest, largest)
    else:
        end = largest if towards_zero else np.inf
        too_large = (np.abs(out) > largest) & np.isfinite(wide)
        out = np.where(too_large, np.copysign(end, wide), out)
    return out.astype(element.value)


def literal(value, element: Element) -> str:
    """`value` as an attribute of TTIR."""
    if element is I1:
        return "true" if value else "false"
    if element.is_int:
        return str(int(value))
    if value != int(value) if np.isfinite(value) else True:
        bits = encode(np.array(value, element.value), element).view(f"u{element.size}")
        return f"0x{int(bits):0{element.bits // 4}X}"
    return f"{float(value):.1f}"
