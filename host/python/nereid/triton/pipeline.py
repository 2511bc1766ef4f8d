"""From Triton's module to an image: the stages of a plugin as Triton stages.

Triton runs its passes in process and passes the text to the plugin. The plugin
runs its whole pipeline at once, and each Triton stage returns one of its outputs.
So a kernel is compiled once, and Nereid's cache has the same image as Triton's.
If the user overrides a stage, the plugin continues from that output.
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
    """Runs the passes that make the text short. The plugin runs the rest of
    Triton's common passes: it also analyzes block pointers and descriptors."""
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
        self._last: Any = None  # the output of the previous stage

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
        """The arguments that the launcher has to copy back, if it copies. An
        overridden later stage may store to any argument."""
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
    """The compiler of one device: its options, stages and facts, read once."""

    def __init__(self, target: GPUTarget, features: str, backend: Any, device: int) -> None:
        self.target = target
        self.features = features
        self.backend = backend
        self.device = device
        self.schema = json.loads(backend.options(device))
        self.options_type = options_type(self.schema)
        self.frontend = Frontend.read(backend.frontend(device))
        stages = json.loads(backend.stages({}, device))
        # Triton has its own stage "ttir". If the plugin's first stage also outputs
        # TTIR, it is merged into the next one.
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
        """Depends on the plugin's build, its compiler and the target of the device."""
        key = self.backend.key("", "kernel.ttir", device=self.device)
        ingredients = json.loads(key)["ingredients"]
        text = json.dumps([_native.require().version(), ingredients], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def parse_options(self, given: dict[str, Any]) -> Any:
        fields = self.options_type.__dataclass_fields__
        known = {k: v for k, v in given.items() if k in fields and v is not None}
        # Triton calls this twice: with the options of the launch, and then with
        # the result.
        if known.get("backend_name") == self.target.backend:
            return self.options_type(**known)
        known["backend_name"] = self.target.backend
        known["target_features"] = self.features
        known.setdefault("arch", str(self.target.arch))
        known.setdefault("warp_size", int(self.target.warp_size))
        for name, value in self.frontend.options().items():
            known.setdefault(name, value)
        # An environment variable may also disable fusion.
        requested = known.get("enable_fp_fusion")
        fuses = versions.default_fp_fusion(requested)
        if requested is not None or not fuses:
            known["enable_fp_fusion"] = fuses
        if "nereid_debug_info" in fields:
            known.setdefault("nereid_debug_info", versions.wants_line_info())
        share(self.schema, known)
        return self.options_type(**known)

    def of_options(self, options: Any) -> Pipeline:
        """The pipeline of the device that `options` were parsed for: one with the
        same GPUTarget and features."""
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
    """The pipeline of a device with this target, preferably the calling thread's
    current one."""
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


def _is_alike(device: GPUTarget, target: GPUTarget) -> bool:
    """Whether code for `target` runs on a device. No architecture stands for any:
    torch.compile has none for a CPU."""
    if (device.backend, device.warp_size) != (target.backend, target.warp_size):
        return False
    return target.arch == "" or str(device.arch) == str(target.arch)
