"""Operators that replace FlagGems' generic ones of the same name."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from flag_gems import runtime

if runtime.device.name == "cpu":
    from . import on_cpu

    globals().update({name: getattr(on_cpu, name) for name in on_cpu.__all__})
