"""Random loops with the stride of the grid, in which a program reads every n-th block."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from combines import combines_of
from control import Control
from ir import Value


class Strides(Control):
    grid: int
    program: Value

    def stride_loop(self) -> None:
        """Reduces the blocks of a program, each or all together; nothing else reads or writes their memory."""
        element = self.choice([E.F32, E.F32, E.I32, E.F64, E.I64, E.I16])
        length = self.choice([2048, 2048, 4096, 1024]) // element.size
        blocks = self.choice([0, 1, 2, 3]) * self.grid + self.rng.randrange(self.grid)
        count = max(1, blocks * length - self.choice([0, 0, 1, length // 2]))
        buffer = self._add_buffer(element, count + length)
        pointer = self._add_pointer(buffer, self.choice([0, 1]), count).value
        first = self.with_number("muli", self.program, length)
        by_pointer = self.chance(0.3)
        bounds = [first, self.known(count, ()), self.known(self.grid * length, ())]
        iv = self.value(E.I32)
        iv.low, iv.high = 0, count
        is_tile = self.chance(0.6)
        name = self.choice(combines_of(self.value(element)))
        shape = (length,) if is_tile else ()
        init = self.constant(1, element, shape)
        total = self.value(element, shape)
        carried, inits = [total], [init]
        if by_pointer:
            place = self.one("addptr", [pointer, first], pointer.element, ())
            at = self.value(pointer.element)
            carried.append(at)
            inits.append(place)
        region = self.region([iv, *carried])
        index = self.binary("addi", self.splat(iv, (length,)), self.range(length))
        mask = self.compare("slt", index, self.splat(bounds[1], (length,)))
        places = self.splat(at if by_pointer else pointer, (length,))
        places = self.one(
            "addptr", [places, self.range(length) if by_pointer else index], pointer.element, (length,)
        )
        other = self.constant(1, element, (length,))
        (block,) = self.emit("load", [places, mask, other], [(element, (length,))], show=False)
        if not is_tile:
            block = self._whole_reduction(block, name)
        yields = [self.one("binary", [total, block], element, shape, name=f"arith.{name}")]
        if by_pointer:
            yields.append(self.one("addptr", [at, bounds[2]], pointer.element, ()))
        self.leave(yields)
        results = self.emit("for", [*bounds, *inits], [(v.element, v.shape) for v in carried], [region], show=False)
        out = results[0]
        out.signed_zero = True
        out.bound = buffer.bound + 1
        if name == "addf":
            out.bound *= (blocks // self.grid + 2) * (1 if is_tile else length)
        if is_tile:
            self.reduce_tile(out, 0, name)
        else:
            self.shown(out)

    def _whole_reduction(self, x: Value, name: str) -> Value:
        a, b = self.value(x.element), self.value(x.element)
        region = self.region([a, b])
        self.leave([self.one("binary", [a, b], x.element, (), name=f"arith.{name}")])
        return self.emit("reduce", [x], [(x.element, ())], [region], show=False, axis=0)[0]
