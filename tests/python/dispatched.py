"""What the native dispatcher launches with, on a CPU that records it.

test_dispatch.py runs these tests in a process whose device is `apart`, as the
host's processor.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import torch
import triton
import triton.language as tl

triton.runtime.driver.active  # made by the first launch otherwise

COOPERATIVE, PROGRAMMATIC = 1, 2


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, i < n), i < n)


def launch(grid=(2, 3), **options):
    """The kernel, and the flags and the size of scratch memory of its launch."""
    x, out = torch.arange(16.0), torch.full((18,), -1.0)
    kernel = double[grid](x, out, 16, **options)
    if 0 not in grid:
        assert torch.equal(out[:16], 2 * x)
    return kernel, *(int(fact) for fact in out[16:])


@pytest.mark.parametrize(
    "options, flags",
    [
        ({}, 0),
        ({"launch_cooperative_grid": True}, COOPERATIVE),
        ({"launch_pdl": True}, PROGRAMMATIC),
        ({"launch_pdl": True, "launch_cooperative_grid": True}, COOPERATIVE | PROGRAMMATIC),
    ],
)
def test_flags_reach_the_driver(options, flags, jit_calls):
    first, *facts = launch(**options)
    assert facts == [flags, 0] and len(jit_calls) == 1
    for _ in range(2):
        kernel, *facts = launch(**options)
        assert kernel is first and facts == [flags, 0]
    assert len(jit_calls) == 1


@pytest.fixture
def requests():
    """The requests to Triton's allocator with the memory that it returned."""
    requests = []

    def allocate(size, alignment, stream):
        buffer = torch.zeros(size, dtype=torch.uint8)
        requests.append((size, alignment, stream, buffer))
        return buffer

    triton.set_allocator(allocate)
    yield requests
    triton.set_allocator(triton.runtime._allocation.NullAllocator())


def test_scratch_memory_is_from_the_allocator_of_triton(requests, jit_calls):
    options = {"nereid_scratch_size": 128, "launch_pdl": True}
    kernel, *facts = launch(**options)
    assert facts == [PROGRAMMATIC, 768]
    for grid, size in [((2, 3), 768), ((5,), 640), ((1, 1, 2), 256)]:
        again, *facts = launch(grid, **options)
        assert again is kernel and facts == [PROGRAMMATIC, size]
    launch((4, 0), **options)  # no program, no memory
    assert len(jit_calls) == 1
    assert [request[0] for request in requests] == [768, 768, 640, 256]
    for _, alignment, stream, buffer in requests:
        assert (alignment, stream) == (kernel.metadata.global_scratch_align, 0)
        assert (buffer == 0x5A).all()
    launch()
    assert len(requests) == 4


def test_a_failing_allocator_is_an_error_of_the_launch(requests, jit_calls):
    options = {"nereid_scratch_size": 64}
    launch(**options)
    triton.set_allocator(triton.runtime._allocation.NullAllocator())
    with pytest.raises(RuntimeError, match="no allocator was set"):
        launch(**options)
    triton.set_allocator(lambda *_: None)
    with pytest.raises(AttributeError, match="data_ptr"):
        launch(**options)
    whole = torch.zeros(1024, dtype=torch.uint8)
    triton.set_allocator(lambda *_: whole[1:])
    with pytest.raises(Exception, match="aligned to 64"):
        launch(**options)
    triton.set_allocator(lambda *_: whole)
    assert launch(**options)[1:] == (0, 384)
    assert len(jit_calls) == 1
