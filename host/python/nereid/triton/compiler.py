"""The compiler side of the backend: Triton's passes, then Nereid's pipeline."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget

from . import selection
from .pipeline import Pipeline, pipeline_for


class NereidBackend(BaseBackend):
    """Compiles for any plugin. Cheap to create: Triton does so for each use."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return selection.serves(target, NereidBackend)

    def __init__(self, target: GPUTarget) -> None:
        super().__init__(target)
        self._pipeline: Pipeline = pipeline_for(target)

    @property
    def binary_ext(self) -> str:
        return self._pipeline.binary_ext

    def hash(self) -> str:
        return self._pipeline.hash

    def parse_options(self, opts: dict[str, Any]) -> Any:
        return self._pipeline.parse_options(opts)

    def add_stages(self, stages: dict, options: Any, language: Any = None) -> None:
        self._pipeline.add_stages(self, stages, options, language)

    def load_dialects(self, context: Any) -> None:
        """Loads none: plugins receive text."""

    def get_codegen_implementation(self, options: Any) -> dict[str, Any]:
        from .fp8e4b15 import convert_custom_types

        least = self._pipeline.of_options(options).frontend.min_dot_size
        return {
            "convert_custom_types": convert_custom_types,
            "min_dot_size": lambda lhs_type, rhs_type: least,
        }

    def get_module_map(self) -> dict[str, Any]:
        from .libdevice import libdevice_for

        return {
            "triton.language.extra.libdevice": libdevice_for(
                self._pipeline.backend, self._pipeline.device
            )
        }

    def pack_metadata(self, metadata: Any) -> tuple[int, int, int]:
        return metadata.num_warps, metadata.num_ctas, metadata.shared
