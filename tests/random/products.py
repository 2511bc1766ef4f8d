"""Makes random kernels of products that have the types and sizes of matrices."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from generate import Generator, generate

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


def generate_products(seed: int):
    return Products(seed).kernel()


def generator_of(products: bool):
    """The function that makes the kernel of a seed."""
    return generate_products if products else generate
