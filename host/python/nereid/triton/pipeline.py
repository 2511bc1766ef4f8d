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

from .. import _native
from .._transfer import written_arguments
from . import selection, versions
from .device import current_index, read_target
from .frontend import Frontend
from .options import TooLarge, options_type, share


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
        self._artifact: Any = None
        self._last: Any = None  # what the stage before gave to Triton

    def ttir(self, module: Any, metadata: dict[str, Any]) -> Any:
        metadata["name"] = module.get_entry_func_name()
        return run_triton_passes(module)

    def stage(self, index: int, source: Any, metadata: dict[str, Any]) -> str | bytes:
        """Stage `index` of the plugin, whose input is `source`."""
        if self._artifact is None or source is not self._last:
            self._compile(index, source, metadata)
            metadata["written_arguments"] = self._written(index, source, metadata)
        name = self._pipeline.stages[index]
        if name == self._pipeline.binary_ext:
            return self._artifact.save()
        output = self._artifact.stage(name)
        self._last = output.decode("utf-8", "backslashreplace")
        return self._last

    def _written(
        self, index: int, source: Any, metadata: dict[str, Any]
    ) -> list[bool] | None:
        """What the launcher has to copy back, if it copies at all. A text of a
        later stage that the user replaced may store to any argument."""
        if self._pipeline.is_host_accessible or index > 0:
            return None
        return written_arguments(str(source), f"{metadata.get('name')}.ttir")

    def _compile(self, index: int, source: Any, metadata: dict[str, Any]) -> None:
        pipeline = self._pipeline
        try:
            self._artifact = pipeline.backend.compile(
                versions.content_of(source),
                f"{metadata.get('name', 'kernel')}.{pipeline.inputs[index]}",
                self._options.for_plugin(),
                pipeline.device,
                flags=_native.require().KEEP_STAGES,
                start_at=pipeline.starts[index],
            )
        except _native.require().Error as error:
            if error.status == "out-of-resources":
                raise TooLarge(str(error)) from None
            raise
        metadata.update(_metadata_of(self._artifact))


def _metadata_of(artifact: Any) -> dict[str, Any]:
    facts = json.loads(artifact.describe())["metadata"]
    return {
        "name": artifact.name,
        # Not 0: Triton programs divide by it to compute the occupancy.
        "shared": max(1, facts.get("shared", 0)),
        "scratch": facts.get("scratch", 0),
        "global_scratch_size": facts.get("scratch_size", 0),
        "global_scratch_align": facts.get("scratch_alignment", 64),
        "profile_scratch_size": 0,
        "profile_scratch_align": 1,
        "tensordesc_meta": None,
    }


class Pipeline:
    """What one device's plugin compiles with, looked up once."""

    def __init__(self, target: GPUTarget, features: str, backend: Any, device: int) -> None:
        self.target = target
        self.features = features
        self.backend = backend
        self.device = device
        self.schema = json.loads(backend.options(device))
        self.options_type = options_type(self.schema)
        self.frontend = Frontend.read(backend.frontend(device))
        stages = json.loads(backend.stages({}, device))
        # Triton has a stage "ttir" of its own: a plugin's first stage, if it
        # only tidies TTIR up, is part of the one after it.
        first = int(len(stages) > 1 and stages[0]["output"] == "ttir")
        shown = stages[first:]
        self.stages = [stage["name"] for stage in shown]
        self.inputs = [stage["input"] for stage in shown]
        self.starts = [stages[0]["name"], *self.stages[1:]]
        self.binary_ext = self.stages[-1]
        versions.read_overrides(self.stages[:-1], self.binary_ext)

    @functools.cached_property
    def is_host_accessible(self) -> bool:
        if not self.backend.info()["device_count"]:
            return True  # nothing is launched
        facts = json.loads(self.backend.properties(self.device))
        return bool(facts.get("host_accessible", False))

    @functools.cached_property
    def hash(self) -> str:
        """Covers the plugin's build, its compiler, and the device's target."""
        key = self.backend.key("", "kernel.ttir", device=self.device)
        ingredients = json.loads(key)["ingredients"]
        text = json.dumps([_native.require().version(), ingredients], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def parse_options(self, given: dict[str, Any]) -> Any:
        fields = self.options_type.__dataclass_fields__
        known = {k: v for k, v in given.items() if k in fields and v is not None}
        # Triton has options parsed twice: as the launch gave them, and then as
        # the result of that.
        if known.get("backend_name") == self.target.backend:
            return self.options_type(**known)
        known["backend_name"] = self.target.backend
        known["target_features"] = self.features
        known.setdefault("arch", str(self.target.arch))
        known.setdefault("warp_size", int(self.target.warp_size))
        for name, value in self.frontend.options().items():
            known.setdefault(name, value)
        # A variable that forbids fusion is as good as a launch that does.
        requested = known.get("enable_fp_fusion")
        fuses = versions.default_fp_fusion(requested)
        if requested is not None or not fuses:
            known["enable_fp_fusion"] = fuses
        if "nereid_debug_info" in fields:
            known.setdefault("nereid_debug_info", versions.wants_line_info())
        share(self.schema, known)
        return self.options_type(**known)

    def of_options(self, options: Any) -> Pipeline:
        """The pipeline of a device that `options` were parsed for: of the same
        target, Triton's and the features that Triton does not know."""
        return pipeline_for(self.target, getattr(options, "target_features", None))

    def add_stages(self, owner: Any, stages: dict, options: Any, language: Any) -> None:
        compilation = _Compilation(self.of_options(options), options)
        stages["ttir"] = compilation.ttir
        for index, name in enumerate(self.stages):
            stages[name] = functools.partial(compilation.stage, index)
        versions.inspect_stages(owner, stages, options, language)


@functools.lru_cache(maxsize=None)
def _pipeline(device_type: str, device: int) -> Pipeline:
    backend = selection.backend_of(device_type)
    target, features = read_target(backend, backend.info(), device)
    return Pipeline(target, features, backend, device)


@functools.lru_cache(maxsize=None)
def _pipeline_without_device(target: GPUTarget) -> Pipeline:
    return Pipeline(target, "", selection.backend_of(target.backend), 0)


def pipeline_for(target: GPUTarget, features: str | None = None) -> Pipeline:
    """The pipeline of a device with this target, of the calling thread's current
    one if it fits."""
    backend = selection.backend_of(target.backend)
    count = backend.info()["device_count"]
    if not count:
        return _pipeline_without_device(target)
    current = current_index(target.backend)
    devices = sorted(range(count), key=lambda device: device != current)
    for device in devices:
        pipeline = _pipeline(target.backend, device)
        if _is_alike(pipeline.target, target) and features in (None, pipeline.features):
            return pipeline
    found = ", ".join(sorted({str(_pipeline(target.backend, d).target.arch) for d in devices}))
    raise ValueError(
        f"no device of {target.backend} is {target.arch} with warps of "
        f"{target.warp_size}, found {found or 'none'}"
    )


def _is_alike(a: GPUTarget, b: GPUTarget) -> bool:
    return (a.backend, str(a.arch), a.warp_size) == (b.backend, str(b.arch), b.warp_size)
