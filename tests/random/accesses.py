"""Loads, stores and atomics of a random kernel, in numpy.

The memory rules: programs run in the order of their numbers; in a program, each
load and each store happens as a whole, in program order; where several elements
of one store have one address, the last in row-major order wins; the elements
of an atomic operation are performed in row-major order. A masked load without
`other` yields zeros.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np

from arithmetic import RMW
from elements import decode, encode
from ir import Op, Value


def _load(reference, op: Op, operands, _):
    addresses = operands[0]
    element = op.results[0].element
    mask = operands[1] if len(operands) > 1 else np.ones(addresses.shape, bool)
    out = np.zeros(addresses.shape, element.value)
    if len(operands) == 3:
        out[...] = operands[2]
    places = reference.places(addresses[mask], element.size)
    reference.order.read(reference.program, places, element.size)
    out[mask] = decode(reference.view(element)[places], element)
    return [out]


def _store(reference, op: Op, operands, _):
    addresses, data = operands[:2]
    element = op.operands[1].element
    if len(operands) == 3:
        addresses, data = addresses[operands[2]], data[operands[2]]
    places = reference.places(addresses.reshape(-1), element.size)
    stored = encode(data.reshape(-1), element)
    reference.order.write(reference.program, places, element.size, stored)
    # numpy assigns in order, so the last one wins.
    reference.view(element)[places] = stored
    return []


def _block(reference, op: Op, operands, values):
    shape = op.attributes["shape"]
    rank = len(shape)
    pointer, rest = op.operands[0], [x.astype(np.int64) for x in operands[1 : 1 + 3 * rank]]
    sizes, strides, position = rest[:rank], rest[rank : 2 * rank], rest[2 * rank :]
    element = pointer.element.pointee
    addresses, mask = np.full(shape, operands[0], np.int64), np.ones(shape, bool)
    for dim in range(rank):
        along = position[dim] if position[dim].shape else position[dim] + np.arange(shape[dim])
        along = along.reshape([-1 if d == dim else 1 for d in range(rank)])
        addresses = addresses + along * strides[dim] * element.size
        if dim in op.attributes["checked"]:
            mask = mask & (along >= 0) & (along < sizes[dim])
    data = operands[1 + 3 * rank :]
    if op.kind == "block_reduce":
        update = Op("rmw", [], [Value(element, shape, 0)], op.attributes)
        _rmw(reference, update, [addresses, *data, mask], values)
        return []
    if op.kind == "block_store":
        return _store(reference, Op("store", [pointer, op.operands[-1]], []), [addresses, *data, mask], values)
    other = np.full(shape, np.nan if op.attributes["nan"] else 0, element.value)
    return _load(reference, Op("load", [], op.results), [addresses, mask, other], values)


def _rmw(reference, op: Op, operands, _):
    addresses, data = operands[:2]
    element = op.results[0].element
    mask = operands[2] if len(operands) == 3 else np.ones(addresses.shape, bool)
    old = np.zeros(addresses.shape, element.value)
    view = reference.view(element)
    combine = RMW[op.attributes["name"]]
    places = reference.places(addresses[mask], element.size)
    reference.order.update(reference.program, places, element.size)
    for index in zip(*np.nonzero(np.atleast_1d(mask))):
        index = index if addresses.shape else ()
        place = reference.places(addresses[index], element.size)
        old[index] = decode(view[place : place + 1], element)[0]
        view[place] = encode(combine(old[index], data[index]), element)
    return [old]


def _cas(reference, op: Op, operands, _):
    addresses, expected, data = operands
    element = op.results[0].element
    old = np.zeros(addresses.shape, element.value)
    view = reference.view(element)
    places = reference.places(addresses, element.size)
    reference.order.update(reference.program, places, element.size)
    for index in np.ndindex(addresses.shape):
        place = reference.places(addresses[index], element.size)
        old[index] = view[place]
        if old[index] == expected[index]:
            view[place] = data[index]
    return [old]


# By the kind of the operation; called with a reference.Reference, the operation,
# its operands and the values so far.
ACCESSES = {
    "load": _load,
    "store": _store,
    "block_load": _block,
    "block_store": _block,
    "block_reduce": _block,
    "rmw": _rmw,
    "cas": _cas,
}
