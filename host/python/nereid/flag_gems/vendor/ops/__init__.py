"""Operators that replace FlagGems' generic ones of the same name."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from flag_gems import runtime

from . import not_cuda

_modules = [not_cuda] if runtime.device.name != "cuda" else []
if runtime.device.name == "cpu":
    from . import on_cpu

    _modules.append(on_cpu)
for _module in _modules:
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})
