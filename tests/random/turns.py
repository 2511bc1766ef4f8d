"""Makes random kernels of attention whose programs read the same keys and values."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np

import elements as E
from columns import Columns
from flat import Flat
from generate import generate
from ir import Kernel
from packed import Packed
from pixels import Pixels
from products import FewRows, LoneProduct, ManyRows, Products
from rows import Rows
from side import Side
from splits import Splits


class Turns(FewRows):
    """Attention, without exp. A program has some rows of queries, and the keys and
    values of a head, up to a block of its own."""

    def kernel(self) -> Kernel:
        self.grid = 1  # programs share the matrices
        programs, heads = self.choice([1, 2, 3, 5, 9, 11, 17]), self.choice([1, 1, 2, 3])
        self.width = heads if self.chance(0.3) else 0
        if self.width:
            programs = heads * -(-programs // heads)
        element = self.choice([E.F32, E.F32, E.BF16, E.F16])
        m, n, k, w = (self.choice((8, 16, 16, 32)) for _ in range(4))
        trips = self.choice([1, 2, 3, 5])
        queries = self._add_matrix(element, programs * m * k)
        keys = self._add_matrix(element, heads * trips * n * k)
        values = self._add_matrix(element, heads * trips * n * w)
        out = self._add_matrix(E.F32, programs * m * w)
        most = self._add_matrix(E.I32, heads)
        most.origin.buffer.data[:] = np.random.default_rng(self.seed).integers(0, trips + 1, heads)
        self._add_scalar(trips)
        body = self.block
        number, head = self._program(programs, heads)
        if self.chance(0.3):
            self._return_from(*self.choice([(number, self.rng.randrange(programs + 1)), (head, self.rng.randrange(heads + 1))]))
            if self.chance(0.5):
                self._return_from(self._loaded(most, head, trips), self.rng.randrange(1, trips + 2))
        line = self.binary("addi", self.splat(self.with_number("muli", number, m), (m,)), self.range(m))
        query = self.load_tile(self._tile(queries, line, k, self.known(0, ()), (m, k), 1), None)
        iv = self.value(E.I32)
        iv.low, iv.high = 0, trips - 1
        first = self.choice([0, 0, 0, trips - 1])
        bounds = [self.known(first, ()), self._last(number, head, trips, most), self.known(1, ())]
        masked = self.chance(0.4)
        limit = self.known(self.rng.randrange(1, trips * n + 1), ())

        def rows_of(pointer, columns: int):
            step = self.with_number("muli", iv, n)
            row = self.binary("addi", self.with_number("muli", head, trips * n), step)
            line = self.binary("addi", self.splat(row, (n,)), self.range(n))
            mask = None
            if masked:
                below = self.compare("slt", self.range(n), self.splat(self.binary("subi", limit, step), (n,)))
                mask = self.along(below, 0, (n, columns))
            return self.load_tile(self._tile(pointer, line, columns, self.known(0, ()), (n, columns), 1), mask)

        sums, highest = self._attend(
            self.cast(query, element, 8), (n, w), iv, bounds, lambda: rows_of(keys, k), lambda: rows_of(values, w)
        )
        if self.chance(0.3):
            sums = self.binary("addf", self.limited(sums, 1 << 20), self.along(highest, 0, (m, w)))
        mask = None
        if self.chance(0.5):  # rows of queries that are padded
            rows, most = self.choice([(self.range(m), m), (line, programs * m)])
            mask = self.along(self.compare("slt", rows, self.known(self.rng.randrange(most + 2), (m,))), 0, (m, w))
        self.store_to(self._tile(out, line, w, self.known(0, ()), (m, w), 1), sums, mask)
        return Kernel(
            self.seed, self.arguments, self._placed(), body, self.functions, programs, is_exact=True, width=self.width
        )

    def _add_matrix(self, element, count: int):
        buffer = self._add_buffer(element, count)
        if element is E.F32:
            buffer.signed_zero = True
        return self._add_pointer(buffer, 0, count).value

    def _program(self, programs: int, heads: int):
        """Its number, and its head: the same as those of neighbours along x or y, or of
        others."""
        if self.width:
            head, row = self.one("program", [], E.I32, ()), self.one("program", [], E.I32, (), axis="y")
            head.low, head.high = 0, heads - 1
            row.low, row.high = 0, programs // heads - 1
            return self.binary("addi", self.with_number("muli", head, programs // heads), row), head
        number = self.one("program", [], E.I32, ())
        number.low, number.high = 0, programs - 1
        if self.chance(0.3):
            return number, self.with_number("remui", number, heads)
        return number, self.with_number("divui", number, -(-programs // heads))

    def _last(self, number, head, trips: int, most):
        """The end of the loop: for all programs, by their number, or from memory."""
        form = self.choice(["known", "known", "causal", "loaded"])
        if form == "causal":
            return self.binary("minsi", self.with_number("addi", number, self.choice([0, 1])), self.known(trips, ()))
        if form == "loaded":
            return self._loaded(most, head, trips)
        return self.known(trips, ())

    def _loaded(self, most, head, trips: int):
        """The number of blocks of a head, up to `trips`, which is in memory."""
        place = self.one("addptr", [most, head], most.element, ())
        place.origin = most.origin
        out = self.load_tile(place, None)
        out.low, out.high = 0, trips
        return out


def generate_products(seed: int):
    """The kernels of four seeds of six are products alone, and one of twelve reads an image."""
    kind = {2: LoneProduct, 3: Splits, 4: Turns, 5: FewRows}.get(seed % 6, Products)
    if seed % 18 == 11:
        kind = ManyRows
    elif seed % 12 == 7:
        kind = Pixels
    return kind(seed).kernel()


def generate_any(seed: int):
    """The kernel of one seed of eight divides its index, and that of one of sixteen
    reduces columns, and programs of another have columns. Of thirty-two one divides the numbers
    of columns, one reduces rows."""
    if seed % 8 == 5:
        return Flat(seed).kernel()
    if seed % 16 == 3:
        return Side(seed).kernel()
    if seed % 32 in (7, 23):
        return (Rows if seed % 32 == 7 else Packed)(seed).kernel()
    return Columns(seed).kernel() if seed % 16 == 11 else generate(seed)


def generator_of(products: bool):
    """The function that makes the kernel of a seed."""
    return generate_products if products else generate_any
