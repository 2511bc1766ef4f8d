"""Indices that stay in memory: cut, masked, or masked and clamped."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import elements as E
from conversions import Conversions
from ir import Value


class Fitted(Conversions):
    clamp_rng: random.Random

    def known(self, number: int, shape) -> Value:
        """A tile of one known number: a constant, or an argument plus one."""
        arguments = [
            v for v in self.visible
            if v.element is E.I32 and not v.shape and v.low == v.high and abs(v.low) < 1 << 20
        ]
        if not arguments or self.chance(0.6):
            return self.constant(number, E.I32, shape)
        argument = self.choice(arguments)
        if argument.low != number:
            argument = self.with_number("addi", argument, number - argument.low)
        return self.splat(argument, shape)

    def fitted(self, x: Value, capacity: int) -> tuple[Value, Value | None]:
        """Cuts or masks indices that may be outside of [0, capacity)."""
        if 0 <= x.low and x.high < capacity:
            return x, None
        spread = x.high - x.low
        if spread < capacity and self.chance(0.5):
            return self.with_number("subi", x, x.low), None
        # A masked-off index may be anything that does not wrap as an address.
        if -(1 << 20) < x.low and x.high < 1 << 20 and self.chance(0.6):
            mask, ends = None, []
            if x.high >= capacity:
                most = self.rng.randrange(capacity + 1)
                mask = self.compare("slt", x, self.known(most, x.shape))
                ends.append(("minsi", most - 1))
            if x.low < 0:
                least = self.choice([0, 0, 1, 5])
                above = self.compare("sge", x, self.known(least, x.shape))
                mask = above if mask is None else self.binary("andi", mask, above)
                ends.append(("maxsi", least))
            return self.clamped(x, mask, ends, capacity), mask
        most = 1 << (capacity.bit_length() - 1)
        if self.chance(0.5):
            return self.with_number("andi", x, most - 1), None
        return self.with_number("remui", x, self.choice([most, capacity])), None

    def clamped(self, x: Value, mask: Value, ends, capacity: int) -> Value:
        """Clamps `x` at, or near, some of the `ends` of what the mask leaves, or selects by the mask."""
        while self.clamp_rng.random() < 0.4:
            name, end = self.clamp_rng.choice([*ends, *ends, ("select", 0)])
            end = min(max(end + self.clamp_rng.choice([-2, -1, 0, 0, 0, 1]), 0), capacity - 1)
            limit = self.constant(end, E.I32, x.shape)
            if self.clamp_rng.random() < 0.5:
                limit = self.with_number("subi", self.constant(end + 1, E.I32, x.shape), 1)
            low, high = x.low, x.high
            if name == "select":
                condition = mask if self.clamp_rng.random() < 0.7 else self.compare("sge", x, limit)
                x = self.select(condition, x, limit)
                x.low, x.high = min(low, end), max(high, end)
            else:
                choose = min if name == "minsi" else max
                x = self.binary(name, x, limit)
                x.low, x.high = choose(low, end), choose(high, end)
        return x
