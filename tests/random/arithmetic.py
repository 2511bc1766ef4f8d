"""The scalar operations of random kernels, on arrays."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np


def unsigned(function, *operands):
    """`function` on the same bits taken as unsigned numbers."""
    kind = np.dtype(f"u{operands[0].dtype.itemsize}")
    out = function(*(x.view(kind) for x in operands))
    return out if out.dtype == bool else out.view(operands[0].dtype)


def truncated(x, y):
    """Signed division towards zero; the divisor is positive."""
    quotient = x // y
    return quotient + ((x < 0) & (quotient * y != x)).astype(x.dtype)


def maximum(x, y):
    """NaN if one is; of two zeros the positive one."""
    return np.where((x == 0) & (y == 0), x + y, np.maximum(x, y))


def minimum(x, y):
    return np.negative(maximum(np.negative(x), np.negative(y)))


BINARY = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": truncated,
    "arith.remsi": lambda x, y: x - truncated(x, y) * y,
    "arith.divui": lambda x, y: unsigned(np.floor_divide, x, y),
    "arith.remui": lambda x, y: unsigned(np.remainder, x, y),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.shrui": lambda x, y: unsigned(np.right_shift, x, y),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": lambda x, y: unsigned(np.maximum, x, y),
    "arith.minui": lambda x, y: unsigned(np.minimum, x, y),
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.divf": np.divide,
    "arith.maximumf": maximum,
    "arith.minimumf": minimum,
}

UNARY = {
    "math.absi": np.abs,
    "math.absf": np.abs,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "arith.negf": np.negative,
    "math.sqrt": np.sqrt,
}

COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

RMW = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "fadd": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "umax": lambda x, y: unsigned(np.maximum, x, y),
    "umin": lambda x, y: unsigned(np.minimum, x, y),
    "exch": lambda x, y: y,
}
