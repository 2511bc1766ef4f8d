"""Random reductions and scans, and the regions of random statements."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from ir import Block, Value
from statements import Statements

_INT_COMBINES = ["addi", "addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"]
_FLOAT_COMBINES = ["addf", "addf", "maxnumf", "minnumf", "maximumf", "minimumf"]
# Extremes as torch.compile writes them: by comparisons, the first operand for NaN.
_SELECTIONS = {
    "maximumf": "ogt",
    "minimumf": "olt",
    "maxsi": "sgt",
    "minsi": "sle",
    "maxui": "uge",
    "minui": "ult",
}


class Combines(Statements):
    depth: int
    saved: list

    def region(self, arguments: list[Value]) -> Block:
        """Makes a region current; leave() ends it."""
        block = Block(arguments)
        self.saved.append((self.block, len(self.visible)))
        self.block = block
        self.visible += arguments
        self.depth += 1
        return block

    def leave(self, yields: list[Value]) -> None:
        self.block.yields = yields
        for value in yields:
            value.uses += 1
        self.block, count = self.saved.pop()
        del self.visible[count:]
        self.depth -= 1

    # Reductions and scans.

    def reduce(self) -> None:
        self._combine("reduce")

    def scan(self) -> None:
        self._combine("scan")

    def map_elements(self) -> None:
        """A region on the elements of one or two tiles."""
        shape = self.any_shape()
        operands = [self.tile(self.arithmetic_element(), shape) for _ in range(self.choice([1, 2]))]
        if not shape:
            return
        arguments = [self.copy_facts(x, self.value(x.element)) for x in operands]
        visible, self.visible = self.visible, []
        region = self.region(arguments)
        result = self.combined(self.combined(arguments[0]))
        self.leave([result])
        self.visible = visible
        (out,) = self.emit("map_elementwise", operands, [(result.element, shape)], [region])
        self.copy_facts(result, out)

    def _combine(self, kind: str) -> None:
        shape = self.any_shape()
        if not shape:
            return
        axis = self.rng.randrange(len(shape))
        if self.chance(0.5):
            axis = len(shape) - 1
        form = self.weighted([(6, "one"), (2, "several"), (3, "argument"), (2, "affine"), (1, "count"), (1, "pairs")])
        if form == "affine" and kind == "reduce":
            form = "one"
        if form == "argument" and kind == "scan" and self.chance(0.5):
            form = "last"
        operands, names = self._combine_operands(form, shape, axis)
        if form in ("one", "several") and all(map(self.is_by_selection, names)):
            form = "selection"
        elements = [x.element for x in operands]
        left = [self.value(e) for e in elements]
        right = [self.value(e) for e in elements]
        for x, a, b in zip(operands, left, right):
            for v in (a, b):
                self.copy_facts(x, v)
                if x.element.is_float:  # partial sums
                    v.bound = x.element.exact
        region = self.region(left + right)
        self.leave(self._region_of(form, names, left, right))
        out_shape = shape if kind == "scan" else shape[:axis] + shape[axis + 1 :]
        attributes = {"axis": axis}
        if kind == "scan":
            attributes["reverse"] = self.chance(0.3)
        results = self.emit(kind, operands, [(e, out_shape) for e in elements], [region], **attributes)
        for x, name, result in zip(operands, names, results):
            self.copy_facts(x, result)
            if x.element.is_int and name not in ("maxsi", "minsi", "keep"):
                result.low, result.high = self.value(x.element).low, self.value(x.element).high
            if x.raw and (form in ("argument", "count", "selection") or name in ("maxnumf", "minnumf")):
                result.signed_zero = True
            if name == "addf":
                result.bound = x.bound * shape[axis]
        self.add_shape(out_shape)

    def extreme_by_selection(self, name: str, first: Value, second: Value) -> Value:
        """What the operation `name` does, but that of two zeros it is the second."""
        take = self.compare(_SELECTIONS[name], first, second)
        if first.element.is_float:
            take = self.binary("ori", take, self.compare("une", first, first))
        return self.select(take, first, second)

    def is_by_selection(self, name: str) -> bool:
        return name in _SELECTIONS and self.row_rng.random() < 0.3

    def reduce_tile(self, x: Value, axis: int, name: str, is_selected: bool = False) -> None:
        """Reduces a tile by one operation, which fits its facts."""
        left, right = self.value(x.element), self.value(x.element)
        for v in (left, right):
            self.copy_facts(x, v)
            v.bound = x.element.exact if x.element.is_float else 0
        region = self.region([left, right])
        if is_selected:
            self.leave([self.extreme_by_selection(name, left, right)])
        else:
            self.leave(self._region_of("one", [name], [left], [right]))
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        (out,) = self.emit("reduce", [x], [(x.element, shape)], [region], axis=axis)
        self.copy_facts(x, out)
        if x.element.is_int and name not in ("maxsi", "minsi"):
            out.low, out.high = self.value(x.element).low, self.value(x.element).high
        if x.raw and (is_selected or name in ("maxnumf", "minnumf")):
            out.signed_zero = True
        if name == "addf":
            out.bound = x.bound * x.shape[axis]
        self.add_shape(shape)

    def _combine_operands(self, form, shape, axis):
        if form == "affine":
            element = self.choice([E.I32, E.I64, E.I8])
            return [self.tile(element, shape), self.tile(element, shape)], ["muli", "addi"]
        if form == "pairs":  # the sum, and the sum of the products of all pairs
            element = self.choice([E.I32, E.I64, E.I8])
            return [self.tile(element, shape), self.constant(0, element, shape)], ["addi", "addi"]
        if form == "count":
            return [self.ordered(self.tile(self.arithmetic_element(), shape)), self.tile(E.I32, shape)], ["keep", "addi"]
        if form == "last":
            return [self.tile(self.choice([E.I32, E.I16]), shape)], ["keep"]
        if form == "argument":
            element = self.arithmetic_element()
            places = self.along(self.range(shape[axis]), axis, shape)
            operands = [self.ordered(self.tile(element, shape)), places]
            if self.chance(0.3):  # what is at the place
                operands.append(self.tile(self.any_element(), shape))
            elif self.chance(0.3):  # places in any order, perhaps several times
                operands[1] = self.tile(E.I32, shape)
            elif self.chance(0.3):
                operands[1] = self.binary("muli", places, self.constant(self.choice([-1, 3]), E.I32, shape))
            return operands, ["keep"] * len(operands)
        operands, names = [], []
        for _ in range(1 if form == "one" else self.choice([2, 2, 3])):
            x = self.tile(self.arithmetic_element() if self.chance(0.9) else E.I1, shape)
            if self.chance(0.15) and x.element in E.FLOATS:
                x = self._masked_row(shape, x.element)
            names.append(self.choice(combines_of(x)))
            if names[-1] == "addf":
                if x.element in (E.F16, E.BF16) and self.chance(0.7):
                    x = self.cast(x, E.F32)
                least = x.element.exact // shape[axis]
                if least == 0:
                    x = self.cast(x, E.F32)
                    least = x.element.exact // shape[axis]
                x = self.limited(x, least)
            operands.append(x)
        return operands, names

    def _masked_row(self, shape, element) -> Value:
        """A load with a mask for a reduction to skip, perhaps empty."""
        pointers = self.pointers(lambda e: e is element)
        if not pointers:
            return self.tile(element, shape)
        places, mask = self.tile_of(self.choice(pointers), shape, simple=True)
        mask = self.both(mask, self.mask(shape))
        return self.load_tile(places, mask)

    def _region_of(self, form, names, left, right) -> list[Value]:
        if form == "affine":  # x -> a x + b, one after the other: not commutative
            (a, b), (c, d) = left, right
            product = self.binary("muli", b, c)
            return [self.binary("muli", a, c), self.binary("addi", product, d)]
        if form == "last":  # the last that is not zero
            zero = self.constant(0, left[0].element)
            return [self.select(self.compare("eq", right[0], zero), left[0], right[0])]
        if form == "selection":
            return [self.extreme_by_selection(*each) for each in zip(names, left, right)]
        if form == "pairs":
            (a, b), (c, d) = left, right
            return [self.binary("addi", a, c), self.binary("addi", self.binary("muli", a, c), self.binary("addi", b, d))]
        if form in ("argument", "count"):
            x, y = left[0], right[0]
            kind = "o" if x.element.is_float else "u" if x.element is E.I1 else "s"
            above = self.compare(kind + self.choice(["gt", "lt"]), x, y)
            same = self.compare("oeq" if kind == "o" else "eq", x, y)
        if form == "count":  # the highest or lowest, and the sum of what is at its places
            (x, n), (y, m) = left, right
            other = self.select(above, n, m)
            # Of two zeros, either.
            return [self.select(above, x, y), self.select(same, self.binary("addi", n, m), other)]
        if form == "argument":  # as tl.argmax and tl.argmin: of equal values the lower or higher index
            first = self.compare(self.choice(["slt", "sgt"]), left[1], right[1])
            take = self.binary("ori", above, self.binary("andi", same, first))
            return [self.select(take, x, y) for x, y in zip(left, right)]
        out = []
        for name, a, b in zip(names, left, right):
            if name == "addf":  # no sum is above what its operands allow
                out.append(self.one("binary", [a, b], a.element, (), name="arith.addf"))
            else:
                out.append(self.binary(name, a, b))
        return out


def combines_of(x: Value) -> list[str]:
    if x.element is E.I1:
        return ["andi", "ori", "xori"]
    if x.element.is_int:
        return _INT_COMBINES
    if x.raw:
        return ["maxnumf", "minnumf", "maximumf", "minimumf", "addf"]
    return ["maxnumf", "minnumf", "maximumf"] if x.infinite else _FLOAT_COMBINES
