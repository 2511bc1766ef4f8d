"""The operators of plugins/packs/generic against torch in f64."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import zlib

import pytest
import torch
import torch.nn.functional as F
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from layouts import LAYOUTS, UNIT, assert_close, laid_out, values  # noqa: E402
import pack  # noqa: E402
from pack import DTYPES, GENERIC, Device, Operator, check_guards, guarded, operator  # noqa: E402

NAMES = sorted(path.stem for path in (GENERIC / "ops").glob("*.yaml"))
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SHAPES = [
    (),
    (1,),
    (7,),
    (1025,),
    (3, 5),
    (1, 9),
    (6, 1),
    (2, 3, 4),
    (5, 1, 300),
    (0,),
    (3, 0, 2),
    (2, 1, 3, 2, 5),
]


@pytest.fixture
def random():
    return torch.Generator().manual_seed(20)


# All shapes and layouts are tried with these types, a few with the others.
THOROUGH = (torch.float32, torch.int32)


def some(cases, count):
    """All, or briefly so many of them, from the first to the last."""
    if not pack.is_brief or len(cases) <= count:
        return cases
    return [cases[i * (len(cases) - 1) // (count - 1)] for i in range(count)]


def types(name):
    """The types of x; briefly, one of THOROUGH and another."""
    every = operator(name).dtypes("x")
    if not pack.is_brief:
        return every
    others = [dtype for dtype in every if dtype not in THOROUGH]
    first = [dtype for dtype in every if dtype in THOROUGH][:1]
    return first + [others[zlib.crc32(name.encode()) % len(others)]]


def short(value):
    return str(value).removeprefix("torch.")


def gelu(x, approximate="none"):
    return F.gelu(x, approximate=approximate)


UNARY = {
    "exp": (torch.exp, -3, 3),
    "log": (torch.log, 0.1, 9),
    "sqrt": (torch.sqrt, 0, 9),
    "rsqrt": (torch.rsqrt, 0.1, 9),
    "abs": (torch.abs, -3, 3),
    "neg": (torch.neg, -3, 3),
    "relu": (torch.relu, -3, 3),
    "silu": (F.silu, -3, 3),
    "tanh": (torch.tanh, -3, 3),
    "sigmoid": (torch.sigmoid, -9, 9),
    "gelu": (gelu, -3, 3),
    "copy": (torch.clone, -3, 3),
}


def cases(table):
    for name in table:
        for dtype in types(name):
            yield pytest.param(name, dtype, id=f"{name}-{short(dtype)}")


@pytest.mark.parametrize("name, dtype", cases(UNARY))
def test_unary(name, dtype, random):
    function, low, high = UNARY[name]
    shapes, layouts = (SHAPES, LAYOUTS) if dtype == torch.float32 else (SHAPES[4:8], LAYOUTS[:2])
    for shape in some(shapes, 4):
        for layout in some(layouts, 3):
            x = laid_out(values(shape, dtype, random, low, high), layout)
            before = x.clone()
            got = operator(name)(x=x)
            exact = x.double() if dtype.is_floating_point else x
            if dtype == torch.bool:
                assert torch.equal(got, x)
                continue
            expected = function(exact)
            # Where the result is a difference, errors are relative to the input.
            scale = expected.abs().double() + (exact.abs() if name in ("gelu", "log") else 0)
            assert_close(
                got,
                expected.to(dtype) if not dtype.is_floating_point else expected,
                scale,
                8,
                f"{name} {shape} {layout}",
            )
            assert torch.equal(x, before)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_special_values(dtype):
    x = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, -1.0], dtype=dtype)
    for name in ("exp", "sqrt", "rsqrt", "log", "abs", "neg", "relu", "tanh", "sigmoid"):
        assert_close(operator(name)(x=x), UNARY[name][0](x.double()), what=name)
    y = x.flip(0)
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "pow"):
        a, b = torch.broadcast_tensors(x[:, None], y)
        expected = getattr(torch, name)(a.double(), b.double())
        assert_close(operator(name)(x=x[:, None], y=y), expected, what=name)
    assert_close(operator("clamp")(x=x, low=-0.5, high=2.0), x.double().clamp(-0.5, 2.0))


PAIRS = [
    ((), ()), ((5,), ()), ((), (3, 4)), ((7, 1), (1, 9)), ((2, 3, 4), (4,)), ((2, 1, 4), (3, 1)),
    ((1025,), (1025,)), ((0, 3), (3,)), ((1, 1), (1,)), ((2, 1, 3, 1, 5), (4, 1, 2, 1)),
]  # fmt: skip


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "pow"])
def test_binary(name, random):
    for dtype in types(name):
        thorough = dtype in THOROUGH
        for shape_x, shape_y in some(PAIRS if thorough else PAIRS[3:6], 5):
            layouts = [("contiguous", "contiguous"), ("transposed", "misaligned"), ("strided", "transposed")]
            for layout_x, layout_y in some(layouts if thorough else layouts[1:2], 2):
                x = laid_out(values(shape_x, dtype, random, 0.2, 3), layout_x)
                y = laid_out(values(shape_y, dtype, random, 0.2, 3), layout_y)
                got = operator(name)(x=x, y=y)
                exact = (x.double(), y.double()) if dtype.is_floating_point or name == "div" else (x, y)
                expected = getattr(torch, name)(*exact)
                scale = expected.abs().double() + 9
                assert_close(
                    got,
                    expected,
                    scale if name in ("sub", "add", "pow") else None,
                    8,
                    f"{name} {short(dtype)} {shape_x} {shape_y}",
                )


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int32, torch.int64], ids=short)
def test_numbers_as_attributes(dtype, random):
    x, y = values((3, 70), dtype, random), values((70,), dtype, random)
    exact = (x.double(), y.double()) if dtype.is_floating_point else (x, y)
    for alpha in (1, -1, 3, 0.3) if dtype.is_floating_point else (1, -1, 3):
        for name in ("add", "sub"):
            expected = getattr(torch, name)(*exact, alpha=alpha)
            assert_close(operator(name)(x=x, y=y, alpha=alpha), expected, 9.0, 4, f"{name} {alpha}")
    for low, high in ((None, 1), (-1, None), (-1, 1), (2, 1)):
        assert_close(operator("clamp")(x=x, low=low, high=high), exact[0].clamp(low, high))
        if dtype.is_floating_point:
            wide = x.double().clone().requires_grad_()
            wide.clamp(low, high).sum().backward()
            got = operator("clamp_backward")(grad=torch.ones_like(x), x=x, low=low, high=high)
            if low is None or high is None or low <= high:
                assert_close(got, wide.grad)
    for value in (0, 7, 0.1) if dtype.is_floating_point else (0, 7, -2):
        expected = x.double().masked_fill(x > 1, torch.tensor(value, dtype=dtype).item())
        assert_close(operator("masked_fill")(x=x, condition=x > 1, value=value), expected)
        assert_close(operator("fill")(x=x, value=value), torch.full_like(x, value).double())


@pytest.mark.parametrize("rounding", ["floor", "trunc"])
def test_rounded_division(rounding, random):
    for dtype in types("div"):
        x, y = values((40, 50), dtype, random, -9, 9), values((50,), dtype, random, -2, 2)
        if not dtype.is_floating_point:
            y = torch.where(y == 0, torch.ones_like(y), y)
        # Quotients of 16 bits are not rounded to them before.
        wide = torch.float32 if dtype.itemsize == 2 and dtype.is_floating_point else dtype
        expected = torch.div(x.to(wide), y.to(wide), rounding_mode=rounding).to(dtype)
        assert torch.equal(operator("div")(x=x, y=y, rounding=rounding), expected), short(dtype)
    # What processors answer with a trap.
    least = -(2**31)
    x, y = (
        torch.tensor([5, least, least, 0], dtype=torch.int32),
        torch.tensor([0, -1, 1, 0], dtype=torch.int32),
    )
    assert operator("div")(x=x, y=y, rounding=rounding).tolist() == [0, least, least, 0]


@pytest.mark.parametrize("dtype", list(DTYPES.values()), ids=short)
def test_where(dtype, random):
    for layout in LAYOUTS[:4]:
        condition = laid_out(values((3, 1, 50), torch.bool, random), layout)
        x, y = laid_out(values((4, 50), dtype, random), layout), values((), dtype, random)
        expected = torch.where(condition, x, y)
        assert torch.equal(operator("where")(condition=condition, x=x, y=y), expected)


BINARY_GRADIENTS = ["mul", "div", "pow", "maximum", "minimum", "where"]


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("name", BINARY_GRADIENTS)
def test_binary_backward(name, dtype, random):
    x, y = values((3, 1, 70), dtype, random, 0.5, 3), values((4, 70), dtype, random, 0.5, 3)
    x[0, 0, :4] = y[0, :4]
    wide = [t.double().expand(3, 4, 70).clone().requires_grad_() for t in (x, y)]
    condition = values((70,), torch.bool, random)
    expected = torch.where(condition, *wide) if name == "where" else getattr(torch, name)(*wide)
    grad = values((3, 4, 70), dtype, random)
    expected.backward(grad.double())
    given = {"condition": condition} if name == "where" else {"x": x, "y": y}
    got = operator(f"{name}_backward")(grad=laid_out(grad, "transposed"), **given)
    for mine, tensor in zip(got, wide):
        assert_close(mine, tensor.grad, tensor.grad.abs() * 16 + 1, 16, name)


RESULT = {"relu", "exp", "sqrt", "rsqrt", "tanh", "sigmoid"}


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize(
    "name", ["exp", "log", "sqrt", "rsqrt", "abs", "relu", "silu", "tanh", "sigmoid", "gelu", "gelu-tanh"]
)
def test_unary_backward(name, dtype, random):
    attributes = {"approximate": "tanh"} if name == "gelu-tanh" else {}
    name = name.removesuffix("-tanh")
    function, low, high = UNARY[name]
    for shape in ((), (7,), (3, 70), (0, 2)):
        x, grad = values(shape, dtype, random, low + 0.05, high), values(shape, dtype, random)
        wide = x.double().requires_grad_()
        result = function(wide, **attributes)
        result.backward(grad.double())
        given = {"out": result.detach().to(dtype)} if name in RESULT else {"x": x}
        got = operator(f"{name}_backward")(grad=laid_out(grad, "transposed"), **given, **attributes)
        # The result was rounded: its error is amplified by the derivative of the gradient.
        scale = grad.double().abs() * (40 if name == "rsqrt" else 16)
        if name in RESULT:
            scale = scale * UNIT[dtype] / min(UNIT[dtype], UNIT[torch.float32])
        assert_close(got, wide.grad, scale, 8, f"{name} {shape}")


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_gradients_that_move(dtype, random):
    grad = laid_out(values((3, 70), dtype, random), "transposed")
    condition = values((70,), torch.bool, random)
    assert torch.equal(operator("neg_backward")(grad=grad), -grad)
    assert torch.equal(operator("flip_backward")(grad=grad, dims=[1]), grad.flip(1))
    expected = grad.masked_fill(condition, 0)
    assert torch.equal(operator("masked_fill_backward")(grad=grad, condition=condition), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_silu_and_mul(dtype, random):
    for shape in ((5,), (3, 70), (2, 3, 33)):
        both = values((*shape[:-1], 2 * shape[-1]), dtype, random)
        gate, up = both.chunk(2, -1)
        wide = both.double().requires_grad_()
        expected = F.silu(wide.chunk(2, -1)[0]) * wide.chunk(2, -1)[1]
        assert_close(operator("silu_and_mul")(gate=gate, up=up), expected.detach(), None, 16)
        grad = values(shape, dtype, random)
        expected.backward(grad.double())
        dgate, dup = operator("silu_and_mul_backward")(grad=grad, gate=gate, up=up)
        assert_close(torch.cat([dgate, dup], -1), wide.grad, 20.0, 8)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_dropout(dtype, random):
    x = values((40, 1000), dtype, random, 1, 2)
    for p, offset in ((0.0, 0), (0.25, 2048), (0.25, 3), (1.0, 0)):
        y = operator("dropout")(x=x, p=p, seed=7, offset=offset)
        dropped = y == 0
        # Five standard deviations of a binomial count.
        spread = 5 * (x.numel() * p * (1 - p)) ** 0.5
        assert abs(int(dropped.sum()) - p * x.numel()) <= spread
        scale = 1 / (1 - p) if p < 1 else 0
        assert_close(y, torch.where(dropped, 0.0, x.double() * scale))
        # Another layout, so another kernel, drops the same elements.
        back = operator("dropout_backward")(grad=laid_out(x, "transposed"), p=p, seed=7, offset=offset)
        assert torch.equal(back, y)
    ones = torch.ones(9000, dtype=dtype)
    first, shifted, other = (
        operator("dropout")(x=ones, p=0.5, seed=s, offset=o) for s, o in ((7, 0), (7, 5), (8, 0))
    )
    assert torch.equal(first[5:], shifted[:-5])
    assert not torch.equal(first, other)


ROWS = [
    ((), -1),
    ((7,), 0),
    ((1, 1), -1),
    ((5, 1000), 1),
    ((3, 20000), -1),
    ((4, 33, 5), 1),
    ((2, 3, 300), 0),
    ((2, 2000, 3), 1),
    ((0, 3), 1),
]


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(name, dtype, random):
    function = getattr(torch, name)
    for shape, dim in some(ROWS, 6):
        layouts = ("contiguous", "transposed", "misaligned") if dtype in THOROUGH else ("transposed",)
        for layout in some(layouts, 2):
            x = laid_out(values(shape, dtype, random, -9, 9), layout)
            wide = x.detach().double().clone().requires_grad_()
            expected = function(wide, dim)
            y = operator(name)(x=x, dim=dim)
            logs = 20.0 if name == "log_softmax" else None
            assert_close(y, expected.detach(), logs, 64 if logs is None else 8, f"{name} {shape} {layout}")
            grad = values(shape, dtype, random)
            rounded = expected.detach().to(dtype)
            exact = rounded.double()
            g = grad.double()
            if name == "softmax":
                dx = exact * (g - (g * exact).sum(dim, keepdim=True))
                scale = exact * (g.abs() + (g * exact).abs().sum(dim, keepdim=True))
            else:
                dx = g - exact.exp() * g.sum(dim, keepdim=True)
                scale = g.abs() + exact.exp() * g.abs().sum(dim, keepdim=True)
            got = operator(f"{name}_backward")(grad=laid_out(grad, layout), y=rounded, dim=dim)
            assert_close(got, dx, scale, 64, f"{name} backward {shape} {layout}")


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_softmax_of_infinities(dtype):
    low, nan = float("-inf"), float("nan")
    for n in (3, 20000):
        x = torch.zeros((4, n), dtype=dtype)
        x[0], x[1, 1:], x[2, 0], x[3, 0] = low, low, nan, 60.0
        for name in ("softmax", "log_softmax"):
            expected = getattr(torch, name)(x.double(), 1)
            assert_close(operator(name)(x=x), expected, 70.0, 8, f"{name} {n}")
        columns = x.t().contiguous()
        assert_close(operator("softmax")(x=columns, dim=0), torch.softmax(columns.double(), 0), None, 64)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_norm(name, dtype, random):
    for shape, dims in (
        ((7,), 1),
        ((5, 9), 1),
        ((3, 4, 50), 2),
        ((300, 64), 1),
        ((3, 17000), 1),
        ((4, 1), 1),
    ):
        for affine in (True, False):
            # A mean that is large beside the deviation shows cancellation.
            x = laid_out(values(shape, dtype, random, 4, 6), "transposed" if affine else "misaligned")
            size = list(shape[len(shape) - dims :])
            weight = values(size, dtype, random) if affine else None
            bias = values(size, dtype, random) if affine else None
            grad = values(shape, dtype, random)
            wide = [x.double().clone().requires_grad_()]
            wide += [t.double().clone().requires_grad_() for t in (weight, bias) if t is not None]
            given = {"x": x, "weight": weight, "dims": dims, "eps": 1e-5}
            if name == "layer_norm":
                expected = F.layer_norm(wide[0], size, *wide[1:], eps=1e-5)
                y, *statistics = operator(name)(bias=bias, **given)
                statistics = dict(zip(("mean", "rstd"), statistics))
            else:
                expected = F.rms_norm(wide[0], size, *wide[1:2], eps=1e-5)
                y, rstd = operator(name)(**given)
                statistics = {"rstd": rstd}
            what = f"{name} {shape} {affine}"
            n = 1
            for extent in size:
                n *= extent
            scale = statistics["rstd"].double().amax() * 18 + 3
            assert_close(y, expected.detach(), scale, 16, what)
            expected.backward(grad.double())
            del given["eps"]
            dx, *rest = operator(f"{name}_backward")(grad=grad, **given, **statistics)
            assert_close(dx, wide[0].grad, scale * scale * 9, 64, what)
            if affine:
                terms = scale * x.numel() / n * 9
                assert_close(rest[0], wide[1].grad, terms, 64, what)
                if name == "layer_norm":
                    assert_close(rest[1], wide[2].grad, terms, 64, what)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_group_norm(dtype, random):
    for shape, groups in (((2, 6, 5, 7), 3), ((3, 8, 40, 41), 2), ((2, 4), 2), ((2, 64, 3), 32)):
        x, grad = values(shape, dtype, random, 1, 4), values(shape, dtype, random)
        weight, bias = values(shape[1:2], dtype, random), values(shape[1:2], dtype, random)
        wide = [t.double().clone().requires_grad_() for t in (x, weight, bias)]
        expected = F.group_norm(wide[0], groups, *wide[1:])
        y, mean, rstd = operator("group_norm")(x=x, weight=weight, bias=bias, groups=groups)
        scale = rstd.double().amax() * 12 + 3
        assert_close(y, expected.detach(), scale, 16, f"{shape}")
        expected.backward(grad.double())
        got = operator("group_norm_backward")(
            grad=grad, x=x, weight=weight, mean=mean, rstd=rstd, groups=groups
        )
        assert_close(got[0], wide[0].grad, scale * scale * 9, 64, f"{shape}")
        terms = scale * x.numel() / shape[1] * 9
        assert_close(got[1], wide[1].grad, terms, 16, f"{shape}")
        assert_close(got[2], wide[2].grad, terms, 16, f"{shape}")


REDUCED = [
    ((), None), ((7,), [0]), ((5, 7), [-1]), ((5, 7), None), ((5, 7), [0]), ((3, 100, 5), [1]), ((3, 4, 5, 6), [0, 2]),
    ((2, 40000), [1]), ((300000,), None), ((5000, 33), [0]), ((0, 4), [0]), ((4, 0), [1]), ((6, 50), [0, 1]), ((2, 3, 4), [2, 1]),
]  # fmt: skip


def reference(name, x, dims):
    """A reduction over several dimensions, by torch, of f64 or integers."""
    if name in ("any", "all"):
        x = x != 0
    if name in ("prod", "any", "all"):
        for d in sorted((d % x.dim() for d in dims), reverse=True):
            x = getattr(torch, name)(x, d)
        return x
    if x.dim() == 0:
        return x if name != "var" else torch.var(x, 0)
    return getattr(torch, name)(x, dims)


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "prod", "any", "all", "var"])
def test_reduction(name, random):
    for dtype in types(name):
        for shape, dim in some(REDUCED if dtype in THOROUGH else REDUCED[4:8], 7):
            low, high = (0.9, 1.1) if name == "prod" else (-3, 3)
            x = values(shape, dtype, random, low, high)
            if name in ("any", "all"):
                x = torch.where(values(shape, torch.bool, random) ^ (name == "all"), x, torch.zeros_like(x))
            dims = list(range(x.dim())) if dim is None else dim
            count = 1
            for d in dims:
                count *= shape[d]
            if name in ("amax", "amin") and count == 0:
                continue
            layouts = ("contiguous", "transposed", "strided") if dtype in THOROUGH else ("contiguous",)
            for layout in some(layouts, 2):
                y = laid_out(x, layout)
                got = operator(name)(x=y, dim=dim, keepdim=layout == "strided")
                exact = (
                    y.double()
                    if dtype.is_floating_point
                    else y.long()
                    if dtype != torch.bool or name == "sum"
                    else y
                )
                expected = reference(name, exact, dims)
                what = f"{name} {short(dtype)} {shape} {dim} {layout}"
                if layout == "strided":
                    assert got.shape == torch.Size(
                        [1 if d in [e % x.dim() for e in dims] else s for d, s in enumerate(shape)]
                    ), what
                    got = got.reshape(expected.shape)
                terms = {
                    "sum": 3.0 * count,
                    "mean": 3.0,
                    "var": 150.0,
                    "prod": count * expected.double().abs(),
                }.get(name)
                assert_close(got, expected, terms, 4, what)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_position(name, random):
    for dtype in types(name):
        shapes = [
            ((5, 70), 0),
            ((2, 40000), 1),
            ((), None),
            ((7,), 0),
            ((5, 7), None),
            ((3, 100, 5), 1),
            ((300000,), None),
        ]
        for shape, dim in shapes if dtype in THOROUGH else shapes[:2]:
            x = values(shape, dtype, random)
            for layout in ("contiguous", "transposed"):
                y = laid_out(x, layout)
                # Ties: NumPy takes the first, as these do; torch takes any.
                expected = getattr(y.double().numpy(), name)(dim).reshape(-1)
                got = operator(name)(x=y, dim=dim)
                assert got.reshape(-1).tolist() == expected.tolist(), f"{name} {short(dtype)} {shape} {dim}"


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_reductions_of_nan(dtype):
    for n in (5, 100000):
        x = torch.zeros(2, n, dtype=dtype)
        x[0, n // 2] = float("nan")
        for name in ("amax", "amin", "sum", "prod", "mean"):
            got = operator(name)(x=x, dim=[1])
            assert got[0].isnan() and got[1] == 0, name
        for name in ("argmax", "argmin"):
            assert operator(name)(x=x, dim=1).tolist() == [n // 2, 0]
        assert operator("any")(x=x, dim=[1]).tolist() == [True, False]


def test_cumsum(random):
    for dtype in types("cumsum"):
        for shape, dim in (
            ((), -1),
            ((7,), 0),
            ((3, 50), 1),
            ((3, 40, 5), 1),
            ((2, 5000), 1),
            ((40000,), 0),
            ((0, 2), 1),
        ):
            x = laid_out(values(shape, dtype, random), "transposed")
            exact = x.double() if dtype.is_floating_point else x
            n = shape[dim] if shape else 1
            assert_close(
                operator("cumsum")(x=x, dim=dim),
                torch.cumsum(exact, dim),
                3.0 * n,
                4,
                f"{short(dtype)} {shape}",
            )


SORTED = [
    ((), -1),
    ((1,), 0),
    ((7,), 0),
    ((3, 40, 5), 1),
    ((3, 1024), 1),
    ((2, 3000), 1),
    ((2, 2500, 2), 1),
    ((0, 3), 1),
]


@pytest.mark.parametrize("name", ["sort", "topk"])
def test_order(name, random):
    for dtype in types(name):
        for shape, dim in some(SORTED if dtype in THOROUGH else SORTED[3:6:2], 5):
            x = values(shape, dtype, random)
            if dtype == torch.int64:
                x = x * (2**33 + 1)
            if dtype.is_floating_point and x.numel() > 8:
                flat = x.view(-1)
                flat[:5] = torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0, 0.0], dtype=dtype)
            x = laid_out(x, "transposed")
            for descending in (False, True) if dtype in THOROUGH and not pack.is_brief else (True,):
                expected, places = torch.sort(x, dim=dim, descending=descending, stable=True)
                what = f"{name} {short(dtype)} {shape} {descending}"
                if name == "sort":
                    got, indices = operator(name)(x=x, dim=dim, descending=descending)
                    counts = [None]
                else:
                    counts = {0, 1, min(x.shape[dim] if shape else 1, 40)}
                for k in counts:
                    if k is not None:
                        got, indices = operator(name)(x=x, k=k, dim=dim, largest=descending)
                        if not shape:
                            continue
                        picked, where = expected.narrow(dim, 0, k), places.narrow(dim, 0, k)
                    else:
                        picked, where = expected, places
                    assert torch.equal(indices, where), what
                    assert torch.equal(
                        got.nan_to_num(7) if dtype.is_floating_point else got,
                        picked.nan_to_num(7) if dtype.is_floating_point else picked,
                    ), what


@pytest.mark.parametrize("dtype", list(DTYPES.values()), ids=short)
def test_moving(dtype, random):
    weight, indices = values((50, 37), dtype, random), torch.randint(0, 50, (3, 4), generator=random)
    assert torch.equal(operator("embedding")(weight=weight, indices=indices), F.embedding(indices, weight))
    x = values((4, 30, 5), dtype, random)
    for layout in ("contiguous", "transposed", "strided") if dtype in THOROUGH else ("transposed",):
        y = laid_out(x, layout)
        for dim in (0, 1, -1):
            index = torch.randint(0, y.shape[dim], (11,), generator=random).to(torch.int32)
            assert torch.equal(
                operator("index_select")(x=y, dim=dim, index=index), y.index_select(dim, index)
            )
            index = torch.randint(0, 4, (4, 20, 5), generator=random)
            assert torch.equal(operator("gather")(x=y, dim=dim, index=index), y.gather(dim, index))
        for dims in ([], [0], [1], [-1], [0, 2], [0, 1, 2]):
            assert torch.equal(operator("flip")(x=y, dims=dims), y.flip(dims))
        order = torch.rand(4, 30, 5, generator=random).argsort(1)[:, :20]
        source = values((4, 20, 5), dtype, random)
        assert torch.equal(
            operator("scatter")(x=y, dim=1, index=order, source=source), y.scatter(1, order, source)
        )
        parts = [y, y[:, :7], y[:, :0], y[:, ::2]]
        assert torch.equal(operator("cat")(xs=parts, dim=1), torch.cat(parts, 1))
        # Long rows of indices.
        row = torch.rand(2, 30, 45, generator=random).argsort(2).transpose(0, 1)[:, :, :40]
        z = laid_out(values((30, 2, 50), dtype, random), layout)
        assert torch.equal(operator("gather")(x=z, dim=-1, index=row), z.gather(-1, row))
        source = values((30, 2, 40), dtype, random).flip(2)
        got = operator("scatter")(x=z, dim=2, index=row, source=source)
        assert torch.equal(got, z.scatter(2, row, source))
    assert torch.equal(operator("cat")(xs=[weight[0]], dim=0), weight[0])
    empty = torch.empty(0, dtype=torch.int64)
    assert operator("index_select")(x=x, dim=1, index=empty).shape == (4, 0, 5)
    assert operator("embedding")(weight=weight, indices=empty).shape == (0, 37)


def test_indices_out_of_range():
    """They give zeros and write nothing; those below 0 count from the end."""
    x, index = torch.arange(1.0, 6.0), torch.tensor([5, -1, 2**40, -6, 0])
    expected = torch.tensor([0.0, 5, 0, 0, 1])
    assert torch.equal(operator("index_select")(x=x, dim=0, index=index), expected)
    assert torch.equal(operator("gather")(x=x, dim=0, index=index), expected)
    rows = x[:, None].expand(5, 3)
    assert torch.equal(operator("index_select")(x=rows, dim=0, index=index), expected[:, None].expand(5, 3))
    many = index.repeat(8)
    assert torch.equal(operator("gather")(x=x, dim=0, index=many), expected.repeat(8))
    got = operator("scatter")(x=x, dim=0, index=many, source=torch.ones(40))
    assert torch.equal(got, torch.tensor([1.0, 2, 3, 4, 1]))
    assert torch.equal(operator("gather")(x=x[:0], dim=0, index=many), torch.zeros(40))
    for name in ("scatter_add", "index_add"):
        got = operator(name)(x=x, dim=0, index=index, source=torch.ones(5))
        assert torch.equal(got, torch.tensor([2.0, 2, 3, 4, 6]))


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_adding(dtype, random):
    indices, grad = torch.randint(0, 50, (3, 40), generator=random), values((3, 40, 37), dtype, random)
    expected = torch.zeros(50, 37, dtype=torch.float64).index_add_(
        0, indices.view(-1), grad.double().view(-1, 37)
    )
    expected[7] = 0
    got = operator("embedding_backward")(grad=grad, indices=indices, weight=grad.new_empty(50, 37), padding=7)
    assert_close(got, expected, 40.0, 8)
    index, source = torch.randint(0, 30, (11,), generator=random), values((4, 11, 5), dtype, random)
    x = laid_out(values((4, 30, 5), dtype, random), "transposed")
    added = torch.zeros(4, 30, 5, dtype=torch.float64).index_add_(1, index, source.double())
    assert_close(operator("index_select_backward")(grad=source, index=index, dim=1, x=x), added, 40.0, 8)
    assert_close(operator("index_add")(x=x, index=index, source=source, dim=1), x.double() + added, 40.0, 8)
    index, source = torch.randint(0, 30, (4, 20, 5), generator=random), values((4, 20, 5), dtype, random)
    added = torch.zeros(4, 30, 5, dtype=torch.float64).scatter_add(1, index, source.double())
    assert_close(operator("scatter_add")(x=x, dim=1, index=index, source=source), x.double() + added, 40.0, 8)
    assert_close(operator("gather_backward")(grad=source, dim=1, index=index, x=x), added, 40.0, 8)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary(dtype, interleaved, random):
    x = laid_out(values((2, 9, 3, 20), dtype, random), "transposed")
    cos, sin = values((16, 8), dtype, random, -1, 1), values((16, 8), dtype, random, -1, 1)
    positions = torch.randint(0, 16, (2, 9), generator=random)
    for given in (None, positions):
        for name, sign in (("rotary", 1), ("rotary_backward", -1)):
            rows = positions if given is not None else torch.arange(9).expand(2, 9)
            c, s = cos.double()[rows][:, :, None], sign * sin.double()[rows][:, :, None]
            expected = x.double().clone()
            first, second = (slice(0, 16, 2), slice(1, 16, 2)) if interleaved else (slice(0, 8), slice(8, 16))
            a, b = x.double()[..., first], x.double()[..., second]
            expected[..., first], expected[..., second] = a * c - b * s, b * c + a * s
            tensor = {"x" if sign > 0 else "grad": x}
            got = operator(name)(cos=cos, sin=sin, positions=given, interleaved=interleaved, **tensor)
            assert_close(got, expected, 6.0, 4, name)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_cross_entropy(dtype, reduction, random):
    for m, classes in ((7, 10), (3, 10000), (1, 1)):
        for weight in (None, values((classes,), dtype, random, 0.1, 1)):
            for smoothing in (0.0, 0.1):
                x, target = (
                    values((m, classes), dtype, random),
                    torch.randint(0, classes, (m,), generator=random),
                )
                if m > 3:
                    target[2] = -100
                wide = x.double().requires_grad_()
                options = {"reduction": reduction, "label_smoothing": smoothing}
                expected = F.cross_entropy(
                    wide, target, weight if weight is None else weight.double(), **options
                )
                loss, lse, share = operator("cross_entropy")(x=x, target=target, weight=weight, **options)
                assert_close(loss, expected.detach(), 15.0 * m, 16)
                grad = values(expected.shape, dtype, random)
                expected.backward(grad.double())
                got = operator("cross_entropy_backward")(
                    grad=grad, x=x, target=target, weight=weight, lse=lse, share=share, **options
                )
                assert_close(got, wide.grad, 6.0, 16)


def product_scale(x, y):
    return x.double().abs() @ y.double().abs()


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_products(dtype, random):
    for m, k, n in ((5, 7, 9), (100, 130, 70), (128, 64, 128), (1, 300, 300), (3, 0, 4), (0, 3, 4)):
        x, y, bias = (values(s, dtype, random) for s in ((m, k), (k, n), (n,)))
        for layout in ("contiguous", "transposed", "strided"):
            a, b = laid_out(x, layout), laid_out(y, layout)
            exact, scale = x.double() @ y.double(), product_scale(x, y) + 3
            assert_close(operator("matmul")(x=a, y=b), exact, scale, 16, f"{m, k, n} {layout}")
            got = operator("linear")(x=a, y=b.t(), bias=bias, activation="relu")
            assert_close(got, (exact + bias.double()).relu(), scale, 16, f"{m, k, n} {layout}")
    x, y = values((3, 20, 33), dtype, random), values((3, 33, 40), dtype, random)
    for layout in ("contiguous", "transposed"):
        got = operator("bmm")(x=laid_out(x, layout), y=laid_out(y, layout))
        assert_close(got, x.double() @ y.double(), product_scale(x, y), 16, layout)


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
def test_grouped_products(dtype, random):
    """Groups may be empty, and end after the last row."""
    x, y = values((50, 33), dtype, random), values((4, 33, 20), dtype, random)
    grad = values((50, 20), dtype, random)
    for numbers in ([10, 10, 37, 45], [0, 60, 2**40, 50]):
        ends = torch.tensor(numbers, dtype=torch.int64 if max(numbers) > 50 else torch.int32)
        wide = [t.double().requires_grad_() for t in (x, y)]
        bounds = [0, *(min(end, 50) for end in numbers)]
        parts = [wide[0][a:b] @ wide[1][g] for g, (a, b) in enumerate(zip(bounds, bounds[1:]))]
        rest = torch.zeros(50 - max(bounds), 20, dtype=torch.float64)
        expected = torch.cat([*parts, rest])
        expected.backward(grad.double())
        for layout in ("contiguous", "transposed"):
            a, b, g = (laid_out(t, layout) for t in (x, y, grad))
            assert_close(operator("grouped_matmul")(x=a, y=b, ends=ends), expected.detach(), 300.0, 16)
            dx, dy = operator("grouped_matmul_backward")(grad=g, x=a, y=b, ends=ends)
            assert_close(dx, wide[0].grad, 9.0 * 20, 16)
            assert_close(dy, wide[1].grad, 9.0 * 50, 16)
    for rows, k, n in ((0, 5, 4), (3, 0, 4), (3, 5, 0)):
        ends = torch.full((2,), rows, dtype=torch.int32)
        x, y = values((rows, k), dtype, random), values((2, k, n), dtype, random)
        dx, dy = operator("grouped_matmul_backward")(grad=x.new_ones(rows, n), x=x, y=y, ends=ends)
        scale = 0 if n == 0 or rows == 0 else 1
        assert dx.shape == x.shape and dy.shape == y.shape and (scale or not dx.any() and not dy.any())


@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh"])
def test_activations_of_products(activation, random):
    x, y, bias = (values(s, torch.float32, random) for s in ((20, 8), (8, 30), (30,)))
    exact = x.double() @ y.double() + bias.double()
    expected = {
        "none": lambda v: v, "relu": torch.relu, "gelu": F.gelu, "gelu_tanh": lambda v: F.gelu(v, approximate="tanh"),
        "silu": F.silu, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    }[activation](exact)  # fmt: skip
    got = operator("matmul")(x=x, y=y, bias=bias, activation=activation)
    assert_close(got, expected, product_scale(x, y) + 3, 16)


CONVOLUTIONS = [
    (2, 32, 9, 11, 40, 3, 2, 1, 1, 1, 2), (1, 40, 9, 7, 6, 3, 3, 1, 0, 2, 1),
    (2, 3, 9, 11, 5, 3, 3, 1, 1, 1, 1), (1, 8, 12, 12, 6, 3, 2, 2, 1, 1, 2), (2, 4, 5, 5, 8, 1, 1, 1, 0, 1, 1), (1, 4, 10, 10, 4, 3, 3, 1, 2, 2, 4),
]  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_conv2d(case, dtype, random):
    images, channels, height, width, filters, kh, kw, stride, padding, dilation, groups = case
    x = laid_out(values((images, channels, height, width), dtype, random), "transposed")
    weight, bias = (
        values((filters, channels // groups, kh, kw), dtype, random),
        values((filters,), dtype, random),
    )
    wide = [t.double().clone().requires_grad_() for t in (x, weight, bias)]
    expected = F.conv2d(*wide, stride, padding, dilation, groups)
    options = {"stride": [stride] * 2, "padding": [padding] * 2, "dilation": [dilation] * 2, "groups": groups}
    scale = 9.0 * channels * kh * kw + 3
    assert_close(operator("conv2d")(x=x, weight=weight, bias=bias, **options), expected.detach(), scale, 16)
    grad = values(expected.shape, dtype, random)
    expected.backward(grad.double())
    dx, dweight, dbias = operator("conv2d_backward")(grad=grad, x=x, weight=weight, bias=bias, **options)
    assert_close(dx, wide[0].grad, 9.0 * filters * kh * kw, 16)
    assert_close(dweight, wide[1].grad, 9.0 * grad.numel() / filters, 16)
    assert_close(dbias, wide[2].grad, 3.0 * grad.numel() / filters, 16)


ATTENTION = [(2, 4, 2, 70, 70, 32), (1, 2, 2, 5, 9, 20), (1, 4, 1, 130, 100, 64), (1, 1, 1, 1, 1, 8)]


@pytest.mark.parametrize("dtype", FLOATS, ids=short)
@pytest.mark.parametrize("causal", [False, True])
def test_attention(dtype, causal, random):
    for batch, heads, key_heads, length, keys, size in ATTENTION:
        q = values((batch, length, heads, size), dtype, random).transpose(1, 2)
        k, v = (values((batch, key_heads, keys, size), dtype, random) for _ in range(2))
        wide = [t.double().clone().requires_grad_() for t in (q, k, v)]
        expected = F.scaled_dot_product_attention(*wide, is_causal=causal, enable_gqa=True)
        grad = values(expected.shape, dtype, random)
        expected.backward(grad.double())
        out, lse = operator("attention")(q=q, k=k, v=v, causal=causal)
        # Probabilities are rounded to the type of v before they are multiplied with it.
        coarse = max(256, 8 * UNIT[dtype] / UNIT[torch.float32])
        assert_close(out, expected.detach(), 3.0, coarse)
        got = operator("attention_backward")(grad=grad, q=q, k=k, v=v, out=out, lse=lse, causal=causal)
        for mine, tensor in zip(got, wide):
            assert_close(mine, tensor.grad, 9.0 * (heads // key_heads) * size**0.5, coarse)


def test_every_operator_is_tested():
    text = pathlib.Path(__file__).read_text()
    for name in NAMES:
        gradients = '_backward")' in text and f'"{name.removesuffix("_backward")}"' in text
        assert f'"{name}"' in text or name.endswith("_backward") and gradients, name


def check_backward(one, other):
    """The gradients' inputs are known by name, and its outputs are named after inputs."""
    known = {"grad", *one.inputs, *one.attributes, *one.outputs}
    assert {*other.inputs, *other.attributes} <= known | {"padding"}
    assert {name.removeprefix("d") for name in other.outputs} <= set(one.inputs)


@pytest.mark.parametrize("name", NAMES)
def test_yaml(name):
    """The file is named after its operator; what it refers to exists."""
    one = operator(name)
    assert one.name == name
    if backward := one.data.get("backward"):
        check_backward(one, operator(backward))
    for variant in one.data["variants"]:
        for step in variant.get("steps", [variant]):
            kernel = one.kernel(step["kernel"])
            given = {*step.get("arguments", {}), *step.get("constants", {})}
            assert set(kernel.arg_names) == given, (variant["name"], step["kernel"])


def tuned_calls(random):
    """For each entry of tune_configs.yaml, a call whose variant uses it."""

    def make(*shape):
        return values(shape, torch.float32, random)

    x = make(60, 90)
    yield "pointwise", "exp", {"x": x.t()}, torch.exp(x.double().t())
    yield "softmax_rows", "softmax", {"x": x}, torch.softmax(x.double(), 1)
    long = make(3, 20000)
    yield "softmax_long_rows", "softmax", {"x": long}, torch.softmax(long.double(), 1)
    yield "softmax_columns", "softmax", {"x": x, "dim": 0}, torch.softmax(x.double(), 0)
    group = make(2, 6, 50)
    expected = F.group_norm(group.double(), 3)
    yield "group_norm", "group_norm", {"x": group, "groups": 3}, expected
    yield "reduce_rows", "amax", {"x": x, "dim": [1]}, x.double().amax(1)
    yield "reduce_columns", "amax", {"x": x, "dim": [0]}, x.double().amax(0)
    index = torch.randint(0, 60, (33,), generator=random)
    yield "select_rows", "index_select", {"x": x, "index": index, "dim": 0}, x.double()[index]
    yield "matmul", "matmul", {"x": x, "y": make(90, 100)}, None
    q, k, v = make(1, 2, 70, 20), make(1, 1, 90, 20), make(1, 1, 90, 20)
    yield "attention", "attention", {"q": q, "k": k, "v": v, "causal": True}, None
    out, lse = operator("attention")(q=q, k=k, v=v, causal=True)
    given = {"grad": out, "q": q, "k": k, "v": v, "out": out, "lse": lse, "causal": True}
    yield "attention_backward", "attention_backward", given, None


def test_configurations(random):
    """Results do not depend on the configuration: some of each entry, by chance."""
    entries = yaml.safe_load((GENERIC / "tune_configs.yaml").read_text())
    named = {
        variant["tune"] for name in NAMES for variant in operator(name).data["variants"] if "tune" in variant
    }
    assert named == set(entries)
    tried = set()
    for entry, name, given, expected in tuned_calls(random):
        default = operator(name)(**given)
        results = default if isinstance(default, list) else [default]
        if expected is not None:
            assert_close(results[0], expected, 9.0, 16, entry)
        configurations = list(operator(name).configurations(**given))
        assert configurations, entry
        for at in torch.randperm(len(configurations), generator=random)[:6].tolist():
            got = operator(name)(configuration=configurations[at], **given)
            for mine, other in zip(got if isinstance(got, list) else [got], results):
                assert_close(mine, other.double(), 300.0, 16, f"{entry} {configurations[at]}")
        tried.add(entry)
    assert tried == named


def test_variants_of_other_devices(monkeypatch, random):
    """What a GPU is given is right, too, where it differs."""
    monkeypatch.setattr(Device, "type", "gpu")
    for shape, dtype, k in (((3, 60), torch.float32, 40), ((1, 2500), torch.float64, 1100)):
        x = values(shape, dtype, random)
        for name, given in (("sort", {}), ("topk", {"k": k})):
            expected, places = torch.sort(x, dim=1, descending=name == "topk", stable=True)
            got, indices = operator(name)(x=x, **given)
            count = given.get("k", shape[1])
            assert torch.equal(got, expected[:, :count]) and torch.equal(indices, places[:, :count])
    x = values((2, 20000), torch.float32, random)
    assert_close(operator("softmax")(x=x), torch.softmax(x.double(), 1), None, 64)
    image, weight = values((1, 32, 9, 11), torch.float32, random), values((4, 32, 3, 3), torch.float32, random)
    expected = F.conv2d(image.double(), weight.double(), padding=1)
    assert_close(operator("conv2d")(x=image, weight=weight, padding=[1, 1]), expected, 9.0 * 32 * 9, 16)
    index, grad = torch.randint(0, 50, (40,), generator=random), values((40, 37), torch.float32, random)
    table = values((50, 37), torch.float32, random)
    assert torch.equal(operator("embedding")(weight=table, indices=index), table[index])
    assert torch.equal(operator("index_select")(x=table, dim=0, index=index), table[index])
    place = torch.rand(50, 37, generator=random).argsort(1)
    assert torch.equal(operator("gather")(x=table, dim=1, index=place), table.gather(1, place))
    got = operator("scatter")(x=table, dim=1, index=place, source=table.exp())
    assert torch.equal(got, table.scatter(1, place, table.exp()))
    expected = torch.zeros(50, 37, dtype=torch.float64).index_add_(0, index, grad.double())
    got = operator("embedding_backward")(grad=grad, indices=index, weight=grad.new_empty(50, 37))
    assert_close(got, expected, 40.0, 8)
    assert_close(operator("exp")(x=x.t()), x.t().double().exp())


def test_guards(random):
    """The harness finds writes outside of a tensor."""
    made = []
    tensor = guarded([5], torch.float32, made)
    check_guards(made, "nothing")
    tensor.as_strided((6,), (1,))[5] = 1
    with pytest.raises(AssertionError, match="past"):
        check_guards(made, "one element")


def test_written_inputs(tmp_path):
    """The harness finds writes to inputs."""
    text = (GENERIC / "ops/neg.yaml").read_text()
    text = text.replace("out: out\n", "out: x\n").replace("pointwise.py", str(GENERIC / "ops/pointwise.py"))
    (tmp_path / "neg.yaml").write_text(text)
    with pytest.raises(AssertionError, match="wrote to x"):
        Operator(tmp_path / "neg.yaml")(x=torch.ones(5))


def test_table_of_slow_operators():
    bench = pack.module(pathlib.Path(__file__).parents[1] / "bench/pack.py")
    rows = [("sort rows", "sort", 0.5), ("sort flat", "sort", 2.0), ("exp", "exp", 4.0)]
    assert bench.summary(rows).splitlines() == [
        "geometric mean of 2 operators: 2.00",
        "",
        "| slower than torch | ratio |",
        "| --- | --- |",
        "| `sort rows` | 0.50 |",
    ]
    assert "none is slower" in bench.summary(rows[1:])


def test_refusals():
    x = torch.zeros(2, 3)
    for name, given, message in (
        ("softmax", {"x": x, "dim": 2}, "dim is 2, expected one of the 2 dimensions of x"),
        ("matmul", {"x": x, "y": x}, "x has 3 columns, y has 2 rows"),
        ("amax", {"x": x[:, :0], "dim": [1]}, "the dimensions have no elements"),
        ("topk", {"x": x, "k": 4}, "k is 4, the dimension has 3 elements"),
    ):
        with pytest.raises(ValueError, match=message):
            operator(name)(**given)
