"""The default generator of a device whose tensors torch has on the CPU.

FlagGems generates random numbers by Philox, from a seed and an offset that it reads
from the state of torch's generator for the device. torch's generator for the CPU
has the state of a Mersenne Twister. Here the seed is drawn from that one, so that
`torch.manual_seed` decides what FlagGems generates, too.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import struct
import threading
from typing import Any

# at::CPUGeneratorImplStateLegacy, as of torch 1.0: the seed, two ints, the position,
# and 624 words of 64 bits.
_HEADER = struct.Struct("=QiiQ")
_LENGTH = 624
_MIDDLE = 397
_STATE_SIZE = _HEADER.size + 8 * _LENGTH


class Generator:
    """Seed and offset of Philox. The seed is drawn again whenever the state of
    torch's generator for the CPU has changed since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._philox = (0, 0)
        self._drawn_from = b""

    def get_state(self) -> Any:
        """A tensor with the seed and the offset."""
        import torch

        with self._lock:
            if _state_of_cpu() != self._drawn_from:
                self._philox = (_draw(), 0)
                self._drawn_from = _state_of_cpu()
            state = torch.empty(2, dtype=torch.int64)
            _words(state)[:] = self._philox
        return state

    def set_state(self, state: Any) -> None:
        if state.numel() * state.element_size() != 16:
            raise ValueError(
                f"a state of {state.numel() * state.element_size()} bytes, expected 16: "
                "the seed and the offset of Philox"
            )
        with self._lock:
            self._philox = tuple(_words(state.contiguous()))
            self._drawn_from = _state_of_cpu()

    def initial_seed(self) -> int:
        import torch

        return torch.default_generator.initial_seed()


def _words(state: Any) -> Any:
    """The two numbers in a tensor. Indexing it would call operators, which may be
    FlagGems' own."""
    return (ctypes.c_int64 * 2).from_address(state.data_ptr())


def _state_of_cpu() -> bytes:
    import torch

    state = torch.default_generator.get_state()
    return ctypes.string_at(state.data_ptr(), state.numel())


def _draw() -> int:
    """The next 64 bits of torch's generator for the CPU, without an operator of
    torch: within `flag_gems.use_gems()` those are FlagGems', which would draw
    from here again."""
    import torch

    state = torch.default_generator.get_state()
    if state.numel() < _STATE_SIZE:
        raise RuntimeError(
            f"torch {torch.__version__}: the state of the CPU's generator has "
            f"{state.numel()} bytes, expected at least {_STATE_SIZE}"
        )
    address = state.data_ptr()
    seed, left, is_seeded, position = _HEADER.unpack(ctypes.string_at(address, _HEADER.size))
    words = (ctypes.c_uint64 * _LENGTH).from_address(address + _HEADER.size)
    drawn = 0
    for _ in range(2):
        left -= 1
        if left <= 0:
            _regenerate(words)
            left, position = _LENGTH, 0
        drawn = drawn << 32 | _temper(words[position])
        position += 1
    ctypes.memmove(address, _HEADER.pack(seed, left, is_seeded, position), _HEADER.size)
    torch.default_generator.set_state(state)
    return drawn - (drawn >> 63 << 64)  # as a signed number


def _regenerate(words: Any) -> None:
    for i in range(_LENGTH):
        y = words[i] & 0x80000000 | words[(i + 1) % _LENGTH] & 0x7FFFFFFF
        odd = 0x9908B0DF if y & 1 else 0
        words[i] = words[(i + _MIDDLE) % _LENGTH] ^ y >> 1 ^ odd


def _temper(y: int) -> int:
    y ^= y >> 11
    y ^= y << 7 & 0x9D2C5680
    y ^= y << 15 & 0xEFC60000
    return (y ^ y >> 18) & 0xFFFFFFFF
