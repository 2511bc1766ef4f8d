"""PyTorch's operators on its own samples of them, compiled to kernels for the CPU.

NEREID_TORCH_OPERATORS has the number K of every K-th operator, the types and the
samples of each; scripts/torch-operators runs all.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import warnings

import pytest
import torch

pytest.importorskip("triton")
inductor = pytest.importorskip("torch._inductor.config")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    invocations = pytest.importorskip("torch.testing._internal.common_methods_invocations")

_EVERY, _TYPES, _SAMPLES = os.environ.get("NEREID_TORCH_OPERATORS", "36 float32 1").split()
# What they yield is not defined, their samples are no plain tensors, or they are for
# CUDA only.
_OTHERS = ("empty", "new_empty", "sparse.", "as_strided.partial_views", "jiterator")


def _cases():
    for operator in invocations.op_db[:: int(_EVERY)]:
        for dtype in (getattr(torch, name) for name in _TYPES.split(",")):
            if operator.supports_dtype(dtype, "cpu") and not operator.name.startswith(_OTHERS):
                yield pytest.param(operator, dtype, id=f"{operator.full_name}-{dtype}")


def _copied(value):
    return torch.utils._pytree.tree_map_only(torch.Tensor, lambda it: it.detach().clone(), value)


def _result(call, sample, backend):
    """What `call` yields for copies of a sample's arguments, or the error."""
    arguments = _copied((sample.input, sample.args, sample.kwargs))
    torch.manual_seed(1)
    if backend is not None:
        torch._dynamo.reset()
        call = torch.compile(call, dynamic=False)
    with inductor.patch(cpu_backend=backend or "cpp", compile_threads=1, fallback_random=True):
        return call(*arguments)


def _check(call, sample):
    try:
        expected = _result(call, sample, None)
    except (RuntimeError, IndexError, ValueError):
        return  # a sample of an error
    found = _result(call, sample, "triton")
    try:
        torch.testing.assert_close(found, expected, equal_nan=True)
    except AssertionError:
        # torch.compile rounds elsewhere: then its C++ is what is expected.
        expected = _result(call, sample, "cpp")
        torch.testing.assert_close(found, expected, equal_nan=True)


@pytest.mark.parametrize(("operator", "dtype"), list(_cases()))
@pytest.mark.filterwarnings("ignore")
def test_equals_eager(operator, dtype, monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch.manual_seed(0)
    samples = list(operator.sample_inputs("cpu", dtype))
    step = max(1, len(samples) // int(_SAMPLES))
    for sample in samples[::step][: int(_SAMPLES)]:
        _check(lambda x, args, kwargs: operator.op(x, *args, **kwargs), sample)
