"""Makes a kernel smaller while it still differs.

Operations are removed one after the other, the last first: their results are
replaced by operands or other values of the same type, or by a constant. What is
no valid test any more (memory is touched outside of the buffers) is refused by
the reference.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
from functools import partial

from child import Child, Ended
from ir import Block, Kernel, Op, Value, has_effect
from turns import generator_of
from text import print_kernel


def blocks_of(kernel: Kernel) -> list[Block]:
    out = []

    def visit(block: Block) -> None:
        out.append(block)
        for op in block.ops:
            for region in op.regions:
                visit(region)

    visit(kernel.body)
    for function in kernel.functions:
        visit(function.body)
    return out


def replace(kernel: Kernel, old: Value, new: Value) -> None:
    for block in blocks_of(kernel):
        for op in block.ops:
            op.operands = [new if v is old else v for v in op.operands]
        block.yields = [new if v is old else v for v in block.yields]


def remove_unused(kernel: Kernel) -> None:
    changed = True
    while changed:
        changed = False
        blocks = blocks_of(kernel)
        used = {v for b in blocks for v in b.yields} | {v for b in blocks for op in b.ops for v in op.operands}
        for block in blocks:
            ops = [op for op in block.ops if has_effect(op) or any(v in used for v in op.results)]
            changed |= len(ops) != len(block.ops)
            block.ops = ops
    called = {op.attributes["function"] for b in blocks_of(kernel) for op in b.ops if op.kind == "call"}
    kernel.functions = [f for f in kernel.functions if f in called]
    operands = {v for b in blocks_of(kernel) for op in b.ops for v in op.operands}
    kernel.arguments = [a for a in kernel.arguments if a.value in operands]


def substitutes(kernel: Kernel, block: Block, op: Op) -> list[list]:
    """Ways to do without `op`: a list of replacements for its results."""
    if not op.results:
        return [[]]
    ways = []
    for result in op.results:
        same = [v for v in op.operands if v.element is result.element and v.shape == result.shape]
        if result.element.kind != "ptr":
            same.append(Op("constant", [], [Value(result.element, result.shape, result.number)], {"value": 0}))
        ways.append(same)
    if not all(ways):
        return []
    return [[w[min(i, len(w) - 1)] for w in ways] for i in range(max(map(len, ways)))]


class Step:
    """One attempt, on a fresh kernel that the accepted attempts were made on."""

    def __init__(self, make, path) -> None:
        self.kernel = make()
        for step in path:
            self.apply(step)

    def apply(self, step) -> bool:
        """False if there is no such step."""
        kernel = self.kernel
        kind, number, place, way = step
        blocks = blocks_of(kernel)
        if number >= len(blocks) or place >= len(blocks[number].ops):
            return False
        block = blocks[number]
        op = block.ops[place]
        if kind == "inline":
            if op.kind != "if" or way >= 2:
                return False
            region = op.regions[way]
            block.ops[place : place + 1] = region.ops
            for old, new in zip(op.results, region.yields):
                replace(kernel, old, new)
        elif kind == "mask":
            if op.kind not in ("load", "store") or len(op.operands) < 2 + (op.kind == "store") or way:
                return False
            del op.operands[2 if op.kind == "store" else 1 :]
        else:
            ways = substitutes(kernel, block, op)
            if way >= len(ways):
                return False
            made = [w for w in ways[way] if isinstance(w, Op)]
            if made and op.kind == "constant":
                return False
            block.ops[place : place + 1] = made
            for old, new in zip(op.results, ways[way]):
                replace(kernel, old, new.results[0] if isinstance(new, Op) else new)
        remove_unused(kernel)
        return True


def _serve(connection, seed: int, args) -> None:
    """Sends the configurations; then for each path and configuration that it
    gets whether the kernel differs, and whether the device works on."""
    from check import Configurations, check
    from device import Device

    device = Device(args.target)
    connection.send(Configurations(device, args.products).of(seed, args.configurations))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    make = partial(generator_of(args.products), seed)
    while True:
        path, configuration = connection.recv()
        try:
            found = check(device, Step(make, path).kernel, [configuration])
        except Exception:  # not a valid kernel any more
            found = []
        # One that does not compile does not count.
        differs = any(not d.message.startswith("not compiled: random.ttir: stage 'ttir'") for d in found)
        connection.send((differs, all(d.against for d in found)))


class Attempts:
    """Runs the attempts on one seed in a child, and in a new one after a crash."""

    def __init__(self, seed: int, args) -> None:
        self.seed, self.args = seed, args
        self._start()

    def _start(self) -> None:
        self.child = Child(_serve, self.seed, self.args)
        self.configurations = self.child.receive()

    def differs(self, path, configuration) -> bool:
        """A crash counts."""
        try:
            differs, is_usable = self.child.answer((path, configuration))
        except Ended:
            differs, is_usable = True, False
        if not is_usable:
            self.child.kill()
            self._start()
        return differs


def reduce(seed: int, args) -> int:
    """Prints the smallest kernel found; 0 if the seed does not differ."""
    make = partial(generator_of(args.products), seed)
    attempts = Attempts(seed, args)
    guilty = next((c for c in attempts.configurations if attempts.differs([], c)), None)
    if guilty is None:
        print(f"seed {seed}: no difference")
        attempts.child.kill()
        return 0
    path: list = []

    def differs(path) -> bool:
        return attempts.differs(path, guilty)

    while remove_once(make, path, differs, has_effect):  # with what they alone need
        pass
    while remove_once(make, path, differs, lambda op: True):
        pass
    attempts.child.kill()
    text = print_kernel(Step(make, path).kernel)
    print(f"// seed {seed}, {guilty[0]}, {len(path)} steps\n{text}", flush=True)
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        (args.keep / f"{seed}.reduced.ttir").write_text(text)
    return 1


def remove_once(make, path, differs, wanted) -> bool:
    """Tries once to remove each operation that is wanted; true if one went."""
    length = len(path)
    for number, block in enumerate(blocks_of(Step(make, path).kernel)):
        for place in reversed(range(len(block.ops))):
            blocks = blocks_of(Step(make, path).kernel)
            if number < len(blocks) and place < len(blocks[number].ops):
                if wanted(blocks[number].ops[place]):
                    _shrink(make, path, number, place, differs)
    return len(path) > length


def _shrink(make, path, number, place, differs) -> bool:
    """Appends the first step at this place that keeps the difference."""
    for kind, ways in (("remove", 4), ("inline", 2), ("mask", 1)):
        for way in range(ways):
            step = (kind, number, place, way)
            if not Step(make, path).apply(step):
                break
            if differs([*path, step]):
                path.append(step)
                return True
    return False
