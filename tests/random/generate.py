"""Makes the random kernel of a seed."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import numpy as np

import elements as E
from blocks import Blocks
from elements import decode, encode, pointer_to
from ir import Buffer, Kernel, PointerArgument, ScalarArgument, Value
from statements import random_shape

_GUARD = 256  # bytes around every buffer that no kernel may touch


class Generator(Blocks):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed = seed
        self.asserting = random.Random(~seed)
        self.counting = random.Random(f"counts {seed}")
        self.stride_rng = random.Random(f"strides {seed}")
        self.row_rng = random.Random(f"rows {seed}")
        self.kept_rng = random.Random(f"kept {seed}")
        self.sweep_rng = random.Random(f"sweeps {seed}")
        self.clamp_rng = random.Random(f"clamps {seed}")
        self.strides: list[Value] = []  # arguments that only addresses use
        self.saved = []
        self.functions = []
        self.depth = 0
        self.in_function = False
        self.arguments = []
        self.buffers: list[Buffer] = []
        self.grid = self.choice([1, 1, 1, 1, 1, 1, 2, 3])
        self.types = self._choose_types()
        self.special = self.chance(0.25)
        count = 1 << self.weighted([(1, 0), (1, 2), (2, 4), (4, 6), (6, 7), (6, 8), (2, 9), (1, 10), (1, 11)])
        self.shapes = [random_shape(self, count)]
        self.shapes.append(random_shape(self, count))
        if self.chance(0.5):
            self.shapes.append(random_shape(self, max(1, count // self.choice([1, 2, 4, 16]))))
        self.count = count

    def _choose_types(self):
        table = [(6, E.F32), (5, E.I32), (2, E.I8), (2, E.I16), (2, E.I64), (2, E.F16), (2, E.BF16),
                 (2, E.F64), (1, E.F8E5), (1, E.F8E4)]
        types = [self.weighted(table) for _ in range(self.choice([1, 2, 2, 3]))]
        return types

    def kernel(self) -> Kernel:
        self._add_arguments()
        body = self.block
        self._enter_program()
        for _ in range(self.rng.randrange(2, 11)):
            if self.ops < 250:
                self.statement()
        self._keep_unused()
        if self.counting.random() < 0.3:
            self.add_counts()
        return Kernel(
            self.seed, self.arguments, self._placed(), body, self.functions, self.grid,
            is_exact=not self.special,
        )

    # Arguments and memory.

    def _add_arguments(self) -> None:
        for element in [*self.types, *([E.I32] if self.chance(0.6) else [])]:
            capacity = max(64, self.count * self.choice([1, 2, 4]))
            raw = element.is_float and self.special and self.chance(0.8)
            buffer = self._add_buffer(element, capacity + 64, raw)
            self._add_pointer(buffer, self.choice([0, 0, 0, 1, 3, 16]), capacity)
            if self.chance(0.3):  # a second pointer into the same memory
                offset = self.choice([0, 1, 2, 8, 32, 64])
                self._add_pointer(buffer, offset, capacity)
        if self.chance(0.1):
            self._add_pointer(self._add_buffer(E.I1, self.count + 64), self.choice([0, 1, 3]), self.count)
        for _ in range(self.choice([0, 1, 2, 3])):
            self._add_scalar(self.choice([0, 1, 2, 3, 7, 16, 64, self.count, self.rng.randrange(self.count + 1)]))
        if self.stride_rng.random() < 0.3:
            strides = self.stride_rng.sample([1, 1, 1, 2, 3], self.stride_rng.choice([1, 2]))
            self.strides = [self._declare_scalar(stride, E.I32) for stride in strides]

    def _add_buffer(self, element, count: int, raw: bool = False) -> Buffer:
        count *= self.grid
        random = np.random.Generator(np.random.PCG64(self.rng.randrange(1 << 62)))
        if element.is_float:
            numbers = random.integers(-element.small, element.small + 1, count)
            if self.chance(0.2):
                numbers[random.random(count) < 0.5] = 0
            data = encode(numbers.astype(element.value), element)
            bound = element.small
            if raw:
                data = self._special_data(random, data, element)
        else:
            least, most = self.value(element).low, self.value(element).high
            if self.chance(0.5):
                least, most = -8, min(most, self.count)
            data = random.integers(least, most + 1, count, dtype=np.int64).astype(element.value)
            if element is E.I32 and self.chance(0.5):
                data = random.permutation(count).astype(np.int32)
            bound = 0
        buffer = Buffer(element, data, bound=bound, signed_zero=self.chance(0.5), raw=raw)
        self.buffers.append(buffer)
        return buffer

    @staticmethod
    def _special_data(random, data, element):
        """Numbers of all magnitudes, some of `data`, infinities, NaN, zeros."""
        count, size = len(data), element.size
        bits = random.integers(0, 256, (count, size), dtype=np.uint8).view(element.storage).reshape(count)
        nan = encode(np.array(np.nan, element.value), element)
        out = np.where(np.isnan(decode(bits, element)), nan, bits)
        out = np.where(random.random(count) < 0.4, data, out)
        ends = np.array([0.0, -0.0, np.nan] + [np.inf, -np.inf] * (element is not E.F8E4), element.value)
        picked = encode(random.choice(ends, count), element)
        return np.where(random.random(count) < 0.2, picked, out).astype(element.storage)

    def _add_pointer(self, buffer: Buffer, offset: int, capacity: int) -> PointerArgument:
        value = self.value(pointer_to(buffer.element))
        argument = PointerArgument(value, buffer, offset, capacity)
        argument.aligned = offset * buffer.element.size % 16 == 0 and self.chance(0.7)
        value.origin = argument
        self.arguments.append(argument)
        if self.grid == 1:
            self.visible.append(value)
        return argument

    def _add_scalar(self, number: int) -> None:
        self.visible.append(self._declare_scalar(number, E.I32 if self.chance(0.8) else E.I64))

    def _declare_scalar(self, number: int, element) -> Value:
        value = self.value(element)
        value.low = value.high = number
        self.arguments.append(ScalarArgument(value, number))
        return value

    def _enter_program(self) -> None:
        """Gives each program a part of every buffer of its own."""
        if self.grid == 1:
            return
        self.program = self.one("program", [], E.I32, ())
        self.program.low, self.program.high = 0, self.grid - 1
        self.visible.append(self.program)
        for argument in self.arguments:
            if isinstance(argument, PointerArgument):
                self.visible.append(self._part(argument, len(argument.buffer.data) // self.grid))
        if self.chance(0.4):
            self.stride_loop()

    def _part(self, argument: PointerArgument, size: int) -> Value:
        offset = self.with_number("muli", self.program, size)
        out = self.one("addptr", [argument.value, offset], argument.value.element, ())
        out.origin = argument
        return out

    def _placed(self) -> list[Buffer]:
        at = _GUARD
        for buffer in self.buffers:
            buffer.start = at
            at += -(-(buffer.data.nbytes + _GUARD) // 64) * 64
        return self.buffers

    # Statements.

    def statement(self) -> None:
        self.weighted([
            (5, self.store), (3, self.load), (4, self.update), (2, self.fill_and_scatter),
            (1, self.scalar_load), (7, self.compute), (2, self.compared), (2, self.converted),
            (1, self.bits), (2, self.reshape), (2, self.transpose), (2, self.spread), (1, self.join),
            (1, self.split), (2, self.gather), (1, self.exchange), (0.5, self.histogram), (2, self.atomic), (0.7, self.add_floats), (1, self.map_elements),
            (0.7, self.dot), (6, self.reduce), (3, self.scan), (3, self.loop), (1.5, self.accumulate),
            (1, self.dot_loop),
            (0.5, self.attention), (1.5, self.place_tiles), (2, self.access_block), (0.7, self.pick_places),
            (2, self.branch), (0.3, self.stop), (1.5, self.call),
        ])()
        if self.asserting.random() < 0.06:
            self._assert()

    def _assert(self) -> None:
        """Asserts what holds. All else is as it would be without."""
        ops = self.ops
        values = [v for v in self.visible if v.element in E.INTS]
        if values:
            x = self.asserting.choice(values)
            uses = x.uses
            few = self.with_number("andi", x, 7)
            holds = self.compare("ult", few, self.constant(8, x.element, x.shape))
            self.emit("assert", [holds], [])
            x.uses = uses
        self.ops = ops

    def _keep_unused(self) -> None:
        """Stores what nothing uses, so that every value counts."""
        found = [v for v in self.visible if v.uses == 0 and v.element.kind != "ptr"]
        self.rng.shuffle(found)
        by_element: dict = {}
        for value in found[:10]:
            by_element.setdefault(E.I8 if value.element is E.I1 else value.element, []).append(value)
        for element, values in by_element.items():
            size = sum(v.count for v in values)
            buffer = self._add_buffer(element, size)
            buffer.signed_zero = any(v.signed_zero for v in values)
            buffer.bound = element.exact
            buffer.raw = any(v.raw for v in values)
            argument = self._add_pointer(buffer, 0, size)
            pointer = argument.value if self.grid == 1 else self._part(argument, size)
            at = 0
            for value in values:
                self._sink(pointer, value, element, at)
                at += value.count

    def _sink(self, pointer: Value, value: Value, element, at: int) -> None:
        if value.element is E.I1:
            value = self.one("cast", [value], element, value.shape, name="arith.extui")
        strides, stride = [], 1
        for extent in reversed(value.shape):
            strides.insert(0, stride)
            stride *= extent
        index = self.affine(value.shape, strides, at) if value.shape else self.constant(at, E.I32)
        places = self.add(self.splat(pointer, value.shape), index)
        self.emit("store", [places, value], [])


def generate(seed: int) -> Kernel:
    return Generator(seed).kernel()
