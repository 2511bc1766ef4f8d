"""Random masks: affine, hashed, loaded, combined, true everywhere."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from addresses import Addresses
from builder import limits
from ir import Value
from shapes import dense, product


class Masks(Addresses):
    def mask(self, shape, depth: int = 0) -> Value:
        kind = self.weighted([
            (5, "affine"), (2, "hashed"), (3, "data"), (2, "combined"), (2, "rows"), (1, "constant"),
            (1, "modulo"), (1, "narrow"), (1, "wide"), (2, "whole"),
        ])
        count = product(shape)
        predicate = self.choice(["slt", "slt", "slt", "sle", "sgt", "sge", "ult", "uge", "eq", "ne"])
        if kind == "constant":
            return self.constant(self.chance(0.6), E.I1, shape)
        if kind == "whole":  # true for each index, as a compiler can find out
            x = self.affine(shape, dense(shape))
            number = self.constant(count + self.choice([0, 0, 1, 7]), E.I32, shape)
            return self.compare(self.choice(["slt", "slt", "ult"]), x, number)
        if kind == "combined" and depth < 2:
            x, y = self.mask(shape, depth + 1), self.mask(shape, depth + 1)
            if self.chance(0.15):
                return self.select(x, y, self.mask(shape, depth + 1))
            if self.chance(0.2):
                y = self.with_number("xori", y, 1)
            return self.binary(self.choice(["andi", "andi", "ori", "xori"]), x, y)
        if kind == "rows" and len(shape) > 1:
            dim = self.rng.randrange(len(shape))
            rows = self.mask((shape[dim],), depth + 1)
            return self.along(rows, dim, shape)
        if kind == "data":
            # A loaded or computed tile, also of floats.
            tiles = [v for v in self.visible if v.shape == shape and v.element in E.INTS + E.FLOATS]
            x = self.choice(tiles) if tiles else self.loaded_index(shape)
            if x is not None:
                if x.element.is_float:
                    predicate = self.choice(["olt", "ogt", "oeq", "une", "oge", "ult", "one"])
                    return self.compare(predicate, x, self.constant(self.rng.randrange(-3, 4), x.element, shape))
                number = self.rng.randrange(-9, 64)
                return self.compare(predicate, x, self.constant(number, x.element, shape))
        strides = dense(shape)
        if self.chance(0.3):
            strides = [self.choice([-1, 0, 1, 2, 5]) for _ in shape]
        x = self.affine(shape, strides, self.choice([0, 0, 1, -7]))
        if kind == "hashed":
            x = self.hashed(x) if self.chance(0.7) else self.with_number("shli", x, 31)
            number = self.choice([0, 1, -1, 1 << 30])
        elif kind == "modulo":
            x = self.with_number("remsi", x, self.choice([2, 3, 8, 64]))
            number = self.rng.randrange(8)
        else:
            number = self.choice([0, 1, count // 2, count - 1, count, self.rng.randrange(count + 1)])
        if kind in ("narrow", "wide"):  # these wrap too
            element = self.choice([E.I8, E.I16]) if kind == "narrow" else E.I64
            x = self.cast(x, element)
            factor = self.choice([1, 3, 5, 64]) if kind == "narrow" else self.choice([1, 1 << 56, -(1 << 62), 1 << 32])
            x = self.with_number("muli", x, factor)
            number = self.choice([0, 1, -1, 5, limits(element)[0], limits(element)[1]])
            return self.compare(predicate, x, self.constant(number, element, shape))
        if self.chance(0.15):
            name = self.choice(["maxsi", "minsi", "minui", "maxui", "andi", "subi"])
            x = self.with_number(name, x, self.choice([-1, 0, 1, count // 2, count]))
        loop = self.loop_index()
        if loop is not None and self.chance(0.3):
            step = self.with_number("muli", loop, self.choice([1, 8, count]))
            x = self.binary("addi", x, self.splat(step, shape))
        if self.chance(0.15):
            x = self.cast(x, E.I64)
            return self.compare(predicate, x, self.constant(number, E.I64, shape))
        return self.compare(predicate, x, self.known(number, shape))
