"""Hooks of Triton around launches and compilations."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import torch
import triton
from scaled import scale_kernel


def test_launch_hooks_see_the_metadata():
    seen = []
    hooks = triton.knobs.runtime
    enter = lambda metadata: seen.append(("enter", metadata.get()["name"]))  # noqa: E731
    leave = lambda metadata: seen.append(("exit", metadata.get()["name"]))  # noqa: E731
    hooks.launch_enter_hook.add(enter)
    hooks.launch_exit_hook.add(leave)
    try:
        scale_kernel[(1,)](torch.zeros(4), torch.zeros(4), 4, 2.0, BLOCK=4)
    finally:
        hooks.launch_enter_hook.remove(enter)
        hooks.launch_exit_hook.remove(leave)
    assert seen == [("enter", "scale_kernel"), ("exit", "scale_kernel")]


def test_kernel_load_hooks(fresh_kernels):
    seen = []
    start = lambda module, *_: seen.append(module)  # noqa: E731
    end = lambda module, *_: seen.append(module)  # noqa: E731
    hooks = triton.knobs.runtime
    hooks.kernel_load_start_hook.add(start)
    hooks.kernel_load_end_hook.add(end)
    try:
        scale_kernel[(1,)](torch.zeros(4), torch.zeros(4), 4, 2.0, BLOCK=4)
    finally:
        hooks.kernel_load_start_hook.remove(start)
        hooks.kernel_load_end_hook.remove(end)
    assert seen[0] is None and seen[1].name == "scale_kernel"


@pytest.fixture
def fresh_kernels():
    """No kernel of this process, and a cache of its own."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, triton.knobs.cache.scope():
        triton.knobs.cache.dir = folder
        scale_kernel.device_caches.clear()
        yield folder
    scale_kernel.device_caches.clear()


def test_jit_hook_can_stop_a_launch(fresh_kernels):
    out = torch.zeros(4)
    calls = []

    def refuse(**facts):
        calls.append(facts["fn"].name)
        return True

    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_cache_hook = refuse
        scale_kernel[(1,)](torch.ones(4), out, 4, 2.0, BLOCK=4)
    assert calls and not out.any()


def test_stage_inspection_hook(fresh_kernels):
    seen = []

    def inspect(*args):
        if not args:
            return "key", "hash"
        _, stages, options, _, _ = args
        seen.append((list(stages), options.num_warps))

    with triton.knobs.runtime.scope():
        triton.knobs.runtime.add_stages_inspection_hook = inspect
        scale_kernel[(1,)](torch.ones(4), torch.ones(4), 4, 2.0, BLOCK=4)
    assert seen == [(["ttir", "llir", "asm", "so"], 4)]


def test_compilation_listener(fresh_kernels):
    seen = []

    def listen(*, src, metadata, metadata_group, times, cache_hit):
        seen.append((cache_hit, [name for name, _ in times.lowering_stages]))

    with triton.knobs.compilation.scope():
        triton.knobs.compilation.listener = listen
        scale_kernel[(1,)](torch.ones(4), torch.ones(4), 4, 2.0, BLOCK=4)
        scale_kernel.device_caches.clear()
        scale_kernel[(1,)](torch.ones(4), torch.ones(4), 4, 2.0, BLOCK=4)
    assert seen == [(False, ["ttir", "llir", "asm", "so"]), (True, [])]


def test_changed_stage_is_where_the_plugin_starts_again(fresh_kernels):
    """The hook replaces the text of one stage; the kernel does what it says."""

    def inspect(*args):
        if not args:
            return "key", "hash"
        stages = args[1]
        llir = stages["llir"]

        def halve(source, metadata):
            text = llir(source, metadata)
            assert "fmul" in text
            return text.replace("fmul", "fadd")

        stages["llir"] = halve

    x, out = torch.full((4,), 5.0), torch.zeros(4)
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.add_stages_inspection_hook = inspect
        scale_kernel[(1,)](x, out, 4, 3.0, BLOCK=4)
    assert (out == 8).all()
