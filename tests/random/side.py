"""Makes random kernels of which each program has a column of every tensor."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from generate import Generator
from ir import PointerArgument, Value


class Side(Generator):
    """Program p is for column p % D of the matrix p // D, and its element i is the i-th
    of that column."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.width = self.choice([1, 2, 3, 5, 15, 16, 17, 20, 33, 40])
        self.grid = self.width * self.choice([1, 1, 2, 3])
        self.count = 1 << self.choice([0, 2, 3, 4, 5, 6, 7])
        first = self.choice([(self.count,), (self.count,), (2, self.count), (self.count, 4)])
        self.shapes = [first, (self.count,), (max(1, self.count // 2),)]
        self.divides = self.grid > self.width or self.chance(0.3)

    def statement(self) -> None:
        self.weighted([
            (5, self.store), (5, self.load), (4, self.update), (2, self.scalar_load), (6, self.compute),
            (1, self.compared), (1, self.converted), (1, self.bits), (0.7, self.reshape), (0.7, self.transpose),
            (1, self.spread), (6, self.reduce), (3, self.scan), (2, self.loop), (2, self.sweep), (2, self.accumulate),
            (0.1, self.branch), (0.1, self.gather), (0.1, self.histogram),
        ])()

    def add_counts(self) -> None:
        """All programs would store to the same places."""

    def _part(self, argument: PointerArgument, size: int) -> Value:
        place = self._place(size)
        out = self.one("addptr", [argument.value, place], argument.value.element, ())
        out.origin = argument
        return out

    def _place(self, size: int) -> Value:
        """Where the column of the program begins, of matrices with `size` rows."""
        if not self.divides:
            return self.program
        by = self.known(self.width, ())
        row, column = self.binary("divsi", self.program, by), self.binary("remsi", self.program, by)
        row.low, row.high = 0, self.grid // self.width - 1
        column.low, column.high = 0, self.width - 1
        start = self.binary("muli", self.with_number("muli", row, size), by)
        return self.binary("addi", start, column)

    def _pitch(self) -> int:
        return self.width if self.divides else self.grid

    def _add_pointer(self, buffer, offset: int, capacity: int) -> PointerArgument:
        return super()._add_pointer(buffer, offset * self._pitch(), capacity)

    def add(self, pointer: Value, index: Value) -> Value:
        scaled = self.with_number("muli", index, self._pitch())
        out = super().add(pointer, scaled)
        out.low, out.high = pointer.low + index.low, pointer.high + index.high
        return out

    def _initial(self, trips: int) -> Value:
        return self._started(self.any_shape())

    def stride_loop(self) -> None:
        """It would move pointers."""
