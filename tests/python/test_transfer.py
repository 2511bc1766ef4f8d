"""Devices with memory of their own, whose work is done later."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib

FOLDER = pathlib.Path(__file__).parent

WHERE = """
import sys, threading
import triton
active = triton.runtime.driver.active
print(active.get_current_device(), active.get_current_target().arch)
thread = threading.Thread(target=lambda: print(active.get_current_device()))
thread.start()
thread.join()
"""


def test_own_memory(build, run_program):
    done = run_program(
        "import sys, pytest\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(FOLDER / 'own_memory.py')!r}]))\n",
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_launches_on_a_plugin_that_records_them(build, run_program):
    done = run_program(
        "import sys, pytest\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(FOLDER / 'recorded.py')!r}]))\n",
        NEREID_PLUGIN_DIRS=str(build / "lib/nereid/plugins"),
        NEREID_TARGET="extension",
    )
    assert done.returncode == 0, done.stdout + done.stderr


BARE = """
import nereid, torch, triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": 1024}, num_warps=w) for w in (1, 2)], ["n"])
@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 1024):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, i < n), i < n)

x, out = torch.randn(100), torch.zeros(100)
double[(1,)](x, out, 100)
assert torch.equal(out, 2 * x)
active = triton.runtime.driver.active
events = [active.get_device_interface().Event(enable_timing=True) for _ in range(2)]
events[0].record()
double[(1,)](x, out, 100)
events[1].record()
assert events[0].elapsed_time(events[1]) > 0
cache = active.get_empty_cache_for_benchmark()
active.clear_cache(cache)
assert cache._buffer.size == cache._SIZE
assert triton.testing.do_bench(lambda: double[(1,)](x, out, 100), warmup=1, rep=5) > 0
for number in (0, 1):
    active.set_current_device(number)
    assert active.get_current_device() == f"apart:{number}"
    assert active.get_current_stream() == 0
# Of the target nothing is known: the least is assumed.
options = double.fn[(1,)](x, out, 100).metadata
assert options.supported_fp8_dtypes == () or options.supported_fp8_dtypes == []
assert list(options.allowed_dot_input_precisions) == ["ieee"]
assert options.default_dot_input_precision == "ieee"
"""


def test_a_plugin_without_extensions(build, run_program):
    done = run_program(
        BARE,
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
        APART_HAS_NO_EXTENSIONS="1",
    )
    assert done.returncode == 0, done.stderr


def test_a_named_device_is_every_threads(build, run_program):
    done = run_program(
        WHERE, NEREID_PLUGIN_DIRS=str(build / "tests/apart"), NEREID_TARGET="apart:1"
    )
    assert done.stdout == "apart:1 two\napart:1\n", done.stderr


SHARED = """
import nereid, torch, triton
import triton.language as tl

@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 1024):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, i < n), i < n)

class Address:
    dtype = torch.float32
    def __init__(self, tensor):
        self.data_ptr = tensor.data_ptr

x, out, again, last = torch.ones(16), torch.zeros(16), torch.zeros(16), torch.zeros(16)
kernel = double[(1,)](x, out, 16)
assert (out == 2).all()
assert kernel.metadata.written_arguments is None
double[(1,)](Address(out), Address(again), 16)
assert (again == 4).all()
nereid.compile(kernel.asm["ttir"]).launch((1,), again, last, 16)
assert (last == 8).all()
"""


def test_memory_of_the_host_that_a_device_works_on_later(build, run_program):
    done = run_program(
        SHARED,
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
        APART_IS_HOST_ACCESSIBLE="1",
    )
    assert done.returncode == 0, done.stderr


def test_a_device_library_that_is_lost(build, run_program):
    done = run_program(
        WHERE,
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
        APART_LOSES_LIBDEVICE="1",
    )
    assert "the device library has gone" in done.stderr.splitlines()[-1]
