"""Makes random kernels whose programs reduce columns of the same rows."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from ir import Kernel
from products import FewRows


class Columns(FewRows):
    """Sums and maxima over columns. A program has some neighbours of each row, and the
    next one those after them."""

    def kernel(self) -> Kernel:
        self.grid = 1  # programs share the matrix
        self.width = 0
        element, result = self.choice([(E.F32, E.F32), (E.F32, E.F32), (E.BF16, E.F32), (E.I32, E.I32), (E.I8, E.I32)])
        height, columns = self.choice([1, 4, 4, 8, 16, 64]), self.choice([4, 8, 16, 32, 64])
        trips, programs = self.choice([0, 1, 2, 3, 5]), self.choice([1, 2, 3, 5, 9, 17, 33])
        rows = max(trips, 1) * height
        pitch = max(programs * columns, self.choice([0, 1024, 1024])) + self.choice([0, 0, 1, 16])
        self.shape = (height, columns) if self.chance(0.6) else (columns, height)
        self.line_dim = self.shape.index(height) if height != columns else 0
        matrix = self._add_pointer(self._add_buffer(element, rows * pitch), 0, rows * pitch).value
        buffer = self._add_buffer(result, programs * columns)
        buffer.bound, buffer.signed_zero = result.exact, True
        out = self._add_pointer(buffer, 0, programs * columns).value
        self.visible.remove(out)  # other programs write to it
        for number in (trips, pitch):
            self._add_scalar(number)
        body = self.block
        number = self.one("program", [], E.I32, ())
        number.low, number.high = 0, programs - 1
        if self.chance(0.2):
            self._return_from(number, self.rng.randrange(programs + 1))
        column = self.binary("addi", self.splat(self.with_number("muli", number, columns), (columns,)), self.range(columns))
        inside = self.compare("slt", column, self.known(programs * columns - self.choice([0, 0, 1, columns]), (columns,)))
        self.is_on = None  # of the program: its row of a larger kernel is in bounds
        if self.chance(0.4):
            self.is_on = self.compare("slt", number, self.known(self.rng.randrange(programs + 2), ()))
            inside = self.binary("andi", inside, self.splat(self.is_on, (columns,)))
        places = self.add(self.splat(out, (columns,)), column)
        is_whole = self.chance(0.5)  # sums of tiles, not of what they are reduced to
        carried_shape = self.shape if is_whole else (columns,)
        start = self.constant(self.choice([0, 0, 3]), result, carried_shape)
        if not is_whole and self.chance(0.4):
            start = self.load_tile(places, inside if self.chance(0.5) else None)
            start = self.limited(start, 1 << 12) if result.is_float else start
        carried, iv = self.value(result, carried_shape), self.value(E.I32)
        carried.bound, carried.signed_zero = (1 << 15 if result.is_float else 0), True
        iv.low, iv.high = 0, max(trips - 1, 0)
        last = self.known(trips, ())
        if self.chance(0.3):
            last = self.binary("minsi", self.with_number("addi", number, self.choice([0, 1])), last)
        region = self.region([iv, carried])
        line = self.binary("addi", self.splat(self.with_number("muli", iv, height), (height,)), self.range(height))
        tile, mask = self._read(matrix, line, column, pitch, rows, inside)
        tile = self.cast(tile, result, 256) if result.is_float else self.cast(tile, result)
        if not is_whole:
            self.reduce_tile(tile, self.line_dim, "addf" if result.is_float else self.choice(["addi", "maxsi"]))
            tile = self.visible[-1]
        add = "addf" if result.is_float else "addi"
        more = self.binary(add, self.limited(tile, 1 << 12) if result.is_float else tile, carried)
        if is_whole and mask is not None and self.chance(0.5):
            more = self.select(mask, more, carried)
        self.leave([more])
        bounds = [self.known(0, ()), last, self.constant(1, E.I32, ())]
        (sums,) = self.emit("for", [*bounds, start], [(result, carried_shape)], [region], show=False)
        self.copy_facts(carried, sums)
        if is_whole:
            self.reduce_tile(sums, self.line_dim, add if self.chance(0.6) else "maxnumf" if result.is_float else "maxsi")
            sums = self.visible[-1]
        mask = inside if self.chance(0.6) else None
        if self.chance(0.7):
            self.store_to(places, sums, mask)
        else:
            everywhere = mask or self.constant(True, E.I1, (columns,))
            self.rmw("fadd" if result.is_float else "add", places, sums, everywhere)
        return Kernel(
            self.seed, self.arguments, self._placed(), body, self.functions, programs, is_exact=True, width=self.width
        )

    def _read(self, matrix, line, column, pitch: int, rows: int, inside):
        """A tile of the matrix, and its mask or None."""
        dim = self.line_dim
        starts = self.along(self.binary("muli", line, self.known(pitch, line.shape)), dim, self.shape)
        index = self.binary("addi", starts, self.along(column, 1 - dim, self.shape))
        mask = self.along(inside, 1 - dim, self.shape) if self.chance(0.5) else None
        if self.chance(0.5):
            below = self.compare("slt", line, self.known(rows - self.choice([0, 0, 1, 5]), line.shape))
            below = self.along(below, dim, self.shape)
            mask = below if mask is None else self.binary("andi", mask, below)
        if self.is_on is not None and self.chance(0.7):
            everywhere = self.splat(self.is_on, self.shape)
            mask = everywhere if mask is None else self.binary("andi", mask, everywhere)
        places, _ = self.tile_of(matrix, self.shape, index)
        return self.load_tile(places, mask), mask
