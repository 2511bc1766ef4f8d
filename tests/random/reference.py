"""What a random kernel computes, in numpy; accesses.py has the memory rules."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np

from accesses import ACCESSES
from arithmetic import BINARY, COMPARE, UNARY, unsigned
from elements import BF16, decode, encode, rounded
from ir import Block, Kernel, PointerArgument
from order import Order


class OutOfBounds(Exception):
    """The kernel touches memory that it does not own: it is not a valid test."""


class _Return(Exception):
    """The program ends here."""


class Reference:
    """Evaluates a kernel on `memory`, the bytes of its arena."""

    def __init__(self, kernel: Kernel, memory: np.ndarray) -> None:
        self.kernel = kernel
        self.memory = memory
        self.order = Order(len(memory))
        self.owned = np.zeros(len(memory), bool)
        for buffer in kernel.buffers:
            self.owned[buffer.start : buffer.start + buffer.data.nbytes] = True

    def run(self) -> None:
        values = {}
        for argument in self.kernel.arguments:
            if isinstance(argument, PointerArgument):
                size = argument.buffer.element.size
                number = argument.buffer.start + argument.offset * size
            else:
                number = argument.number
            values[argument.value] = np.array(number, argument.value.element.value)
        with np.errstate(all="ignore"):
            for self.program in range(self.kernel.grid):
                try:
                    self.block(self.kernel.body, dict(values))
                except _Return:
                    pass

    def block(self, block: Block, values: dict) -> list:
        for op in block.ops:
            operands = [values[v] for v in op.operands]
            results = _EVALUATE[op.kind](self, op, operands, values)
            for value, result in zip(op.results, results, strict=True):
                if result.dtype != value.element.value:
                    raise TypeError(f"{op.kind} {op.attributes}: {result.dtype} is not {value.type}")
                values[value] = result
        return [values[v] for v in block.yields]

    def enter(self, region: Block, arguments: list, values: dict) -> list:
        inner = dict(values)
        inner.update(zip(region.arguments, arguments, strict=True))
        return self.block(region, inner)

    def places(self, addresses: np.ndarray, size: int) -> np.ndarray:
        """Addresses as indices into memory seen as elements of `size` bytes."""
        if addresses.size and not (
            addresses.min() >= 0
            and addresses.max() < len(self.memory)
            and not (addresses % size).any()
            and self.owned[addresses].all()
        ):
            raise OutOfBounds
        return addresses // size

    def view(self, element) -> np.ndarray:
        return self.memory.view(element.storage)


def _compare(self, op, operands, _):
    predicate = op.attributes["predicate"]
    if op.attributes["name"] == "arith.cmpf":
        x, y = operands
        unordered = np.isnan(x) | np.isnan(y)
        if predicate in ("ord", "uno"):
            return [np.asarray(unordered == (predicate == "uno"))]
        return [np.where(unordered, predicate[0] == "u", COMPARE[predicate[1:]](x, y))]
    function = COMPARE[predicate[-2:]]
    if op.attributes["name"] == "arith.cmpi" and predicate[0] == "u":
        return [np.asarray(unsigned(function, *operands))]
    return [np.asarray(function(*operands))]


def _cast(self, op, operands, _):
    name, to = op.attributes["name"], op.results[0].element
    (x,) = operands
    if name in ("arith.extui", "arith.uitofp") and x.dtype != bool:
        x = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    elif name in ("arith.extsi", "arith.sitofp") and x.dtype == bool:
        x = -x.astype(np.int8)
    elif name == "arith.trunci" and to.bits == 1:
        x = x & 1
    if to.is_float and (x.dtype.kind == "f" or to is BF16):
        return [rounded(np.asarray(x), to, op.attributes.get("towards_zero", False))]
    return [np.asarray(x).astype(to.value)]


def _binary(self, op, operands, _):
    out = np.asarray(BINARY[op.attributes["name"]](*operands)).astype(operands[0].dtype)
    return [rounded(out, BF16) if op.results[0].element is BF16 else out]


def _bitcast(self, op, operands, _):
    stored = np.array(encode(operands[0], op.operands[0].element), order="C")
    to = op.results[0].element
    return [decode(stored.reshape(-1).view(to.storage), to).reshape(stored.shape)]


def _constant(self, op, operands, _):
    result = op.results[0]
    return [np.broadcast_to(np.array(op.attributes["value"], result.element.value), result.shape)]


def _range(self, op, operands, _):
    start = op.attributes["start"]
    return [np.arange(start, start + op.results[0].count, dtype=np.int32)]


def _split(self, op, operands, _):
    return [operands[0][..., 0], operands[0][..., 1]]


def _histogram(self, op, operands, _):
    data = operands[0][operands[1]] if len(operands) == 2 else operands[0]
    count = op.results[0].count
    return [np.bincount(data, minlength=count).astype(op.results[0].element.value)]


def _dot(self, op, operands, _):
    a, b, c = operands
    wide = np.float64 if op.results[0].element.is_float else np.int64
    product = np.matmul(a.astype(wide), b.astype(wide)) + c
    return [product.astype(c.dtype)]


def _addptr(self, op, operands, _):
    size = op.results[0].element.pointee.size
    return [operands[0] + operands[1].astype(np.int64) * size]


def _reduce(self, op, operands, values):
    axis = op.attributes["axis"]
    tiles = [np.moveaxis(x, axis, 0) for x in operands]
    while len(tiles[0]) > 1:  # regions are associative and commutative
        half = len(tiles[0]) // 2
        tiles = self.enter(op.regions[0], [t[:half] for t in tiles] + [t[half:] for t in tiles], values)
    return [t[0] for t in tiles]


def _scan(self, op, operands, values):
    axis, reverse = op.attributes["axis"], op.attributes["reverse"]
    tiles = [np.moveaxis(x, axis, 0) for x in operands]
    if reverse:
        tiles = [t[::-1] for t in tiles]
    distance = 1
    while distance < len(tiles[0]):  # regions are associative
        combined = self.enter(
            op.regions[0],
            [t[:-distance] for t in tiles] + [t[distance:] for t in tiles],
            values,
        )
        tiles = [np.concatenate([t[:distance], c]) for t, c in zip(tiles, combined)]
        distance *= 2
    if reverse:
        tiles = [t[::-1] for t in tiles]
    return [np.moveaxis(t, 0, axis) for t in tiles]


def _for(self, op, operands, values):
    low, high, step, *carried = operands
    for number in range(int(low), int(high), int(step)):
        carried = self.enter(op.regions[0], [np.array(number, low.dtype), *carried], values)
    return carried


def _while(self, op, operands, values):
    before, after = op.regions
    while True:
        go, *operands = self.enter(before, operands, values)
        if not go:
            return operands
        operands = self.enter(after, operands, values)


def _if(self, op, operands, values):
    return self.enter(op.regions[0 if operands[0] else 1], [], values)


def _call(self, op, operands, values):
    return self.enter(op.attributes["function"].body, operands, {})


def _return_if(self, op, operands, values):
    if operands[0]:
        raise _Return
    return []


def _program(self, op, _, __):
    width = self.kernel.width or self.kernel.grid
    place = {"x": self.program % width, "y": self.program // width}
    return [np.array(place[op.attributes.get("axis", "x")], np.int32)]


def _trans(self, op, operands, _):
    return [np.transpose(operands[0], op.attributes["order"])]


_EVALUATE = {
    **ACCESSES,
    "constant": _constant,
    "range": _range,
    "program": _program,
    "binary": _binary,
    "unary": lambda self, op, x, _: [np.asarray(UNARY[op.attributes["name"]](*x))],
    "clamp": lambda self, op, x, _: [np.asarray(np.clip(*x))],
    "compare": _compare,
    "select": lambda self, op, x, _: [np.where(*x)],
    "cast": _cast,
    "bitcast": _bitcast,
    "splat": lambda self, op, x, _: [np.broadcast_to(x[0], op.results[0].shape)],
    "broadcast": lambda self, op, x, _: [np.broadcast_to(x[0], op.results[0].shape)],
    "reshape": lambda self, op, x, _: [np.reshape(x[0], op.results[0].shape)],
    "expand": lambda self, op, x, _: [np.expand_dims(x[0], op.attributes["axis"])],
    "trans": _trans,
    "join": lambda self, op, x, _: [np.stack(x, -1)],
    "cat": lambda self, op, x, _: [np.concatenate(x)],
    "split": _split,
    "gather": lambda self, op, x, _: [np.take_along_axis(*x, op.attributes["axis"])],
    "histogram": _histogram,
    "ptr_to_int": lambda self, op, x, _: x,
    "int_to_ptr": lambda self, op, x, _: x,
    "addptr": _addptr,
    "dot": _dot,
    "reduce": _reduce,
    "scan": _scan,
    "map_elementwise": lambda self, op, x, values: self.enter(op.regions[0], x, values),
    "for": _for,
    "while": _while,
    "if": _if,
    "call": _call,
    "return_if": _return_if,
    "assert": lambda self, op, x, _: [],
}
