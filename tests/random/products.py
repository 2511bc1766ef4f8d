"""Makes random kernels of products that have the types and sizes of matrices."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import numpy as np

import elements as E
from generate import Generator
from ir import Kernel

_TYPES = [
    (E.F16, E.F32), (E.F16, E.F32), (E.F16, E.F16), (E.I8, E.I32), (E.I8, E.I32), (E.BF16, E.F32),
    (E.F8E5, E.F32), (E.F8E4, E.F32), (E.F32, E.F32),
]


class Products(Generator):
    dot_extents = loop_extents = (8, 16, 32)
    has_any_zero = True

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.special = False
        self.shapes = [(16, 16), self.choice([(8, 32), (32, 8), (2, 16, 8), (4, 8, 8)])]
        self.count = 256
        self.has_product = False

    def _choose_types(self):
        self.dot_types = [self.choice(_TYPES), self.choice(_TYPES)]
        self.loop_types = [pair for pair in self.dot_types if pair[0].size > 1 or pair[0] is E.I8]
        self.loop_types = [pair for pair in self.loop_types if pair[1].size == 4] or [(E.F16, E.F32)]
        return sorted({t for pair in self.dot_types for t in pair}, key=str)

    def statement(self) -> None:
        if self.has_product and self.chance(0.6):
            super().statement()
            return
        self.has_product = True
        self.weighted([(2, self.dot), (2, self.dot_loop), (1, self.attention)])()


class LoneProduct(Generator):
    """One product of matrices in memory, all that a kernel computes, whose
    operands and result may overlap."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.special = False
        self.grid = self.choice([1, 1, 1, 2, 3])
        self.count = 4096

    def _choose_types(self):
        return []

    def kernel(self) -> Kernel:
        element, result = self.choice([(E.F32, E.F32), (E.F32, E.F32), (E.F16, E.F32), (E.BF16, E.F32), (E.I8, E.I32)])
        operands = self._add_buffer(element, 3 * self.count)
        # What a store converts the sums to.
        stored = self.choice([result, result, E.F16, E.BF16] if result.is_float else [result, result, E.I16, E.F32])
        apart = self._add_buffer(stored, 2 * self.count)
        apart.bound, apart.signed_zero = stored.exact, True
        places = [(operands, self.rng.randrange(self.count)), (operands, self.rng.randrange(self.count))]
        places.append((apart, 16) if self.chance(0.5) else (operands, self.rng.randrange(2 * self.count)))
        for buffer, offset in places:
            self._add_pointer(buffer, offset, len(buffer.data) // self.grid - offset)
        self._add_scalar(self.choice([0, 1, 2, 3, 7, 16]))
        body = self.block
        self._enter_program()
        pointers = [v for v in self.visible if v.origin is not None]
        self._product(element, result, *pointers)
        return Kernel(self.seed, self.arguments, self._placed(), body, self.functions, self.grid, is_exact=True)

    def _product(self, element, result, *pointers) -> None:
        m, n, k = self.choice((16, 32, 64, 64)), self.choice((16, 32, 32)), self.choice((4, 16, 32))
        trips = self.choice([1, 2, 3])
        while trips * k * max(m, n) > self.count // 2:
            k //= 2
        sums = self.constant(0, result, (m, n))
        carried = self.value(result, (m, n))
        carried.bound, carried.signed_zero = 1 << 22, True
        iv = self.value(E.I32)
        iv.low, iv.high = 0, trips - 1
        bounds = [self.known(v, ()) for v in (0, trips, 1)]
        region = self.region([iv, carried])
        left = self._columns_of(pointers[0], (m, k), iv, trips)
        if self.chance(0.4):
            right = self._columns_of(pointers[1], (k, n), iv, trips, depth_dim=0)
        else:
            right = self._step_of(pointers[1], (k, n), iv, k * n)
        if self.chance(0.2):
            left = self.combined(left)
        self.leave([self.dot_of(left, right, carried, (1 << 21) // trips)])
        (sums,) = self.emit("for", [*bounds, sums], [(result, (m, n))], [region], show=False)
        sums.bound, sums.signed_zero = 1 << 22 if result.is_float else 0, True
        if self.chance(0.3):
            addend = self.load_from(self.choice(pointers), (m, n), simple=True)
            sums = self.binary("addf" if result.is_float else "addi", sums, self.cast(addend, result, 16))
        for _ in range(self.choice([1, 1, 1, 2])):
            self._store_result(pointers[2], sums)

    def _store_result(self, pointer, sums) -> None:
        m, n = sums.shape
        pitch = n + self.choice([0, 0, 3, -1])
        strides = self.choice([(pitch, 1), (pitch, 1), (pitch, 1), (1, m), (-pitch, 1), (1, 1)])
        index = self.affine(sums.shape, strides, pitch * (m - 1) if strides[0] < 0 else 0)
        index, mask = self.fitted(index, pointer.origin.capacity - pointer.high)
        for dim, size in enumerate(sums.shape):
            if self.chance(0.4):
                most = self.known(self.rng.randrange(-1, size + 2), (size,))
                below = self.compare(self.choice(["slt", "slt", "sle"]), self.range(size), most)
                mask = self.both(mask, self.along(below, dim, sums.shape))
        places, _ = self.tile_of(pointer, sums.shape, index)
        self.store_to(places, sums, mask)


class FewRows(LoneProduct):
    """One product in which a tile has more rows than its left matrix, whose memory
    ends with the last one: the other rows wrap around or are masked off. Each
    program has some of the columns."""

    elements = (E.F32, E.F32, E.BF16, E.BF16, E.F16, E.I8)
    heights, widths = (8, 16, 16, 32, 64), (16, 32, 64)

    def _rows(self, m: int) -> int:
        return self.choice([1, 1, 2, 3, 5, 8, m - 1, m])

    def kernel(self) -> Kernel:
        self.grid = 1  # programs share the matrices
        programs = self.choice([1, 1, 2, 3, 5, 11])
        element = self.choice(self.elements)
        result = E.F32 if element.is_float else E.I32
        m, n, k = self.choice(self.heights), self.choice(self.widths), self.choice((16, 32, 64))
        trips, rows = self.choice([0, 1, 2, 3, 5]), self._rows(m)
        rows, depth = min(rows, m), max(1, trips) * k
        columns = programs * n
        left = self._add_pointer(self._add_buffer(element, rows * depth), 0, rows * depth).value
        right = self._add_pointer(self._add_buffer(element, depth * columns), 0, depth * columns).value
        buffer = self._add_buffer(result, m * columns)
        buffer.bound, buffer.signed_zero = result.exact, True
        buffer.raw = self._sharpen(element, depth)
        out = self._add_pointer(buffer, 0, m * columns).value
        self._add_scalar(rows)
        body = self.block
        column = self._columns(programs, n)
        limit = self.known(rows, (m,))
        line = self.range(m)
        below = self.compare("slt", line, limit)
        # Rows to store that are known at run time only.
        kept = self.mask((m,)) if random.Random(self.seed).random() < 0.3 else below
        sums = self.constant(0, result, (m, n))
        carried, iv = self.value(result, (m, n)), self.value(E.I32)
        carried.bound, carried.signed_zero = 1 << 22, True
        iv.low, iv.high = 0, max(0, trips - 1)
        # Iterations by a number that is not known have no operand in place.
        by = self.known(1, ()) if self.chance(0.1) else self.constant(1, E.I32, ())
        bounds = [self.known(0, ()), self.known(trips, ()), by]
        last = self.known(depth - self.choice([0, 0, 0, 1, k]), ())  # of the depth
        region = self.region([iv, carried])
        step = self.with_number("muli", iv, k)
        wraps = self.chance(0.5)
        x = self._tile(left, self._wrapped(line, limit) if wraps else line, depth, step, (m, k), 1)
        y_dim = 0 if self.chance(0.3) else 1  # that is contiguous
        if y_dim == 0:
            y = self._tile(right, column, depth, step, (k, n), 0)
        else:
            y = self._tile(right, self.range(k), columns, self.with_number("muli", iv, k * columns), (k, n), 1, column)
        x_mask = None if wraps else self.along(below, 0, (m, k))
        y_mask = None
        if self.chance(0.4):
            inside = self.compare("slt", self.range(k), self.splat(self.binary("subi", last, step), (k,)))
            along = self.along(inside, 1, (m, k))
            x_mask = self.both(x_mask, along) if x_mask else along
            y_mask = self.along(inside, 0, (k, n))
        x, y = self.load_tile(x, x_mask), self.load_tile(y, y_mask)
        self.leave([self.dot_of(x, y, carried, (1 << 21) // max(1, trips))])
        (sums,) = self.emit("for", [*bounds, sums], [(result, (m, n))], [region], show=False)
        sums.bound, sums.signed_zero = 1 << 22 if result.is_float else 0, True
        place = self.binary("addi", self.along(self.with_number("muli", line, columns), 0, (m, n)),
                            self.along(column, 1, (m, n)))
        places, mask = self.tile_of(out, (m, n), place)[0], self.along(kept, 0, (m, n))
        if self.chance(0.2):
            addend = self.cast(self.load_tile(places, mask), result, 16)
            sums = self.binary("addf" if result.is_float else "addi", sums, addend)
        self.store_to(places, sums, mask)
        return Kernel(self.seed, self.arguments, self._placed(), body, self.functions, programs, is_exact=True)

    def _sharpen(self, element, depth: int) -> bool:
        """Gives the matrices numbers that need all bits of an f16, so few in each row of
        the left one that sums stay exact, or a few infinities, which `True` says."""
        random = np.random.Generator(np.random.PCG64(self.seed))
        if element not in (E.F16, E.BF16) or random.random() < 0.3:
            return False
        left, right = (buffer.data for buffer in self.buffers[:2])
        if element is E.F16:
            most = int(element.exact) - 1
            lines = np.zeros((len(left) // depth, depth))
            for _ in range(2):
                lines[np.arange(len(lines)), random.integers(0, depth, len(lines))] = random.integers(-most, most, len(lines))
            left[: lines.size] = E.encode(lines.reshape(-1).astype(element.value), element)
            right[:] = E.encode(random.integers(-most, most, len(right)).astype(element.value), element)
        if random.random() < 0.5:
            return False
        for data in (left, right):
            for _ in range(random.integers(0, 3)):
                number = random.choice([np.inf, -np.inf])
                data[random.integers(0, len(data))] = E.encode(np.array(number, element.value), element)
        return True

    def _wrapped(self, line, limit):
        """Rows of which those from `limit` on, more than 0, are others before it."""
        if self.chance(0.5):
            return self.binary("remui", line, limit)
        return self.select(self.compare("slt", line, limit), line, self.constant(0, E.I32, line.shape))

    def _return_from(self, value, least: int) -> None:
        """Programs whose `value` is no less return early."""
        self.emit("return_if", [self.compare("sge", value, self.known(least, ()))], [], number=self.numbers)

    def _columns(self, programs: int, n: int):
        """The columns of a program: in the order of programs, or from the last on."""
        if programs == 1:
            return self.range(n)
        number = self.one("program", [], E.I32, ())
        number.low, number.high = 0, programs - 1
        if self.chance(0.2):
            number = self.binary("subi", self.known(programs - 1, ()), number)
        return self.binary("addi", self.splat(self.with_number("muli", number, n), (n,)), self.range(n))

    def _tile(self, pointer, line, pitch: int, step, shape, depth_dim: int, place=None):
        """Pointers to lines that are `pitch` apart, from `step` on, along `depth_dim`, to
        their elements at `place`."""
        starts = self.along(self.with_number("muli", line, pitch), 1 - depth_dim, shape)
        place = self.range(shape[depth_dim]) if place is None else place
        index = self.binary("addi", starts, self.along(place, depth_dim, shape))
        return self.add(self.splat(pointer, shape), self.binary("addi", index, self.splat(step, shape)))


class ManyRows(FewRows):
    """The same with most rows of tiles that are not small, of floats of 16 bits."""

    elements = (E.F16, E.F16, E.BF16)
    heights, widths = (32, 64, 128), (32, 64)

    def _rows(self, m: int) -> int:
        return self.choice([m - 1, m, m, m // 2 + 1])
