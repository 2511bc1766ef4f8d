"""Random loads, stores and atomics, and the operands of all statements."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import numpy as np

import elements as E
from builder import limits
from elements import Element
from ir import Buffer, Value
from masks import Masks
from shapes import dense, product


class Memory(Masks):
    shapes: list[tuple[int, ...]]
    types: list[Element]
    in_function: bool

    # Operands.

    def tile(self, element: Element, shape) -> Value:
        """Any value of this type: one that exists, or a new one."""
        if self.chance(0.75):
            found = [v for v in self.visible if v.shape == shape and v.element is element]
            if found:
                # Recent values more often, so that chains grow.
                return self.choice(found[-4:] if self.chance(0.5) else found)
        if element is E.I1:
            return self.shown(self.mask(shape))
        if self.chance(0.3):
            found = [
                v for v in self.visible
                if v.shape == shape and v.element.kind != "ptr" and v.element is not element
            ]
            if found:
                return self.shown(self.cast(self.choice(found), element))
        pointers = self.pointers(lambda e: e is element)
        if pointers and self.chance(0.8):
            return self.load_from(self.choice(pointers), shape)
        return self.made(element, shape)

    def made(self, element: Element, shape) -> Value:
        """A new value that reads no tile of memory."""
        if not shape or self.chance(0.2):
            if shape and self.chance(0.5):
                return self.splat(self.tile(element, ()), shape)
            number = self.rng.randrange(-3, 8)
            if self.special and element in E.FLOATS and self.chance(0.5):
                number = self.special_number(element)
            if self.chance(0.2) and element.is_int:
                number = self.choice(limits(element))
            return self.constant(number, element, shape)
        return self.cast(self.affine(shape, dense(shape)), element)

    def any_element(self) -> Element:
        return self.choice(self.types)

    def any_shape(self):
        # The first is the kernel's main shape: several roots over one space.
        return self.shapes[0] if self.chance(0.6) else self.choice(self.shapes)

    def arithmetic_element(self) -> Element:
        element = self.any_element()
        return E.F32 if element in E.EIGHT_BIT_FLOATS else element

    # Memory.

    def place_tiles(self) -> None:
        """Loads and stores through a tile of pointers that may have come far."""
        shape = self.any_shape()
        places = self.some_tile_of_pointers(shape)
        if places is None:
            return
        if self.chance(0.5):
            self.load_tile(places, self.mask(shape) if self.chance(0.4) else None)
        if self.chance(0.6):
            value = self.tile(places.element.pointee, shape)
            self.store_to(places, value, self.mask(shape) if self.chance(0.4) else None)

    def pick_places(self) -> None:
        """One of two tiles of pointers for each element, or for all."""
        x = self.some_tile_of_pointers(self.any_shape())
        if x is None:
            return
        found = self.tiles_of_pointers(lambda v: v.shape == x.shape and v.origin is x.origin)
        if len(found) < 2:
            index = self.affine(x.shape, dense(x.shape))
            if index.high >= x.origin.capacity:
                return
            pointer = [p for p in self.pointers(lambda e: True) if p.origin is x.origin and p.high == 0]
            if not pointer:
                return
            found = [x, self.add(self.splat(pointer[0], x.shape), index)]
        y = self.choice([v for v in found if v is not x])
        condition = self.mask(x.shape) if self.chance(0.7) else self.mask(())
        self.shown(self.select(condition, x, y))

    def load(self) -> None:
        pointers = self.pointers(lambda e: True)
        self.load_from(self.choice(pointers), self.any_shape())

    def scalar_load(self) -> None:
        pointer = self.choice(self.pointers(lambda e: True))
        self.load_from(pointer, ())

    def store(self, value: Value | None = None) -> None:
        pointers = self.pointers(lambda e: True)
        if value is None:
            pointer = self.choice(pointers)
            value = self.tile(pointer.element.pointee, self.any_shape())
        else:
            same = [p for p in pointers if p.element.pointee is value.element]
            pointer = self.choice(same or pointers)
        places, mask = self.tile_of(pointer, value.shape)
        if value.element is E.I1 and self.chance(0.3):
            mask = self.both(mask, value)
        elif self.chance(0.4):
            mask = self.both(mask, self.mask(value.shape))
        self.store_to(places, value, mask)

    def store_to(self, places: Value, value: Value, mask: Value | None) -> None:
        buffer = places.origin.buffer
        value = self.fit(value, places.element.pointee, buffer)
        operands = [places, value] if mask is None else [places, value, mask]
        self.emit("store", operands, [])

    def fit(self, value: Value, element: Element, buffer: Buffer) -> Value:
        """`value` as what the buffer may hold."""
        value = self.cast(value, element, None if buffer.raw else buffer.bound)
        if element.is_float and value.signed_zero and not buffer.signed_zero:
            value = self.without_negative_zero(value)
        return value

    def without_negative_zero(self, value: Value) -> Value:
        small = value.element in E.EIGHT_BIT_FLOATS
        wide = self.cast(value, E.F32) if small else value
        wide = self.binary("addf", wide, self.constant(0, wide.element, wide.shape))
        wide.signed_zero = False
        return self.cast(wide, value.element)

    def update(self) -> None:
        """Loads and stores through the same pointers: they may repeat."""
        pointer = self.choice(self.pointers(lambda e: e not in E.EIGHT_BIT_FLOATS) or [None])
        if pointer is None:
            return
        shape = self.any_shape()
        places, mask = self.tile_of(pointer, shape)
        if self.chance(0.3):
            mask = self.both(mask, self.mask(shape))
        value = self.load_tile(places, mask)
        self.store_to(places, self.combined(value), mask)

    def fill_and_scatter(self) -> None:
        """Two stores that overlap, with the first often a constant."""
        pointers = self.pointers(lambda e: True)
        pointer = self.choice(pointers)
        shape = self.any_shape()
        element = pointer.element.pointee
        for value in (self.made(element, shape), self.tile(element, shape)):
            places, mask = self.tile_of(pointer, shape)
            if self.chance(0.2):
                mask = self.both(mask, self.mask(shape))
            self.store_to(places, value, mask)

    def atomic(self) -> None:
        pointers = self.pointers(lambda e: e in (E.I32, E.I64, E.F32, E.F64, E.F16, E.BF16))
        if not pointers:
            return
        pointer = self.choice(pointers)
        element = pointer.element.pointee
        shape = () if self.chance(0.3) else self.any_shape()
        if product(shape) > 256:
            return
        places, mask = self.tile_of(pointer, shape)
        if element.is_int and self.chance(0.2) and mask is None:
            operands = [places, self.tile(element, shape), self.tile(element, shape)]
            self.emit("cas", operands, [(element, shape)])
            return
        names = ["and", "or", "xor", "add", "add", "max", "min", "umax", "umin", "exch"]
        name = self.choice(names) if element.is_int else "exch"
        value = self.tile(element, shape)
        if element.is_float:
            value = self.fit(value, element, places.origin.buffer)
        if mask is None or self.chance(0.4):
            mask = self.both(mask, self.mask(shape))
        if element in (E.F16, E.BF16):
            return
        old = self.rmw(name, places, value, mask)
        buffer = places.origin.buffer
        old.bound, old.signed_zero, old.raw = buffer.bound, buffer.signed_zero, buffer.raw

    def rmw(self, name: str, places: Value, value: Value, mask: Value) -> Value:
        """An atomic update, which orders other accesses or lets loads be moved past it,
        and whose result other statements use or not."""
        sem = self.choice(["acq_rel", "relaxed"])
        shape = value.shape
        (old,) = self.emit("rmw", [places, value, mask], [(value.element, shape)], name=name, sem=sem)
        if self.chance(0.5):
            self.visible.pop()
        return old

    def add_floats(self) -> None:
        """Atomic additions to memory that nothing else uses, so that sums stay exact."""
        if self.in_function:
            return
        element = self.choice([E.F32, E.F64])
        shape = self.any_shape()
        if product(shape) > 256:
            return
        strides = [self.choice([0, 1, 1, 2]) for _ in shape]
        index = self.affine(shape, strides)
        runs = random.Random(f"runs {self.seed} {len(self.buffers)}")
        if shape and runs.random() < 0.5:
            index = self._in_runs(index, runs)
        # At most this many additions to one place: loops nest twice.
        most = element.exact // (product(shape) * 64)
        value = self.without_negative_zero(self.cast(self.tile(element, shape), element, min(most, 64)))
        buffer = self._add_buffer(element, index.high + 1)
        argument = self._add_pointer(buffer, 0, index.high + 1)
        if self.grid == 1:
            pointer = self.visible.pop()
        else:
            pointer = self._part(argument, index.high + 1)
        places = self.add(self.splat(pointer, shape), index)
        old = self.rmw("fadd", places, value, self.mask(shape))
        old.bound, old.signed_zero = element.exact, False

    def _in_runs(self, index: Value, rng: random.Random) -> Value:
        """The same index for neighbours: divided, or numbers in memory."""
        if rng.random() < 0.5:
            return self.with_number(rng.choice(["divui", "divsi"]), index, rng.choice([2, 3, 16, 40]))
        count = index.high + 1
        numbers, run = self._add_buffer(E.I32, count * self.grid), rng.choice([1, 7, 16, 17, 32, 100])
        first = rng.randrange(run)
        numbers.data = np.array([(first + i) // run * 5 % count for i in range(len(numbers.data))], np.int32)
        argument = self._add_pointer(numbers, 0, count)
        pointer = self.visible.pop() if self.grid == 1 else self._part(argument, count)
        out = self.load_tile(self.add(self.splat(pointer, index.shape), index), None)
        out.low, out.high = 0, count - 1
        return out

    def add_counts(self) -> None:
        """Atomic additions to integers that all programs share, in the last statement."""
        element = self.choice([E.I32, E.I64])
        shape = self.any_shape()
        strides = dense(shape) if self.chance(0.7) else [self.choice([0, 1, 2]) for _ in shape]
        index = self.affine(shape, strides)
        buffer = self._add_buffer(element, index.high + 1)
        argument = self._add_pointer(buffer, 0, index.high + 1)
        places = self.add(self.splat(argument.value, shape), index)
        value = self.tile(element, shape)
        self.rmw("add", places, value, self.mask(shape))
