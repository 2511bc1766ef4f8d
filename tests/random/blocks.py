"""Random accesses through tensor descriptors and block pointers."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import elements as E
from ir import Value
from statements import random_shape
from strides import Strides


class Blocks(Strides):
    """`block_load` and its kin are printed with the operation that makes their
    descriptor or block pointer. Operands: the pointer, the sizes, the strides of
    the dimensions, the position, and what is stored."""

    def access_block(self) -> None:
        form = self.choice(["descriptor", "descriptor", "pointer", "rows"])
        pointers = self.pointers(lambda e: form != "rows" or e.bits in (8, 16, 32))
        if not pointers:
            return
        pointer = self.choice(pointers)
        element = pointer.element.pointee
        if form == "rows":
            shape = (self.choice([8, 16]), self.choice([16, 32]) * (2 if element.bits == 8 else 1))
        else:
            shape = random_shape(self, 1 << self.rng.randrange(4, 8), self.choice([1, 2, 2, 3]))
        frame = self._frame(shape, pointer.origin.capacity - pointer.high)
        if frame is None:
            return
        sizes, strides = frame
        checked = list(range(len(shape)))
        if form == "pointer":
            checked = [d for d in checked if shape[d] > sizes[d] or self.chance(0.6)]
        if form == "rows":
            rows = self.with_number("remsi", self.tile(E.I32, shape[:1]), 2 * sizes[0])
            position = [rows, self._known_place(shape[1], sizes[1], True)]
        else:
            position = [self._known_place(n, size, d in checked) for d, (n, size) in enumerate(zip(shape, sizes))]
        wide = E.I64 if form == "pointer" else E.I32
        numbers = [self.constant(n, wide) for n in sizes] + [self.constant(n, E.I64) for n in strides]
        operands = [pointer, *numbers, *position]
        attributes = {"form": form, "shape": shape, "checked": checked, "nan": False}
        buffer = pointer.origin.buffer
        if self.chance(0.5):
            attributes["nan"] = buffer.raw and self.chance(0.5)
            (out,) = self.emit("block_load", operands, [(element, shape)], **attributes)
            out.bound, out.signed_zero, out.raw = buffer.bound, buffer.signed_zero, buffer.raw
            self.add_shape(shape)
            return
        value = self.fit(self.tile(element, shape), element, buffer)
        reducible = form == "descriptor" and element in (E.I32, E.I64)
        if reducible and self.chance(0.5):
            attributes["name"] = self.choice(["add", "min", "max", "and", "or", "xor"])
            self.emit("block_reduce", [*operands, value], [], **attributes)
        else:
            self.emit("block_store", [*operands, value], [], **attributes)

    def _frame(self, shape, capacity: int):
        """Sizes and strides of a tensor within `capacity`, or nothing."""
        sizes = [max(1, n * self.choice([1, 1, 2]) + self.choice([0, 0, -1, 1, -3])) for n in shape]
        pad = self.choice([0, 0, 1, 8])
        while math.prod(n + pad for n in sizes) > capacity:
            longest = max(range(len(sizes)), key=lambda d: sizes[d])
            if sizes[longest] == 1:
                return None
            sizes[longest] //= 2
        strides, stride = [], 1
        for size in reversed(sizes):
            strides.insert(0, stride)
            stride *= size + pad
        return sizes, strides

    def _known_place(self, extent: int, size: int, checked: bool) -> Value:
        """Where a block begins; what is not checked has to be inside."""
        if not checked:
            return self.known(self.rng.randrange(size - extent + 1), ())
        place = self.known(self.choice([0, 0, 1, -1, -3, size // 2, size]), ())
        index = self.loop_index()
        if index is not None and self.chance(0.4):
            place = self.binary("addi", place, self.with_number("muli", index, self.choice([1, extent])))
        return place
