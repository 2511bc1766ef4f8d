"""Numbers of elements and strides of shapes."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations


def product(shape) -> int:
    out = 1
    for extent in shape:
        out *= extent
    return out


def dense(shape) -> tuple[int, ...]:
    """The strides of a tile that is stored row by row."""
    strides = []
    stride = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return tuple(reversed(strides))
