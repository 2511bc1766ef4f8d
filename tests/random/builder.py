"""Appends operations to a random kernel and keeps track of what values can be.

Facts about values (ir.Value) make every kernel a valid test: an index that may
be outside its buffer is cut or masked, and floats stay integers that each type
represents, so that sums are exact in any order and results equal bit for bit.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
import random

import numpy as np

import elements as E
from elements import Element
from ir import Block, Op, Value


def limits(element: Element) -> tuple[int, int]:
    if element is E.I1:
        return 0, 1
    return -(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1


class Builder:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.special = False  # whether floats may be raw
        self.block = Block()
        self.visible: list[Value] = []
        self.numbers = 0
        self.ops = 0

    # Random choices.

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def choice(self, items):
        return items[self.rng.randrange(len(items))]

    def weighted(self, table):
        """An item of [(weight, item)]."""
        at = self.rng.random() * sum(weight for weight, _ in table)
        for weight, item in table:
            at -= weight
            if at < 0:
                return item
        return table[-1][1]

    # Operations.

    def value(self, element: Element, shape: tuple[int, ...] = ()) -> Value:
        self.numbers += 1
        out = Value(element, tuple(shape), self.numbers)
        if element.is_int:
            out.low, out.high = limits(element)
        return out

    def emit(self, kind, operands, types, regions=(), show=True, **attributes) -> list[Value]:
        """Appends an operation. With `show`, statements may use its results."""
        results = [self.value(*t) for t in types]
        self.block.ops.append(Op(kind, list(operands), results, attributes, list(regions)))
        self.ops += 1
        for operand in operands:
            operand.uses += 1
        if show:
            self.visible += results
        return results

    def one(self, kind, operands, element, shape, **attributes) -> Value:
        return self.emit(kind, operands, [(element, shape)], show=False, **attributes)[0]

    def shown(self, value: Value) -> Value:
        self.visible.append(value)
        return value

    @staticmethod
    def copy_facts(source: Value, to: Value) -> Value:
        to.low, to.high, to.bound = source.low, source.high, source.bound
        to.infinite, to.signed_zero, to.raw = source.infinite, source.signed_zero, source.raw
        to.origin = source.origin
        return to

    @staticmethod
    def merge_facts(a: Value, b: Value, to: Value) -> Value:
        """What is known of a value that is one of two."""
        to.low, to.high = min(a.low, b.low), max(a.high, b.high)
        to.bound = max(a.bound, b.bound)
        to.infinite = a.infinite or b.infinite
        to.signed_zero = a.signed_zero or b.signed_zero
        to.raw = a.raw or b.raw
        to.origin = a.origin if a.origin is b.origin else None
        return to

    def constant(self, number, element: Element, shape=()) -> Value:
        out = self.one("constant", [], element, shape, value=number)
        if element.is_float:
            out.infinite = number in (float("inf"), -float("inf"))
            whole = math.isfinite(number) and number == int(number) and str(number) != "-0.0"
            out.raw = not whole and not out.infinite
            out.bound = abs(int(number)) if whole else 0
        else:
            out.low = out.high = int(number)
        return out

    def special_number(self, element: Element) -> float:
        one = np.ones(1, f"u{element.size}").view(element.storage)
        numbers = [math.nan, -0.0, 0.5, -1.5, float(E.decode(one, element)[0])]  # subnormal
        if element is not E.F8E4:
            numbers += [math.inf, -math.inf]
        return self.choice(numbers)

    def reshaped(self, kind, x: Value, shape, **attributes) -> Value:
        """An operation that moves elements and makes no new ones."""
        return self.copy_facts(x, self.one(kind, [x], x.element, shape, **attributes))

    def splat(self, x: Value, shape) -> Value:
        return self.reshaped("splat", x, shape) if shape else x

    def range(self, count: int, start: int = 0) -> Value:
        out = self.one("range", [], E.I32, (count,), start=start)
        out.low, out.high = start, start + count - 1
        return out

    def binary(self, name: str, x: Value, y: Value) -> Value:
        out = self.one("binary", [x, y], x.element, x.shape, name=f"arith.{name}")
        if x.element.is_float:
            self._float_facts(name, x, y, out)
        elif x.element is not E.I1:
            low, high = self._int_facts(name, x, y)
            least, most = limits(x.element)
            if least <= low and high <= most:
                out.low, out.high = low, high
        return out

    @staticmethod
    def _int_facts(name, x, y):
        unknown = (-(1 << 99), 1 << 99)
        if name == "addi":
            return x.low + y.low, x.high + y.high
        if name == "subi":
            return x.low - y.high, x.high - y.low
        if name == "muli":
            corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
            return min(corners), max(corners)
        if name in ("maxsi", "minsi"):
            pick = max if name == "maxsi" else min
            return pick(x.low, y.low), pick(x.high, y.high)
        if name == "andi" and (x.low >= 0 or y.low >= 0):
            return 0, min(v.high for v in (x, y) if v.low >= 0)
        if name in ("ori", "xori") and min(x.low, y.low) >= 0:
            return 0, (1 << max(x.high, y.high).bit_length()) - 1
        if y.low == y.high and y.low > 0:
            divisor = y.low
            if name in ("divsi", "divui") and x.low >= 0:
                return x.low // divisor, x.high // divisor
            if name == "divsi":
                return -(-x.low // divisor), max(x.high, 0) // divisor
            if name == "remui" or (name == "remsi" and x.low >= 0):
                return 0, divisor - 1
            if name == "remsi":
                return 1 - divisor, divisor - 1
            if name in ("shrsi", "shrui") and x.low >= 0:
                return x.low >> divisor, x.high >> divisor
        return unknown

    @staticmethod
    def _float_facts(name, x, y, out):
        if x.raw or y.raw or name == "divf":
            out.raw = True
            # maxnumf and minnumf take either of two zeros.
            out.signed_zero = x.signed_zero or y.signed_zero or name in ("maxnumf", "minnumf")
            return
        out.signed_zero = x.signed_zero or y.signed_zero
        if name == "mulf":
            out.bound, out.signed_zero = x.bound * y.bound, True
        elif name in ("addf", "subf"):
            out.bound = x.bound + y.bound
            out.signed_zero = x.signed_zero and (name == "subf" or y.signed_zero)
        else:
            out.bound = max(x.bound, y.bound)
            out.infinite = x.infinite or y.infinite
        assert out.bound <= x.element.exact, name

    def with_number(self, name: str, x: Value, number) -> Value:
        return self.binary(name, x, self.constant(number, x.element, x.shape))

    def compare(self, predicate: str, x: Value, y: Value) -> Value:
        name = "arith.cmpf" if x.element.is_float else "arith.cmpi"
        return self.one("compare", [x, y], E.I1, x.shape, name=name, predicate=predicate)

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        out = self.one("select", [condition, x, y], x.element, x.shape)
        return self.merge_facts(x, y, out)

    # Conversions.

    def limited(self, x: Value, bound: int) -> Value:
        """An integer of at most this magnitude, as a float."""
        if not x.raw and not x.infinite and x.bound <= bound:
            return x
        if x.raw:
            x = self._whole(self.ordered(x))
        bound = min(bound, x.element.exact)
        low = self.constant(-bound, x.element, x.shape)
        high = self.constant(bound, x.element, x.shape)
        if self.chance(0.5):
            out = self.one("clamp", [x, low, high], x.element, x.shape)
        else:
            names = ("maxnumf", "minnumf") if self.chance(0.7) else ("maximumf", "minimumf")
            out = self.binary(names[1], self.binary(names[0], x, low), high)
        out.bound, out.infinite, out.signed_zero = bound, False, x.signed_zero or x.raw
        out.raw = False
        return out

    def ordered(self, x: Value) -> Value:
        """`x` with a number instead of NaN."""
        if not x.raw:
            return x
        number = self.constant(self.rng.randrange(-1, 2), x.element, x.shape)
        if self.chance(0.5):
            return self.select(self.compare(self.choice(["oeq", "ord"]), x, x), x, number)
        return self.select(self.compare(self.choice(["une", "uno"]), x, x), number, x)

    def _whole(self, x: Value) -> Value:
        element = x.element
        wide = self._extended(x, E.F32) if element in (E.F16, E.BF16) else x
        name = self.choice(["math.floor", "math.ceil"])
        wide = self.copy_facts(x, self.one("unary", [wide], wide.element, x.shape, name=name))
        if wide.element is element:
            return wide
        return self.copy_facts(x, self._convert("arith.truncf", wide, element))

    def cast(self, x: Value, to: Element, bound: int | None = None) -> Value:
        """`x` as `to`; a float becomes one of at most the magnitude `bound`."""
        if x.element is to:
            return self.limited(x, bound) if to.is_float and bound is not None else x
        if to.is_float and bound is None and self._stays_raw(x):
            return self._to_raw(x, to)
        if to.is_float:
            bound = min(to.exact, to.exact if bound is None else bound)
            return self._to_float(x, to, bound)
        if x.element.is_float:
            if x.element in E.EIGHT_BIT_FLOATS:
                x = self.cast(x, E.F32)
            if to is E.I1:
                return self.compare("une", x, self.constant(0, x.element, x.shape))
            most = min(x.element.exact, limits(to)[1])
            x = self._clamped(x, most) if x.raw else self.limited(x, most)
            out = self._convert("arith.fptosi", x, to)
            out.low, out.high = -x.bound, x.bound
            return out
        if to is E.I1:
            if self.chance(0.2):
                return self._convert("arith.trunci", x, to)
            return self.compare("ne", x, self.constant(0, x.element, x.shape))
        if to.bits < x.element.bits:
            out = self._convert("arith.trunci", x, to)
            least, most = limits(to)
            if least <= x.low and x.high <= most:
                out.low, out.high = x.low, x.high
            return out
        signed = self.chance(0.6) and x.element is not E.I1
        out = self._convert("arith.extsi" if signed else "arith.extui", x, to)
        if signed or x.low >= 0:
            out.low, out.high = x.low, x.high
        else:
            out.low, out.high = 0, (1 << x.element.bits) - 1
        return out

    def _convert(self, name: str, x: Value, to: Element, **attributes) -> Value:
        return self.one("cast", [x], to, x.shape, name=name, **attributes)

    def _clamped(self, x: Value, most: int) -> Value:
        """A raw float within this magnitude, which need not be an integer."""
        x = self.ordered(x)
        low, high = (self.constant(n, x.element, x.shape) for n in (-most, most))
        out = self.one("clamp", [x, low, high], x.element, x.shape)
        out.raw, out.bound = True, most
        return out

    def _stays_raw(self, x: Value) -> bool:
        """Whether to convert whatever number it is; bf16 is not made of i64,
        which neither f32 nor f64 hold."""
        if x.element.is_float:
            return x.raw
        return self.special and 8 <= x.element.bits <= 32 and self.chance(0.5)

    def _to_raw(self, x: Value, to: Element) -> Value:
        if x.element.is_int:
            wide = E.F32 if to in E.EIGHT_BIT_FLOATS else to
            out = self._convert(self.choice(["arith.sitofp", "arith.uitofp"]), x, wide)
            out.raw = True
            return self.cast(out, to)
        x = self._upcast(x)
        if x.element is to:
            return x
        if x.element.bits == to.bits:
            x = self._extended(x, E.F32)
        if to.bits > x.element.bits:
            out = self._convert("arith.extf", x, to)
        elif to in E.EIGHT_BIT_FLOATS or self.chance(0.3):
            towards_zero = to not in E.EIGHT_BIT_FLOATS and self.chance(0.5)
            out = self._convert("tt.fp_to_fp", x, to, towards_zero=towards_zero)
        else:
            out = self._convert("arith.truncf", x, to)
        return self.copy_facts(x, out)

    def _to_float(self, x: Value, to: Element, bound: int) -> Value:
        if x.element.is_int:
            most = min(bound, 1 << 20)
            if -most <= x.low and x.high <= most:
                pass
            elif x.element is not E.I1:
                most = (1 << most.bit_length() - 1) - 1 if most & (most + 1) else most
                x = self.with_number("andi", x, most)
            wide = E.F32 if to in E.EIGHT_BIT_FLOATS else to
            out = self._convert("arith.uitofp" if x.low >= 0 else "arith.sitofp", x, wide)
            out.bound = max(abs(x.low), abs(x.high))
            return self.cast(out, to)
        x = self.limited(self._upcast(x), bound)
        if x.element is to:
            return x
        if to in E.EIGHT_BIT_FLOATS:
            name = "tt.fp_to_fp"
        elif x.element.bits == to.bits:  # between f16 and bf16
            x, name = self._extended(x, E.F32), "arith.truncf"
        else:
            name = "arith.extf" if to.bits > x.element.bits else "arith.truncf"
        return self.copy_facts(x, self._convert(name, x, to))

    def _extended(self, x: Value, to: Element) -> Value:
        return self.copy_facts(x, self._convert("arith.extf", x, to))

    def _upcast(self, x: Value) -> Value:
        """Out of eight bits, which have conversions and nothing else."""
        if x.element not in E.EIGHT_BIT_FLOATS:
            return x
        return self.copy_facts(x, self._convert("tt.fp_to_fp", x, E.F32))

    # Shapes.

    def along(self, x: Value, dim: int, shape, wide: bool = True) -> Value:
        """A one-dimensional `x` as dimension `dim` of `shape`."""
        for axis in range(len(shape)):
            if axis != dim:
                widened = list(x.shape)
                widened.insert(axis, 1)
                x = self.reshaped("expand", x, tuple(widened), axis=axis)
        return self.broadcast(x, shape) if wide else x

    def broadcast(self, x: Value, shape) -> Value:
        if x.shape == tuple(shape):
            return x
        return self.reshaped("broadcast", x, tuple(shape))
