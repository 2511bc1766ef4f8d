"""Everything that differs between the supported releases of Triton."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import importlib
import inspect
import pathlib
from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from typing import Any

from triton import knobs
from triton.backends.driver import DriverBase


def default_fp_fusion(requested: bool | None) -> bool:
    """3.9 has a function for it, which reads an environment variable, too."""
    decide = getattr(knobs.language, "fp_fusion_enabled", None)
    if decide is not None:
        return decide(requested)
    return knobs.language.default_fp_fusion if requested is None else requested


def wants_line_info() -> bool:
    return not getattr(knobs.compilation, "disable_line_info", False)


def launch_knobs() -> list[tuple[Any, str]]:
    """The settings that Triton, and therefore the dispatcher, reads on every
    launch. By default all are false or empty lists of hooks."""
    found = [
        (knobs.runtime, "debug"),
        (knobs.runtime, "launch_enter_hook"),
        (knobs.runtime, "launch_exit_hook"),
        (knobs.runtime, "add_stages_inspection_hook"),
        (knobs.compilation, "instrumentation_mode"),
        (knobs.compilation, "fpsan_homomorphic_casts"),
    ]
    return [(group, name) for group, name in found if name in vars(type(group))]


class _File(str):
    """The text of a file that overrides a stage, with its bytes, which may not be
    UTF-8. Triton stores and reads the text."""

    content: bytes


def content_of(source: Any) -> str | bytes:
    """The input of a stage (a module, or the output of another stage) in the form
    that the plugin reads."""
    if isinstance(source, _File):
        return source.content
    return source if isinstance(source, bytes) else str(source)


_text_stages: set[str] = set()
_binary_stages: set[str] = set()


def read_overrides(texts: Iterable[str], binary: str) -> None:
    """Makes TRITON_KERNEL_OVERRIDE and `ir_override` work for these stages:
    Triton reads files of the stages of its own backends only."""
    from triton.compiler import compiler

    _text_stages.update(texts)
    _binary_stages.add(binary)
    original = compiler.parse
    if getattr(original, "reads_stages_of_nereid", False):
        return

    @functools.wraps(original)
    def parse(full_name: str, ext: str, context: Any) -> Any:
        result = original(full_name, ext, context)
        if result is not None or ext not in _text_stages | _binary_stages:
            return result
        content = pathlib.Path(full_name).read_bytes()
        if ext in _binary_stages:
            return content
        text = _File(content.decode("utf-8", "backslashreplace"))
        text.content = content
        return text

    parse.reads_stages_of_nereid = True
    compiler.parse = parse


def settings_of_compilations() -> dict[str, str]:
    """The environment variables that change what Triton compiles."""
    from triton._C.libtriton import get_cache_invalidating_env_vars

    return get_cache_invalidating_env_vars()


def load(kernel: Any) -> None:
    """Loads a kernel that was compiled without a launch; the first launch does so
    otherwise."""
    from triton.compiler import CompiledKernel

    if isinstance(kernel, CompiledKernel):
        kernel._init_handles()


def call_of_benchmark(benchmark: Callable) -> tuple[tuple, dict] | None:
    """The arguments of the call that the autotuner is about to time, which
    check_disk_cache is not given."""
    if not inspect.isfunction(benchmark):
        return None
    found = inspect.getclosurevars(benchmark).nonlocals
    if not isinstance(found.get("args"), tuple) or not isinstance(found.get("kwargs"), dict):
        return None
    return found["args"], found["kwargs"]


def before_first_autotuner(install: Callable[[], None]) -> None:
    """Calls `install` when the program makes its first autotuner. Triton imports its
    backends before it has that class, and asks for a driver after the class has
    decided what to time. What comes between is that the class reads a setting."""
    settings = type(knobs.autotuning)
    setting = vars(settings)["cache"]

    class Watched(type(setting)):
        def __get__(self, group: Any, owner: Any) -> Any:
            settings.cache = setting
            install()
            return setting.__get__(group, owner)

    watched = Watched(setting.key)
    watched.__set_name__(settings, "cache")
    settings.cache = watched


def inspect_stages(backend: Any, stages: dict, options: Any, language: Any) -> None:
    """Calls the hook that inspects the stages: a backend has to do so."""
    hook = getattr(knobs.runtime, "add_stages_inspection_hook", None)
    if hook is not None:
        hook(backend, stages, options, language, None)


def outrank_other_drivers() -> None:
    """Makes all other drivers inactive, because the user named this one.

    Triton requires exactly one active driver. From 3.7.1 on
    TRITON_DEFAULT_BACKEND chooses it; 3.6 does not have that variable, and no
    release of Triton knows NEREID_TARGET.
    """
    for entry in entry_points().select(group="triton.backends"):
        if entry.value.partition(".")[0] == __name__.partition(".")[0]:
            continue
        module = importlib.import_module(f"{entry.value}.driver")
        for member in vars(module).values():
            if (
                isinstance(member, type)
                and issubclass(member, DriverBase)
                and not inspect.isabstract(member)
            ):
                member.is_active = staticmethod(lambda: False)


def outrank_other_compilers(entry_point: str, is_taken: Callable[[str], bool]) -> None:
    """Makes all other compilers refuse the targets whose device type `is_taken`:
    Triton requires exactly one compiler for a target, and has its own for "cuda"."""
    from triton.backends import backends

    for name, backend in backends.items():
        compiler = backend.compiler
        if name == entry_point or hasattr(compiler, "refuses_targets_of_nereid"):
            continue
        compiler.supports_target = staticmethod(_refusing(compiler, is_taken))
        compiler.refuses_targets_of_nereid = True


def _refusing(compiler: Any, is_taken: Callable[[str], bool]) -> Callable[[Any], bool]:
    original = compiler.supports_target
    return lambda target: original(target) and not is_taken(target.backend)
