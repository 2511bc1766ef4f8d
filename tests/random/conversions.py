"""Conversions between the types of random kernels, without a case that is undefined."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import elements as E
from builder import Builder, limits
from elements import Element
from ir import Value


class Conversions(Builder):
    def limited(self, x: Value, bound: int) -> Value:
        """An integer of at most this magnitude, as a float."""
        if not x.raw and not x.infinite and x.bound <= bound:
            return x
        if x.raw:
            x = self._whole(self.ordered(x))
        bound = min(bound, x.element.exact)
        low = self.constant(-bound, x.element, x.shape)
        high = self.constant(bound, x.element, x.shape)
        if self.chance(0.5):
            out = self.one("clamp", [x, low, high], x.element, x.shape)
        else:
            names = ("maxnumf", "minnumf") if self.chance(0.7) else ("maximumf", "minimumf")
            out = self.binary(names[1], self.binary(names[0], x, low), high)
        out.bound, out.infinite, out.signed_zero = bound, False, x.signed_zero or x.raw
        out.raw = False
        return out

    def ordered(self, x: Value) -> Value:
        """`x` with a number instead of NaN."""
        if not x.raw:
            return x
        number = self.constant(self.rng.randrange(-1, 2), x.element, x.shape)
        if self.chance(0.5):
            return self.select(self.compare(self.choice(["oeq", "ord"]), x, x), x, number)
        return self.select(self.compare(self.choice(["une", "uno"]), x, x), number, x)

    def _whole(self, x: Value) -> Value:
        element = x.element
        wide = self._extended(x, E.F32) if element in (E.F16, E.BF16) else x
        name = self.choice(["math.floor", "math.ceil"])
        wide = self.copy_facts(x, self.one("unary", [wide], wide.element, x.shape, name=name))
        if wide.element is element:
            return wide
        return self.copy_facts(x, self._convert("arith.truncf", wide, element))

    def cast(self, x: Value, to: Element, bound: int | None = None) -> Value:
        """`x` as `to`; a float becomes one of at most the magnitude `bound`."""
        if x.element is to:
            return self.limited(x, bound) if to.is_float and bound is not None else x
        if to.is_float and bound is None and self._stays_raw(x):
            return self._to_raw(x, to)
        if to.is_float:
            bound = min(to.exact, to.exact if bound is None else bound)
            return self._to_float(x, to, bound)
        if x.element.is_float:
            if x.element in E.EIGHT_BIT_FLOATS:
                x = self.cast(x, E.F32)
            if to is E.I1:
                return self.compare("une", x, self.constant(0, x.element, x.shape))
            most = min(x.element.exact, limits(to)[1])
            x = self._clamped(x, most) if x.raw else self.limited(x, most)
            out = self._convert("arith.fptosi", x, to)
            out.low, out.high = -x.bound, x.bound
            return out
        if to is E.I1:
            if self.chance(0.2):
                return self._convert("arith.trunci", x, to)
            return self.compare("ne", x, self.constant(0, x.element, x.shape))
        if to.bits < x.element.bits:
            out = self._convert("arith.trunci", x, to)
            least, most = limits(to)
            if least <= x.low and x.high <= most:
                out.low, out.high = x.low, x.high
            return out
        signed = self.chance(0.6) and x.element is not E.I1
        out = self._convert("arith.extsi" if signed else "arith.extui", x, to)
        if signed or x.low >= 0:
            out.low, out.high = x.low, x.high
        else:
            out.low, out.high = 0, (1 << x.element.bits) - 1
        return out

    def _convert(self, name: str, x: Value, to: Element, **attributes) -> Value:
        return self.one("cast", [x], to, x.shape, name=name, **attributes)

    def _clamped(self, x: Value, most: int) -> Value:
        """A raw float within this magnitude, which need not be an integer."""
        x = self.ordered(x)
        low, high = (self.constant(n, x.element, x.shape) for n in (-most, most))
        out = self.one("clamp", [x, low, high], x.element, x.shape)
        out.raw, out.bound = True, most
        return out

    def _stays_raw(self, x: Value) -> bool:
        """Whether to convert whatever number it is; bf16 is not made of i64,
        which neither f32 nor f64 hold."""
        if x.element.is_float:
            return x.raw
        return self.special and 8 <= x.element.bits <= 32 and self.chance(0.5)

    def _to_raw(self, x: Value, to: Element) -> Value:
        if x.element.is_int:
            wide = E.F32 if to in E.EIGHT_BIT_FLOATS else to
            out = self._convert(self.choice(["arith.sitofp", "arith.uitofp"]), x, wide)
            out.raw = True
            return self.cast(out, to)
        x = self._upcast(x)
        if x.element is to:
            return x
        if x.element.bits == to.bits:
            x = self._extended(x, E.F32)
        if to.bits > x.element.bits:
            out = self._convert("arith.extf", x, to)
        elif to in E.EIGHT_BIT_FLOATS or self.chance(0.3):
            towards_zero = to not in E.EIGHT_BIT_FLOATS and self.chance(0.5)
            out = self._convert("tt.fp_to_fp", x, to, towards_zero=towards_zero)
        else:
            out = self._convert("arith.truncf", x, to)
        return self.copy_facts(x, out)

    def _to_float(self, x: Value, to: Element, bound: int) -> Value:
        if x.element.is_int:
            most = min(bound, 1 << 20)
            if -most <= x.low and x.high <= most:
                pass
            elif x.element is not E.I1:
                most = (1 << most.bit_length() - 1) - 1 if most & (most + 1) else most
                x = self.with_number("andi", x, most)
            wide = E.F32 if to in E.EIGHT_BIT_FLOATS else to
            out = self._convert("arith.uitofp" if x.low >= 0 else "arith.sitofp", x, wide)
            out.bound = max(abs(x.low), abs(x.high))
            return self.cast(out, to)
        x = self.limited(self._upcast(x), bound)
        if x.element is to:
            return x
        if to in E.EIGHT_BIT_FLOATS:
            name = "tt.fp_to_fp"
        elif x.element.bits == to.bits:  # between f16 and bf16
            x, name = self._extended(x, E.F32), "arith.truncf"
        else:
            name = "arith.extf" if to.bits > x.element.bits else "arith.truncf"
        return self.copy_facts(x, self._convert(name, x, to))

    def _extended(self, x: Value, to: Element) -> Value:
        return self.copy_facts(x, self._convert("arith.extf", x, to))

    def _upcast(self, x: Value) -> Value:
        """Out of eight bits, which have conversions and nothing else."""
        if x.element not in E.EIGHT_BIT_FLOATS:
            return x
        return self.copy_facts(x, self._convert("tt.fp_to_fp", x, E.F32))
