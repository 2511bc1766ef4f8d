"""Prints and assertions on the Vulkan device of this machine."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest

_KERNELS = """
import torch
import triton
import triton.language as tl

large = torch.tensor([2**31 - 1], dtype=torch.int32)


@triton.jit
def checked(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N))
    tl.device_assert(x >= 0, "x is negative")


@triton.jit
def add(x_ptr, y_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + tl.load(y_ptr))


@triton.jit
def total(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N))))


@triton.jit
def prefix(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), 0))


@triton.jit
def printed(x_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    tl.device_print("x", tl.load(x_ptr + pid * N + tl.arange(0, N)), pid)
    if pid == 1:
        tl.device_print("once")


def fails(launch):
    try:
        launch()
    except RuntimeError as error:
        return str(error)
    raise SystemExit("nothing failed")

"""


@pytest.fixture
def run_on_vulkan(run_program, build):
    """Runs lines after the kernels above; gives the standard output."""
    if not (build / "lib/nereid/plugins/vulkan.so").exists():
        pytest.skip("built without the vulkan plugin")

    def run(lines):
        done = run_program(_KERNELS + lines, NEREID_TARGET="vulkan")
        if "no Vulkan" in done.stderr:
            pytest.skip("this machine has no Vulkan driver")
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_prints(run_on_vulkan):
    lines = run_on_vulkan("printed[(2,)](torch.arange(4, dtype=torch.int32), N=2)\n")
    expected = [
        f"pid ({p}, 0, 0) idx {i} x: (operand {n}) {v}"
        for p in range(2)
        for i, n, v in (("(0)", 0, 2 * p), ("(1)", 0, 2 * p + 1), ("()", 1, p))
    ]
    assert lines == [*expected, "pid (1, 0, 0) once"]


def test_assertions_fail_in_debug_mode(run_on_vulkan):
    lines = run_on_vulkan(
        """
x = torch.ones(64)
checked[(8,)](x, N=8, debug=True)
x[21] = -1
checked[(8,)](x, N=8)
print(fails(lambda: checked[(8,)](x, N=8, debug=True)))
checked[(2,)](x, N=8, debug=True)
"""
    )
    assert len(lines) == 1
    assert lines[0].startswith("device-side assert triggered: ")
    assert "kernel 'checked', program (2, 0, 0): " in lines[0]
    assert lines[0].endswith("x is negative") and ".py:" in lines[0]


def test_overflow_is_sanitized_in_debug_mode(run_on_vulkan):
    lines = run_on_vulkan(
        """
out = torch.zeros(1, dtype=torch.int32)
add[(1,)](large, large, out)
print(out.item())
add[(1,)](large, large, out, debug=True, sanitize_overflow=False)
print(fails(lambda: add[(1,)](large, large, out, debug=True)))
add[(1,)](large, torch.zeros_like(large), out, debug=True)
print(out.item())
"""
    )
    assert lines[0] == "-2" and lines[2] == str(2**31 - 1)
    assert "int32 overflow detected" in lines[1]


def test_overflow_in_reductions_and_scans(run_on_vulkan):
    lines = run_on_vulkan(
        """
x = torch.arange(256, dtype=torch.int32)
sums, out = torch.zeros(256, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
total[(1,)](x, out, N=256, debug=True)
prefix[(1,)](x, sums, N=256, debug=True)
print(out.item(), torch.equal(sums, x.cumsum(0).int()))
x[200:] = 2**30
print(fails(lambda: total[(1,)](x, out, N=256, debug=True)))
print(fails(lambda: prefix[(1,)](x, sums, N=256, debug=True)))
"""
    )
    assert lines[0] == f"{255 * 128} True"
    assert "kernel 'total', program (0, 0, 0)" in lines[1]
    assert "kernel 'prefix', program (0, 0, 0)" in lines[2]
