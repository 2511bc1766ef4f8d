"""Triton's programs on an NVIDIA GPU through the cuda plugin, with tensors and
streams of torch. Skipped where there is no GPU."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys

import nereid
import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

if not torch.cuda.is_available():
    pytest.skip("needs an NVIDIA GPU: torch has no CUDA device", allow_module_level=True)

from nereid.triton.driver import NereidDriver


@pytest.fixture(autouse=True, scope="module")
def cuda():
    """The active driver, and a Triton for its compiler."""
    patch = pytest.MonkeyPatch()
    patch.setenv("NEREID_TRITON_PYTHON", sys.executable)
    triton.runtime.driver.set_active(NereidDriver("cuda"))
    yield
    triton.runtime.driver.reset_active()
    patch.undo()


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def scale_kernel(x, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * factor, i < n)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + inner, mask=inner < K, other=0.0)
        right = tl.load(b + inner[:, None] * N + columns, mask=inner[:, None] < K, other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * N + columns, sums.to(tl.float16))


@triton.jit
def copy_with_descriptor(source, target, M, N, BM: tl.constexpr, BN: tl.constexpr):
    made = tl.make_tensor_descriptor(target, [M, N], [N, 1], [BM, BN])
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    made.store(at, source.load(at))


def add(x, y, **options):
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256, **options)
    return out


@pytest.mark.parametrize("image", ["cubin", "ptx"])
def test_kernels_work_on_the_memory_of_torch(image):
    x, y = torch.randn(2, 100_003, device="cuda")
    assert torch.equal(add(x, y, nereid_image=image), x + y)


def test_tensors_at_odd_addresses():
    x, y = torch.randn(1001, device="cuda")[1:], torch.randn(1003, device="cuda")[3:]
    assert torch.equal(add(x, y), x + y)


def test_products_of_tensor_cores():
    a = torch.randn(512, 384, device="cuda", dtype=torch.float16)
    b = torch.randn(384, 256, device="cuda", dtype=torch.float16)
    c = torch.empty(512, 256, device="cuda", dtype=torch.float16)
    matmul_kernel[(4, 2)](a, b, c, 512, 256, 384, BM=128, BN=128, BK=64, num_warps=8)
    torch.testing.assert_close(c, a @ b, atol=1e-2, rtol=1e-2)


def test_descriptors_of_the_host_and_of_the_kernel():
    """A tensor map as an argument, and one in scratch memory."""
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    x = torch.randn(256, 512, device="cuda", dtype=torch.float16)
    y = torch.zeros_like(x)
    source = TensorDescriptor.from_tensor(x, [64, 64])
    copy_with_descriptor[(4, 8)](source, y, 256, 512, BM=64, BN=64)
    assert torch.equal(x, y)


def test_launches_go_to_the_current_stream_of_torch():
    """What torch put there before comes before, what comes after sees the result."""
    side, x = torch.cuda.Stream(), torch.ones(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(50_000_000)
        x.mul_(3)
        scale_kernel[(1024,)](x, 2.0, x.numel(), BLOCK=1024)
        x.add_(1)
        done = torch.cuda.Event()
        done.record()
    done.synchronize()
    assert torch.equal(x, torch.full_like(x, 7))


def test_launches_do_not_wait_for_other_streams():
    busy, free = torch.cuda.Stream(), torch.cuda.Stream()
    x = torch.ones(1024, device="cuda")
    scale_kernel[(1,)](x, 1.0, 1024, BLOCK=1024)  # compiled and loaded
    torch.cuda.synchronize()
    with torch.cuda.stream(busy):
        torch.cuda._sleep(20_000_000_000)
        asleep = torch.cuda.Event()
        asleep.record()
    with torch.cuda.stream(free):
        scale_kernel[(1,)](x, 2.0, 1024, BLOCK=1024)
        free.synchronize()
    assert not asleep.query()
    torch.cuda.synchronize()
    assert torch.equal(x, torch.full_like(x, 2))


def test_launches_are_captured_in_graphs():
    x, y = torch.randn(2, 4096, device="cuda")
    out = torch.zeros_like(x)
    launch = lambda: add_kernel[(16,)](x, y, out, 4096, BLOCK=256)  # noqa: E731
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch()
        out.mul_(2)
    for _ in range(3):
        x.normal_()
        graph.replay()
        torch.testing.assert_close(out, 2 * (x + y))


def test_the_autotuner_measures_on_the_device():
    configs = [triton.Config({"BLOCK": n}, num_warps=w) for n, w in ((256, 2), (1024, 4))]
    tuned = triton.autotune(configs, key=["n"])(add_kernel)
    x, y = torch.randn(2, 1 << 20, device="cuda")
    out = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(1 << 20, meta["BLOCK"]),)](x, y, out, 1 << 20)
    assert torch.equal(out, x + y)
    assert all(times[0] > 0 for times in tuned.configs_timings.values())


def test_kernels_of_an_archive(build, tmp_path):
    """Built for the device by name, launched with no compiler."""
    arch = next(it for it in nereid.devices() if it.name.startswith("cuda")).arch
    function = (
        "import triton, triton.language as tl\n\n"
        "@triton.jit\ndef add(x, y, out, n, BLOCK: tl.constexpr):\n"
        "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)\n\n"
        "def get_function_table():\n"
        "    return [dict(name='add', group='add', func=add, "
        "sig='*fp32:16, *fp32:16, *fp32:16, i32', kwargs={'BLOCK': 1024})]\n"
    )
    (tmp_path / "add.py").write_text(function)
    command = [build / "bin/nereid", "build", tmp_path / "add.py"]
    command += ["-o", tmp_path / "add.nra", "--target", f"cuda:{arch}", "--python", sys.executable]
    subprocess.run(command, check=True)
    kernel = nereid.open(tmp_path / "add.nra", target="cuda")["add"]
    x, y = torch.randn(2, 5000, device="cuda")
    for offset in (0, 1):
        a, b = x[offset:], y[offset:]
        out = torch.zeros(5000, device="cuda")[offset:]
        kernel.launch((5,), a, b, out, a.numel())
        torch.cuda.synchronize()
        assert torch.equal(out, a + b)


FAULT = """
import torch, triton, triton.language as tl

@triton.jit
def positive(x, BLOCK: tl.constexpr):
    tl.device_assert(tl.load(x + tl.arange(0, BLOCK)) > 0, "not positive")

x = -torch.ones(128, device="cuda")
positive[(1,)](x, BLOCK=128, debug=True)
try:
    triton.runtime.driver.active.utils.synchronize()
except Exception as error:
    print(type(error).__module__, error)
"""


def test_a_failed_assertion_names_the_kernel(run_program):
    ended = run_program(FAULT, NEREID_TARGET="cuda", NEREID_TRITON_PYTHON=sys.executable)
    assert "nereid" in ended.stdout and "positive" in ended.stdout, ended
    assert "not positive" in ended.stderr


def test_a_tensor_of_the_cpu_is_copied():
    """As on every device with memory of its own."""
    x, y = torch.randn(2, 1000)
    assert torch.equal(add(x, y), x + y)
