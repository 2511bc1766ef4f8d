"""From Triton's module to an image: one plugin's stages as Triton's stages.

Triton runs its passes in process; the text crosses to the plugin, which runs
its whole pipeline at once, and what each stage made is handed to Triton piece
by piece. So a kernel is compiled once, Nereid's cache holds the same image as
Triton's, and a stage that the user overrides is where the plugin starts again.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget
from triton.runtime.errors import OutOfResources

from .. import _native
from . import versions
from .options import options_type


class TooLarge(OutOfResources):
    """A kernel that the plugin has no room for; the autotuner skips it."""

    def __init__(self, reason: str) -> None:
        super().__init__("more", "what there is", reason)

    def __str__(self) -> str:
        return f"out of resource: {self.name}"

    def __reduce__(self):
        return type(self), (self.name,)


def run_triton_passes(module: Any) -> Any:
    """What makes the text short. The rest of Triton's common passes are the
    plugin's business, which also follows block pointers and descriptors."""
    manager = ir.pass_manager(module.context)
    manager.enable_debug()
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    passes.common.add_symbol_dce(manager)
    passes.ttir.add_loop_unroll(manager)
    manager.run(module, "make_ttir")
    return module


class _Compilation:
    """The stages of one kernel. Triton calls them in order."""

    def __init__(self, pipeline: Pipeline, options: Any) -> None:
        self._pipeline = pipeline
        self._options = options
        self._compiled: Any = None
        self._last: Any = None  # what the stage before gave to Triton

    def ttir(self, module: Any, metadata: dict[str, Any]) -> Any:
        metadata["name"] = module.get_entry_func_name()
        return run_triton_passes(module)

    def stage(self, index: int, source: Any, metadata: dict[str, Any]) -> str | bytes:
        """Stage `index` of the plugin, whose input is `source`."""
        if self._compiled is None or source is not self._last:
            self._compile(index, source, metadata)
        name = self._pipeline.stages[index]
        if name == self._pipeline.binary_ext:
            return self._compiled.save()
        output = self._compiled.stage(name)
        self._last = output.decode("utf-8", "backslashreplace")
        return self._last

    def _compile(self, index: int, source: Any, metadata: dict[str, Any]) -> None:
        pipeline = self._pipeline
        try:
            self._compiled = pipeline.backend.compile(
                source if isinstance(source, bytes) else str(source),
                f"{metadata.get('name', 'kernel')}.{pipeline.inputs[index]}",
                self._options.for_plugin(pipeline.option_names),
                pipeline.device,
                flags=_native.require().KEEP_STAGES,
                start_at=pipeline.starts[index],
            )
        except _native.require().Error as error:
            if error.status == "out-of-resources":
                raise TooLarge(str(error)) from None
            raise
        metadata.update(_metadata_of(self._compiled))


def _metadata_of(compiled: Any) -> dict[str, Any]:
    facts = json.loads(compiled.describe())["metadata"]
    return {
        "name": compiled.name,
        # Programs divide by it: an occupancy of nothing is no number.
        "shared": max(1, facts.get("shared", 0)),
        "scratch": facts.get("scratch", 0),
        "global_scratch_size": 0,
        "global_scratch_align": 1,
        "profile_scratch_size": 0,
        "profile_scratch_align": 1,
        "tensordesc_meta": None,
    }


class Pipeline:
    """What a target's plugin compiles with, looked up once."""

    def __init__(self, target: GPUTarget) -> None:
        self.target = target
        self.backend = _native.require().backend(target.backend)
        self.device = 0
        schema = json.loads(self.backend.options())
        self.option_names = frozenset(option["name"] for option in schema)
        self.options_type = options_type(schema)
        stages = json.loads(self.backend.stages({}))
        # Triton has a stage "ttir" of its own: a plugin's first stage, if it
        # only tidies TTIR up, is part of the one after it.
        first = int(len(stages) > 1 and stages[0]["output"] == "ttir")
        shown = stages[first:]
        self.stages = [stage["name"] for stage in shown]
        self.inputs = [stage["input"] for stage in shown]
        self.starts = [stages[0]["name"], *self.stages[1:]]
        self.binary_ext = self.stages[-1]

    @functools.cached_property
    def hash(self) -> str:
        """Covers the plugin's build, its compiler, and this machine's CPU."""
        ingredients = json.loads(self.backend.key("", "kernel.ttir"))["ingredients"]
        text = json.dumps([_native.require().version(), ingredients], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def parse_options(self, given: dict[str, Any]) -> Any:
        fields = self.options_type.__dataclass_fields__
        known = {k: v for k, v in given.items() if k in fields and v is not None}
        known.setdefault("arch", str(self.target.arch))
        known.setdefault("warp_size", int(self.target.warp_size))
        known["backend_name"] = self.target.backend
        known["enable_fp_fusion"] = versions.default_fp_fusion(
            known.get("enable_fp_fusion")
        )
        if "debug_info" in self.option_names:
            known.setdefault("nereid_debug_info", versions.wants_line_info())
        return self.options_type(**known)

    def add_stages(self, owner: Any, stages: dict, options: Any, language: Any) -> None:
        compilation = _Compilation(self, options)
        stages["ttir"] = compilation.ttir
        for index, name in enumerate(self.stages):
            stages[name] = functools.partial(compilation.stage, index)
        versions.inspect_stages(owner, stages, options, language)


@functools.lru_cache(maxsize=None)
def pipeline_for(target: GPUTarget) -> Pipeline:
    return Pipeline(target)
