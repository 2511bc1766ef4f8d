"""Random loops, branches and helpers."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from combines import combines_of
from ir import Block, Function, Value
from shapes import dense
from swept import Swept


class Control(Swept):
    functions: list[Function]
    in_function: bool

    # Loops.

    def loop(self) -> None:
        if self.depth >= 2:
            return
        if self.sweep_rng.random() < 0.4:
            self.sweep()
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
        yields = self._yields(inits, carried, trips)
        yields = [self._kept_or(x, kept, iv) for x, kept in zip(yields, carried)]
        yields = [self._inner_or(x, kept) for x, kept in zip(yields, carried)]
        self.leave([self._with_other(x, kept, carried) for x, kept in zip(yields, carried)])
        results = self.emit("for", [*bounds, *inits], [(v.element, v.shape) for v in carried], [region])
        for value, result in zip(carried, results):
            self.copy_facts(value, result)

    def accumulate(self) -> None:
        """A loop that only combines a tile with others, for a reduction."""
        shape = self.any_shape()
        if not shape or self.depth >= 2:
            return
        trips = self.choice([0, 1, 2, 3, 5])
        axis = len(shape) - 1 if self.chance(0.6) else self.rng.randrange(len(shape))
        x = self.tile(self.arithmetic_element(), shape)
        element, name = x.element, self.choice(combines_of(x))
        share = element.exact // (shape[axis] * (trips + 2)) if element.is_float else 0
        if name == "addf" and share == 0:
            name = "maximumf"

        def addend() -> Value:
            masked = element in E.FLOATS and self.chance(0.4)
            y = self._masked_row(shape, element) if masked else self.tile(element, shape)
            return self.limited(y, share) if name == "addf" else y

        init = self.constant(0, element, shape) if self.chance(0.5) else addend()
        carried, iv = self.value(element, shape), self.value(E.I32)
        iv.low, iv.high = 0, max(0, trips - 1)
        bounds = [self.known(n, ()) for n in (0, trips, 1)]
        region = self.region([iv, carried])
        self.visible.remove(carried)  # it has no other use
        for _ in range(self.choice([0, 0, 1])):
            self.statement()
        other = addend()
        pair = [carried, other] if self.chance(0.7) else [other, carried]
        is_selected = self.is_by_selection(name)
        if is_selected:
            combined = self.extreme_by_selection(name, *pair)
        else:
            combined = self.one("binary", pair, element, shape, name=f"arith.{name}")
        if self.row_rng.random() < 0.3:  # some elements stay as they are
            combined = self.one("select", [self.mask(shape), combined, carried], element, shape)
        kept = self._inner_or(self._kept_or(combined, carried, iv), carried)
        self.leave([kept])
        (total,) = self.emit("for", [*bounds, init], [(element, shape)], [region], show=False)
        self.merge_facts(init, other, total)
        if name == "addf":
            total.bound = share * (trips + 1)
        if kept is not combined:
            self.merge_facts(total, kept, total)
        if element.is_int and name not in ("maxsi", "minsi"):
            total.low, total.high = self.value(element).low, self.value(element).high
        self.reduce_tile(total, axis, name, is_selected)

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
        if self.chance(0.25):
            places = self.some_tile_of_pointers(self.any_shape())
            if places is not None:
                return places
        x = self.tile(self.arithmetic_element(), self.any_shape() if self.chance(0.85) else ())
        if not x.element.is_float or (x.raw and self.chance(0.6)):
            return x
        return self.limited(x, x.element.exact // 2)

    def _carry(self, init: Value, trips: int) -> Value:
        """The argument of the body for an initial value: true in every round."""
        out = self.value(init.element, init.shape)
        if init.element.is_float:
            out.bound, out.signed_zero, out.raw = init.element.exact // 2, True, init.raw
        elif init.element.kind == "ptr":
            self.copy_facts(init, out)
            most = (out.origin.capacity - 1 - out.high) // max(trips, 1)
            out.high += min(32, max(0, most)) * trips
        return out

    def _yields(self, inits, carried, trips) -> list[Value]:
        out = []
        for init, value in zip(inits, carried):
            form = self.choice(["sum", "sum", "new", "same", "swap"])
            if value.element.kind == "ptr":
                out.append(self._advanced(value, (value.high - init.high) // max(trips, 1)))
            elif form == "same":
                out.append(value)
            elif form == "swap":
                found = [
                    v for v in carried
                    if v.element is value.element and v.shape == value.shape and (value.raw or not v.raw)
                ]
                out.append(self.choice(found))
            elif form == "new" or value.element is E.I1:
                x = self.tile(value.element, value.shape)
                limited = x.element.is_float and not value.raw
                out.append(self.limited(x, value.bound) if limited else x)
            elif value.element.is_int:
                x = self.tile(value.element, value.shape)
                out.append(self.binary(self.choice(["addi", "addi", "xori", "maxsi"]), value, x))
            else:
                out.append(self._sum(value, trips))
        return out

    def _advanced(self, pointer: Value, most: int) -> Value:
        """Each element of a tile moves by the same, or by its own distance."""
        steps = [n for n in (0, 1, 4, 16, 32, most) if n <= most]
        moved = self.constant(self.choice(steps), E.I32, pointer.shape)
        if pointer.shape and self.chance(0.3) and most:
            index = self.affine(pointer.shape, dense(pointer.shape))
            moved = self.with_number("remui", index, self.choice([most, min(most, 3)]) + 1)
        elif pointer.shape and self.chance(0.3):
            moved = self.splat(self.constant(self.choice(steps), E.I32), pointer.shape)
        out = self.one("addptr", [pointer, moved], pointer.element, pointer.shape)
        if self.chance(0.15):
            condition = self.mask(pointer.shape) if self.chance(0.5) else self.condition()
            out = self.one("select", [condition, out, pointer], out.element, out.shape)
        return out

    def _sum(self, value: Value, trips: int) -> Value:
        """A float's sum over the rounds, within its bound."""
        if value.raw:
            return self.combine_floats(value)
        # Half of it is left of what the yielded values of other rounds hold.
        total = self.limited(value, value.bound // 2)
        x = self.tile(value.element, value.shape)
        return self.binary("addf", total, self.limited(x, value.bound // 2))

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
        moving = self._pointer_to_move() if self.chance(0.25) else None
        if moving is not None:
            types.append((moving.element, moving.shape))
        regions, yielded = [], []
        for side in range(1 if not types and self.chance(0.5) else 2):
            regions.append(self.region([]))
            for _ in range(self.choice([0, 1, 2]) if types else self.choice([1, 2])):
                self.statement()
            yielded.append([self.tile(*t) for t in types if t[0].kind != "ptr"])
            if moving is not None:
                places = self.constant(self.choice([0, 1, 2]), E.I32, moving.shape)
                yielded[-1].append(self.add(moving, places) if self.chance(0.7) else moving)
            self.leave(yielded[-1])
        if len(regions) == 1:
            regions.append(Block())
        results = self.emit("if", [condition], types, regions)
        for result, a, b in zip(results, *yielded) if types else ():
            self.merge_facts(a, b, result)

    def _pointer_to_move(self) -> Value | None:
        """A pointer or a tile of them, after which two elements are left."""
        found = self.pointers(lambda e: True) + self.tiles_of_pointers()
        found = [v for v in found if v.high + 2 < v.origin.capacity]
        return self.choice(found) if found else None

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
        if self.chance(0.3):
            operands += [p for p in [self._pointer_to_move()] if p is not None]
        arguments = [self.copy_facts(x, self.value(x.element, x.shape)) for x in operands]
        visible, depth, self.visible, self.in_function = self.visible, self.depth, [], True
        body = self.region(arguments)
        self.depth = depth
        for _ in range(self.choice([1, 2, 3])):
            self.statement()
        tiles = [v for v in self.visible if v.element.kind != "ptr" or self.chance(0.3)]
        results = [self.choice(tiles) for _ in range(self.choice([0, 1, 2]))] if tiles else []
        self.leave(results)
        self.visible, self.depth, self.in_function = visible, depth, False
        function = Function(f"helper{len(self.functions)}", body)
        self.functions.append(function)
        for _ in range(self.choice([1, 1, 2])):
            types = [(v.element, v.shape) for v in results]
            for source, result in zip(results, self.emit("call", operands, types, function=function)):
                self.copy_facts(source, result)
