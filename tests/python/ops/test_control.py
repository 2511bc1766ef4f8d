"""Control flow, calls, maps, extern functions, assertions and prints."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from values import any_values, assert_close, floats, integers


@triton.jit(noinline=True)
def affine(x, scale, shift):
    return x * scale + shift, x - shift


@triton.jit
def call_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.program_id(0)
    first, second = affine(tl.load(x_ptr + i), 3, 5)
    tl.store(out_ptr + i, first)
    tl.store(out_ptr + N + i, second)


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
def test_function_that_is_not_inlined(kind):
    x = torch.from_numpy(integers("int32", 64, -100, 100)).to(getattr(torch, kind))
    out = torch.zeros((2, 64), dtype=x.dtype)
    call_kernel[(64,)](x, out, 64)
    assert torch.equal(out, torch.stack([x * 3 + 5, x - 5]))


@triton.jit
def collatz_kernel(x_ptr, out_ptr, limit):
    x = tl.load(x_ptr + tl.program_id(0))
    if x < 0:
        tl.store(out_ptr + tl.program_id(0), -1)
        return
    steps = 0
    while (x > 1) and (steps < limit):
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    tl.store(out_ptr + tl.program_id(0), steps)


def collatz(x, limit):
    steps = 0
    while x > 1 and steps < limit:
        x, steps = (x // 2 if x % 2 == 0 else 3 * x + 1), steps + 1
    return -1 if x < 0 else steps


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_while_if_return(kind):
    x = torch.from_numpy(integers(kind, 40, -10, 1000))
    out = torch.zeros(40, dtype=torch.int32)
    collatz_kernel[(40,)](x, out, 100)
    assert out.tolist() == [collatz(value, 100) for value in x.tolist()]


@triton.jit
def loop_kernel(x_ptr, out_ptr, n, step, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), x_ptr.dtype.element_ty)
    last = tl.zeros((N,), x_ptr.dtype.element_ty)
    for k in range(0, n, step):
        for _ in tl.static_range(2):
            last = tl.load(x_ptr + k * N + i)
            total += last
    tl.store(out_ptr + i, total)
    tl.store(out_ptr + N + i, last)


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("n, step", [(0, 1), (1, 1), (7, 2)])
def test_loop_carries_tiles(kind, n, step):
    x = torch.from_numpy(integers("int8", 8 * 32, -9, 9)).to(getattr(torch, kind)).reshape(8, 32)
    out = torch.zeros((2, 32), dtype=x.dtype)
    loop_kernel[(1,)](x, out, n, step, 32)
    used = x[:n:step]
    last = used[-1] if n else torch.zeros_like(x[0])
    assert torch.equal(out, torch.stack([2 * used.sum(0, dtype=x.dtype), last]))


@triton.jit
def bounded(x, y):
    """A branch for each element."""
    if x > y:
        low = y
        high = x
    else:
        low = x
        high = y
    return low, high


@triton.jit
def map_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    low, high = tl.map_elementwise(bounded, tl.load(x_ptr + i), tl.load(y_ptr + i))
    tl.store(out_ptr + i, low)
    tl.store(out_ptr + N + i, high)


@pytest.mark.skipif(not hasattr(tl, "map_elementwise"), reason="this Triton has no map")
@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "float16", "float32", "float64"])
def test_map(kind):
    x = any_values(kind, 128)
    y = x.flip(0)
    out = torch.zeros((2, 128), dtype=x.dtype)
    map_kernel[(1,)](x, y, out, 128)
    assert torch.equal(out, torch.stack([torch.minimum(x, y), torch.maximum(x, y)]))


@triton.jit
def extern_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, libdevice.tanh(x))
    tl.store(out_ptr + N + i, libdevice.atan(x))
    tl.store(out_ptr + 2 * N + i, libdevice.asinh(x))
    tl.store(out_ptr + 3 * N + i, libdevice.erfc(x))
    tl.store(out_ptr + 4 * N + i, libdevice.expm1(x))
    tl.store(out_ptr + 5 * N + i, libdevice.log1p(x))
    tl.store(out_ptr + 6 * N + i, libdevice.trunc(x))
    tl.store(out_ptr + 7 * N + i, libdevice.rint(x))
    tl.store(out_ptr + 8 * N + i, libdevice.cbrt(x))
    tl.store(out_ptr + 9 * N + i, libdevice.j0(x))
    tl.store(out_ptr + 10 * N + i, libdevice.sinh(x))
    tl.store(out_ptr + 11 * N + i, libdevice.erfinv(x))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_extern(kind):
    x = floats(kind, 256, scale=0.25, special=False).clamp(-0.9, 0.9)
    out = torch.zeros((12, 256), dtype=x.dtype)
    extern_kernel[(1,)](x, out, 256)
    x = x.double()
    expected = [
        x.tanh(), x.atan(), x.asinh(), x.erfc(), x.expm1(), x.log1p(), x.trunc(),
        x.round(), x.sign() * x.abs() ** (1 / 3), torch.special.bessel_j0(x), x.sinh(), x.erfinv(),
    ]  # fmt: skip
    for found, values in zip(out, expected, strict=True):
        assert_close(found, values, ulps=32)


@triton.jit
def lgamma_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, libdevice.lgamma(tl.load(x_ptr + i)))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_lgamma(kind):
    """Of those functions the one that calls the C library."""
    x = floats(kind, 256, scale=0.25, special=False).clamp(-0.9, 0.9)
    out = torch.zeros_like(x)
    lgamma_kernel[(1,)](x, out, 256)
    assert_close(out, x.double().lgamma(), ulps=32)


@triton.jit
def binary_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, libdevice.pow(tl.abs(x), y))
    tl.store(out_ptr + N + i, libdevice.atan2(x, y))
    tl.store(out_ptr + 2 * N + i, libdevice.fmod(x, y))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_extern_of_two(kind):
    x, y = floats(kind, 128, special=False), floats(kind, 256, scale=1.0, special=False)[128:]
    out = torch.zeros((3, 128), dtype=x.dtype)
    binary_kernel[(1,)](x, y, out, 128)
    a, b = x.double(), y.double()
    expected = torch.stack([a.abs() ** b, torch.atan2(a, b), torch.fmod(a, b)])
    assert_close(out, expected, ulps=32)


@triton.jit
def assert_kernel(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_assert((x < 10) | (tl.program_id(1) < 2), "too large")


@pytest.mark.parametrize("kind", ["int32", "float32"])
def test_assert(kind):
    x = torch.arange(8).to(getattr(torch, kind))
    assert_kernel[(1, 3)](x, 8, debug=True)
    with pytest.raises(RuntimeError, match=r"program \(0, 2, 0\): .*too large"):
        assert_kernel[(1, 3)](x + 5, 8, debug=True)


@triton.jit
def print_kernel(x_ptr, N: tl.constexpr):
    tl.device_print("value", tl.load(x_ptr + tl.arange(0, N)))


@pytest.mark.parametrize("kind", ["int8", "uint32", "int64", "float16", "float32"])
def test_print(kind, capfd):
    x = (torch.arange(4) + 41).to(getattr(torch, kind))
    print_kernel[(1,)](x, 4)
    text = capfd.readouterr().out
    assert text.count("value") == 4 and all(str(41 + k) in text for k in range(4))
