"""Random branches that leave a tile that a loop carries as it is, and loops that go on with it."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from dots import Dots
from ir import Value


class Kept(Dots):
    def _kept_or(self, value: Value, kept: Value, iv: Value) -> Value:
        """Perhaps a branch that leaves the tile `kept` of a loop as it is in some
        iterations, and computes the larger of both in others."""
        element, shape = value.element, value.shape
        if not shape or element.kind == "ptr" or element is E.I1 or self.kept_rng.random() < 0.6:
            return value
        middle = self.kept_rng.randint(iv.low, max(iv.low, iv.high))
        condition = self.compare(self.kept_rng.choice(["slt", "sge", "eq"]), iv, self.constant(middle, E.I32))
        sides = [self.region([])]
        name = "arith.maximumf" if element.is_float else "arith.maxsi"
        pair = [value, kept]
        self.kept_rng.shuffle(pair)
        larger = self.one("binary", pair, element, shape, name=name)
        self.merge_facts(value, kept, larger)
        # Short branches that read no memory may become selections.
        pointers = self.pointers(lambda e: e is element) if self.kept_rng.random() < 0.8 else []
        if pointers:
            other = self.load_from(self.kept_rng.choice(pointers), shape, simple=True)
            if kept.raw or not other.raw:
                larger = self.one("binary", [larger, other], element, shape, name=name)
                self.merge_facts(value, kept, larger)
                self.merge_facts(larger, other, larger)
        self.leave([larger])
        sides.append(self.region([]))
        self.leave([kept])
        if self.kept_rng.random() < 0.5:
            sides.reverse()
        (out,) = self.emit("if", [condition], [(element, shape)], sides, show=False)
        self.merge_facts(larger, kept, out).signed_zero = element.is_float
        return out

    def _inner_or(self, value: Value, kept: Value) -> Value:
        """Perhaps what a loop in the loop makes of the tile `kept` that this carries."""
        element, shape = value.element, value.shape
        if not shape or element.kind == "ptr" or element is E.I1 or self.kept_rng.random() < 0.7:
            return value
        name = "arith.maximumf" if element.is_float else "arith.maxsi"
        carried, iv = self.value(element, shape), self.value(E.I32)
        self.copy_facts(kept, carried)
        self.merge_facts(value, kept, carried)
        trips = self.kept_rng.choice([0, 1, 2, 3])
        iv.low, iv.high = 0, max(0, trips - 1)
        region = self.region([iv, carried])
        larger = self.one("binary", [carried, value], element, shape, name=name)
        if self.kept_rng.random() < 0.3:  # after which it may not be overwritten
            is_first = self.splat(self.compare("eq", iv, self.constant(0, E.I32)), shape)
            larger = self.select(is_first, self.copy_facts(carried, larger), kept)
        self.copy_facts(carried, larger)
        self.leave([larger])
        bounds = [self.constant(n, E.I32) for n in (0, trips, 1)]
        (out,) = self.emit("for", [*bounds, kept], [(element, shape)], [region])
        self.copy_facts(carried, out)
        return out

    def _with_other(self, value: Value, own: Value, carried: list[Value]) -> Value:
        """Perhaps the larger of a float and another one that the loop carries."""
        others = [
            v for v in carried
            if v is not own and v.shape and v.element is own.element and v.shape == own.shape and (own.raw or not v.raw)
        ]
        if not others or not value.element.is_float or self.kept_rng.random() < 0.5:
            return value
        other = self.kept_rng.choice(others)
        larger = self.one("binary", [value, other], value.element, value.shape, name="arith.maximumf")
        return self.merge_facts(value, other, larger)
