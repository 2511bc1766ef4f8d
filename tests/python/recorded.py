"""What Triton's launches reach a driver with, on a plugin that records them.

test_transfer.py runs these tests in a process whose device is `extension`.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import ctypes
import os
import pathlib

import nereid
import pytest
import torch
import triton
import triton.language as tl
from triton.runtime import driver


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_uint64)]


class Launch(ctypes.Structure):
    """nereid_extension_launch_t"""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("grid", ctypes.c_uint32 * 3),
        ("device", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("stream", ctypes.c_uint64),
        ("stream_handle", ctypes.c_uint64),
        ("arguments_size", ctypes.c_uint64),
        ("kernel", Text),
        ("arguments", Text),
        ("flags", ctypes.c_uint32),
        ("cluster", ctypes.c_uint32 * 3),
        ("scratch", ctypes.c_uint64),
        ("scratch_size", ctypes.c_uint64),
    ]


_COUNT = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
_GET = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(Launch)
)


class Record(ctypes.Structure):
    """nereid_extension_record_t"""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("count", _COUNT),
        ("get", _GET),
    ]


def last_launch():
    library = ctypes.CDLL(str(pathlib.Path(os.environ["NEREID_TEST_BUILD"]) / "lib/libnereid.so"))
    library.nereid_backend_state.restype = ctypes.c_void_p
    library.nereid_backend_state.argtypes = [ctypes.c_void_p]
    library.nereid_backend_extension.restype = ctypes.POINTER(Record)
    library.nereid_backend_extension.argtypes = [ctypes.c_void_p, Text]
    # The handle is the first member of the native module's object.
    address = id(driver.active.utils.backend) + object.__basicsize__
    handle = ctypes.c_void_p.from_address(address).value
    name = b"nereid.extension.record/1"
    record = library.nereid_backend_extension(handle, Text(name, len(name))).contents
    state = library.nereid_backend_state(handle)
    launch = Launch(struct_size=ctypes.sizeof(Launch))
    assert record.get(state, record.count(state) - 1, ctypes.byref(launch)) == 0
    return launch


@triton.jit
def copy(x_ptr, out_ptr, BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


def launch(grid=(2, 3), **options):
    x, out = torch.zeros(16), torch.zeros(16)
    kernel = copy[grid](x, out, **options)
    return kernel, last_launch()


COOPERATIVE, PROGRAMMATIC = 1, 2


@pytest.mark.parametrize(
    "options, flags",
    [
        ({}, 0),
        ({"launch_cooperative_grid": True}, COOPERATIVE),
        ({"launch_pdl": True}, PROGRAMMATIC),
        ({"launch_pdl": True, "launch_cooperative_grid": True}, COOPERATIVE | PROGRAMMATIC),
        ({"nereid_cooperative": True}, COOPERATIVE),  # of the kernel itself
    ],
)
def test_flags_reach_the_driver(options, flags):
    for _ in range(2):
        assert launch(**options)[1].flags == flags


@pytest.fixture
def requests():
    """The requests to Triton's allocator, and the memory that it returns."""
    requests = []

    def allocate(size, alignment, stream):
        requests.append((size, alignment, stream))
        return nereid.allocate(size, "extension")

    triton.set_allocator(allocate)
    yield requests
    triton.set_allocator(triton.runtime._allocation.NullAllocator())


def test_scratch_memory_is_from_the_allocator_of_triton(requests):
    for _ in range(2):
        kernel, made = launch(nereid_scratch_size=128)
        assert made.scratch_size == 2 * 3 * 128
        assert made.scratch % 64 == 0 and made.scratch
    assert kernel.metadata.global_scratch_size == 128
    assert requests == [(768, kernel.metadata.global_scratch_align, 0)] * 2
    stream = nereid.Stream("extension")
    with stream:
        assert launch(nereid_scratch_size=128)[1].stream == stream.handle
    assert requests[-1][2] == stream.handle
    launch()
    copy[(0,)](torch.zeros(16), torch.zeros(16), nereid_scratch_size=128)
    assert len(requests) == 3


def test_without_an_allocator_scratch_memory_is_refused():
    with pytest.raises(RuntimeError, match="no allocator was set"):
        launch(nereid_scratch_size=128)


def test_unusable_scratch_memory_is_refused():
    try:
        triton.set_allocator(lambda size, alignment, stream: torch.zeros(size, dtype=torch.int8))
        with pytest.raises(ValueError, match="memory of the host, expected memory of extension:0"):
            launch(nereid_scratch_size=128)
        triton.set_allocator(lambda size, *_: nereid.allocate(size, "extension:1"))
        with pytest.raises(ValueError, match="was given to extension:0"):
            launch(nereid_scratch_size=128)
    finally:
        triton.set_allocator(triton.runtime._allocation.NullAllocator())


TTIR = """
tt.func public @copy(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  tt.return
}
"""


def test_a_kernel_of_the_api_has_scratch_memory_of_its_own():
    kernel = nereid.compile(TTIR, "extension", options={"scratch_size": 64})
    assert kernel.resources["scratch_size"] == 64
    assert kernel.resources["scratch_alignment"] >= 1
    assert kernel.resources["resident_programs"] == 0  # unknown
    with nereid.allocate(64, "extension") as x:
        kernel.launch((3,), x, x)
        first = last_launch()
        assert first.scratch and first.scratch_size >= 3 * 64
        kernel.launch((2,), x, x)
        assert last_launch().scratch == first.scratch  # work of one stream is in order
        kernel.launch((5,), x, x)
        assert last_launch().scratch_size >= 5 * 64
        current = last_launch().scratch
        kernel.launch((5,), x, x, stream=nereid.Stream("extension"))
        assert last_launch().scratch != current
        kernel.launch((0,), x, x)
