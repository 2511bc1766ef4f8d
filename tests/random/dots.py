"""Random products of matrices, alone, in K loops and one after the other."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import elements as E
from exchanges import Exchanges
from ir import Value
from shapes import dense, product

_TYPES = [
    (E.F32, E.F32), (E.F32, E.F32), (E.F16, E.F32), (E.BF16, E.F32), (E.I8, E.I32),
    (E.I16, E.I32), (E.F64, E.F64), (E.F8E5, E.F32), (E.F8E4, E.F32), (E.F16, E.F16),
]


class Dots(Exchanges):
    # A subclass may have others.
    dot_extents, loop_extents = (1, 2, 4, 8, 16, 32), (4, 8, 16, 32)
    dot_types = _TYPES
    # Whether the sign of a sum that is zero is the device's.
    has_any_zero = False
    loop_types = [(E.F32, E.F32), (E.BF16, E.F32), (E.F16, E.F32), (E.I8, E.I32)]

    def dot(self) -> None:
        m, n, k = (self.choice(self.dot_extents) for _ in range(3))
        least = self.dot_extents[0]
        while m * n * k > 8192:
            m, k = max(least, m // 2), max(least, k // 2)
        batch = (self.choice([1, 2, 4]),) if self.chance(0.25) else ()
        element, result = self.choice(self.dot_types)
        a, b = self.operand(element, (*batch, m, k)), self.operand(element, (*batch, k, n))
        c = self.constant(0, result, (*batch, m, n)) if self.chance(0.2) else self.tile(result, (*batch, m, n))
        self.dot_of(a, b, c)

    def operand(self, element, shape) -> Value:
        """A tile, perhaps turned, of another shape, or with a mask."""
        form = self.weighted([(5, "plain"), (2, "turned"), (1, "reshaped"), (2, "masked")])
        if form == "turned":
            order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
            x = self.tile(element, tuple(shape[d] for d in order))
            return self.reshaped("trans", x, shape, order=order)
        if form == "reshaped":
            return self.reshaped("reshape", self.tile(element, (product(shape),)), shape)
        x = self.tile(element, shape)
        if form == "masked" and element not in E.EIGHT_BIT_FLOATS:
            return self.select(self.mask(shape), x, self.constant(0, element, shape))
        return x

    def dot_of(self, a: Value, b: Value, c: Value, most: int | None = None) -> Value:
        """c + a x b, where each product adds at most `most` to a float's bound."""
        if c.element.is_float:
            k = a.shape[-1]
            if most is None:
                most = c.element.exact // 2
                c = self.limited(c, most)
            least = min(most // k, a.element.exact)
            bound = max(1, math.isqrt(least))
            a, b = self.cast(a, a.element, bound), self.cast(b, b.element, bound)
        precision = ""
        if a.element is E.F32 and max(a.bound, b.bound) <= 1024:  # as any of them holds it
            precision = self.choice(["", "", "tf32", "tf32x3", "ieee"])
        (out,) = self.emit("dot", [a, b, c], [(c.element, c.shape)], precision=precision)
        if c.element.is_float:
            out.bound = min(c.bound + a.bound * b.bound * a.shape[-1], c.element.exact)
            out.signed_zero = c.signed_zero or self.has_any_zero
        self.add_shape(c.shape)
        return out

    def dot_loop(self) -> None:
        """The K loop of a matrix product: only dots add to the carried tile."""
        element, result = self.choice(self.loop_types)
        pointers = self.pointers(lambda e: e is element)
        if not pointers or self.depth >= 2:
            return
        m, n, k = (self.choice(self.loop_extents) for _ in range(3))
        trips = self.choice([1, 2, 3, 4])
        bases = [self.choice(pointers) for _ in range(2)]
        if any(p.origin.capacity - p.high < 64 for p in bases):
            return
        acc = self.constant(0, result, (m, n))
        if self.chance(0.3):
            acc = self.tile(result, (m, n))
            acc = self.limited(acc, 1 << 20) if result.is_float else acc
        carried = self.value(result, (m, n))
        most = (1 << 21) // trips
        carried.bound, carried.signed_zero = 1 << 22, acc.signed_zero or self.has_any_zero
        iv = self.value(E.I32)
        iv.low, iv.high = 0, trips - 1
        bounds = [self.known(v, ()) for v in (0, trips, 1)]
        region = self.region([iv, carried])
        tiles = []
        for pointer, shape in zip(bases, ((m, k), (k, n))):
            if not tiles and self.row_rng.random() < 0.2:
                x = self._pixels_of(pointer, shape, iv)
            elif not tiles and self.chance(0.4):
                x = self._columns_of(pointer, shape, iv, trips)
            elif self.chance(0.6):
                x = self._step_of(pointer, shape, iv, k)
            else:
                x = self.load_from(pointer, shape)
            if self.chance(0.3):
                x = self.combined(x)
            tiles.append(x)
        if self.chance(0.3):
            self.store()
        out = self.dot_of(*tiles, carried, most)
        self.leave([out])
        only_stored = self.chance(0.3)
        (sums,) = self.emit("for", [*bounds, acc], [(result, (m, n))], [region], show=not only_stored)
        sums.bound, sums.signed_zero = 1 << 22 if result.is_float else 0, carried.signed_zero
        if only_stored:
            self._store_rows(sums)
        self.add_shape((m, n))

    def _store_rows(self, value: Value) -> None:
        """Stores the first rows alone: the others need not be computed."""
        pointers = self.pointers(lambda e: True)
        pointer = self.choice([p for p in pointers if p.element.pointee is value.element] or pointers)
        places, mask = self.tile_of(pointer, value.shape)
        rows = value.shape[:1]
        row = self.affine(rows, [1], self.choice([0, 0, 1, -7]))
        limit = self.known(self.rng.randrange(-2, rows[0] + 2), rows)
        below = self.compare(self.choice(["slt", "slt", "sle"]), row, limit)
        self.store_to(places, value, self.both(mask, self.along(below, 0, value.shape)))

    def _step_of(self, pointer: Value, shape, iv: Value, distance: int) -> Value:
        """The tile of round `iv` of a matrix in rows or in columns."""
        strides = list(dense(shape)) if self.chance(0.6) else [1, shape[0]]
        index = self.affine(shape, strides)
        step = self.with_number("muli", iv, distance)
        index = self.binary("addi", index, self.splat(step, shape))
        index, mask = self.fitted(index, pointer.origin.capacity - pointer.high)
        places, _ = self.tile_of(pointer, shape, index)
        return self.load_tile(places, mask)

    def _columns_of(self, pointer: Value, shape, iv: Value, trips: int, depth_dim: int = 1) -> Value:
        """The tile of round `iv` of a matrix whose lines, along dimension `depth_dim`, are
        those of all rounds."""
        lines, depth = shape[1 - depth_dim], shape[depth_dim]
        pitch = trips * depth + self.choice([0, 0, 1, 3])
        if (lines - 1) * pitch + trips * depth > pointer.origin.capacity - pointer.high:
            return self._step_of(pointer, shape, iv, depth)
        line, step = self.range(lines), self.with_number("muli", iv, depth)
        if self.chance(0.4):
            line = self.with_number("remui", line, self.rng.randrange(1, lines + 1))
        place = self.along(self.range(depth), depth_dim, shape)
        starts = self.along(self.with_number("muli", line, pitch), 1 - depth_dim, shape)
        index = self.binary("addi", self.binary("addi", starts, place), self.splat(step, shape))
        places, _ = self.tile_of(pointer, shape, index)
        mask = None
        if self.chance(0.6):  # up to a K that is in the middle of a tile
            most = self.known(self.rng.randrange(1, trips * depth + 1), ())
            mask = self.compare("slt", place, self.splat(self.binary("subi", most, step), shape))
        return self.load_tile(places, mask)

    def _pixels_of(self, pointer: Value, shape, iv: Value) -> Value:
        """The pixels that round `iv` of a convolution multiplies: along dimension 0 those
        of some rows of an image, along dimension 1 its channels."""
        width = self.row_rng.randrange(1, shape[0] + 2)
        pitch = width + self.row_rng.choice([0, 0, 1, 3])
        pixel = self.range(shape[0])
        row, column = self.with_number("divui", pixel, width), self.with_number("remui", pixel, width)
        start = self.with_number("muli", row, pitch)
        shift = self.with_number("subi", iv, self.row_rng.randrange(2))
        column = self.binary("addi", column, self.splat(shift, shape[:1]))
        place = self.along(self.binary("addi", start, column), 0, shape)
        channel = self.with_number("muli", self.range(shape[1]), self.row_rng.choice([2, 3, 16, width * pitch]))
        index = self.binary("addi", place, self.along(channel, 1, shape))
        index, mask = self.fitted(index, pointer.origin.capacity - pointer.high)
        if self.row_rng.random() < 0.6:
            left = self.compare("sge", column, self.known(0, shape[:1]))
            right = self.compare("slt", column, self.known(width, shape[:1]))
            mask = self.both(mask, self.along(self.binary("andi", left, right), 0, shape))
        places, _ = self.tile_of(pointer, shape, index)
        return self.load_tile(places, mask)

    def attention(self) -> None:
        """A product, its maxima over the rounds, and a product with what is
        above them: as attention, without exp."""
        element = self.choice([E.F32, E.F32, E.F16, E.BF16])
        pointers = self.pointers(lambda e: e is element)
        if not pointers or self.depth >= 1:
            return
        m, n, k, w = (self.choice(self.loop_extents[:3]) for _ in range(4))
        trips = self.choice([1, 2, 3])
        query = self.cast(self.tile(element, (m, k)), element, 8)
        iv = self.value(E.I32)
        iv.low, iv.high = 0, trips - 1
        bounds = [self.known(v, ()) for v in (0, trips, 1)]
        self._attend(
            query, (n, w), iv, bounds,
            lambda: self._step_of(self.choice(pointers), (n, k), iv, n * k),
            lambda: self._step_of(self.choice(pointers), (n, w), iv, n * w),
        )
        self.add_shape((m, w))

    def _attend(self, query: Value, extents, iv: Value, bounds, keys_of, values_of) -> list[Value]:
        """The loop of attention, with the tiles of keys and values that the functions
        make in it. Returns the sums and the maxima."""
        (m, k), (n, w), element = query.shape, extents, query.element
        sums, highest = self.constant(0, E.F32, (m, w)), self.constant(-2048, E.F32, (m,))
        inner_sums, inner_highest = self.value(E.F32, (m, w)), self.value(E.F32, (m,))
        inner_sums.bound, inner_highest.bound = 1 << 20, 2048
        inner_sums.signed_zero = inner_highest.signed_zero = True
        region = self.region([iv, inner_sums, inner_highest])
        keys = self.cast(keys_of(), element, 8)
        keys = self.reshaped("trans", keys, (k, n), order=[1, 0])
        # What the scores start at is the same in all programs.
        number = self.row_rng.choice([0, 0, 0, 1, -3])
        start = self.constant(number, E.F32, (m, n))
        if self.row_rng.random() < 0.2:
            start = self.cast(self.along(self.range(n), 1, (m, n)), E.F32)
        scores = self.dot_of(query, keys, start, 2048 - max(n, abs(number)))
        if self.chance(0.5):
            scores = self.select(self.mask((m, n)), scores, self.constant(-2048, E.F32, (m, n)))
        peak = self.binary("maxnumf", inner_highest, self._maxima(scores))
        wide = self.along(peak, 0, (m, n))
        above = self.limited(self.binary("subf", scores, wide), 16)
        moved = self.compare("olt", inner_highest, peak)
        if self.row_rng.random() < 0.5:
            factors = self.select(moved, self.constant(0, E.F32, (m,)), self.constant(self.row_rng.choice([1, -1]), E.F32, (m,)))
            kept = self.binary("mulf", inner_sums, self.along(factors, 0, (m, w)))
            kept.bound = 1 << 19  # of up to seven rounds
        else:
            kept = self.select(self.along(moved, 0, (m, w)), self.constant(0, E.F32, (m, w)), inner_sums)
            kept = self.limited(kept, 1 << 19)
        if self.row_rng.random() < 0.5:  # what is multiplied is reduced, too
            peak = self.binary("maxnumf", peak, self._maxima(above))
        values = self.cast(values_of(), element, 8)
        out = self.dot_of(self.cast(above, element), values, kept, 1 << 16)
        self.leave([out, peak])
        types = [(v.element, v.shape) for v in (inner_sums, inner_highest)]
        results = self.emit("for", [*bounds, sums, highest], types, [region])
        for source, result in zip((inner_sums, inner_highest), results):
            self.copy_facts(source, result)
        return results

    def _maxima(self, x: Value) -> Value:
        left, right = (self.copy_facts(x, self.value(x.element)) for _ in range(2))
        region = self.region([left, right])
        self.leave([self.binary("maxnumf", left, right)])
        (out,) = self.emit("reduce", [x], [(x.element, x.shape[:1])], [region], show=False, axis=1)
        return self.copy_facts(x, out)
