"""Memory of kernels that run on the host, in which a read beyond a buffer is a fault."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import mmap

import numpy as np

from ir import Buffer

_BEFORE = 256  # bytes before a buffer that are compared, as many as in the arena
_ALIGNMENT = 64
_READ_WRITE, _NONE = 3, 0  # PROT_*

_libc = ctypes.CDLL(None, use_errno=True)


def _protect(address: int, size: int, access: int) -> None:
    if _libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), access):
        raise OSError(ctypes.get_errno(), "mprotect")


class GuardedMemory:
    """Each buffer ends with a page, or less than an alignment before; the page after it is unreadable."""

    def __init__(self) -> None:
        self.size = 0

    def fill(self, buffers: list[Buffer], arena: np.ndarray) -> list[int]:
        """Copies the buffers, and what is around them; returns their addresses."""
        page = mmap.PAGESIZE
        spans = [-(-(_BEFORE + self._rounded(b)) // page) * page for b in buffers]
        self._reserve(sum(spans) + page * len(spans))
        _protect(self.address, self.size, _READ_WRITE)
        addresses, at = [], self.address
        for buffer, span in zip(buffers, spans):
            addresses.append(at + span - self._rounded(buffer))
            self._view(buffer, addresses[-1])[:] = arena[self._part(buffer)]
            _protect(at + span, page, _NONE)
            at += span + page
        return addresses

    def copy_back(self, buffers: list[Buffer], addresses: list[int], arena: np.ndarray) -> None:
        for buffer, address in zip(buffers, addresses):
            arena[self._part(buffer)] = self._view(buffer, address)

    @staticmethod
    def _rounded(buffer: Buffer) -> int:
        return -(-buffer.data.nbytes // _ALIGNMENT) * _ALIGNMENT

    def _part(self, buffer: Buffer) -> slice:
        return slice(buffer.start - _BEFORE, buffer.start + self._rounded(buffer))

    def _view(self, buffer: Buffer, address: int) -> np.ndarray:
        size = _BEFORE + self._rounded(buffer)
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address - _BEFORE))

    def _reserve(self, size: int) -> None:
        if size > self.size:
            self.map = mmap.mmap(-1, size)
            self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
            self.size = size
