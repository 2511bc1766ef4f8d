"""Makes random kernels whose programs reduce rows, a piece of each in an iteration."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from ir import Kernel
from products import FewRows


class Rows(FewRows):
    """Sums and maxima of rows, and products with a vector. What a program stores may be
    what it, but no other one, reads."""

    def kernel(self) -> Kernel:
        self.grid = 1
        self.width = 0
        element, result = self.choice([(E.F32, E.F32), (E.F32, E.F32), (E.BF16, E.F32), (E.I32, E.I32), (E.I8, E.I32)])
        height, columns = self.choice([4, 16, 16, 32, 64]), self.choice([8, 16, 16, 32, 64])
        trips, programs = self.choice([0, 1, 2, 3]), self.choice([1, 1, 2, 3])
        length = max(trips * columns - self.choice([0, 0, 1, columns - 1]), 0)
        pitch = max(trips * columns, 1) + self.choice([0, 0, 1, 128])
        self.shape = (height, columns) if self.chance(0.7) else (columns, height)
        self.line_dim = self.shape.index(height) if height != columns else 0
        own = height * pitch  # of a program
        buffer = self._add_buffer(element, programs * own)
        matrix = self._add_pointer(buffer, 0, programs * own).value
        self.vector, self.packed = None, self.chance(0.3)
        if self.chance(0.6):
            self.vector = self._add_pointer(self._add_buffer(element, pitch), 0, pitch).value
        is_same = element is result and self.chance(0.4)
        if is_same:
            place = own
            out = matrix
        else:
            place = height
            written = self._add_buffer(result, programs * height)
            written.bound, written.signed_zero = result.exact, True
            out = self._add_pointer(written, 0, programs * height).value
        self.visible = [value for value in self.visible if value is not out and value is not matrix]
        for number in (length, pitch):
            self._add_scalar(number)
        body = self.block
        number = self.one("program", [], E.I32, ())
        number.low, number.high = 0, programs - 1
        line = self.binary("addi", self.splat(self.with_number("muli", number, height), (height,)), self.range(height))
        first = self.splat(self.with_number("muli", number, place), (height,))
        offset = self.choice([0, 0, own - height, own // 2 - height // 2]) if is_same else 0
        local = self.binary("addi", self.range(height), self.known(offset, (height,)))
        if self.chance(0.3):  # each row to its own
            local = self.range(height)
            if is_same:
                local = self.binary("muli", local, self.known(pitch, (height,)))
        places = self.add(self.splat(out, (height,)), self.binary("addi", first, local))
        is_whole = self.chance(0.5)  # sums of tiles, not of what they are reduced to
        carried_shape = self.shape if is_whole else (height,)
        start = self.constant(self.choice([0, 0, 3]), result, carried_shape)
        carried, iv = self.value(result, carried_shape), self.value(E.I32)
        carried.bound, carried.signed_zero = (1 << 15 if result.is_float else 0), True
        iv.low, iv.high = 0, max(trips - 1, 0) * columns
        region = self.region([iv, carried])
        column = self.binary("addi", self.splat(iv, (columns,)), self.range(columns))
        tile = self._read(matrix, line, column, pitch, length, element, result)
        if not is_whole:
            self.reduce_tile(tile, 1 - self.line_dim, "addf" if result.is_float else self.choice(["addi", "maxsi"]))
            tile = self.visible[-1]
        add = "addf" if result.is_float else "addi"
        more = self.binary(add, self.limited(tile, 1 << 12) if result.is_float else tile, carried)
        self.leave([more])
        bounds = [self.constant(0, E.I32, ()), self.known(trips * columns, ()), self.constant(columns, E.I32, ())]
        (sums,) = self.emit("for", [*bounds, start], [(result, carried_shape)], [region], show=False)
        self.copy_facts(carried, sums)
        tile = sums
        if is_whole:
            self.reduce_tile(sums, 1 - self.line_dim, add)
            sums = self.visible[-1]
        mask = None
        if self.chance(0.5):
            mask = self.compare("slt", line, self.known(self.rng.randrange(programs * height + 1), (height,)))
        self.store_to(places, sums, mask)
        sizes = length, pitch, programs, height, columns, trips
        if is_whole and self.chance(0.3):
            self.store_to(self._rows_of(sizes, columns, result)(self.range(columns)), tile, None)
        if self.chance(0.5):
            self._rewrite_rows(matrix, line, sums, sizes, result)
        return Kernel(
            self.seed, self.arguments, self._placed(), body, self.functions, programs, is_exact=True, width=self.width
        )

    def _rewrite_rows(self, matrix, line, sums, sizes, result) -> None:
        """Adds the sums to the rows, in a second loop."""
        length, pitch, programs, height, columns, trips = sizes
        element, dim = matrix.origin.buffer.element, self.line_dim
        places_of = None  # those of the matrix
        if element is not result or self.chance(0.7):
            places_of = self._rows_of(sizes, pitch, result)
        column = self.value(E.I32)
        column.low, column.high = 0, max(trips - 1, 0) * columns
        region = self.region([column])
        place = self.binary("addi", self.splat(column, (columns,)), self.range(columns))
        tile = self._read(matrix, line, place, pitch, length, element, result)
        moved = self.along(self.limited(sums, 1 << 12) if result.is_float else sums, dim, self.shape)
        tile = self.binary("addf" if result.is_float else "addi", tile, moved)
        mask = None
        if self.chance(0.7):
            mask = self.along(self.compare("slt", place, self.known(length, place.shape)), 1 - dim, self.shape)
        if places_of:
            places = places_of(place)
        else:
            rows = self.along(self.binary("muli", line, self.known(pitch, line.shape)), dim, self.shape)
            index = self.binary("addi", rows, self.along(place, 1 - dim, self.shape))
            places, _ = self.tile_of(matrix, self.shape, index)
        self.store_to(places, tile, mask)
        self.leave([])
        bounds = [self.known(0, ()), self.known(trips * columns, ()), self.constant(columns, E.I32, ())]
        self.emit("for", bounds, [], [region], show=False)

    def _rows_of(self, sizes, width: int, result):
        """Rows of results, which may overlap: the places of some of their columns."""
        length, pitch, programs, height = sizes[:4]
        distance = self.choice([pitch, max(length, 1), max(length - 1, 1), 1])
        own = (height - 1) * distance + width
        written = self._add_buffer(result, programs * own)
        written.bound, written.signed_zero = result.exact, True
        out = self._add_pointer(written, 0, programs * own).value
        self.visible.remove(out)
        number = self.one("program", [], E.I32, ())
        number.low, number.high = 0, programs - 1
        first = self.splat(self.with_number("muli", number, own), (height,))
        local = self.binary("muli", self.range(height), self.known(distance, (height,)))
        rows = self.along(self.binary("addi", first, local), self.line_dim, self.shape)

        def places(columns):
            index = self.binary("addi", rows, self.along(columns, 1 - self.line_dim, self.shape))
            return self.tile_of(out, self.shape, index)[0]

        return places

    def _read(self, matrix, line, column, pitch: int, length: int, element, result):
        """A tile of the matrix, which may be multiplied by one of the vector."""
        dim = self.line_dim
        starts = self.along(self.binary("muli", line, self.known(pitch, line.shape)), dim, self.shape)
        place = column
        if self.packed:  # several to a word
            bits = self.choice([1, 1, 2, 3])
            name = self.choice(["divsi", "divsi", "divui", "shrsi", "shrui"])
            place = self.with_number(name, column, bits if name.startswith("shr") else 1 << bits)
        index = self.binary("addi", starts, self.along(place, 1 - dim, self.shape))
        inside = self.compare("slt", column, self.known(length, column.shape))
        mask = self.along(inside, 1 - dim, self.shape) if self.chance(0.6) else None
        places, _ = self.tile_of(matrix, self.shape, index)
        tile = self.load_tile(places, mask)
        bound = 64 if self.vector else 256
        tile = self.cast(tile, result, bound) if result.is_float else self.cast(tile, result)
        if not self.vector:
            return tile
        by = self.load_tile(self.add(self.splat(self.vector, column.shape), column), None)
        by = self.cast(by, result, bound) if result.is_float else self.cast(by, result)
        by = self.along(by, 1 - dim, self.shape)
        return self.binary("mulf" if result.is_float else "muli", tile, by)
