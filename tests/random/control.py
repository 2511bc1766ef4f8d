"""Random statements with regions: reductions, scans, loops, branches, helpers."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from addresses import _dense
from ir import Block, Function, Value
from statements import Statements

_INT_COMBINES = ["addi", "addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"]
_FLOAT_COMBINES = ["addf", "addf", "maxnumf", "minnumf", "maximumf", "minimumf"]


class Control(Statements):
    depth: int
    functions: list[Function]

    def region(self, arguments: list[Value]) -> Block:
        """Makes a region current; leave() ends it."""
        block = Block(arguments)
        self.saved.append((self.block, len(self.visible)))
        self.block = block
        self.visible += arguments
        self.depth += 1
        return block

    def leave(self, yields: list[Value]) -> None:
        self.block.yields = yields
        for value in yields:
            value.uses += 1
        self.block, count = self.saved.pop()
        del self.visible[count:]
        self.depth -= 1

    # Reductions and scans.

    def reduce(self) -> None:
        self._combine("reduce")

    def scan(self) -> None:
        self._combine("scan")

    def _combine(self, kind: str) -> None:
        shape = self.any_shape()
        if not shape:
            return
        axis = self.rng.randrange(len(shape))
        if self.chance(0.5):
            axis = len(shape) - 1
        form = self.weighted([(6, "one"), (2, "several"), (2, "argument"), (2, "affine")])
        if form == "affine" and kind == "reduce":
            form = "one"
        if form == "argument" and kind == "scan" and self.chance(0.5):
            form = "last"
        operands, names = self._combine_operands(form, shape, axis)
        elements = [x.element for x in operands]
        left = [self.value(e) for e in elements]
        right = [self.value(e) for e in elements]
        for x, a, b in zip(operands, left, right):
            for v in (a, b):
                self.copy_facts(x, v)
                if x.element.is_float:  # partial sums
                    v.bound = x.element.exact
        region = self.region(left + right)
        self.leave(self._region_of(form, names, left, right))
        out_shape = shape if kind == "scan" else shape[:axis] + shape[axis + 1 :]
        attributes = {"axis": axis}
        if kind == "scan":
            attributes["reverse"] = self.chance(0.3)
        results = self.emit(kind, operands, [(e, out_shape) for e in elements], [region], **attributes)
        for x, name, result in zip(operands, names, results):
            self.copy_facts(x, result)
            if x.element.is_int and name not in ("maxsi", "minsi", "keep"):
                result.low, result.high = self.value(x.element).low, self.value(x.element).high
            if name == "addf":
                result.bound = x.bound * shape[axis]
        self.add_shape(out_shape)

    def _combine_operands(self, form, shape, axis):
        if form == "affine":
            element = self.choice([E.I32, E.I64, E.I8])
            return [self.tile(element, shape), self.tile(element, shape)], ["muli", "addi"]
        if form == "last":
            return [self.tile(self.choice([E.I32, E.I16]), shape)], ["keep"]
        if form == "argument":
            element = self.arithmetic_element()
            places = self.along(self.range(shape[axis]), axis, shape)
            return [self.tile(element, shape), places], ["keep", "keep"]
        operands, names = [], []
        for _ in range(1 if form == "one" else self.choice([2, 2, 3])):
            x = self.tile(self.arithmetic_element() if self.chance(0.9) else E.I1, shape)
            if self.chance(0.15) and x.element in E.FLOATS:
                x = self._masked_row(shape, x.element)
            names.append(self.choice(_combines_of(x)))
            if names[-1] == "addf":
                if x.element in (E.F16, E.BF16) and self.chance(0.7):
                    x = self.cast(x, E.F32)
                least = x.element.exact // shape[axis]
                if least == 0:
                    x = self.cast(x, E.F32)
                    least = x.element.exact // shape[axis]
                x = self.limited(x, least)
            operands.append(x)
        return operands, names

    def _masked_row(self, shape, element) -> Value:
        """A load with a mask for a reduction to skip, perhaps empty."""
        pointers = self.pointers(lambda e: e is element)
        if not pointers:
            return self.tile(element, shape)
        places, mask = self.tile_of(self.choice(pointers), shape, simple=True)
        mask = self.both(mask, self.mask(shape))
        return self.load_tile(places, mask)

    def _region_of(self, form, names, left, right) -> list[Value]:
        if form == "affine":  # x -> a x + b, one after the other: not commutative
            (a, b), (c, d) = left, right
            product = self.binary("muli", b, c)
            return [self.binary("muli", a, c), self.binary("addi", product, d)]
        if form == "last":  # the last that is not zero
            zero = self.constant(0, left[0].element)
            return [self.select(self.compare("eq", right[0], zero), left[0], right[0])]
        if form == "argument":  # as tl.argmax: the lower index of equal values
            (x, i), (y, j) = left, right
            if x.element.is_float:
                above = self.compare(self.choice(["ogt"]), x, y)
                same = self.compare("oeq", x, y)
            elif x.element is E.I1:
                above, same = self.compare("ugt", x, y), self.compare("eq", x, y)
            else:
                above, same = self.compare("sgt", x, y), self.compare("eq", x, y)
            left_first = self.binary("andi", same, self.compare("slt", i, j))
            take = self.binary("ori", above, left_first)
            return [self.select(take, x, y), self.select(take, i, j)]
        out = []
        for name, a, b in zip(names, left, right):
            if name == "addf":  # no sum is above what its operands allow
                out.append(self.one("binary", [a, b], a.element, (), name="arith.addf"))
            else:
                out.append(self.binary(name, a, b))
        return out

    # Loops.

    def loop(self) -> None:
        if self.depth >= 2:
            return
        trips = self.choice([0, 1, 2, 3, 4, 5]) if self.depth == 0 else self.choice([1, 2, 3])
        step = self.choice([1, 1, 1, 2, 16])
        start = self.choice([0, 0, 0, 1, 3])
        stop = start + trips * step - self.rng.randrange(step) if trips else start
        dots = self.chance(0.25)
        inits = [self._initial(trips) for _ in range(self.choice([0, 1, 1, 2, 3]))]
        carried = [self._carry(x, trips) for x in inits]
        if self.chance(0.2):
            self._while(trips, inits, carried)
            return
        iv = self.value(E.I32)
        iv.low, iv.high = start, max(start, stop - 1)
        bounds = [self.known(n, ()) for n in (start, stop, step)]
        region = self.region([iv, *carried])
        self._body(dots, trips)
        self.leave(self._yields(inits, carried, trips))
        results = self.emit("for", [*bounds, *inits], [(v.element, v.shape) for v in carried], [region])
        for value, result in zip(carried, results):
            self.copy_facts(value, result)

    def _while(self, trips, inits, carried) -> None:
        """The same, with a counter and its comparison."""
        before = [self.copy_facts(v, self.value(v.element, v.shape)) for v in carried]
        counters = [self.value(E.I32) for _ in range(3)]
        for counter in counters:
            counter.low, counter.high = 0, max(1, trips)
        counters[1].high = max(1, trips) - 1
        head = self.region([*before, counters[0]])
        go = self.compare("slt", counters[0], self.known(trips, ()))
        self.leave([go, *before, counters[0]])
        body = self.region([*carried, counters[1]])
        self._body(False, trips)
        yields = self._yields(inits, carried, trips)
        self.leave([*yields, self.with_number("addi", counters[1], 1)])
        types = [(v.element, v.shape) for v in [*carried, counters[2]]]
        start = self.constant(0, E.I32)
        results = self.emit("while", [*inits, start], types, [head, body])
        for value, result in zip([*carried, counters[2]], results):
            self.copy_facts(value, result)

    def _body(self, dots, trips) -> None:
        for _ in range(self.choice([1, 2, 2, 3, 4])):
            self.statement()
        if dots:
            self.dot()

    def _initial(self, trips: int) -> Value:
        if self.chance(0.2):
            pointers = self.pointers(lambda e: True)
            pointer = self.choice(pointers)
            if pointer.origin.capacity - pointer.high > 32 * trips + 4:
                return pointer
        x = self.tile(self.arithmetic_element(), self.any_shape() if self.chance(0.85) else ())
        return self.limited(x, x.element.exact // 2) if x.element.is_float else x

    def _carry(self, init: Value, trips: int) -> Value:
        """The argument of the body for an initial value: true in every round."""
        out = self.value(init.element, init.shape)
        if init.element.is_float:
            out.bound, out.signed_zero = init.element.exact // 2, True
        elif init.element.kind == "ptr":
            self.copy_facts(init, out)
            out.high += 32 * trips
        return out

    def _yields(self, inits, carried, trips) -> list[Value]:
        out = []
        for init, value in zip(inits, carried):
            form = self.choice(["sum", "sum", "new", "same", "swap"])
            if value.element.kind == "ptr":
                step = self.choice([0, 1, 4, 16, 32])
                moved = self.constant(step, E.I32)
                out.append(self.one("addptr", [value, moved], value.element, value.shape))
            elif form == "same":
                out.append(value)
            elif form == "swap":
                found = [v for v in carried if v.element is value.element and v.shape == value.shape]
                out.append(self.choice(found))
            elif form == "new" or value.element is E.I1:
                x = self.tile(value.element, value.shape)
                out.append(self.limited(x, value.bound) if x.element.is_float else x)
            elif value.element.is_int:
                x = self.tile(value.element, value.shape)
                out.append(self.binary(self.choice(["addi", "addi", "xori", "maxsi"]), value, x))
            else:
                out.append(self._sum(value, trips))
        return out

    def _sum(self, value: Value, trips: int) -> Value:
        """A float's sum over the rounds, within its bound."""
        # Half of it is left of what the yielded values of other rounds hold.
        total = self.limited(value, value.bound // 2)
        x = self.tile(value.element, value.shape)
        return self.binary("addf", total, self.limited(x, value.bound // 2))

    def dot_loop(self) -> None:
        """The K loop of a matrix product: only dots add to the carried tile."""
        element, result = self.choice([(E.F32, E.F32), (E.BF16, E.F32), (E.F16, E.F32), (E.I8, E.I32)])
        pointers = self.pointers(lambda e: e is element)
        if not pointers or self.depth >= 2:
            return
        m, n, k = (self.choice([4, 8, 16, 32]) for _ in range(3))
        trips = self.choice([1, 2, 3, 4])
        bases = [self.choice(pointers) for _ in range(2)]
        if any(p.origin.capacity - p.high < 64 for p in bases):
            return
        acc = self.constant(0, result, (m, n))
        carried = self.value(result, (m, n))
        most = (1 << 22) // trips
        carried.bound = 1 << 22
        iv = self.value(E.I32)
        iv.low, iv.high = 0, trips - 1
        bounds = [self.known(v, ()) for v in (0, trips, 1)]
        region = self.region([iv, carried])
        tiles = []
        for pointer, shape in zip(bases, ((m, k), (k, n))):
            if self.chance(0.6):
                strides = list(_dense(shape)) if self.chance(0.6) else [1, shape[0]]
                index = self.affine(shape, strides)
                step = self.with_number("muli", iv, k)
                index = self.binary("addi", index, self.splat(step, shape))
                index, mask = self.fitted(index, pointer.origin.capacity - pointer.high)
                places, _ = self.tile_of(pointer, shape, index)
                x = self.load_tile(places, mask)
            else:
                x = self.load_from(pointer, shape)
            if self.chance(0.3):
                x = self.combined(x)
            tiles.append(x)
        if self.chance(0.3):
            self.store()
        out = self.dot_of(*tiles, carried, most)
        self.leave([out])
        (sums,) = self.emit("for", [*bounds, acc], [(result, (m, n))], [region])
        sums.bound = 1 << 22 if result.is_float else 0
        self.add_shape((m, n))

    # Branches and helpers.

    def condition(self) -> Value:
        ints = [v for v in self.visible if v.element in E.INTS and not v.shape]
        x = self.choice(ints) if ints and self.chance(0.9) else self.tile(E.I32, ())
        middle = (x.low + x.high) // 2 if x.high - x.low < 1000 else self.rng.randrange(-20, 20)
        return self.compare(self.choice(["slt", "sge", "eq", "ne"]), x, self.constant(middle, x.element))

    def branch(self) -> None:
        if self.depth >= 3:
            return
        condition = self.condition()
        types = []
        for _ in range(self.choice([0, 0, 1, 2])):
            types.append((self.arithmetic_element(), self.any_shape()))
        regions, yielded = [], []
        for side in range(1 if not types and self.chance(0.5) else 2):
            regions.append(self.region([]))
            for _ in range(self.choice([0, 1, 2]) if types else self.choice([1, 2])):
                self.statement()
            yielded.append([self.tile(*t) for t in types])
            self.leave(yielded[-1])
        if len(regions) == 1:
            regions.append(Block())
        results = self.emit("if", [condition], types, regions)
        for result, a, b in zip(results, *yielded) if types else ():
            self.merge_facts(a, b, result)

    def stop(self) -> None:
        if self.depth == 0 and not self.in_function and self.chance(0.5):
            self.emit("return_if", [self.condition()], [], number=self.numbers)

    def call(self) -> None:
        """A helper that is not inlined, on a pointer and tiles."""
        if self.in_function or len(self.functions) >= 2:
            return
        operands = [self.choice(self.pointers(lambda e: True))]
        for _ in range(self.choice([0, 1, 2])):
            operands.append(self.tile(self.arithmetic_element(), self.any_shape()))
        arguments = [self.copy_facts(x, self.value(x.element, x.shape)) for x in operands]
        visible, depth, self.visible, self.in_function = self.visible, self.depth, [], True
        body = self.region(arguments)
        self.depth = depth
        for _ in range(self.choice([1, 2, 3])):
            self.statement()
        tiles = [v for v in self.visible if v.element.kind != "ptr"]
        results = [self.choice(tiles) for _ in range(self.choice([0, 1, 2]))] if tiles else []
        self.leave(results)
        self.visible, self.depth, self.in_function = visible, depth, False
        function = Function(f"helper{len(self.functions)}", body)
        self.functions.append(function)
        for _ in range(self.choice([1, 1, 2])):
            types = [(v.element, v.shape) for v in results]
            for source, result in zip(results, self.emit("call", operands, types, function=function)):
                self.copy_facts(source, result)


def _combines_of(x: Value) -> list[str]:
    if x.element is E.I1:
        return ["andi", "ori", "xori"]
    if x.element.is_int:
        return _INT_COMBINES
    return ["maxnumf", "minnumf", "maximumf"] if x.infinite else _FLOAT_COMBINES
