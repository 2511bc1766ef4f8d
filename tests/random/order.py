"""Whether what a kernel computes depends on the order of its parts.

A GPU runs programs at the same time, and the elements of one store or atomic
operation in any order. A kernel whose result depends on either has no expected
result there.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np

_NOBODY = -1
_SEVERAL = -2


class Order:
    """What each byte was accessed by; `matters` once an order was needed."""

    def __init__(self, size: int) -> None:
        self.matters = False
        self._reader = np.full(size, _NOBODY, np.int32)
        self._writer = np.full(size, _NOBODY, np.int32)

    def read(self, program: int, places: np.ndarray, size: int) -> None:
        bytes_ = _bytes(places, size)
        self._expect(self._writer[bytes_], program)
        seen = self._reader[bytes_]
        self._reader[bytes_] = np.where((seen == _NOBODY) | (seen == program), program, _SEVERAL)

    def write(self, program: int, places: np.ndarray, size: int, data: np.ndarray) -> None:
        """Of elements at once, whose bits are `data`."""
        places, data = places.reshape(-1), np.ascontiguousarray(data).reshape(-1)
        order = np.argsort(places, kind="stable")
        same = places[order][1:] == places[order][:-1]
        bits = data[order].view(f"u{data.itemsize}")
        if (same & (bits[1:] != bits[:-1])).any():
            self.matters = True
        self._mark(program, _bytes(places, size))

    def update(self, program: int, places: np.ndarray, size: int) -> None:
        """By an atomic operation."""
        places = places.reshape(-1)
        if len(np.unique(places)) != len(places):
            self.matters = True
        self._mark(program, _bytes(places, size))

    def _mark(self, program: int, bytes_: np.ndarray) -> None:
        self._expect(self._writer[bytes_], program)
        self._expect(self._reader[bytes_], program)
        self._writer[bytes_] = program

    def _expect(self, seen: np.ndarray, program: int) -> None:
        if ((seen != _NOBODY) & (seen != program)).any():
            self.matters = True


def _bytes(places: np.ndarray, size: int) -> np.ndarray:
    return (places.reshape(-1, 1) * size + np.arange(size)).reshape(-1)
