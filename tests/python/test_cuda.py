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

# Tensors that say that they are on the device; their memory is the host's, as all
# memory of the fake.
DISPATCH = """
import ctypes, os
import nereid, triton, triton.language as tl
from triton.runtime.jit import JITFunction

torch.Tensor.is_cuda = property(lambda tensor: tensor.device.type == "cpu")
torch.Tensor.is_cpu = property(lambda tensor: False)
torch.Tensor.get_device = lambda tensor: places.get(id(tensor), 0)
places = {}
through_triton = []
run = JITFunction.run
def counted(self, *args, **kwargs):
    through_triton.append(kwargs)
    return run(self, *args, **kwargs)
JITFunction.run = counted

@triton.jit
def fill(out, value, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), value)

def launch(out, expected):
    before = len(through_triton), fake.fake_cuda_launch_count()
    fill[(1,)](out, 5, BLOCK=64, num_warps=2, nereid_image="ptx")
    assert len(through_triton) - before[0] == expected, through_triton
    assert fake.fake_cuda_launch_count() - before[1] == 1
    assert fake.fake_cuda_pointer(0) == out.data_ptr()

x, y = torch.zeros(64), torch.zeros(64)
utils = triton.runtime.driver.active.utils
fake = ctypes.CDLL(os.environ["NEREID_CUDA_LIBRARY"])
for name in ("fake_cuda_launch_count", "fake_cuda_stream", "fake_cuda_pointer"):
    getattr(fake, name).restype = ctypes.c_uint64
fake.fake_cuda_record()

launch(x, 1)  # compiles
for tensor in (x, y):
    launch(tensor, 0)
    assert fake.fake_cuda_stream() == 0
# On torch's stream, and on the program's own, which has priority.
streams[0] = utils.backend.create_stream(0)
for _ in range(2):
    launch(x, 0)
    assert fake.fake_cuda_stream() == streams[0]
own = utils.backend.create_stream(0)
utils.backend.set_current_stream(0, own)
launch(y, 0)
assert fake.fake_cuda_stream() == own
utils.backend.set_current_stream(0, 0)
streams[0] = 0
if not utils.has_one_device:
    # A tensor of another device goes to Triton; the other device has kernels of
    # its own.
    places[id(y)] = 1
    before = len(through_triton)
    fill[(1,)](y, 5, BLOCK=64, num_warps=2, nereid_image="ptx")
    assert len(through_triton) == before + 1
    current[0] = 1
    launch(y, 1)
    launch(y, 0)
    current[0] = 0
    launch(x, 0)
# A tensor of the host is copied by the launcher, whatever was launched before.
torch.Tensor.is_cuda = property(lambda tensor: False)
torch.Tensor.is_cpu = property(lambda tensor: True)
before = len(through_triton)
fill[(1,)](x, 5, BLOCK=64, num_warps=2, nereid_image="ptx")
assert len(through_triton) == before + 1 and fake.fake_cuda_pointer(0) != x.data_ptr()
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


@pytest.mark.parametrize("devices", [1, 2])
def test_repeated_calls_do_not_go_through_triton(run_on_fake, devices):
    ended = run_on_fake(TORCH + DISPATCH, devices)
    assert ended.returncode == 0, ended.stderr


def test_leaves_the_compiler_of_triton_to_its_own_driver(run_on_fake):
    ended = run_on_fake(OTHERS, 1)
    assert ended.returncode == 0, ended.stderr
