"""Makes random kernels of products that read an image: convolutions, and their
gradients, without a copy of what the filters see."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from ir import Kernel, Value
from products import LoneProduct


class Pixels(LoneProduct):
    """One product. Along one dimension of its left operand are pixels of the result,
    along the other one channels and places in the filter, each from its number."""

    def kernel(self) -> Kernel:
        self.grid = 1  # programs share the image
        self.programs = programs = self.choice([1, 1, 2, 3])
        element = self.choice([E.F32, E.F32, E.F32, E.BF16, E.F16, E.I8])
        result = E.F32 if element.is_float else E.I32
        m, n, k = self.choice((8, 16, 32, 64)), self.choice((8, 16, 32)), self.choice((8, 16, 32))
        trips = self.choice([1, 1, 2, 3])
        self.stride, self.pad = self.choice([1, 1, 1, 2, 3]), self.choice([0, 1, 1])
        self.size = self.choice([1, 2, 3, 3])  # of the filter
        self.width, self.height = self.choice([3, 7, 12, 13, 16, 17, 20, 40]), self.choice([1, 2, 3, 5])
        self.pitch = (self.width - 1) * self.stride + self.size + self.choice([-2 * self.pad, 0, 1])
        self.pitch = max(1, self.pitch)
        self.lines = max(1, (self.height - 1) * self.stride + self.size - 2 * self.pad)
        channels = -(-trips * k // self.size**2)
        images = -(-programs * m // (self.width * self.height))
        plane = self.lines * self.pitch
        image = self._add_pointer(self._add_buffer(element, images * channels * plane), 0, images * channels * plane).value
        filters = self._add_pointer(self._add_buffer(element, trips * k * n), 0, trips * k * n).value
        buffer = self._add_buffer(result, programs * m * n)
        buffer.bound, buffer.signed_zero = result.exact, True
        out = self._add_pointer(buffer, 0, programs * m * n).value
        for number in {self.width, self.stride, self.size}:
            self._add_scalar(number)
        body = self.block
        pixel = self._numbers(programs, m)
        limit = self.known(programs * m - self.choice([0, 0, 1, m // 2]), (m,))
        there = self.compare("slt", pixel, limit)
        place = self._place(pixel, self.choice([0, 0, 1]))
        sums = self.constant(0, result, (m, n))
        carried, iv = self.value(result, (m, n)), self.value(E.I32)
        carried.bound, carried.signed_zero = 1 << 22, True
        iv.low, iv.high = 0, trips - 1
        bounds = [self.known(v, ()) for v in (0, trips, 1)]
        region = self.region([iv, carried])
        depth = self.binary("addi", self.splat(self.with_number("muli", iv, k), (k,)), self.range(k))
        left = self._seen(image, pixel, there, place, depth, channels)
        right = self._step_of(filters, (k, n), iv, k * n)
        self.leave([self.dot_of(left, right, carried, (1 << 21) // trips)])
        (sums,) = self.emit("for", [*bounds, sums], [(result, (m, n))], [region], show=False)
        sums.bound, sums.signed_zero = 1 << 22 if result.is_float else 0, True
        self._keep(out, sums, pixel, there, programs)
        return Kernel(self.seed, self.arguments, self._placed(), body, self.functions, programs, is_exact=True)

    def _numbers(self, programs: int, m: int) -> Value:
        if programs == 1:
            return self.range(m)
        number = self.one("program", [], E.I32, ())
        number.low, number.high = 0, programs - 1
        return self.binary("addi", self.splat(self.with_number("muli", number, m), (m,)), self.range(m))

    def _divided(self, x: Value, by: int) -> tuple[Value, Value]:
        """Quotient and remainder by a constant or an argument."""
        signed = self.chance(0.7)
        number = self.known(by, x.shape)
        names = ("divsi", "remsi") if signed else ("divui", "remui")
        quotient, rest = (self.binary(name, x, number) for name in names)
        quotient.low, quotient.high = x.low // by, x.high // by
        rest.low, rest.high = 0, min(by - 1, x.high)
        return quotient, rest

    def _place(self, pixel: Value, by_lines: int) -> tuple[Value, Value, Value]:
        """Image, row and column of each pixel, by divisions in one order or another."""
        if by_lines:
            line, column = self._divided(pixel, self.width)
            return (*self._divided(line, self.height), column)
        image, rest = self._divided(pixel, self.width * self.height)
        return (image, *self._divided(rest, self.width))

    def _seen(self, pointer: Value, pixel, there, place, depth, channels: int) -> Value:
        """What the filter sees around each pixel; turned, as a gradient reads it."""
        m, k = pixel.shape[0], depth.shape[0]
        turned = self.chance(0.2)
        shape, dims = ((k, m), (1, 0)) if turned else ((m, k), (0, 1))
        channel, at = self._divided(depth, self.size**2)
        down, right = self._divided(at, self.size)
        image, row, column = place
        column_step = self.known(self.stride, (m,)) if self.chance(0.5) else self.constant(self.stride, E.I32, (m,))
        row = self.with_number("subi", self.with_number("muli", row, self.stride), self.pad)
        column = self.with_number("subi", self.binary("muli", column, column_step), self.pad)
        both = lambda x, y: self.binary("addi", self.along(x, dims[0], shape), self.along(y, dims[1], shape))
        row, column = both(row, down), both(column, right)
        plane = both(self.with_number("muli", image, channels), channel)
        index = self.binary("addi", self.with_number("muli", plane, self.lines * self.pitch), self.with_number("muli", row, self.pitch))
        index = self.binary("addi", index, column)
        mask = None
        for x, size in ((row, self.lines), (column, self.pitch)):
            mask = self.both(mask, self.compare("sge", x, self.constant(0, E.I32, shape)))
            mask = self.both(mask, self.compare("slt", x, self.known(size, shape)))
        below = self.compare("slt", channel, self.known(channels - self.choice([0, 0, 1]), (k,)))
        mask = self.both(self.both(mask, self.along(below, dims[1], shape)), self.along(there, dims[0], shape))
        if self.chance(0.1) and self.programs == 1:  # it may read what another program writes
            mask = self.both(mask, self.mask(shape))
        tile = self.load_tile(self.add(self.splat(pointer, shape), index), mask)
        return self.reshaped("trans", tile, (m, k), order=[1, 0]) if turned else tile

    def _keep(self, pointer: Value, sums: Value, pixel: Value, there: Value, programs: int) -> None:
        """By rows, or in a plane for each channel."""
        m, n = sums.shape
        pixels, channels = (programs * m, 1) if self.chance(0.5) else (1, n)
        index = self.binary("addi", self.along(self.with_number("muli", pixel, channels), 0, sums.shape),
                            self.along(self.with_number("muli", self.range(n), pixels), 1, sums.shape))
        self.store_to(self.add(self.splat(pointer, sums.shape), index), sums, self.along(there, 0, sums.shape))
