"""Configurations of the autotuner from which the same kernel is compiled.

Programs list configurations that differ in warps and stages only. A compiler that
has no such options compiles the same kernel for all of them, and timing one of them
is enough.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from triton import JITFunction
from triton.runtime.autotuner import Autotuner, Config, Heuristics

from .. import _native

# Options of a triton.Config, with two values of each.
_OPTIONS = {
    "num_warps": (4, 8),
    "num_stages": (1, 2),
    "num_ctas": (1, 2),
    "maxnreg": (64, 128),
}
_PROBE = """module {
  tt.func public @probe(%pointer: !tt.ptr<f32>) attributes {noinline = false} {
    %x = tt.load %pointer : !tt.ptr<f32>
    tt.store %pointer, %x : !tt.ptr<f32>
    tt.return
  }
}
"""
_REFUSALS = ("invalid-argument", "unimplemented", "out-of-resources")


def _has_effect(backend: Any, device: int, option: str) -> bool:
    """Whether the option is part of the cache key of what is compiled."""
    offered = {it["name"] for it in json.loads(backend.options(device))}
    if option not in offered:
        return False
    try:
        keys = {
            backend.key(_PROBE, "probe.ttir", {option: value}, device)
            for value in _OPTIONS[option]
        }
    except _native.require().Error as error:
        if error.status in _REFUSALS:
            return True  # one of the values is refused
        raise
    return len(keys) > 1


@functools.lru_cache(maxsize=None)
def options_without_effect(backend: Any, device: int) -> frozenset[str]:
    return frozenset(it for it in _OPTIONS if not _has_effect(backend, device, it))


@functools.lru_cache(maxsize=256)
def _names_in(function: JITFunction) -> frozenset[str]:
    """The names that the body of a kernel reads: it may have parameters of the names of
    options."""
    nodes = ast.walk(function.parse())
    return frozenset(it.id for it in nodes if isinstance(it, ast.Name))


def identity(
    tuner: Autotuner,
    config: Config,
    call: tuple[Sequence[Any], Mapping[str, Any]],
    backend: Any,
    device: int,
) -> tuple:
    """Equal for two configurations if the same kernel is compiled from both for a call,
    and the same hook runs before it."""
    positional, named = call
    arguments = {**dict(zip(tuner.arg_names, positional)), **named, **config.all_kwargs()}
    values = {**vars(config), **config.kwargs}
    del values["kwargs"]
    function = tuner.fn
    while not isinstance(function, JITFunction):
        if isinstance(function, Heuristics):  # which may read options, too
            for name, heuristic in function.values.items():
                arguments[name] = values[name] = heuristic(arguments)
        function = function.fn
    ignored = options_without_effect(backend, device) - _names_in(function)
    return tuple(sorted((name, repr(it)) for name, it in values.items() if name not in ignored))
