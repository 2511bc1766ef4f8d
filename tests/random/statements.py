"""Random arithmetic, comparisons, conversions, shapes and dots."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import elements as E
from builder import limits
from ir import Value
from memory import Memory

_COMPARE_INTS = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
_COMPARE_FLOATS = [
    "oeq", "une", "olt", "ole", "ogt", "oge", "ueq", "one", "ult", "ule", "ugt", "uge", "ord", "uno",
]


class Statements(Memory):
    # Arithmetic.

    def compute(self) -> None:
        self.shown(self.combined(self.tile(self.arithmetic_element(), self.any_shape())))

    def combined(self, x: Value) -> Value:
        """A new value made of `x` and perhaps another."""
        if x.element is E.I1:
            return self.binary(self.choice(["andi", "ori", "xori"]), x, self.tile(E.I1, x.shape))
        if x.element in E.EIGHT_BIT_FLOATS:
            return self.cast(self.combined(self.cast(x, E.F32)), x.element, x.element.small)
        if x.element in (E.F16, E.BF16) and self.chance(0.3):
            return self.through_f32(x)
        if self.chance(0.2):
            return self.select(self.tile(E.I1, x.shape), x, self.tile(x.element, x.shape))
        if self.chance(0.15):
            return self.unary(x)
        return self.combine_floats(x) if x.element.is_float else self.combine_ints(x)

    def second(self, x: Value) -> Value:
        if self.chance(0.4):
            return self.constant(self.rng.randrange(-4, 5), x.element, x.shape)
        return self.tile(x.element, x.shape)

    def through_f32(self, x: Value) -> Value:
        """A new f16 or bf16, by operations on f32, which a compiler may narrow."""
        wide = self._extended(x, E.F32)
        for _ in range(self.rng.randrange(1, 4)):
            y = self._extended(self.second(x), E.F32)
            if self.chance(0.2):
                wide = self.unary(wide)
            elif self.chance(0.2):
                wide = self.select(self.compare(self.choice(_COMPARE_FLOATS), wide, y), wide, y)
            else:
                wide = self.combine_floats(wide, y)
        return self.cast(wide, x.element)

    def combine_floats(self, x: Value, y: Value | None = None) -> Value:
        name = self.choice(["addf", "addf", "subf", "mulf", "maxnumf", "minnumf", "maximumf", "minimumf"])
        y = y or self.second(x)
        if self.special and self.chance(0.15):
            return self.binary("divf", x, self.without_negative_zero(y) if y.signed_zero else y)
        if x.raw or y.raw:
            return self.binary(name, x, y)
        if name in ("addf", "subf"):
            half = x.element.exact // 2
            x, y = self.limited(x, half), self.limited(y, half)
        elif name == "mulf":
            root = math.isqrt(x.element.exact)
            x, y = self.limited(x, root), self.limited(y, root)
        return self.binary(name, x, y)

    def combine_ints(self, x: Value) -> Value:
        name = self.choice([
            "addi", "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
            "shli", "shrsi", "shrui", "divsi", "divui", "remsi", "remui",
        ])
        y = self.second(x)
        if name in ("shli", "shrsi", "shrui"):
            # Too large an amount shifts all bits out.
            most = x.element.bits * (2 if self.row_rng.random() < 0.2 else 1)
            y = self.with_number("andi", y, most - 1)
        elif name[:3] in ("div", "rem"):
            # In [1, 16], so that nothing is undefined.
            y = self.with_number("addi", self.with_number("andi", y, 15), 1)
        return self.binary(name, x, y)

    def unary(self, x: Value) -> Value:
        if x.element.is_int:
            if self.chance(0.7):
                out = self.one("unary", [x], x.element, x.shape, name="math.absi")
                if x.low > limits(x.element)[0]:
                    out.low, out.high = 0, max(abs(x.low), abs(x.high))
                return out
            return self.with_number("xori", x, -1)
        name = self.choice(["math.absf", "arith.negf", "math.floor", "math.ceil"])
        if x.raw and self.chance(0.3):
            name = "math.sqrt"
        if x.element in (E.F16, E.BF16) and name in ("math.floor", "math.ceil", "math.sqrt"):
            name = "math.absf"
        out = self.copy_facts(x, self.one("unary", [x], x.element, x.shape, name=name))
        negated = name == "arith.negf" and not x.raw
        out.signed_zero = negated or (x.signed_zero and name != "math.absf")
        return out

    def compared(self) -> None:
        x = self.tile(self.arithmetic_element(), self.any_shape())
        table = _COMPARE_FLOATS if x.element.is_float else _COMPARE_INTS
        if x.element is E.I1:
            table = ["eq", "ne"]
        self.shown(self.compare(self.choice(table), x, self.second(x) if x.element is not E.I1 else self.tile(E.I1, x.shape)))

    def converted(self) -> None:
        x = self.tile(self.any_element(), self.any_shape())
        self.shown(self.cast(x, self.any_element()))

    def bits(self) -> None:
        """A float's bits as an integer: tells the two zeros apart."""
        element = self.choice([E.F16, E.BF16, E.F32, E.F64])
        x = self.cast(self.tile(self.arithmetic_element(), self.any_shape()), element)
        x = self.ordered(x)
        if x.signed_zero:
            x = self.without_negative_zero(x if x.raw else self.limited(x, x.element.exact))
        to = {16: E.I16, 32: E.I32, 64: E.I64}[element.bits]
        self.emit("bitcast", [x], [(to, x.shape)])

    # Shapes.

    def source(self) -> Value:
        return self.tile(self.any_element() if self.chance(0.8) else E.I1, self.any_shape())

    def reshape(self) -> None:
        x = self.source()
        if not x.shape:
            return
        shape = random_shape(self, x.count)
        out = self.shown(self.reshaped("reshape", x, shape))
        self.add_shape(out.shape)

    def add_shape(self, shape) -> None:
        if shape and shape not in self.shapes and len(self.shapes) < 6:
            self.shapes.append(shape)

    def transpose(self) -> None:
        x = self.source()
        if len(x.shape) < 2:
            return
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        out = self.reshaped("trans", x, tuple(x.shape[d] for d in order), order=order)
        self.add_shape(self.shown(out).shape)

    def spread(self) -> None:
        """A vector or a repeated tile as rows of a larger one."""
        x = self.source()
        if x.count > 512:
            return
        if not x.shape:
            self.shown(self.splat(x, self.any_shape()))
            return
        axis = self.rng.randrange(len(x.shape) + 1)
        shape = list(x.shape)
        shape.insert(axis, 1)
        out = self.reshaped("expand", x, tuple(shape), axis=axis)
        shape[axis] = self.choice([1, 2, 4])
        out = self.broadcast(out, tuple(shape))
        if self.chance(0.5):  # repeat_interleave
            at = max(axis - 1, 0)
            merged = shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2 :]
            out = self.reshaped("reshape", out, tuple(merged))
        self.add_shape(self.shown(out).shape)

    def join(self) -> None:
        x = self.source()
        if not x.shape or x.count > 1024:
            return
        y = self.tile(x.element, x.shape)
        kind, shape = "join", (*x.shape, 2)
        if len(x.shape) == 1 and self.chance(0.3):
            kind, shape = "cat", (2 * x.shape[0],)
        out = self.emit(kind, [x, y], [(x.element, shape)])[0]
        self.merge_facts(x, y, out)
        self.add_shape(shape)

    def split(self) -> None:
        found = [s for s in self.shapes if s and s[-1] == 2 and len(s) > 1]
        if found:
            x = self.tile(self.any_element(), self.choice(found))
        else:
            x = self.source()
            if x.count < 4:
                return
            x = self.reshaped("reshape", x, (x.count // 2, 2))
        for out in self.emit("split", [x], [(x.element, x.shape[:-1])] * 2):
            self.copy_facts(x, out)
        self.add_shape(x.shape[:-1])

    def gather(self) -> None:
        x = self.source()
        if not x.shape:
            return
        axis = self.rng.randrange(len(x.shape))
        shape = list(x.shape)
        if self.chance(0.4):
            shape[axis] = self.choice([1, 2, 4, 8, 16])
        shape = tuple(shape)
        index = self.tile(E.I32, shape)
        if not (0 <= index.low and index.high < x.shape[axis]):
            index = self.with_number("andi", index, x.shape[axis] - 1)
        out = self.emit("gather", [x, index], [(x.element, shape)], axis=axis)[0]
        self.copy_facts(x, out)
        self.add_shape(shape)

    def histogram(self) -> None:
        count = self.choice([16, 64, 256])
        bins = self.choice([2, 8, 16])
        x = self.with_number("andi", self.tile(E.I32, (count,)), bins - 1)
        operands = [x] if self.chance(0.5) else [x, self.mask((count,))]
        self.emit("histogram", operands, [(E.I32, (bins,))])


def random_shape(builder, count: int, rank: int | None = None):
    """A random factorization into one to four powers of two."""
    if rank is None:
        rank = builder.choice([1, 1, 2, 2, 2, 3, 4])
    left = count.bit_length() - 1
    parts = [0] * rank
    for _ in range(left):
        parts[builder.rng.randrange(rank)] += 1
    return tuple(1 << p for p in parts)
