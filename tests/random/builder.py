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
