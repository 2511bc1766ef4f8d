"""What kernels for a target may use. Triton reports anything else as an error at
its line in the source.

The plugin declares it (nereid.frontend/1). The defaults are conservative: no FP8
types, and tl.dot only in IEEE precision and on blocks of at least 16 x 16 x 16,
which every GPU with matrix instructions supports.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Frontend:
    fp8_types: tuple[str, ...] = ()
    dot_fp8_types: tuple[str, ...] = ()  # without a warning
    dot_precisions: tuple[str, ...] = ("ieee",)
    default_dot_precision: str = "ieee"
    min_dot_size: tuple[int, int, int] = (16, 16, 16)
    max_num_imprecise_acc: int = 0

    @staticmethod
    def read(text: str) -> Frontend:
        """From JSON with the names of nereid/ext/frontend.h."""
        known = Frontend.__dataclass_fields__
        facts = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in json.loads(text).items()
            if name in known
        }
        if len(facts.get("min_dot_size", (1, 1, 1))) != 3:
            raise ValueError(
                f"the plugin's min_dot_size is {list(facts['min_dot_size'])}, expected "
                "the smallest m, n and k"
            )
        precisions = facts.get("dot_precisions", ("ieee",))
        facts.setdefault(
            "default_dot_precision", "ieee" if "ieee" in precisions else precisions[0]
        )
        facts.setdefault("dot_fp8_types", facts.get("fp8_types", ()))
        return Frontend(**facts)

    def options(self) -> dict[str, Any]:
        """The fields of Triton's options that its language reads."""
        return {
            "supported_fp8_dtypes": tuple(sorted(self.fp8_types)),
            "deprecated_fp8_dot_operand_dtypes": tuple(
                sorted(set(self.fp8_types) - set(self.dot_fp8_types))
            ),
            "allowed_dot_input_precisions": self.dot_precisions,
            "default_dot_input_precision": self.default_dot_precision,
            "max_num_imprecise_acc_default": self.max_num_imprecise_acc,
        }
