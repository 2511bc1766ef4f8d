"""Devices and kernels that cannot be used, as Triton's programs see them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest

_KERNELS = """
import os
import sys

import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources


@triton.jit
def double(x_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(x_ptr + i, 2 * tl.load(x_ptr + i))


def fails(launch, kind):
    try:
        launch()
    except kind as error:
        print(error)
        return
    raise SystemExit("nothing failed")

"""


@pytest.fixture
def run_on_vulkan(run_program, build):
    """Runs lines after the kernels above; gives the standard output."""
    if not (build / "lib/nereid/plugins/vulkan.so").exists():
        pytest.skip("built without the vulkan plugin")

    def run(lines, **variables):
        done = run_program(_KERNELS + lines, NEREID_TARGET="vulkan", **variables)
        if not variables and "no Vulkan" in done.stderr:
            pytest.skip("this machine has no Vulkan driver")
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture
def null_vulkan(build):
    """The driver that executes nothing, different as `words` say."""
    manifest = str(build / "tests/null_vulkan/null_vulkan.json")

    def variables(words=""):
        return {
            "VK_DRIVER_FILES": manifest,
            "VK_ICD_FILENAMES": manifest,
            "NULL_VULKAN": words,
        }

    return variables


def test_too_many_threads_are_out_of_resources(run_on_vulkan, null_vulkan):
    lines = run_on_vulkan(
        """
x = torch.ones(4096)
fails(lambda: double[(1,)](x, N=4096, num_warps=32), OutOfResources)
double[(1,)](x, N=1024, num_warps=8)
""",
        **null_vulkan(),
    )
    assert "1024 threads of a workgroup, and has 256" in lines[-1]


def test_the_autotuner_skips_what_the_device_lacks(run_on_vulkan):
    lines = run_on_vulkan(
        """
most = 1024 // triton.runtime.driver.active.get_current_target().warp_size
configs = [triton.Config({"N": 1024}, num_warps=warps) for warps in (2 * most, 8)]
tuned = triton.autotune(configs, key=[])(double)
tuned[(1,)](torch.ones(1024))
print(tuned.best_config.num_warps, *tuned.configs_timings.values())
"""
    )
    assert lines[-1].startswith("8 [inf, inf, inf] "), lines


def test_a_lost_device_fails_the_launch(run_on_vulkan, null_vulkan):
    lines = run_on_vulkan(
        """
x = torch.ones(1024)
error = fails(lambda: double[(1,)](x, N=1024), RuntimeError)
""",
        **null_vulkan("lose-at=2"),
    )
    assert "device 'null 0' is lost" in lines[-1]


def test_a_machine_without_drivers_says_so(run_on_vulkan, null_vulkan):
    variables = {name: "/nonexistent.json" for name in null_vulkan()}
    lines = run_on_vulkan(
        """
x = torch.ones(1024)
fails(lambda: double[(1,)](x, N=1024), RuntimeError)
""",
        **variables,
    )
    assert "no Vulkan driver on this machine" in lines[-1]


def test_two_processes_use_one_device(run_on_vulkan):
    lines = run_on_vulkan(
        """
import subprocess

x = torch.ones(4096)
if len(sys.argv) == 1:
    others = [
        subprocess.Popen([sys.executable, __file__, "other"], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
for _ in range(100):
    double[(4,)](torch.ones(4096), N=1024)
double[(4,)](x, N=1024)
assert (x == 2).all()
if len(sys.argv) == 1:
    for other in others:
        assert other.communicate()[0] == b"done\\n" and other.returncode == 0
print("done")
"""
    )
    assert lines == ["done"]


def test_a_child_of_fork_is_refused_and_the_parent_works_on(run_on_vulkan):
    lines = run_on_vulkan(
        """
x = torch.ones(1024)
double[(1,)](x, N=1024)
child = os.fork()
if not child:
    try:
        fails(lambda: double[(1,)](x, N=1024), RuntimeError)
    finally:
        sys.stdout.flush()
        os._exit(0)
os.waitpid(child, 0)
double[(1,)](x, N=1024)
assert (x == 4).all()
print("done")
"""
    )
    assert "fork" in lines[0] and lines[-1] == "done"
