"""Random loops that compute elements from memory and from the tiles that they carry, and
have no other effect."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random

import elements as E
from ir import Value
from kept import Kept


class Swept(Kept):
    sweep_rng: random.Random

    def sweep(self, shape=None, given: list[Value] = ()) -> list[Value]:
        """A loop that carries tiles of one shape, perhaps those that are `given`."""
        pick = self.sweep_rng
        shape = shape or self.any_shape()
        if not shape:
            return []
        trips = pick.choice([0, 1, 1, 2, 3, 9, 12]) if not given else pick.choice([0, 1, 2, 3])
        step, start = pick.choice([1, 1, 1, 2, 16]), pick.choice([0, 0, 1])
        inits = list(given) or [self._started(shape) for _ in range(pick.choice([1, 1, 2, 3]))]
        carried = [self._carry(x, trips) for x in inits]
        if pick.random() < 0.2:  # a scalar, too
            scalar = self.known(pick.randrange(4), ())
            inits.append(scalar)
            carried.append(self.value(scalar.element))
            carried[-1].low, carried[-1].high = scalar.low, scalar.low + max(trips, 1)
        iv = self.value(E.I32)
        iv.low, iv.high = start, start + max(0, trips * step - 1)
        bounds = [self.known(n, ()) for n in (start, start + trips * step - pick.randrange(step), step)]
        region = self.region([iv, *carried])
        for _ in range(pick.choice([1, 1, 2, 3, 4])):
            pick.choice([self._compute_any, self._load_scalar, self._load_row, self._load_tile, self._load_tile])(shape)
        yields = self._yields(inits, carried, trips)
        for n, value in enumerate(carried):
            if not value.shape:
                yields[n] = self.with_number("addi", value, 1)
        if self.depth < 2 and pick.random() < 0.3:
            tiles = [n for n, value in enumerate(yields) if value.shape == shape and value.element.kind != "ptr"]
            for n, value in zip(tiles, self.sweep(shape, [yields[n] for n in tiles])) if tiles else ():
                fits = value.element.is_int or carried[n].raw or value.bound <= carried[n].bound
                yields[n] = value if fits and not (value.raw and not carried[n].raw) else yields[n]
        self.leave(yields)
        show = pick.random() < 0.9  # scalars, too
        results = self.emit("for", [*bounds, *inits], [(v.element, v.shape) for v in carried], [region])
        for value, result in zip(carried, results):
            self.copy_facts(value, result)
            if not value.shape and (not show or pick.random() < 0.8):
                self.visible.remove(result)
        return results

    def _started(self, shape) -> Value:
        x = self.tile(self.arithmetic_element(), shape)
        if not x.element.is_float or (x.raw and self.chance(0.6)):
            return x
        return self.limited(x, x.element.exact // 2)

    def _compute_any(self, shape) -> None:
        self.compute()

    def _load_scalar(self, shape) -> None:
        self.scalar_load()

    def _load_tile(self, shape) -> None:
        self.load_from(self.sweep_rng.choice(self.pointers(lambda e: True)), shape)

    def _load_row(self, shape) -> None:
        """Elements that rows, or columns, repeat."""
        dim = self.sweep_rng.randrange(len(shape))
        pointer = self.sweep_rng.choice(self.pointers(lambda e: True))
        self.shown(self.along(self.load_from(pointer, (shape[dim],)), dim, shape))
