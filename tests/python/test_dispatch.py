"""The native dispatcher distinguishes calls as Triton does, or calls Triton."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import gc
import pathlib
import weakref

import pytest
import torch
import triton
import triton.language as tl
from nereid.triton import dispatch
from triton.runtime.jit import JITFunction


@triton.jit
def one_kernel(x):
    pass


@triton.jit
def plain_kernel(x, y: tl.int64, z: tl.float32, w):
    pass


@triton.jit(do_not_specialize=["x"], do_not_specialize_on_alignment=["y"])
def coarse_kernel(x, y):
    pass


@triton.jit
def constant_kernel(C: tl.constexpr):
    pass


@triton.jit
def store_kernel(out_ptr, i, f, BLOCK: tl.constexpr = 4):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, i + f + at)


triton.runtime.driver.active  # made by the first launch otherwise
_MEMORY = torch.zeros(64, dtype=torch.float64)

VALUES = [
    None, True, False, 0.0, 1.0, -2.5, float("nan"),
    0, 1, 2, 15, 16, 17, -1, -16, 2**31 - 1, 2**31 - 16, 2**31, 2**31 + 1, -(2**31),
    -(2**31) - 1, -(2**31) - 16, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 16,
    _MEMORY, _MEMORY[1:], _MEMORY[2:], torch.nn.Parameter(torch.zeros(4)),
    *(_MEMORY.view(t) for t in (torch.float32, torch.float16, torch.bfloat16)),
    *(_MEMORY.view(t) for t in (torch.int8, torch.uint8, torch.int16, torch.int32)),
    *(_MEMORY.view(t) for t in (torch.int64, torch.bool, torch.float8_e5m2)),
]  # fmt: skip


@pytest.mark.parametrize("kernel", [one_kernel, coarse_kernel, plain_kernel])
def test_calls_are_told_apart_as_by_triton(kernel, jit_calls):
    """In every position, after all values were seen in that position."""
    count = len(kernel.params)
    for position in range(count):
        calls = [[5] * position + [v] + [5] * (count - 1 - position) for v in VALUES]
        seen = []
        for call in calls:
            try:
                kernel[(1,)](*call)
                seen.append(call)
            except Exception:  # a combination that no kernel is compiled for
                pass
        assert len(seen) > len(VALUES) // 2
        for call in seen:
            del jit_calls[:]
            dispatched = kernel[(1,)](*call)
            assert not jit_calls, call
            assert dispatched is kernel.run(*call, grid=(1,), warmup=False), call


def test_constants_are_told_apart(jit_calls):
    values = [1, True, 1.0, 0, False, 0.0, -0.0, "a", "b", None, tl.float32, tl.int8, 2]
    for value in values:
        constant_kernel[(1,)](value)
    for value in values:
        del jit_calls[:]
        dispatched = constant_kernel[(1,)](value)
        assert not jit_calls
        assert dispatched is constant_kernel.run(value, grid=(1,), warmup=False)


def test_arguments_reach_the_kernel(jit_calls):
    out = torch.zeros(16)
    for i, f in [(3, 0.5), (5, 0.25), (7, -1.5)]:
        store_kernel[(4,)](out, i, f)
        assert torch.equal(out, i + f + torch.arange(16.0))
    for i in (16, 32, 2**31, 2**31 + 32):
        store_kernel[(4,)](out, i, 1.0)
        assert torch.equal(out, torch.tensor(i + 1.0) + torch.arange(16.0))
    assert len(jit_calls) == 3  # plain, multiple of 16, 64 bits


def test_names_options_and_defaults(jit_calls):
    out = torch.zeros(16)
    ways = [
        lambda: store_kernel[(4,)](out, 3, f=0.5),
        lambda: store_kernel[(4,)](out, f=0.5, i=3, BLOCK=4),
        lambda: store_kernel[(2,)](out, 3, 0.5, BLOCK=8, num_warps=2),
        lambda: store_kernel[(2,)](out, 3, 0.5, BLOCK=8, num_warps=8),
    ]
    first = [way() for way in ways]
    del jit_calls[:]
    assert all(a is b for a, b in zip(first, [way() for way in ways]))
    assert not jit_calls
    assert [kernel.metadata.num_warps for kernel in first[2:]] == [2, 8]


def test_grid_function_sees_all_parameters(jit_calls):
    out = torch.zeros(16)
    seen = []

    def grid(bound):
        seen.append(dict(bound))
        return (16 // bound["BLOCK"],)

    store_kernel[grid](out, 3, 0.5)
    del jit_calls[:]
    store_kernel[grid](out, 3, 0.5)
    assert not jit_calls
    assert list(seen[0]) == list(seen[1]) == ["out_ptr", "i", "f", "BLOCK"]
    assert seen[1]["out_ptr"] is out and seen[1]["BLOCK"] == 4


@pytest.mark.parametrize("sizes", [[4], (4, 1), (2, 2, 1)])
def test_grids(sizes, jit_calls):
    out = torch.zeros(16)
    store_kernel[sizes](out, 3, 0.5)
    del jit_calls[:]
    store_kernel[sizes](out, 3, 0.5)
    assert not jit_calls
    with pytest.raises(IndexError):
        store_kernel[()](out, 3, 0.5)
    with pytest.raises(ZeroDivisionError):
        store_kernel[lambda bound: 1 // 0](out, 3, 0.5)


def _warm():
    out = torch.zeros(16)
    for _ in range(2):
        store_kernel[(4,)](out, 3, 0.5)
    return out


def test_hooks_are_called(jit_calls):
    out, seen = _warm(), []
    hooks = triton.knobs.runtime
    hooks.launch_enter_hook.add(seen.append)
    try:
        store_kernel[(4,)](out, 3, 0.5)
    finally:
        hooks.launch_enter_hook.remove(seen.append)
    assert len(seen) == 1


@pytest.mark.parametrize("group, name", [("runtime", "debug"), ("compilation", "instrumentation_mode")])
def test_settings_lead_to_triton(group, name, jit_calls, monkeypatch):
    out = _warm()
    del jit_calls[:]
    knobs = getattr(triton.knobs, group)
    with knobs.scope():
        setattr(knobs, name, True if name == "debug" else "x")
        store_kernel[(4,)](out, 3, 0.5)
    assert len(jit_calls) == 1
    store_kernel[(4,)](out, 3, 0.5)
    assert len(jit_calls) == 1


def test_hooks_before_a_run_lead_to_triton():
    out, seen = _warm(), []
    store_kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append(args))
    try:
        store_kernel[(4,)](out, 3, 0.5)
    finally:
        store_kernel.pre_run_hooks.clear()
    assert len(seen) == 1


def test_another_driver_leads_to_triton(jit_calls):
    from nereid.triton.driver import NereidDriver

    out = _warm()
    driver = triton.runtime.driver.active
    del jit_calls[:]
    try:
        triton.runtime.driver.set_active(object.__new__(NereidDriver))
        with pytest.raises(AttributeError):
            store_kernel[(4,)](out, 3, 0.5)
    finally:
        triton.runtime.driver.set_active(driver)
    assert len(jit_calls) == 1


def test_cleared_caches_lead_to_triton(jit_calls):
    out = _warm()
    for caches in store_kernel.device_caches.values():
        caches[0].clear()
    del jit_calls[:]
    store_kernel[(4,)](out, 3, 0.5)
    store_kernel[(4,)](out, 3, 0.5)
    assert len(jit_calls) == 1


@triton.jit
def negative_kernel(out_ptr, i, f, BLOCK: tl.constexpr = 4):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, -(i + f + at))


def test_a_kernel_at_the_address_of_another_is_another():
    """Triton's cache gets another kernel without a call that the dispatcher sees,
    at the address of the first one. To be sure of the address, the first one
    survives in its finalizer, before which the collector has cleared the weak
    references to it."""
    out, survivors = torch.zeros(16), []
    other = JITFunction(negative_kernel.fn).run(out, 3, 0.5, grid=(4,), warmup=False)
    function = JITFunction(store_kernel.fn)
    for _ in range(2):
        kernel = function[(4,)](out, 3, 0.5)

    class Survivor(type(kernel)):
        def __del__(self):
            survivors.append(self)

    kernel.__class__ = Survivor
    kernel.cycle = kernel  # leaves its end to the collector
    address, weak = id(kernel), weakref.ref(kernel)
    cache = next(iter(function.device_caches.values()))[0]
    key = next(iter(cache))
    cache.clear()
    del kernel
    gc.collect()
    assert weak() is None and [id(it) for it in survivors] == [address]
    vars(survivors[0]).clear()
    vars(survivors[0]).update(vars(other))
    cache[key] = survivors[0]
    out.zero_()
    assert function[(4,)](out, 3, 0.5) is survivors[0]
    assert torch.equal(out, -(3.5 + torch.arange(16.0)))


@triton.jit
def narrow_kernel(out_ptr, value: tl.int8):
    tl.store(out_ptr, value)


@pytest.mark.parametrize("value", [256, -129, 2**40])
def test_integers_that_do_not_fit_are_refused(value, jit_calls):
    out = torch.zeros(1)
    for _ in range(2):
        narrow_kernel[(1,)](out, 3)
    for _ in range(2):
        with pytest.raises(OverflowError, match="integer of 8 bits"):
            narrow_kernel[(1,)](out, value)


SCALE = tl.constexpr(2)


@triton.jit
def global_kernel(out_ptr):
    tl.store(out_ptr, SCALE)


def test_changed_global_is_an_error(monkeypatch):
    out = torch.zeros(1)
    for _ in range(2):
        global_kernel[(1,)](out)
    monkeypatch.setitem(globals(), "SCALE", tl.constexpr(3))
    with pytest.raises(RuntimeError, match="SCALE has changed"):
        global_kernel[(1,)](out)


def test_wrong_calls_are_tritons_business():
    out = _warm()
    with pytest.raises(TypeError):
        store_kernel[(4,)](out, 3, 0.5, 4, 5)
    with pytest.raises(TypeError):
        store_kernel[(4,)](out, 3, 0.5, i=3)
    with pytest.raises(TypeError):
        store_kernel[(4,)](out)
    with pytest.raises(OverflowError):
        store_kernel[(4,)](out, 2**64, 0.5)


@triton.jit
def give():
    return 1


@triton.jit
def call_kernel(out_ptr, FUNCTION: tl.constexpr):
    tl.store(out_ptr, FUNCTION())


def test_a_function_whose_source_changes_is_another_constant():
    out = torch.zeros(1)
    for _ in range(3):
        call_kernel[(1,)](out, give)
    assert out.item() == 1
    give._unsafe_update_src(give.src.replace("return 1", "return 2"))
    call_kernel[(1,)](out, give)
    assert out.item() == 2


def _survivors(launch):
    function = JITFunction(store_kernel.fn)
    compiled = [launch(function, torch.zeros(16), 3, 0.5) for _ in range(2)][1]
    refs = weakref.ref(function), weakref.ref(compiled)
    del function, compiled
    gc.collect()
    return [ref() for ref in refs if ref()]


def test_functions_are_not_kept():
    if _survivors(lambda function, *args: function.run(*args, grid=(4,), warmup=False)):
        pytest.skip("this Triton keeps every function itself")
    assert not _survivors(lambda function, *args: function[(4,)](*args))


def test_can_be_removed(jit_calls):
    out = _warm()
    dispatch.remove()
    try:
        del jit_calls[:]
        store_kernel[(4,)](out, 3, 0.5)
        assert len(jit_calls) == 1
    finally:
        dispatch.install(triton.runtime.driver.active)


def test_launches_on_a_cpu_that_records_them(build, run_program):
    """The plugin's flags and scratch memory, which the cpu plugin does not use."""
    path = pathlib.Path(__file__).parent / "dispatched.py"
    done = run_program(
        "import sys, pytest\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(path)!r}]))\n",
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
        APART_IS_HOST_CPU="1",
    )
    assert done.returncode == 0, done.stdout + done.stderr
