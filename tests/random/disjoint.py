"""Random atomic updates, of which a kernel claims that those of different ids along
an axis of the grid are disjoint, against all addresses.

The condition for that is read from the kernel, evaluated for a launch as the driver
does, and compared with the addresses that numpy finds. Then the kernel runs on two
threads, which take no locks where the condition holds.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import argparse
import collections
import dataclasses
import random
import re
import sys
from typing import Callable

import packages

packages.require("numpy")
import numpy as np

from device import Device

ROWS = 64  # numbers of rows in memory
PLAIN_ATOMICS = 128  # NEREID_CPU_KERNEL_PLAIN_ATOMICS


@dataclasses.dataclass
class Value:
    """A value of the kernel, and what it is in a launch and a program."""

    name: str
    shape: tuple[int, ...]
    of: Callable[[dict], np.ndarray]
    element: str = "i32"

    @property
    def type(self) -> str:
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element}>" if self.shape else self.element


class Kernel:
    """One or two updates of a table, row by row, from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.lines: list[str] = []
        self.axis = rng.randrange(3)  # of the columns
        self.other = rng.choice([axis for axis in range(3) if axis != self.axis])
        self.grid = [rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)]
        self.grid[self.axis] = rng.choice([1, 2, 2, 3, 4])
        self.width = rng.choice([4, 8, 32])
        self.columns = self.width * self.grid[self.axis] + rng.choice([-3, -1, 0, 0, 0, 2])
        self.pitch = self.columns + rng.choice([-1, 0, 0, 0, 0, 0, 1, 5])
        self.step = self.width + rng.choice([0, 0, 0, 0, 0, 0, 3, -1])
        self.shift = rng.choice([0, 0, 1, 7])
        self.limit = rng.choice([self.columns, self.columns, self.pitch, self.columns + 1])
        self.updates = [self.update("%table")]
        if rng.random() < 0.3:
            self.updates.append(self.update(rng.choice(["%table", "%table", "%second"])))

    # Values.

    def emit(self, text: str, shape, of, element: str = "i32") -> Value:
        value = Value(f"%{len(self.lines)}", tuple(shape), of, element)
        self.lines.append(f"  {value.name} = {text}")
        return value

    def constant(self, number: int, shape=()) -> Value:
        value = Value("", tuple(shape), lambda env: np.int64(number))
        data = f"dense<{number}> : {value.type}" if shape else f"{number} : i32"
        return self.emit(f"arith.constant {data}", shape, value.of)

    def number(self, name: str) -> Value:
        """An attribute of this kernel: a constant, or an argument."""
        number = getattr(self, name)
        if self.rng.random() < 0.5:
            return self.constant(number)
        return Value(f"%{name}", (), lambda env: np.int64(number))

    def id(self, axis: int) -> Value:
        return self.emit(f"tt.get_program_id {'xyz'[axis]} : i32", (), lambda env: env["ids"][axis])

    def range(self, count: int) -> Value:
        value = Value("", (count,), lambda env: np.arange(count))
        return self.emit(f"tt.make_range {{end = {count} : i32, start = 0 : i32}} : {value.type}", value.shape, value.of)

    def spread(self, value: Value, shape) -> Value:
        if value.shape == tuple(shape):
            return value
        out = Value("", tuple(shape), lambda env: np.broadcast_to(value.of(env), shape), value.element)
        word = "broadcast" if value.shape else "splat"
        return self.emit(f"tt.{word} {value.name} : {value.type} -> {out.type}", shape, out.of, value.element)

    def expand(self, value: Value, axis: int) -> Value:
        shape = list(value.shape)
        shape.insert(axis, 1)
        out = Value("", tuple(shape), lambda env: np.expand_dims(value.of(env), axis), value.element)
        text = f"tt.expand_dims {value.name} {{axis = {axis} : i32}} : {value.type} -> {out.type}"
        return self.emit(text, shape, out.of, value.element)

    def binary(self, name: str, a: Value, b: Value) -> Value:
        shape = np.broadcast_shapes(a.shape, b.shape)
        a, b = self.spread(a, shape), self.spread(b, shape)
        apply = {"addi": np.add, "muli": np.multiply, "remsi": np.remainder, "divsi": np.floor_divide}[name]
        return self.emit(f"arith.{name} {a.name}, {b.name} : {a.type}", shape, lambda env: apply(a.of(env), b.of(env)))

    def less(self, a: Value, b: Value) -> Value:
        b = self.spread(b, a.shape)
        text = f"arith.cmpi slt, {a.name}, {b.name} : {a.type}"
        return self.emit(text, a.shape, lambda env: a.of(env) < b.of(env), "i1")

    # The kernel.

    def rows(self, count: int) -> Value:
        """Numbers of rows, of shape (count,)."""
        rng = self.rng
        numbers = self.binary("addi", self.binary("muli", self.id(self.other), self.constant(count)), self.range(count))
        kind = rng.choice(["affine", "loaded", "loaded", "remainder", "quotient", "column"])
        if kind == "loaded":
            pointers = self.emit(
                f"tt.splat %numbers : !tt.ptr<i32> -> tensor<{count}x!tt.ptr<i32>>", (count,), None, "!tt.ptr<i32>"
            )
            place = self.emit(
                f"tt.addptr {pointers.name}, {numbers.name} : {pointers.type}, {numbers.type}", (count,), None, "!tt.ptr<i32>"
            )
            return self.emit(f"tt.load {place.name} : {place.type}", (count,), lambda env: env["numbers"][numbers.of(env)])
        if kind in ("remainder", "quotient"):
            word = {"remainder": "remsi", "quotient": "divsi"}[kind]
            return self.binary(word, numbers, self.constant(rng.randint(2, 5)))
        if kind == "column" and rng.random() < 0.5:  # of the id of the columns, too
            return self.binary("addi", numbers, self.id(self.axis))
        return numbers

    def update(self, pointer: str) -> tuple[str, Value, Value | None]:
        """An addition of ones: the pointer, the places, and the mask."""
        rng = self.rng
        columns = self.binary("addi", self.binary("muli", self.id(self.axis), self.number("step")), self.range(self.width))
        along = columns if rng.random() < 0.9 else self.binary("muli", columns, self.constant(2))
        mask = None
        if rng.random() < 0.7:
            limit = self.number("limit")
            if rng.random() < 0.1:
                limit = self.binary("addi", limit, self.id(self.other))
            mask = self.less(columns, limit)
        if rng.random() < 0.8:
            rows = self.expand(self.rows(rng.choice([1, 2, 4])), 1)
            places = self.binary("muli", rows, self.number("pitch"))
            if rng.random() < 0.15:
                places = self.binary("addi", places, self.binary("muli", rows, self.number("width")))
            places = self.binary("addi", places, self.expand(along, 0))
            if mask:
                mask = self.spread(self.expand(mask, 0), places.shape)
        else:
            places = along
        shift = self.number("shift") if rng.random() < 0.8 else self.id(self.other)
        if rng.random() < 0.3:
            shift = self.binary("addi", shift, self.constant(rng.choice([1, 2, self.width])))
        places = self.binary("addi", places, shift)
        one = self.constant(1, places.shape)
        type_ = f"tensor<{'x'.join(map(str, places.shape))}x!tt.ptr<i32>>"
        base = self.emit(f"tt.splat {pointer} : !tt.ptr<i32> -> {type_}", places.shape, None)
        place = self.emit(f"tt.addptr {base.name}, {places.name} : {type_}, {places.type}", places.shape, None)
        masked, masks = (f", {mask.name}", f", {mask.type}") if mask else ("", "")
        self.lines.append(
            f"  {f'%old{len(self.lines)}'} = tt.atomic_rmw add, {rng.choice(['acq_rel', 'relaxed'])}, gpu, {place.name}, {one.name}{masked} : "
            f"({type_}, {one.type}{masks}) -> {one.type}"
        )
        return pointer, places, mask

    def text(self) -> str:
        names = ["pitch", "step", "shift", "limit", "width"]
        arguments = [f"%{name}: !tt.ptr<i32>" for name in ("table", "second", "numbers")]
        arguments += [f"%{name}: i32" for name in names]
        body = "\n".join(line.replace("  %", "  %v", 1) if re.match(r"  %\d", line) else line for line in self.lines)
        body = re.sub(r"%(\d)", r"%v\1", body)
        return f"tt.func public @kernel({', '.join(arguments)}) {{\n{body}\n  tt.return\n}}\n"

    def arguments(self, addresses: list[int]) -> list[int]:
        return addresses + [self.pitch, self.step, self.shift, self.limit, self.width]

    def places(self, numbers: np.ndarray, axis: int):
        """By pointer and id along `axis`: the counts of the places that are updated."""
        counts = collections.defaultdict(collections.Counter)
        for ids in np.ndindex(*self.grid):
            env = {"ids": ids, "numbers": numbers}
            for pointer, places, mask in self.updates:
                found = np.broadcast_to(places.of(env), places.shape)
                found = found[mask.of(env)] if mask else found
                counts[pointer, ids[axis]].update(found.reshape(-1).tolist())
        return counts


def claim(text: str) -> tuple[int, list[list[int]]] | None:
    """The axis and the condition that a compiled kernel has."""
    steps = [
        [int(number) for number in re.findall(r"i64 (-?\d+)", line)]
        for line in text.splitlines()
        if '!"disjoint_condition"' in line
    ]
    axis = re.search(r'!"disjoint_axis", i64 (\d)', text)
    return (int(axis[1]), steps) if steps else None


def holds(steps, arguments: list[int], grid, axis: int) -> bool:
    """Whether the condition is not negative for any id."""
    for id_ in range(grid[axis]):
        values: list[int] = []
        for kind, a, b in steps:
            if kind == 0:
                values.append(a)
            elif kind == 1:
                values.append(arguments[a // 8 if a < 24 else 3 + (a - 24) // 4])
            elif kind == 2:
                assert a == axis, "the condition depends on another id"
                values.append(id_)
            elif kind == 3:
                values.append(grid[a])
            else:
                x, y = values[a], values[b]
                operations = {4: x + y, 5: x - y, 6: x * y, 10: min(x, y), 11: max(x, y)}
                values.append(operations[kind])
        if values[-1] < 0:
            return False
    return True


def check(device: Device, seed: int) -> tuple[str, str]:
    """What a seed was, and what is wrong."""
    kernel = Kernel(seed)
    text = kernel.text()
    numbers = np.random.default_rng(seed).integers(0, 9, ROWS, dtype=np.int32)
    compiled = device.backend.compile(
        text, "random.ttir", {}, device.number, device.native.NO_CACHE, stop_after="llir"
    ).output.decode()
    claimed = claim(compiled)
    arrays = [np.zeros(1 << 14, np.int32), np.zeros(1 << 14, np.int32), numbers]
    arguments = kernel.arguments([array.ctypes.data for array in arrays])
    axis, is_disjoint = kernel.axis, False
    if claimed:
        axis, steps = claimed
        is_disjoint = holds(steps, arguments, kernel.grid, axis)
    counts = kernel.places(numbers, axis)
    for pointer in ("%table", "%second"):
        seen: set[int] = set()
        for id_ in range(kernel.grid[axis]):
            places = set(counts[pointer, id_])
            if is_disjoint and seen & places:
                return "disjoint", f"ids along {'xyz'[axis]} share place {min(seen & places)} of {pointer}"
            seen |= places
    # Threads that lose updates do so in some launches.
    launches = 20 if is_disjoint and kernel.grid[axis] > 1 else 1
    loaded = device.run_text(text, {"threads": 2})
    for _ in range(launches):
        loaded.launch(tuple(kernel.grid), 0, None, *arguments)
    for array, pointer in zip(arrays, ("%table", "%second")):
        want = np.zeros_like(array)
        for id_ in range(kernel.grid[axis]):
            for place, count in counts[pointer, id_].items():
                want[place] += launches * count
        if not np.array_equal(array, want):
            place = int(np.nonzero(array != want)[0][0])
            return "run", f"{pointer}[{place}] is {array[place]}, expected {want[place]}"
    if not claimed:
        return "without a condition", ""
    if kernel.grid[axis] == 1:
        return "one id", ""
    return ("disjoint" if is_disjoint else "not disjoint"), ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="0:400", help="FIRST:LAST, or one")
    parser.add_argument("--print", action="store_true", help="print the TTIR of the seeds")
    args = parser.parse_args()
    first, _, last = args.seeds.partition(":")
    device = Device("cpu")
    kinds: collections.Counter = collections.Counter()
    failed = 0
    for seed in range(int(first), int(last or int(first) + 1)):
        if args.print:
            print(Kernel(seed).text())
        kind, message = check(device, seed)
        kinds[kind] += 1
        if message:
            failed += 1
            print(f"seed {seed}: {message}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) + f": {failed} differ")
    few = last and sum(kinds.values()) >= 200 and kinds["disjoint"] < sum(kinds.values()) // 10
    if few:
        print("too few kernels are disjoint for this to be a test")
    return 1 if failed or few else 0


if __name__ == "__main__":
    sys.exit(main())
