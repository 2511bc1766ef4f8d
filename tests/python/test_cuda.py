"""Triton's programs on the cuda plugin, with a fake of NVIDIA's driver library: what
reaches the library, not what a kernel computes."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import sys

import pytest

# torch as if it had two devices of CUDA. The streams are those of the fake.
TORCH = """
import torch

current, streams = [0], [0, 0]
torch.version.cuda = "12.8"
torch.cuda.is_available = lambda: True
torch.cuda.current_device = lambda: current[0]
torch.cuda.set_device = lambda index: current.__setitem__(0, index)
torch._C._cuda_getCurrentRawStream = lambda index: streams[index]
"""

FOLLOW = """
import nereid, triton
from nereid.triton.device import DeviceUtils

utils = DeviceUtils()
assert utils.current_device() == "cuda:0"
current[0] = 1
assert utils.current_device() == "cuda:1"
utils.set_current_device("cuda:0")
assert current == [0]

assert utils.current_stream("cuda:1") == 0
own = utils.backend.create_stream(1)
streams[1] = utils.backend.create_stream(1)
for _ in range(2):
    assert utils.current_stream("cuda:1") == streams[1]
assert utils.current_stream("cuda:0") == 0
utils.synchronize("cuda:1")
# What the program sets with nereid has priority.
utils.backend.set_current_stream(1, own)
assert utils.current_stream("cuda:1") == own
# A stream of another device cannot be used.
streams[0] = streams[1]
try:
    utils.current_stream("cuda:0")
    raise AssertionError("it was accepted")
except nereid.Error as error:
    assert "another context" in str(error), error
"""

LAUNCH = """
import torch, triton, triton.language as tl
from triton.language.target_info import cuda_capability_geq

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.static_assert(cuda_capability_geq(9, 0))
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)

assert triton.runtime.driver.active.get_current_target().arch == 90
x, y, out = torch.rand(1000), torch.rand(1000), torch.full((1000,), 7.0)
add[(8,)](x, y, out, 1000, BLOCK=128, num_warps=2, nereid_image="ptx")
# The fake runs no PTX: the tensor was on the device and came back.
assert torch.equal(out, torch.full((1000,), 7.0))
"""

# What Triton compiles for itself stays Triton's own while Nereid drives another device.
OTHERS = """
import triton
from triton.backends.compiler import GPUTarget
from triton.backends import backends
from nereid.triton.driver import NereidDriver

def compilers():
    target = GPUTarget("cuda", 90, 32)
    known = [it.compiler for it in backends.values()]
    return [it.__name__ for it in known if it.supports_target(target)]

assert compilers() == ["CUDABackend"]
triton.runtime.driver.set_active(NereidDriver("cpu"))
assert compilers() == ["CUDABackend"]
triton.runtime.driver.set_active(NereidDriver("cuda"))
assert compilers() == ["NereidBackend"]
triton.runtime.driver.set_active(NereidDriver("cpu"))
assert compilers() == ["CUDABackend"]
"""


@pytest.fixture
def run_on_fake(run_program, build):
    def run(program, devices):
        return run_program(
            program,
            NEREID_TARGET="cuda",
            NEREID_CUDA_LIBRARY=str(build / "tests/fixtures/cuda/libcuda.so.1"),
            NEREID_TRITON_PYTHON=sys.executable,
            FAKE_CUDA_DEVICES=str(devices),
            FAKE_CUDA_VERSION="13040",
        )

    return run


def test_follows_the_current_device_and_stream_of_torch(run_on_fake):
    ended = run_on_fake(TORCH + FOLLOW, 2)
    assert ended.returncode == 0, ended.stderr


def test_a_torch_without_cuda_is_not_followed(run_on_fake):
    ended = run_on_fake(
        "import triton\n"
        "from nereid.triton.device import DeviceUtils\n"
        "utils = DeviceUtils()\n"
        "assert utils.current_device() == 'cuda:0' and utils.current_stream() == 0\n",
        2,
    )
    assert ended.returncode == 0, ended.stderr


def test_launches_a_kernel_of_triton(run_on_fake):
    ended = run_on_fake(LAUNCH, 1)
    assert ended.returncode == 0, ended.stderr


def test_leaves_the_compiler_of_triton_to_its_own_driver(run_on_fake):
    ended = run_on_fake(OTHERS, 1)
    assert ended.returncode == 0, ended.stderr
