"""Makes random products of several programs, which may be split along their depth."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from ir import Kernel
from products import FewRows


class Splits(FewRows):
    """A product with a program for each block of rows, of columns and of the depth,
    in any order, along one axis of the grid or two: some have the same rows of the
    left matrix, or columns of the right one. Iterations read neighbours along the
    depth, or every so manyth block of it. Programs add to the result, or store it."""

    def kernel(self) -> Kernel:
        self.grid = 1  # programs share the matrices
        element, result = self.choice(
            [(E.F32, E.F32), (E.F32, E.F32), (E.BF16, E.F32), (E.F16, E.F32), (E.I8, E.I32)]
        )
        m, n, k = self.choice((8, 16, 32, 64)), self.choice((16, 32, 64)), self.choice((16, 32, 64))
        counts = {axis: self.choice([1, 2, 2, 3]) for axis in ("rows", "columns", "depth")}
        stores = self.chance(0.4)
        if stores:
            counts["depth"] = 1
        programs = counts["rows"] * counts["columns"] * counts["depth"]
        trips = self.choice([1, 2, 3, 5, 9])
        rows, columns, depth = counts["rows"] * m, counts["columns"] * n, counts["depth"] * trips * k
        left = self._add_pointer(self._add_buffer(element, rows * depth), 0, rows * depth).value
        right = self._add_pointer(self._add_buffer(element, depth * columns), 0, depth * columns).value
        buffer = self._add_buffer(result, rows * columns)
        buffer.bound, buffer.signed_zero = result.exact, True
        out = self._add_pointer(buffer, 0, rows * columns).value
        self.visible.remove(out)  # other programs add to it
        self._add_scalar(trips)
        body = self.block
        place = self._places(counts)
        if self.chance(0.3):
            self._return_from(place[self.choice(sorted(counts))], self.rng.randrange(1, 4))
        line = self._block_of(place["rows"], m)
        column = self._block_of(place["columns"], n)
        sums, highest = self.constant(0, result, (m, n)), self.constant(-2048, E.F32, (m,))
        carried, peak, iv = self.value(result, (m, n)), self.value(E.F32, (m,)), self.value(E.I32)
        carried.bound, peak.bound = 1 << 22, 2048
        carried.signed_zero = peak.signed_zero = True
        has_peak = element is E.F32 and self.chance(0.3)  # the left tile has another reader
        iv.low, iv.high = 0, trips - 1
        bounds = [self.known(0, ()), self._last(place, trips), self.constant(1, E.I32, ())]
        last = self.known(depth - self.choice([0, 0, 1, k]), ())  # of the depth
        region = self.region([iv, carried, peak] if has_peak else [iv, carried])
        if self.chance(0.5):
            first = self.binary("addi", self.with_number("muli", place["depth"], trips), iv)
        else:
            first = self.binary("addi", self.with_number("muli", iv, counts["depth"]), place["depth"])
        step = self.with_number("muli", first, k)
        x = self._tile(left, line, depth, step, (m, k), 1)
        turned = self.chance(0.3)
        if turned:
            y = self._tile(right, column, depth, step, (n, k), 1)
        else:
            start = self.with_number("muli", step, columns)
            y = self._tile(right, self.range(k), columns, start, (k, n), 1, column)
        x_mask = y_mask = None
        if self.chance(0.5):
            inside = self.compare("slt", self.range(k), self.splat(self.binary("subi", last, step), (k,)))
            x_mask = self.along(inside, 1, (m, k))
            y_mask = self.along(inside, 1, (n, k)) if turned else self.along(inside, 0, (k, n))
        x, y = self.load_tile(x, x_mask), self.load_tile(y, y_mask)
        if turned:
            y = self.reshaped("trans", y, (k, n), order=[1, 0])
        if self.chance(0.3):
            x, y = (self.combined(v) if self.chance(0.5) else v for v in (x, y))
        more = self.dot_of(x, y, carried, (1 << 20) // trips)
        if has_peak:
            self.leave([more, self.binary("maxnumf", peak, self._maxima(self.limited(x, 2048)))])
            types = [(result, (m, n)), (E.F32, (m,))]
            sums, highest = self.emit("for", [*bounds, sums, highest], types, [region], show=False)
            sums = self.binary("addf", self.copy_facts(carried, sums), self.along(self.copy_facts(peak, highest), 0, (m, n)))
        else:
            self.leave([more])
            (sums,) = self.emit("for", [*bounds, sums], [(result, (m, n))], [region], show=False)
            sums.bound, sums.signed_zero = 1 << 22 if result.is_float else 0, True
        starts = self.along(self.with_number("muli", line, columns), 0, (m, n))
        places, _ = self.tile_of(out, (m, n), self.binary("addi", starts, self.along(column, 1, (m, n))))
        mask = self.along(self.compare("slt", line, self.known(rows - self.choice([0, 0, 1, m]), (m,))), 0, (m, n))
        if stores:
            self.store_to(places, sums, mask)
        else:
            self.rmw("fadd" if result.is_float else "add", places, sums, mask)
        return Kernel(
            self.seed, self.arguments, self._placed(), body, self.functions, programs, is_exact=True, width=self.width
        )

    def _places(self, counts: dict) -> dict:
        """The program's block of each kind. The first of a random order varies fastest,
        and may be alone along x."""
        order = self.rng.sample(sorted(counts), len(counts))
        places, most = {}, counts["rows"] * counts["columns"] * counts["depth"]
        self.width = 0
        number = self.one("program", [], E.I32, ())
        if self.chance(0.5):
            self.width = counts[order[0]]
            number.low, number.high = 0, self.width - 1
            places[order.pop(0)] = number
            number, most = self.one("program", [], E.I32, (), axis="y"), most // self.width
        number.low, number.high = 0, most - 1
        for kind in order:
            places[kind] = self.with_number("remui", number, counts[kind])
            number = self.with_number("divui", number, counts[kind])
        return places

    def _block_of(self, place, size: int):
        return self.binary("addi", self.splat(self.with_number("muli", place, size), (size,)), self.range(size))

    def _last(self, place: dict, trips: int):
        """The end of the loop: for all programs, or by one's block of the depth or of rows."""
        axis = self.choice([None, None, "depth", "rows"])
        if axis is None:
            return self.known(trips, ())
        return self.binary("minsi", self.with_number("addi", place[axis], self.choice([0, 1])), self.known(trips, ()))
