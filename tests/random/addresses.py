"""Random indices and pointers: affine, repeated, permuted, wrapping, loaded."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import elements as E
from fitted import Fitted
from ir import Value
from shapes import dense, product


class Addresses(Fitted):
    """`capacity` always is the number of elements from the pointer on."""

    in_function: bool
    strides: list[Value]
    stride_rng: random.Random
    row_rng: random.Random
    kept_rng: random.Random

    def affine(self, shape, strides, offset: int = 0) -> Value:
        """The sum of strides[d] * index d, and `offset`, as i32."""
        if not shape:
            return self.known(offset, shape)
        if len(shape) > 1 and tuple(strides) == dense(shape) and self.chance(0.15):
            count = product(shape)
            return self.with_number(
                "addi", self.reshaped("reshape", self.range(count), shape), offset
            )
        early = self.chance(0.7)  # multiply before broadcasting
        total = None
        for dim, stride in enumerate(strides):
            if stride == 0 and total is not None:
                continue
            term = self.along(self.range(shape[dim]), dim, shape, wide=False)
            if not early:
                term = self.broadcast(term, shape)
            argument = self.stride_argument(stride)
            if argument is not None:
                term = self.binary("muli", term, self.splat(argument, term.shape))
            elif stride != 1 or self.chance(0.1):
                term = self.binary("muli", term, self.known(stride, term.shape))
            term = self.broadcast(term, shape)
            total = term if total is None else self.binary("addi", total, term)
        if offset or self.chance(0.1):
            total = self.binary("addi", total, self.known(offset, shape))
        return total

    def stride_argument(self, stride: int) -> Value | None:
        """Now and then an argument that is `stride`, if there is one."""
        found = [value for value in self.strides if value.low == stride and not self.in_function]
        return found[0] if found and self.stride_rng.random() < 0.5 else None

    def numbered_rows(self, shape, capacity: int) -> Value | None:
        """Rows whose numbers are loaded or hashed; some may be the same."""
        count, width = shape
        pitch = self.row_rng.choice([width, width, width + 1, width // 2])
        most = (capacity - width) // pitch
        if most < 1:
            return None
        numbers = self.loaded_index((count,)) or self.hashed(self.range(count))
        numbers = self.with_number("remui", numbers, self.row_rng.randint(1, most))
        starts = self.along(self.with_number("muli", numbers, pitch), 0, shape)
        return self.binary("addi", starts, self.along(self.range(width), 1, shape))

    def flattened(self, shape, capacity: int) -> Value | None:
        """Of rows seen as one: rows whose numbers are loaded, or loaded places in each."""
        width = self.row_rng.choice([5, 16, 17, 32, 64, 100])
        pointers = self.pointers(lambda e: e in (E.I32, E.I16, E.I8))
        if width >= capacity or not pointers:
            return None
        flat = self.affine(shape, dense(shape), self.row_rng.choice([0, 0, 1, width - 1, 40]))
        row, place = (
            self.with_number(self.row_rng.choice(names), flat, width)
            for names in (["divsi", "divui"], ["remsi", "remui"])
        )
        pointer = self.row_rng.choice(pointers)
        if self.row_rng.random() < 0.5:
            numbers, mask = self.fitted(row, pointer.origin.capacity - pointer.high)
            row = self.cast(self.load_tile(self.add(self.splat(pointer, shape), numbers), mask), E.I32)
            row = self.with_number("remui", row, max(capacity // width, 1))
        else:
            places = self.cast(self.load_from(pointer, shape, simple=True), E.I32)
            place = self.with_number("remui", places, width)
        return self.binary("addi", self.with_number("muli", row, width), place)

    def index(self, shape, capacity: int) -> tuple[Value, Value | None]:
        """An i32 tile of indices in [0, capacity) where the mask, if any, holds."""
        if len(shape) == 2 and shape[1] >= 16 and self.row_rng.random() < 0.25:
            numbered = self.numbered_rows(shape, capacity)
            if numbered is not None:
                return self.fitted(numbered, capacity)
        if len(shape) == 1 and shape[0] >= 32 and self.row_rng.random() < 0.15:
            flattened = self.flattened(shape, capacity)
            if flattened is not None:
                return self.fitted(flattened, capacity)
        kind = self.weighted([
            (6, "dense"), (2, "permuted"), (2, "padded"), (4, "repeated"), (1, "reversed"),
            (2, "divided"), (2, "modulo"), (1, "hashed"), (3, "loaded"), (1, "xor"),
        ])
        count = product(shape)
        if kind == "loaded":
            loaded = self.loaded_index(shape)
            if loaded is not None:
                return self.fitted(loaded, capacity)
            kind = "hashed"
        strides = list(dense(shape))
        offset = self.choice([0, 0, 0, 1, 2, 3, 8, count // 2])
        if kind == "permuted":
            order = list(range(len(shape)))
            self.rng.shuffle(order)
            permuted = dense([shape[d] for d in order])
            for at, dim in enumerate(order):
                strides[dim] = permuted[at]
        elif kind == "padded":
            pad = self.choice([1, 2, 3, 8])
            strides = [s if d == len(shape) - 1 else s + pad for d, s in enumerate(strides)]
        elif kind == "repeated":
            strides = [self.choice([0, 0, 1, 1, 2, 3, 4, 7, 16]) for _ in shape]
        elif kind == "reversed" and shape:
            dim = self.rng.randrange(len(shape))
            offset += strides[dim] * (shape[dim] - 1)
            strides[dim] = -strides[dim]
        out = self.affine(shape, strides, offset)
        amount = 1 << self.rng.randrange(1, 9)
        if self.chance(0.1):
            amount += 1
        if kind == "divided":
            out = self.with_number(self.choice(["divsi", "divui"]), out, amount)
        elif kind == "modulo":
            out = self.with_number(self.choice(["remsi", "remui"]), out, amount)
        elif kind == "xor":
            out = self.with_number("xori", out, self.rng.randrange(count + 1))
        elif kind == "hashed":
            out = self.hashed(out)
        scalar = self.loop_index()
        if scalar is not None and self.chance(0.6):
            step = self.with_number("muli", scalar, self.choice([1, 2, 4, 16, count]))
            out = self.binary("addi", out, self.splat(step, shape))
        return self.fitted(out, capacity)

    def hashed(self, x: Value) -> Value:
        """Integers that wrap."""
        x = self.with_number("muli", x, self.choice([1103515245, 1664525, 1 << 30, -1640531527]))
        return self.with_number("addi", x, self.rng.randrange(1 << 20))

    def loop_index(self) -> Value | None:
        found = [
            v for v in self.visible
            if v.element is E.I32 and not v.shape and 0 <= v.low < v.high < 64
        ]
        return self.choice(found) if found else None

    def loaded_index(self, shape) -> Value | None:
        ints = [v for v in self.visible if v.shape == shape and v.element in (E.I32, E.I16, E.I8)]
        pointers = self.pointers(lambda e: e in (E.I32, E.I16, E.I8))
        if ints and self.chance(0.4):
            out = self.choice(ints)
        elif pointers:
            out = self.load_from(self.choice(pointers), shape, simple=True)
        else:
            return None
        return self.cast(out, E.I32)

    def pointers(self, accepts) -> list[Value]:
        """Scalar pointers from which some elements are left."""
        return [
            v for v in self.visible
            if v.origin is not None and not v.shape and accepts(v.element.pointee)
            and v.origin.capacity - v.high >= 4
        ]

    def add(self, pointer: Value, index: Value) -> Value:
        if self.chance(0.04):
            out = self._add_bytes(pointer, index)
        else:
            out = self.one("addptr", [pointer, index], pointer.element, pointer.shape)
        out.low, out.high = pointer.low + index.low, pointer.high + index.high
        out.origin = pointer.origin
        return out

    def _add_bytes(self, pointer: Value, index: Value) -> Value:
        """The same by integers, which nothing else may see."""
        number = self.one("ptr_to_int", [pointer], E.I64, pointer.shape)
        if index.element is not E.I64:
            index = self.one("cast", [index], E.I64, index.shape, name="arith.extsi")
        distance = self.with_number("muli", index, pointer.element.pointee.size)
        number = self.binary("addi", number, distance)
        return self.one("int_to_ptr", [number], pointer.element, pointer.shape)

    def tiles_of_pointers(self, accepts=lambda value: True) -> list[Value]:
        """Those that need no mask."""
        return [
            v for v in self.visible
            if v.origin is not None and v.shape and 0 <= v.low and v.high < v.origin.capacity
            and accepts(v)
        ]

    def some_tile_of_pointers(self, shape) -> Value | None:
        """One that exists, or a new one that needs no mask."""
        found = self.tiles_of_pointers(lambda v: v.shape == shape)
        if found and self.chance(0.6):
            return self.choice(found)
        places, mask = self.tile_of(self.choice(self.pointers(lambda e: True)), shape)
        return self.shown(places) if mask is None and shape else None

    def tile_of(self, pointer: Value, shape, index: Value | None = None, simple=False):
        """Pointers to elements after `pointer`, and the mask that they need."""
        mask = None
        if index is None:
            capacity = pointer.origin.capacity - pointer.high
            if simple and product(shape) <= capacity:
                index = self.affine(shape, dense(shape))
            else:
                index, mask = self.index(shape, capacity)
        if self.chance(0.1):
            # Sign extension, which keeps an index that its mask refuses.
            wide = self.one("cast", [index], E.I64, shape, name="arith.extsi")
            index = self.copy_facts(index, wide)
        tile = self.splat(pointer, shape)
        if shape and index.low >= 0 and self.chance(0.15):
            tile = self.add(tile, self.constant(0, E.I32, shape))
        return self.add(tile, index), mask

    def both(self, x: Value | None, y: Value | None) -> Value | None:
        if x is None or y is None:
            return y if x is None else x
        return self.binary("andi", x, y)

    def load_from(self, pointer: Value, shape, simple=False) -> Value:
        places, mask = self.tile_of(pointer, shape, simple=simple)
        if not simple and self.chance(0.35):
            mask = self.both(mask, self.mask(shape))
        return self.load_tile(places, mask)

    def load_tile(self, places: Value, mask: Value | None) -> Value:
        element, buffer = places.element.pointee, places.origin.buffer
        operands = [places] if mask is None else [places, mask]
        other = None
        if mask is not None and self.chance(0.75):
            number = self.rng.randrange(-3, 4)
            if buffer.raw and self.chance(0.4):
                number = self.special_number(element)
            elif element in E.FLOATS and self.chance(0.25):
                number = self.choice([-float("inf"), float("inf")])
            existing = [v for v in self.visible if v.element is element and v.shape == places.shape]
            if existing and self.chance(0.3):
                other = self.choice(existing)
            else:
                other = self.constant(number, element, places.shape)
            operands.append(other)
        volatile = self.chance(0.05)
        (out,) = self.emit("load", operands, [(element, places.shape)], volatile=volatile)
        out.bound, out.signed_zero, out.raw = buffer.bound, buffer.signed_zero, buffer.raw
        if other is not None and element.is_float:
            self.merge_facts(out, other, out)
        return out
