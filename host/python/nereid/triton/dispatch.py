"""The native dispatcher: `kernel[grid](...)` without Triton's JIT.

A call that is equal, in everything that Triton specializes on, to one that Triton
has compiled launches the kernel directly. A call with Triton's hooks, its debug
mode, another active driver or arguments of unknown kinds goes to Triton, and its
kernel is recorded. `NEREID_DISPATCH=0` makes every call go to Triton.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import inspect
import os
import sys
from typing import Any

from triton.knobs import env_base

from .. import _native
from . import versions


def _describe(function: Any) -> tuple | None:
    """(name, is constant[, default]) of each parameter of a JITFunction."""
    described = []
    for parameter in function.params:
        own = function.signature.parameters[parameter.name]
        if own.kind != inspect.Parameter.POSITIONAL_OR_KEYWORD:
            return None
        facts = (sys.intern(parameter.name), parameter.is_constexpr)
        has_default = own.default is not inspect.Parameter.empty
        described.append((*facts, own.default) if has_default else facts)
    return tuple(described)


def _settings() -> list[tuple[dict, str, Any]]:
    """The settings that Triton reads on every launch: (the dict of values that the
    program set, the name, the hooks of the class)."""
    settings = []
    for knobs, name in versions.launch_knobs():
        usual = vars(type(knobs))[name]
        settings.append((vars(knobs), sys.intern(name), getattr(usual, "calls", None)))
        if isinstance(usual, env_base):
            settings.append((os.environ._data, os.environ.encodekey(usual.key), None))
    return settings


def install(driver: Any) -> None:
    """Installs the dispatcher in front of JITFunction.run for launches on `driver`, if
    its devices are the host's CPU or those of torch."""
    utils = driver.utils
    wanted = os.environ.get("NEREID_DISPATCH", "1") != "0"
    if not wanted or utils.home is None:
        return
    import torch
    from triton.runtime.driver import driver as drivers
    from triton.runtime.jit import JITFunction

    _native.require().install_dispatcher(
        JITFunction,
        vars(drivers),
        "_active",
        driver,
        utils.dispatched_devices(),
        _describe,
        (torch.Tensor, torch.nn.Parameter, utils.home),
        _settings(),
    )


def remove() -> None:
    """Makes every call go to Triton from then on."""
    _native.require().remove_dispatcher()
