"""Makes random kernels of one dimension that divide their index, as those do that
see a tensor as one row."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import elements as E
from generate import Generator
from ir import Value


class Flat(Generator):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.short_rng = random.Random(f"short rows {seed}")
        self.edge_rng = random.Random(f"edges {seed}")
        self.count = 1 << self.choice([5, 6, 7, 8, 9, 10])
        self.shapes = [(self.count,)]
        self.grid = self.choice([1, 1, 2, 3])

    def statement(self) -> None:
        self.weighted([
            (5, self.store), (4, self.load), (4, self.update), (1, self.scalar_load), (5, self.compute),
            (1, self.compared), (1, self.bits), (3, self.atomic), (2, self.add_floats),
            (1, self.loop), (1, self.branch), (3, self.named_rows), (1.5, self.reduce),
        ])()
        if self.asserting.random() < 0.2:
            self._assert()

    def add_counts(self) -> None:
        """It would add tiles of other shapes."""

    def index(self, shape, capacity: int) -> tuple[Value, Value | None]:
        if shape == (self.count,) and not self.in_function and self.chance(0.6):
            return self.fitted(self._of_parts(capacity), capacity)
        return super().index(shape, capacity)

    def _first(self) -> Value | None:
        """A multiple of the number of elements that differs between programs."""
        if self.grid == 1 or self.chance(0.3):
            return None
        step = self.count * self.choice([1, 1, 2, 3])
        return self.with_number("muli", self.program, step)

    def _divide(self, x: Value, divisor: int, names) -> Value:
        return self.with_number(self.choice(names), x, divisor)

    def _flat(self) -> Value:
        """The index of the whole tensor."""
        flat, first = self.range(self.count), self._first()
        if first is None:
            return flat
        operands = [self.splat(first, flat.shape), flat]
        self.rng.shuffle(operands)
        return self.binary("addi", *operands)

    def _width(self) -> int:
        """Of rows: powers of two, odd multiples of them, and others."""
        half = self.count // 2
        width = self.choice([2, 16, 16, 32, 32, 64, 128, half, 2 * half, 4 * half, 3 * half, 6 * half, 48, 96, 112, 320, 5, 100])
        return self.short_rng.choice([2, 4, 8]) if self.short_rng.random() < 0.25 else width

    def _bits_of(self, place: Value) -> Value:
        """Some bits of a remainder; the higher ones perhaps by a product of floats."""
        bits = self.short_rng.choice([1, 2, 3, 4])
        name = self.short_rng.choice(["divsi", "divui", "remsi", "remui", "mulf"])
        if name != "mulf":
            return self.with_number(name, place, 1 << bits)
        half = self.with_number("mulf", self._convert("arith.sitofp", place, E.F32), 0.5**bits)
        part = self._convert("arith.fptosi", half, E.I32)
        part.low, part.high = place.low >> bits, place.high >> bits
        return part

    def named_rows(self) -> None:
        """Accesses to rows of which numbers are in memory. One mask of the index is
        for them all, as torch.compile does."""
        shape, width = (self.count,), self._width()
        names = self.pointers(lambda e: e in (E.I32, E.I16, E.I8))
        pointers = self.pointers(lambda e: e not in E.EIGHT_BIT_FLOATS)
        pointers = [p for p in pointers if p.origin.capacity - p.high > width]
        if self.in_function or not names or not pointers:
            return
        first = len(self.visible)
        flat = self._flat()
        row = self._divide(flat, width, ["divsi", "divui"])
        place = self._divide(flat, width, ["remsi", "remui"])
        name = self.choice(names)
        if row.high >= name.origin.capacity - name.high:
            return
        mask = self.compare(self.choice(["slt", "ult"]), flat, self.known(self.rng.randrange(flat.high + 2), shape))
        if self.chance(0.2):
            mask = self.both(mask, self.mask(shape))
        numbers = self.cast(self.load_tile(self.add(self.splat(name, shape), row), mask), E.I32)
        pointer = self.choice(pointers)
        most = (pointer.origin.capacity - pointer.high) // width
        numbers = self.with_number("remui", numbers, most)
        if self.chance(0.3):
            outside = self.binary("xori", mask, self.constant(1, E.I1, shape))
            below = self.compare("ult", numbers, self.known(most, shape))
            self.emit("assert", [self.binary("ori", below, outside)], [])
        index = self.binary("addi", self.with_number("muli", numbers, width), place)
        places = self.add(self.splat(pointer, shape), index)
        element = pointer.element.pointee
        form = self.choice(["load", "store", "add"])
        if form == "load":
            self.load_tile(places, mask)
        elif form == "add" and element in (E.I32, E.I64) and self.count <= 256:
            self.rmw("add", places, self.tile(element, shape), mask)
        else:
            self.store_to(places, self.tile(element, shape), mask)
        if self.chance(0.7):  # nothing uses the numbers without the mask
            del self.visible[first : None if form == "store" else -1]

    def _moved(self, x: Value, size: int) -> Value:
        """`x`, moved by some elements, and clamped, mirrored or wrapped around at the
        ends of [0, size): padding and rolling."""
        if x.low < 0 or self.edge_rng.random() > 0.3:
            return x
        x = self.with_number("addi", x, self.edge_rng.choice([-3, -2, -1, 1, 2, 5]))
        last, how = size - 1, self.edge_rng.choice(["clamped", "mirrored", "wrapped"])
        if how == "clamped":
            return self.with_number("minsi", self.with_number("maxsi", x, 0), last)
        values = range(x.low, x.high + 1)
        for predicate, end in (("slt", 0), ("sgt", last)):
            sign = 1 if predicate == "slt" else -1  # to the inside
            beyond = self.compare(predicate, x, self.constant(end, E.I32, x.shape))
            if how == "mirrored":
                other = self.binary("subi", self.constant(2 * end, E.I32, x.shape), x)
                values = [end + sign * abs(v - end) for v in values]
            else:
                other = self.with_number("addi", x, sign * size)
                values = [v + sign * size if sign * (v - end) < 0 else v for v in values]
            x = self.select(beyond, other, x)
            x.low, x.high = min(values), max(values)
        return x

    def _of_parts(self, capacity: int) -> Value:
        shape, flat, width = (self.count,), self._flat(), self._width()
        row = self._divide(flat, width, ["divsi", "divui"])
        place = self._divide(flat, width, ["remsi", "remui"])
        if place.low >= 0 and self.short_rng.random() < 0.3:
            place = self._bits_of(place)
        if self.chance(0.3):
            row = self._divide(row, self.choice([2, 4, 16, 3]), ["divsi", "remsi", "divui", "remui"])
        row, place = self._moved(row, row.high + 1), self._moved(place, width)
        pointers = self.pointers(lambda e: e in (E.I32, E.I16, E.I8))
        if pointers and self.chance(0.3):
            pointer = self.choice(pointers)
            numbers, mask = self.fitted(row, pointer.origin.capacity - pointer.high)
            numbers = self.load_tile(self.add(self.splat(pointer, shape), numbers), mask)
            row = self.with_number("remui", self.cast(numbers, E.I32), max(capacity // width, 1))
        kind = self.choice(["rows", "rows", "padded", "turned", "row", "place"])
        if kind == "row":
            return row
        if kind == "place":
            return place
        if kind == "turned":
            return self.binary("addi", self.with_number("muli", place, max(self.count // width, 1)), row)
        pitch = width + (self.choice([1, 3, 16]) if kind == "padded" else 0)
        return self.binary("addi", self.with_number("muli", row, pitch), place)
