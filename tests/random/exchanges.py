"""Random exchanges of elements whose indices differ in a bit, as Triton's sorts and flips make them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from combines import Combines
from ir import Value

_BITS = {8: E.I8, 16: E.I16, 32: E.I32, 64: E.I64}


class Exchanges(Combines):
    def exchange(self) -> None:
        """A few steps of a sort, perhaps with another tile in its order, or of a flip; perhaps one of a top-k."""
        x = self.source()
        if x.element is E.I1 or x.count < 2:
            return
        shape = whole = x.shape
        cube = (2,) * (x.count.bit_length() - 1)
        x = self.reshaped("reshape", x, cube)
        follower = None
        if self.chance(0.3):
            follower = self.reshaped("reshape", self.tile(self.choice([E.I8, E.I32, E.I64]), shape), cube)
        for _ in range(self.choice([1, 2, 3, 6, 10, 20])):
            axis = self.rng.randrange(len(cube))
            other = self.partner(x, axis)
            kind = self.weighted([(4, "sort"), (2, "flip"), (1, "extra")])
            if kind == "sort" and x.element not in E.EIGHT_BIT_FLOATS:
                swaps = self.decision(x, other, axis)
                x = self.select(swaps, other, x)
                if follower:
                    follower = self.select(swaps, self.partner(follower, axis), follower)
            elif kind == "extra" and x.element.is_int:
                x = self.binary(self.choice(["addi", "maxsi", "xori"]), x, other)
            else:
                x = other
        if x.element.is_int and len(cube) > 1 and self.chance(0.3):
            x = self.better_half(x, self.rng.randrange(len(cube)))
            shape = (x.count,)
        out = self.shown(self.reshaped("reshape", x, shape) if self.chance(0.8) else x)
        self.add_shape(out.shape)
        if follower:
            self.shown(self.reshaped("reshape", follower, whole))

    def partner(self, x: Value, axis: int) -> Value:
        """`x` with the elements of each pair along `axis` exchanged."""
        bits = x
        if x.element.is_float:
            bits = self.one("bitcast", [x], _BITS[x.element.bits], x.shape)
        both = self.pairwise("xori", bits, axis)
        if len(x.shape) == 1:  # then it is a scalar
            wide = self.splat(both, x.shape)
        else:
            wide = self.reshaped("expand", both, (*x.shape[:axis], 1, *x.shape[axis + 1 :]), axis=axis)
            wide = self.broadcast(wide, x.shape)
        pair = [bits, wide] if self.chance(0.7) else [wide, bits]
        other = self.one("binary", pair, bits.element, x.shape, name="arith.xori")
        if x.element.is_float:
            other = self.one("bitcast", [other], x.element, x.shape)
        return self.copy_facts(x, other)

    def pairwise(self, name: str, x: Value, axis: int) -> Value:
        """The reduction of an axis of two."""
        a, b = self.value(x.element), self.value(x.element)
        region = self.region([a, b])
        self.leave([self.binary(name, a, b)])
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        return self.emit("reduce", [x], [(x.element, shape)], [region], show=False, axis=axis)[0]

    def better_half(self, x: Value, axis: int) -> Value:
        name = self.choice(["maxsi", "minsi"])
        return self.copy_facts(x, self.pairwise(name, x, axis))

    def decision(self, x: Value, other: Value, axis: int) -> Value:
        """Whether to exchange, in either of two directions for some other bit of the index."""
        above = self.compare("ogt" if x.element.is_float else "sgt", x, other)
        bit = self.along(self.range(2), axis, x.shape, wide=False)
        if self.chance(0.5):
            place = self.along(self.range(2), self.rng.randrange(len(x.shape)), x.shape, wide=False)
            both = tuple(max(a, b) for a, b in zip(bit.shape, place.shape))
            bit = self.binary("xori", self.broadcast(bit, both), self.broadcast(place, both))
        elif self.chance(0.3):
            bit = self.with_number("xori", bit, 1)
        if self.chance(0.5):  # as Triton 3.9 compares
            bit = self.compare("ne", bit, self.constant(0, E.I32, bit.shape))
            return self.compare("ne", above, self.broadcast(bit, x.shape))
        extended = self.one("cast", [above], E.I32, x.shape, name="arith.extui")
        return self.compare("ne", extended, self.broadcast(bit, x.shape))
