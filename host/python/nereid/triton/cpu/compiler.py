"""A compiler for no target: Triton requires exactly one for each, and `nereid` is it."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from .. import compiler  # the module: Triton looks for one class here


class CpuBackend(compiler.NereidBackend):
    @staticmethod
    def supports_target(target: Any) -> bool:
        return False
