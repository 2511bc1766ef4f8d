"""torch.compile with kernels of Triton for the CPU."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import warnings

import pytest
import torch
import triton
import triton.language as tl

inductor = pytest.importorskip("torch._inductor.config")
F = torch.nn.functional


@pytest.fixture(autouse=True)
def kernels_for_cpu(monkeypatch, tmp_path):
    """Lets torch.compile make kernels of Triton, and nothing from earlier tests."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch._dynamo.reset()
    with inductor.patch(cpu_backend="triton", compile_threads=1), warnings.catch_warnings():
        warnings.filterwarnings("error", message="Could not find an active CPU backend")
        yield


@pytest.fixture
def launches(monkeypatch):
    """The names of the kernels that torch.compile launches."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    names = []
    run = CachingAutotuner.run

    def record(self, *arguments, **options):
        names.append(self.fn.__name__)
        return run(self, *arguments, **options)

    monkeypatch.setattr(CachingAutotuner, "run", record)
    return names


def _embedding(table, rows):
    return table[rows] * 2


def _rotary(x, cos, sin):
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat([-right, left], -1) * sin


def _scatter(x, rows, update):
    return x.index_add(0, rows, update)


def _numbers(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


CASES = {
    "softmax": (lambda x: torch.softmax(x * 2, -1), lambda: [_numbers(33, 1000)]),
    "layer norm": (lambda x: F.layer_norm(x, (300,)), lambda: [_numbers(65, 300)]),
    "column sums": (lambda x: x.sum(0), lambda: [_numbers(300, 70)]),
    "column variances": (lambda x: x.var(0), lambda: [_numbers(300, 70)]),
    "sums so far": (lambda x: x.cumsum(-1), lambda: [_numbers(33, 300)]),
    "transpose": (lambda x, y: x.t() + y, lambda: [_numbers(100, 70), _numbers(70, 100)]),
    "embedding": (_embedding, lambda: [_numbers(50, 64), torch.randint(0, 50, (300,))]),
    "rotary": (_rotary, lambda: [_numbers(9, 2, 64), _numbers(9, 1, 64), _numbers(9, 1, 64)]),
    "scatter": (
        _scatter,
        lambda: [_numbers(50, 64), torch.randint(0, 50, (300,)), _numbers(300, 64)],
    ),
    "max pool": (lambda x: F.max_pool2d(x, 3, 2, 1), lambda: [_numbers(2, 3, 29, 31)]),
    "upsample": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda: [_numbers(2, 3, 14, 15)],
    ),
    "bf16 gelu": (lambda x: F.gelu(x), lambda: [_numbers(64, 300, dtype=torch.bfloat16)]),
    "argmax": (lambda x: x.argmax(-1), lambda: [_numbers(33, 1000)]),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_eager(name, launches):
    torch.manual_seed(0)
    function, make = CASES[name]
    inputs = make()
    expected = function(*inputs)
    found = torch.compile(function, dynamic=False)(*inputs)
    torch.testing.assert_close(found, expected)
    assert launches and all(it.startswith("triton_") for it in launches)


@triton.jit
def _add(x, y, out, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = place < count
    total = tl.load(x + place, mask=mask) + tl.load(y + place, mask=mask)
    tl.store(out + place, total, mask=mask)


def test_kernels_of_the_program_are_part_of_a_compiled_function(launches):
    def function(x, y):
        out = torch.empty_like(x)
        _add[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
        return torch.relu(out) * 2

    x, y = torch.randn(1000), torch.randn(1000)
    found = torch.compile(function, fullgraph=True)(x, y)
    torch.testing.assert_close(found, torch.relu(x + y) * 2)
    assert any(it.startswith("_add") for it in launches)


def test_gradient_equals_eager(launches):
    torch.manual_seed(0)
    layer = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.GELU(), torch.nn.LayerNorm(96))
    x = torch.randn(40, 64, requires_grad=True)

    def gradients(function):
        loss = function(x).square().mean()
        return torch.autograd.grad(loss, [x, *layer.parameters()])

    torch.testing.assert_close(gradients(torch.compile(layer)), gradients(layer))
    assert launches


def _scaled_rows(table, rows):
    return table[rows, :1] * torch.arange(64)  # one element of the table for each row


@pytest.mark.parametrize("function", [_embedding, _scaled_rows])
@pytest.mark.parametrize("wrong", [0, 217, 299])
def test_row_that_is_not_there_is_reported(function, wrong):
    table, rows = torch.randn(50, 64), torch.arange(300) % 50
    compiled = torch.compile(function, dynamic=False)
    torch.testing.assert_close(compiled(table, rows), function(table, rows))
    rows[wrong] = 1 << 40  # far from all memory
    with pytest.raises(RuntimeError, match="index out of bounds"):
        compiled(table, rows)
