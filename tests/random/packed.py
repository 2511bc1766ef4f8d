"""Makes random kernels that divide the numbers of columns by powers of two, as those
do that unpack weights of a few bits, or store what is interleaved in memory."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from generate import Generator
from ir import Value


class Packed(Generator):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.columns = self.choice([8, 16, 32, 64, 64, 128])
        rows = self.choice([1, 2, 4, 8, 16])
        self.shapes = [(rows, self.columns), (rows, self.columns), (self.columns,)]
        self.count = max(4 * self.columns, rows * self.columns)
        self.grid = self.choice([1, 1, 2, 3])

    def statement(self) -> None:
        self.weighted([
            (5, self.store), (5, self.load), (3, self.update), (5, self.compute), (1, self.bits), (2, self.atomic),
            (1, self.loop), (1, self.branch), (1, self.reduce), (3, self.interleaved),
        ])()

    def index(self, shape, capacity: int) -> tuple[Value, Value | None]:
        if len(shape) in (1, 2) and shape[-1] == self.columns and not self.in_function and self.chance(0.6):
            return self.fitted(self._packed(shape), capacity)
        return super().index(shape, capacity)

    def _column(self) -> Value:
        """The numbers of columns, from a multiple of how many there are."""
        column = self.range(self.columns)
        if self.grid == 1 or self.chance(0.3):
            return column
        first = self.with_number("muli", self.program, self.columns * self.choice([1, 1, 2, 3]))
        operands = [self.splat(first, column.shape), column]
        self.rng.shuffle(operands)
        return self.binary("addi", *operands)

    def _divided(self, x: Value) -> Value:
        """A quotient or remainder, mostly by a power of two."""
        bits = self.choice([1, 1, 2, 3, 3, 4, 7])
        name = self.choice(["divsi", "divsi", "divui", "remsi", "remsi", "remui", "shrsi", "shrui", "andi"])
        if name.startswith("shr"):
            return self.with_number(name, x, bits)
        number = (1 << bits) - (1 if name == "andi" else 0)
        return self.with_number(name, x, 3 if self.chance(0.05) else number)

    def _packed(self, shape) -> Value:
        x, is_first = self._column(), self.chance(0.5)
        if is_first:
            x = self._divided(x)
        if len(shape) == 1:
            return x if is_first else self._divided(x)
        x = self.along(x, 1, shape, wide=False)
        if not is_first:
            x = self._divided(x)
        pitch = self.choice([0, 1, self.columns // 8, self.columns // 2, self.columns])
        row = self.with_number("muli", self.range(shape[0]), pitch)
        return self.binary("addi", self.along(row, 0, shape), self.broadcast(x, shape))

    def interleaved(self) -> None:
        """Stores of neighbours, each of every second, third or fourth element."""
        shape, count = (self.columns,), self.choice([2, 2, 3, 4])
        pointers = self.pointers(lambda e: e not in E.EIGHT_BIT_FLOATS)
        pointers = [p for p in pointers if p.origin.capacity - p.high >= count * self.columns + 2]
        if self.in_function or not pointers:
            return
        pointer = self.choice(pointers)
        first = self.with_number("muli", self.range(self.columns), count)
        mask = self.mask(shape) if self.chance(0.3) else None
        order = list(range(count))
        self.rng.shuffle(order)
        if self.chance(0.2):
            order[0] = self.choice([order[-1], count, count + 1])
        for place in order:
            index = self.with_number("addi", first, place)
            places = self.add(self.splat(pointer, shape), index)
            self.store_to(places, self.tile(pointer.element.pointee, shape), mask)
