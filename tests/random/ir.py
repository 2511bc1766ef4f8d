"""A random kernel as data: what text.py prints and reference.py evaluates.

An operation is a kind, operands, results, attributes and regions, much as in
MLIR. The order of a block's operations is the order of their effects.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elements import Element


@dataclass(eq=False)
class Value:
    """A scalar (`shape` is ()) or a tile, and what is known of its elements.

    An integer or index lies in [low, high]. A float is an integer of at most
    the magnitude `bound`; with `infinite` it may also be an infinity, and if it
    is `raw` it is any float, NaN too. With `signed_zero` a zero has one of the
    two signs, else it is positive or, if raw, has the sign that it should.
    """

    element: Element
    shape: tuple[int, ...]
    number: int
    low: int = 0
    high: int = 0
    bound: int = 0
    infinite: bool = False
    signed_zero: bool = False
    raw: bool = False
    origin: "PointerArgument | None" = None  # [low, high] counts elements from it
    uses: int = 0  # while the kernel is generated

    @property
    def type(self) -> str:
        if not self.shape:
            return self.element.name
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element.name}>"

    @property
    def name(self) -> str:
        return f"%v{self.number}"

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(eq=False)
class Op:
    kind: str
    operands: list[Value]
    results: list[Value]
    attributes: dict[str, Any] = field(default_factory=dict)
    regions: list["Block"] = field(default_factory=list)


@dataclass(eq=False)
class Block:
    arguments: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)


@dataclass(eq=False)
class Buffer:
    """Memory with guards around it; `capacity` elements of `data` are usable."""

    element: Element
    data: np.ndarray  # as stored
    start: int = 0  # byte address in the arena
    signed_zero: bool = False  # negative zeros may be stored
    bound: int = 0  # floats: the magnitude of what may be stored
    raw: bool = False  # floats: anything may be stored


@dataclass(eq=False)
class PointerArgument:
    value: Value
    buffer: Buffer
    offset: int  # in elements
    capacity: int  # elements that one program may touch; a power of two
    aligned: bool = False  # the address is a multiple of 16


@dataclass(eq=False)
class ScalarArgument:
    value: Value
    number: int


@dataclass(eq=False)
class Function:
    """A helper that is not inlined."""

    name: str
    body: Block


@dataclass(eq=False)
class Kernel:
    seed: int
    arguments: list[PointerArgument | ScalarArgument]
    buffers: list[Buffer]
    body: Block
    functions: list[Function]
    grid: int = 1
    is_exact: bool = True  # no float is rounded, so that an fma gives the same
    width: int = 0  # programs along x, the others along y; 0: all are along x


# Operations with an effect, which stay although nothing uses a result.
EFFECTS = {"store", "block_store", "block_reduce", "rmw", "cas", "return_if", "call"}


def has_effect(op: Op) -> bool:
    return op.kind in EFFECTS or any(
        has_effect(inner) for region in op.regions for inner in region.ops
    )
