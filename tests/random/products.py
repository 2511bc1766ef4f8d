"""Makes random kernels of products that have the types and sizes of matrices."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from generate import Generator, generate
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
        apart = self._add_buffer(result, 2 * self.count)
        apart.bound, apart.signed_zero = result.exact, True
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


def generate_products(seed: int):
    return (LoneProduct if seed % 3 == 2 else Products)(seed).kernel()


def generator_of(products: bool):
    """The function that makes the kernel of a seed."""
    return generate_products if products else generate
