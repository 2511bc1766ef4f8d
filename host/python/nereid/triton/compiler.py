"""The compiler side of the backend: Triton's passes, then Nereid's pipeline."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget

from . import selection
from .pipeline import Pipeline, pipeline_for


def _min_dot_size(lhs_type: Any, rhs_type: Any) -> tuple[int, int, int]:
    return 1, 1, 1


class NereidBackend(BaseBackend):
    """Compiles for any plugin; Triton makes one for each use, so it is light."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend in selection.device_types()

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
        """No dialect crosses to a plugin: text does."""

    def get_codegen_implementation(self, options: Any) -> dict[str, Any]:
        from .fp8e4b15 import convert_custom_types

        return {
            "convert_custom_types": convert_custom_types,
            "min_dot_size": _min_dot_size,
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
