"""nereid.ops: all operators, forward and backward, beside torch's own; directly, in
place of torch's own operators, and in compiled programs."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import inspect
import json
import os
import pathlib
import subprocess
import sys

import nereid
import numpy as np
import pytest
import torch
import torch.nn.functional as F

ops = nereid.ops
aten = torch.ops.aten
TARGET = os.environ.get("NEREID_TARGET", "cpu")
DEVICE = "cuda" if TARGET.startswith("cuda") else "cpu"


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def rand(*shape, dtype=torch.float32):
    return (torch.rand(shape, dtype=torch.float32) * 2 + 0.25).to(dtype).to(DEVICE)


def mask(*shape):
    return (torch.rand(shape) > 0.4).to(DEVICE)


def integers(high, *shape):
    return torch.randint(0, high, shape).to(DEVICE)


def rms_norm(x, weight, dims=1, eps=1e-5):
    return F.rms_norm(x, x.shape[-dims:], weight, eps)


def rotary(x, cos, sin):
    a, b = x.chunk(2, -1)
    c, s = cos[:, None], sin[:, None]
    return torch.cat([a * c - b * s, b * c + a * s], -1)


def grouped_matmul(x, y, ends):
    starts = [0, *ends.tolist()]
    return torch.cat([x[a:b] @ y[i] for i, (a, b) in enumerate(zip(starts, starts[1:]))])


def unary(name, reference=None):
    return name, {"x": rand(3, 5)}, reference or getattr(torch, name)


def binary(name):
    # Broadcast, and one that is not contiguous.
    return name, {"x": rand(4, 3, 5), "y": rand(5, 3).t()}, getattr(torch, name)


def reduction(name, reference):
    return name, {"x": rand(4, 6), "dim": [1]}, reference


def attention(q, k, v, causal):
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)


def cases():
    """(operator, its arguments, the same by torch); gradients are of the first output
    to all inputs of floats."""
    for name in ("abs", "exp", "log", "neg", "relu", "rsqrt", "sigmoid", "sqrt", "tanh"):
        yield unary(name)
    yield unary("gelu", F.gelu)
    yield "gelu", {"x": rand(7), "approximate": "tanh"}, lambda x, how: F.gelu(x, approximate=how)
    yield unary("silu", F.silu)
    yield unary("copy", torch.clone)
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "pow"):
        yield binary(name)
    yield "add", {"x": rand(3, 1), "y": rand(4), "alpha": 2.5}, lambda x, y, alpha: torch.add(x, y, alpha=alpha)
    yield "clamp", {"x": rand(6, 4), "low": 0.5, "high": 1.5}, torch.clamp
    yield "fill", {"x": rand(3, 4), "value": 2.5}, torch.full_like
    yield "where", {"condition": mask(4, 1), "x": rand(4, 5), "y": rand(5)}, torch.where
    given = {"x": rand(4, 5), "condition": mask(4, 5), "value": -1.5}
    yield "masked_fill", given, lambda x, condition, value: x.masked_fill(condition, value)
    yield "silu_and_mul", {"gate": rand(4, 6), "up": rand(4, 6)}, lambda gate, up: F.silu(gate) * up
    yield "dropout", {"x": rand(4, 4), "p": 0.0, "seed": 1}, lambda x, p, seed: x
    for dim in (-1, 0):
        yield "softmax", {"x": rand(5, 9), "dim": dim}, torch.softmax
        yield "log_softmax", {"x": rand(5, 9), "dim": dim}, torch.log_softmax
    for name in ("sum", "mean", "amax", "amin", "var"):
        yield reduction(name, getattr(torch, name))
    yield "sum", {"x": rand(4, 6).t(), "dim": None, "keepdim": False}, lambda x, dim, keepdim: torch.sum(x)
    yield reduction("prod", lambda x, dim: torch.prod(x, dim[0]))
    yield "any", {"x": mask(4, 6), "dim": [1]}, torch.any
    yield "all", {"x": mask(4, 6), "dim": [1], "keepdim": True}, torch.all
    yield "argmax", {"x": rand(4, 6), "dim": 1}, torch.argmax
    yield "argmin", {"x": rand(4, 6), "dim": 0}, torch.argmin
    yield "cumsum", {"x": rand(4, 6), "dim": 1}, torch.cumsum
    yield "sort", {"x": rand(4, 6), "dim": 1, "descending": True}, torch.sort
    yield "topk", {"x": rand(4, 9), "k": 3}, torch.topk
    yield "flip", {"x": rand(4, 6), "dims": [0, 1]}, torch.flip
    yield "cat", {"xs": [rand(2, 3), rand(4, 3)], "dim": 0}, lambda xs, dim: torch.cat(xs, dim)
    norm = {"x": rand(4, 8), "weight": rand(8), "bias": rand(8)}
    yield "layer_norm", norm, lambda x, weight, bias: F.layer_norm(x, (8,), weight, bias)
    yield "rms_norm", {"x": rand(4, 8), "weight": rand(8)}, rms_norm
    given = {"x": rand(2, 6, 5), "weight": rand(6), "bias": rand(6), "groups": 3}
    yield "group_norm", given, lambda x, weight, bias, groups: F.group_norm(x, groups, weight, bias)
    given = {"weight": rand(7, 4), "indices": integers(7, 3, 2)}
    yield "embedding", given, lambda weight, indices: F.embedding(indices, weight)
    index = integers(4, 4, 3)
    yield "gather", {"x": rand(4, 5), "index": index, "dim": 0}, lambda x, index, dim: torch.gather(x, dim, index)
    given = {"x": rand(5, 4), "index": integers(5, 3), "dim": 0}
    yield "index_select", given, lambda x, index, dim: torch.index_select(x, dim, index)
    order = torch.stack([torch.randperm(5) for _ in range(4)]).to(DEVICE)
    given = {"x": rand(4, 5), "index": order, "source": rand(4, 5), "dim": 1}
    yield "scatter", given, lambda x, index, source, dim: torch.scatter(x, dim, index, source)
    yield "scatter_add", given, lambda x, index, source, dim: torch.scatter_add(x, dim, index, source)
    given = {"x": rand(5, 4), "index": integers(5, 3), "source": rand(3, 4), "dim": 0}
    yield "index_add", given, lambda x, index, source, dim: torch.index_add(x, dim, index, source)
    for how in ("mean", "none"):
        given = {"x": rand(6, 9), "target": integers(9, 6), "reduction": how}
        yield "cross_entropy", given, lambda x, target, how: F.cross_entropy(x, target, reduction=how)
    yield "rotary", {"x": rand(1, 6, 2, 8), "cos": rand(6, 4), "sin": rand(6, 4)}, rotary
    yield "matmul", {"x": rand(17, 20), "y": rand(20, 18)}, torch.mm
    yield "bmm", {"x": rand(2, 5, 7), "y": rand(2, 7, 6)}, torch.bmm
    yield "linear", {"x": rand(2, 5, 7), "y": rand(6, 7), "bias": rand(6)}, F.linear
    ends = torch.tensor([3, 8], dtype=torch.int32, device=DEVICE)
    yield "grouped_matmul", {"x": rand(8, 16), "y": rand(2, 16, 16), "ends": ends}, grouped_matmul
    given = {"x": rand(2, 4, 6, 6), "weight": rand(3, 4, 3, 3), "bias": rand(3), "padding": [1, 1]}
    yield "conv2d", given, lambda x, weight, bias, padding: F.conv2d(x, weight, bias, padding=padding)
    heads = {name: rand(1, 2, 16, 16) for name in "qkv"}
    yield "attention", {**heads, "causal": True}, attention


torch.manual_seed(0)
CASES = list(cases())
# Without a gradient: of whole numbers, or of none at all.
NO_GRADIENT = {"any", "all", "argmax", "argmin", "fill"}


def labelled():
    counts = {}
    for case in CASES:
        counts[case[0]] = counts.get(case[0], 0) + 1
        yield pytest.param(*case, id=f"{case[0]}-{counts[case[0]]}")


every_case = pytest.mark.parametrize(("name", "given", "reference"), list(labelled()))


# Inputs that get no gradient.
CONSTANT_INPUTS = {"rotary": ("cos", "sin")}


def copied(value, with_gradient=False):
    if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
        return [copied(one, with_gradient) for one in value]
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    return value.requires_grad_(with_gradient and value.is_floating_point())


def first(result):
    return result[0] if isinstance(result, tuple) else result


def leaves(given):
    flat = [one for value in given.values() for one in (value if isinstance(value, list) else [value])]
    return [one for one in flat if isinstance(one, torch.Tensor) and one.requires_grad]


def check(found, expected):
    torch.testing.assert_close(found, expected, rtol=2e-4, atol=2e-5)


def gradients(function, given, constant=()):
    given = {key: copied(value, key not in constant) for key, value in given.items()}
    result = first(function(given))
    torch.manual_seed(1)
    # Of the shape alone: rand_like() fills the result's memory in its own order.
    grad = torch.rand(result.shape, dtype=result.dtype, device=result.device)
    return torch.autograd.grad(result, leaves(given), grad, allow_unused=True)


def check_gradients(mine, expected):
    for a, b in zip(mine, expected, strict=True):
        if b is None:  # one may say "no gradient" as None or as zeros
            assert a is None or not a.any()
        else:
            check(a, b)


# ------------------------------------------------------------ calling


@every_case
def test_computes_what_torch_does(name, given, reference):
    expected = reference(*given.values())
    result = getattr(ops, name)(**given)
    check(first(result), first(expected))
    if name in ("sort", "topk"):
        check(result[1], expected[1])


@every_case
def test_has_torchs_gradients(name, given, reference):
    if name in NO_GRADIENT:
        pytest.skip("has no gradient")
    called = getattr(ops, name)
    constant = CONSTANT_INPUTS.get(name, ())
    expected = gradients(lambda given: reference(*given.values()), given, constant)
    check_gradients(gradients(lambda given: called(**given), given, constant), expected)


def test_covers_all_operators_of_the_generic_pack():
    used = {case[0] for case in CASES}
    backward = {ops.show(name)["backward"] for name in used}
    assert set(ops.operators()) - used - backward == set()


def test_functions_have_signatures_and_help():
    assert str(inspect.signature(ops.softmax)) == "(x, dim=-1, *, out=None)"
    assert str(inspect.signature(ops.group_norm)) == "(x, weight=None, bias=None, *, groups, eps=1e-05, out=None)"
    assert "x: tensor, f16, bf16, f32, f64, rank 0 to 8" in ops.softmax.__doc__
    assert ops.softmax is ops.softmax
    assert "softmax" in dir(ops)
    assert ops.softmax.__module__ == "nereid.ops"
    assert ops.explain("softmax", rand(4, 8))["operator"] == "softmax"
    assert ops.report()["problems"] == []


def test_errors_have_the_schemas_words():
    x = rand(3, 4)
    with pytest.raises(AttributeError, match="unknown operator 'sofmax'; did you mean 'softmax'"):
        _ = ops.sofmax
    with pytest.raises(nereid.Error, match="softmax: x is i64, expected f16, bf16, f32 or f64") as raised:
        ops.softmax(integers(3, 4))
    assert raised.value.status == "unimplemented"
    with pytest.raises(nereid.Error, match="dim is 2, expected one of the 2 dimensions of x"):
        ops.softmax(x, 2)
    for given in (x, copied(x, True)):  # with autograd too
        with pytest.raises(TypeError, match="softmax: dim is a str, expected an int"):
            ops.softmax(given, "1")
    with pytest.raises(TypeError, match="softmax: x is a int, expected a tensor"):
        ops.softmax(3)
    with pytest.raises(TypeError, match="softmax: x is None, expected a tensor"):
        ops.softmax(None)
    with pytest.raises(TypeError, match="cat: xs is a int, expected a list of tensors"):
        ops.cat(3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        ops.softmax()
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        ops.softmax(x, axis=1)
    with pytest.raises(TypeError, match="sort: out is not a tuple of 2 tensors"):
        ops.sort(x, out=x)
    with pytest.raises(OverflowError):
        ops.softmax(x, 1 << 70)


def test_inputs_without_elements():
    assert ops.softmax(rand(0, 4)).shape == (0, 4)
    assert ops.add(rand(3, 0), rand(1)).shape == (3, 0)
    assert ops.cat([rand(0, 3), rand(2, 3)]).shape == (2, 3)
    check(ops.sum(rand(0, 3), 0), torch.zeros(3, device=DEVICE))


def test_out_is_written_in_place():
    x, y = rand(4, 6), rand(4, 6)
    out = torch.full((6, 4), -1.0, device=DEVICE).t()
    assert ops.add(x, y, out=out) is out
    check(out, x + y)
    values, indices = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
    result = ops.sort(x, out=(values, indices))
    assert result[0] is values and result[1] is indices
    check(result, tuple(torch.sort(x)))
    assert ops.sort(x, out=(values, None))[0] is values
    strided = torch.zeros(4, 12, device=DEVICE)[:, ::2]
    check(ops.softmax(x, out=strided), torch.softmax(x, -1))
    with pytest.raises(nereid.Error, match="expected"):
        ops.add(x, y, out=torch.empty(4, 5, device=DEVICE))
    with pytest.raises(ValueError, match="several elements of out are in one place"):
        ops.add(x, y, out=torch.empty(6, device=DEVICE).expand(4, 6))
    with pytest.raises(RuntimeError, match="has no gradient"):
        ops.add(copied(x, True), y, out=out)
    with torch.no_grad():
        check(ops.add(copied(x, True), y, out=out), x + y)


def test_autograd_knows_that_out_was_written():
    x, saved = copied(rand(4), True), rand(4)
    result = (x * saved).sum()
    ops.exp(rand(4), out=saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()
    with torch.inference_mode():
        ops.exp(rand(4), out=torch.empty(4, device=DEVICE))


def test_out_may_overlap_inputs():
    x = rand(64, 3)
    memory = x.clone()
    expected = torch.cumsum(x, 0)
    assert ops.cumsum(memory, 0, out=memory) is memory
    check(memory, expected)
    memory = rand(10)
    expected = memory[:8].flip(0)
    ops.flip(memory[:8], [0], out=memory[2:])
    check(memory[2:], expected)


@pytest.mark.skipif(DEVICE != "cpu", reason="numpy's arrays are on the CPU")
def test_numpy_arrays():
    x = np.random.default_rng(0).random((4, 6), np.float32)
    x.flags.writeable = False
    result = ops.softmax(x.T, 0)
    assert isinstance(result, np.ndarray) and result.dtype == np.float32
    check(torch.from_numpy(result), torch.softmax(torch.tensor(x).t(), 0))
    values, indices = ops.sort(x)
    np.testing.assert_array_equal(indices, np.argsort(x))
    out = np.empty((4, 6), np.float32)
    assert ops.add(x, x, out=out) is out
    np.testing.assert_allclose(out, x + x)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ops.add(x, x, out=out)
    # With a tensor of torch the result is one.
    assert isinstance(ops.add(x, torch.tensor(x)), torch.Tensor)


def test_objects_with_dlpack():
    class Exported:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **keywords):  # of a library that does not know versions
            if "max_version" in keywords:
                raise TypeError("no versions")
            return self.tensor.__dlpack__()

    x = rand(4, 6)
    result = ops.softmax(Exported(x), out=torch.empty_like(x))
    check(result, torch.softmax(x, -1))


def test_tensors_that_have_to_be_materialized():
    x = torch.complex(rand(4), rand(4)).conj().imag
    assert x.is_neg()
    with pytest.raises(ValueError, match="resolve_neg"):
        ops.exp(x)
    with ops.use():
        check(torch.exp(x), torch.exp(x.clone()))


def test_numbers_for_lists_and_numpys_numbers():
    x = rand(3, 4)
    check(ops.sum(x, 1), torch.sum(x, 1))
    check(ops.sum(copied(x, True), 1), torch.sum(x, 1))
    check(ops.softmax(x, np.int64(0)), torch.softmax(x, 0))
    check(ops.clamp(x, low=np.float32(0.5)), torch.clamp(x, 0.5))


def test_absent_outputs_are_none():
    x = rand(4, 8)
    _, mean, rstd = ops.layer_norm(x)
    assert ops.layer_norm_backward(x, x, mean=mean, rstd=rstd)[1:] == (None, None)


def test_gradients_only_where_they_exist():
    x = copied(rand(4, 4), True)
    result = ops.matmul(x, rand(4, 4), activation="relu")
    with pytest.raises(NotImplementedError, match="matmul: there is no gradient of x with activation='relu'"):
        result.sum().backward()
    result = ops.div(x, rand(4, 4), rounding="floor")
    with pytest.raises(NotImplementedError, match="div"):
        result.sum().backward()
    with torch.no_grad():
        assert not ops.exp(x).requires_grad
    y, mean, _ = ops.layer_norm(x)
    assert y.requires_grad and not mean.requires_grad


# ------------------------------------------------------------ in place of torch's


@every_case
def test_replaces_torchs_operators(name, given, reference):
    expected = reference(*given.values())
    with ops.use():
        result = reference(*given.values())
        check(first(result), first(expected))
        assert first(result).stride() == first(expected).stride()
    if name in NO_GRADIENT:
        return
    constant = CONSTANT_INPUTS.get(name, ())
    expected = gradients(lambda given: reference(*given.values()), given, constant)
    with ops.use():
        check_gradients(gradients(lambda given: reference(*given.values()), given, constant), expected)


class Launched:
    """Counts the calls of packs' operators."""

    def __init__(self, monkeypatch):
        from nereid.ops import _calling

        self.names = []
        for op in [_calling.operator(name) for name in ops.operators()]:
            monkeypatch.setattr(op, "native", self.counted(op.native, op.name))

    def counted(self, native, name):
        names = self.names

        class Counted:
            def run(self, *args):
                names.append(name)
                return native.run(*args)

        return Counted()

    def take(self):
        taken, self.names[:] = list(self.names), []
        return taken


@pytest.fixture
def launched(monkeypatch):
    ops.softmax(rand(2))  # torch.ops.nereid is defined
    return Launched(monkeypatch)


def test_replacements_run_the_packs_kernels(launched):
    x = copied(rand(4, 8), True)
    with ops.use():
        F.softmax(x, -1).sum().backward()
        assert launched.take() == ["softmax", "sum", "softmax_backward"]
        torch.exp(x.detach())
        x.detach() + 2.5
        assert launched.take() == ["exp", "add"]
    torch.exp(x.detach())
    assert launched.take() == []


def test_include_and_exclude(launched):
    x = rand(4, 8)
    with ops.use(include=["softmax"]) as replaced:
        assert replaced == ["softmax.int"]
        torch.exp(torch.softmax(x, -1))
    assert launched.take() == ["softmax"]
    with ops.use(exclude=["softmax.int", "add"]) as replaced:
        assert "exp" in replaced and "add.Tensor" not in replaced
        torch.exp(torch.softmax(x, -1))
        with ops.use(include=["add"]):
            torch.exp(x + x)
        torch.exp(x + x)
    assert launched.take() == ["exp", "add", "exp"]
    assert ops.enable(include=["exp"]) == ["exp"]
    assert ops.enable(include=["log"]) == ["log"]
    torch.exp(torch.log(x))
    assert launched.take() == ["log"]
    ops.disable()
    ops.disable()
    torch.log(x)
    assert launched.take() == []
    with pytest.raises(LookupError, match="unknown operator 'sofmax'; did you mean 'softmax'"):
        ops.enable(include=["sofmax"])
    with pytest.raises(ValueError, match="rotary does not replace an operator of torch"):
        ops.enable(include=["rotary"])
    with pytest.raises(TypeError, match="lists of names"):
        ops.enable(include="exp")


def test_falls_back_where_an_operator_does_not_apply(launched):
    def calls():
        x, half = rand(4, 8), rand(4, 8, dtype=torch.float16)
        yield torch.exp(integers(3, 5))  # a type that it does not have
        yield torch.exp(torch.complex(x, x))
        yield x + half.double()  # another type of the result
        yield integers(3, 5) + 2.5
        yield torch.softmax(x, -1, dtype=torch.float64)  # an argument that it lacks
        yield F.embedding(integers(3, 5), x, padding_idx=1)
        yield torch.clone(x, memory_format=torch.contiguous_format)
        yield torch.add(x, torch.tensor(2.5))
        yield torch.ones(3, 4, 5).to_sparse() * 2
        yield torch.exp(torch.ones(1, 1, 1, 1, 1, 1, 1, 1, 1, device=DEVICE))  # rank 9

    expected = list(calls())
    launched.take()
    with ops.use():
        torch.manual_seed(0)
        found = list(calls())
    torch.manual_seed(0)
    expected = list(calls())
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)
    assert not {"exp", "softmax", "embedding"} & set(launched.take())
    with ops.use():
        with pytest.raises(IndexError, match="Dimension out of range"):  # torch's words
            torch.softmax(rand(3), 4)


def test_numbers_keep_their_precision():
    x = rand(64, dtype=torch.float16)
    expected = x * 1.0003
    with ops.use():
        check(x * 1.0003, expected)


def test_layouts_are_torchs():
    images = rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    with ops.use():
        assert torch.relu(images).is_contiguous(memory_format=torch.channels_last)
        assert (images + images).is_contiguous(memory_format=torch.channels_last)
    check(torch.relu(images), ops.relu(images))


def test_second_derivatives_of_replaced_operators():
    def twice(x):
        (once,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
        return torch.autograd.grad(once.sum(), x)[0]

    x = copied(rand(5), True)
    expected = twice(x)
    with ops.use():
        check(twice(x), expected)
    check(twice(copied(x, True)), expected)


def test_operators_of_torch_are_differentiated_twice():
    def twice(function, x):
        (once,) = torch.autograd.grad(function(x).pow(2).sum(), x, create_graph=True)
        return torch.autograd.grad(once.sum(), x)[0]

    x = copied(rand(3, 4), True)
    check(twice(ops.softmax, x), twice(lambda x: torch.softmax(x, -1), x))
    with pytest.raises(NotImplementedError, match="rotary_backward: there is no gradient of grad"):
        cos = rand(3, 2)
        twice(lambda x: ops.rotary(x, cos, cos), copied(rand(3, 1, 4), True))


def test_transforms_of_torch_func():
    x = rand(3, 4)
    expected = torch.func.vmap(torch.func.grad(lambda row: torch.softmax(row, -1)[0]))(x)
    with ops.use():
        check(torch.func.vmap(torch.func.grad(lambda row: torch.softmax(row, -1)[0]))(x), expected)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
            tangent = torch.autograd.forward_ad.unpack_dual(torch.exp(dual)).tangent
    check(tangent, torch.exp(x))


def test_a_model_trains_alike():
    def losses():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Embedding(11, 16), torch.nn.LayerNorm(16), torch.nn.Linear(16, 32),
            torch.nn.GELU(), torch.nn.Linear(32, 11),
        ).to(DEVICE)  # fmt: skip
        optimizer = torch.optim.SGD(model.parameters(), 0.5)
        words = torch.randint(0, 11, (8, 6)).to(DEVICE)
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(words).flatten(0, 1), words.flatten())
            loss.backward()
            optimizer.step()
            yield loss.item()

    expected = list(losses())
    with ops.use():
        assert list(losses()) == pytest.approx(expected, rel=1e-4)
    assert expected[-1] < expected[0]


# ------------------------------------------------------------ compiled programs

CHECKED = ("softmax", "add", "layer_norm", "sort", "cat", "linear", "cross_entropy", "argmax", "conv2d", "where")


@pytest.mark.parametrize("name", CHECKED)
def test_torch_accepts_the_operators(name):
    given = next(case[1] for case in CASES if case[0] == name)
    op = ops.show(name)["schema"]
    ops.softmax(rand(2))
    args = [given.get(each["name"], each.get("default")) for each in [*op["inputs"], *op["attributes"]]]
    args = [copied(value, name != "argmax") for value in args]
    torch.library.opcheck(getattr(torch.ops.nereid, name).default, tuple(args))


def compiled(function):
    torch._dynamo.reset()
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return torch._dynamo.lookup_backend("aot_eager")(graph, inputs)

    return torch.compile(function, backend=backend, fullgraph=True), graphs


def test_compiled_programs_see_one_operator():
    def program(x, y):
        return ops.add(ops.softmax(x, dim=0), y).sum()

    x, y = copied(rand(4, 6), True), rand(4, 6)
    made, graphs = compiled(program)
    result = made(x, y)
    check(result, program(x, y))
    result.backward()
    mine, x.grad = x.grad, None
    program(x, y).backward()
    check(mine, x.grad)
    targets = {str(node.target) for node in graphs[0].graph.nodes}
    assert {"nereid.softmax.default", "nereid.add.default"} <= targets
    x = rand(7, 3)
    check(made(x, x), program(x, x))  # other sizes


def test_out_in_compiled_programs():
    def program(x, out):
        ops.exp(x, out=out)
        return out + 1

    made, _ = compiled(program)
    x, out = rand(5), rand(5)
    check(made(x, out), torch.exp(x) + 1)
    check(out, torch.exp(x))


def test_replacements_in_compiled_programs(launched):
    def program(x):
        return torch.softmax(x, -1).sum()

    x = copied(rand(4, 6), True)
    program(x).backward()
    expected, x.grad = x.grad, None
    with ops.use():
        made, _ = compiled(program)
        made(x).backward()
        assert {"softmax", "softmax_backward"} <= set(launched.take())
    check(x.grad, expected)


def test_meta_tensors_and_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    ops.softmax(rand(2))
    made = torch.ops.nereid.topk(torch.empty(3, 9, device="meta"), 4)
    assert [tuple(each.shape) for each in made] == [(3, 4), (3, 4)]
    assert made[1].dtype == torch.int64
    with FakeTensorMode():
        x = torch.empty(3, 9, device=DEVICE)
        assert ops.softmax(x).shape == (3, 9)
        with pytest.raises(nereid.Error, match="dim is 5"):
            ops.softmax(x, 5)


# ------------------------------------------------------------ packs of others

PACK = {
    "vendor.yaml": 'vendor_name: acme\ntargets: ["*"]\n',
    "ops/twice.yaml": """
operator: twice
schema:
  inputs:
    x: {dtype: [f32], rank: [0, 8]}
  attributes:
    by: {type: number, default: 2}
  outputs:
    y: {dtype: x.dtype, shape: x.shape}
empty: x.numel == 0
contiguous: [x]
variants:
  - name: all
    kernel: twice.py:twice
    arguments: {x: x, y: y, n: x.numel, by: float(by)}
    constants: {BLOCK: 64}
    grid: ["cdiv(x.numel, 64)"]
""",
    "ops/twice.py": """
import triton
import triton.language as tl


@triton.jit
def twice(x, y, n, by, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * by, mask=at < n)
""",
}

USE_PACK = """
import json, sys
import numpy as np
import nereid

x = np.arange(5, dtype=np.float32)
print(json.dumps([nereid.ops.twice(x).tolist(), nereid.ops.twice(x, by=3.5).tolist(), "torch" in sys.modules]))
"""


def test_a_users_pack_without_torch(tmp_path):
    folder = tmp_path / "acme"
    for name, text in PACK.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    env = {**os.environ, "NEREID_PACK_DIRS": str(folder)}
    done = subprocess.run([sys.executable, "-c", USE_PACK], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    twice, more, has_torch = json.loads(done.stdout)
    assert twice == [0, 2, 4, 6, 8] and more == [0, 3.5, 7, 10.5, 14]
    assert not has_torch


def test_importing_nereid_loads_no_operators():
    code = "import sys, nereid; print('nereid._operators' in sys.modules, 'nereid.ops' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"], done.stderr


OTHER_DEVICE = """
import torch
import nereid

replaced = nereid.ops.enable(target="apart")
kernel = torch.library.get_kernel("aten::index_select", "PrivateUse1")  # torch has none
print(len(replaced), torch.exp(torch.zeros(3)).tolist())
nereid.ops.disable()
try:
    torch.library.get_kernel("aten::index_select", "PrivateUse1")
except RuntimeError as error:
    print("no kernel" in str(error))
"""


def test_other_devices_have_their_own_dispatch_key():
    build = pathlib.Path(os.environ["NEREID_TEST_BUILD"])
    env = {**os.environ, "NEREID_PLUGIN_DIRS": f"{build / 'lib/nereid/plugins'};{build / 'tests/apart'}"}
    env.pop("NEREID_TARGET", None)
    done = subprocess.run([sys.executable, "-c", OTHER_DEVICE], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count = sum(len(ops.show(name)["aten"]) for name in ops.operators())
    assert done.stdout.splitlines() == [f"{count} [1.0, 1.0, 1.0]", "True"]


COMPILE_FIRST = """
import torch
import nereid

program = torch.compile(lambda x: nereid.ops.softmax(x) + 1, backend="aot_eager", fullgraph=True)
x = torch.rand(3, 4)
torch.testing.assert_close(program(x), torch.softmax(x, -1) + 1)
"""


def test_the_first_call_may_be_compiled():
    done = subprocess.run([sys.executable, "-c", COMPILE_FIRST], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_stub_describes_the_native_module():
    import ast

    from nereid import _operators

    text = (pathlib.Path(nereid.__file__).parent / "_operators.pyi").read_text()
    described = {node.name: node for node in ast.parse(text).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(described) == {name for name in vars(_operators) if not name.startswith("_")}
    for name, node in described.items():
        if isinstance(node, ast.ClassDef):
            members = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            found = {each for each in vars(getattr(_operators, name)) if not each.startswith("_")}
            assert {each for each in members if not each.startswith("_")} == found, name


def test_threads_share_operators():
    from concurrent.futures import ThreadPoolExecutor

    x = rand(64, 64)
    expected = torch.softmax(x, -1)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: ops.softmax(x), range(64)):
            check(result, expected)
