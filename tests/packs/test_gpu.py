"""The kernels compile for GPUs, as the operators launch them there: by Triton's own
backends, which need no device. Briefly, some kernels for one architecture."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys
import tempfile

import pytest
import torch
import triton
from triton.backends.compiler import GPUTarget

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import pack  # noqa: E402
from pack import DTYPES, GENERIC, Device, Operator, operator  # noqa: E402

NAMES = sorted(path.stem for path in (GENERIC / "ops").glob("*.yaml"))
TARGETS = {
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90": GPUTarget("cuda", 90, 32),
    "sm_100": GPUTarget("cuda", 100, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
}
# Without --all: of so many kernels one, for sm_90, as one call launches it; and scans,
# for which Triton 3.6 fails an assertion where others do not.
SAMPLE = 4

INDEX = torch.int64
# Shapes that use every variant; with dimensions, those of reductions and of softmax.
ROWS, LONG, FEW, FLAT = (600, 100), (4, 40000), (64, 20), (100000,)
REDUCTIONS = [(ROWS, [1]), (ROWS, [0]), (FEW, [0]), (FLAT, None), ((3, 4, 50, 6), [0, 2])]
ALONG = [(ROWS, -1), (LONG, -1), (ROWS, 0), (FLAT, 0), ((8, 5000), -1)]


def calls(name, dtype):
    """The arguments of some calls of an operator; tensors are not initialised."""

    def make(*shape, dtype=dtype):
        return torch.empty(shape, dtype=dtype)

    one = operator(name)
    forward = name.removesuffix("_backward")
    x, row, index = make(64, 1000), make(1000), make(300, dtype=INDEX)
    exact = torch.float64 if dtype == torch.float64 else torch.float32
    if "pointwise" in one.data or forward in ("dropout", "flip"):
        values = {"value": 2, "low": -1, "high": 1, "p": 0.5, "seed": 7, "dims": [1]}
        given = {attribute: values[attribute] for attribute in one.attributes if attribute in values}
        ways = [{"rounding": way} for way in ("none", "floor", "trunc")] if name == "div" else [{}]
        ways += [{"approximate": "tanh"}] if forward == "gelu" else []
        for way in ways:
            for tensor in (x, x.t()):
                inputs = {each: tensor for each in one.inputs}
                if "condition" in inputs:
                    inputs["condition"] = torch.empty_like(tensor, dtype=torch.bool)
                yield {**inputs, **given, **way}
    elif forward in ("softmax", "log_softmax"):
        for shape, dim in ALONG[:3]:
            yield {**{each: make(*shape) for each in one.inputs}, "dim": dim}
    elif name in ("argmax", "argmin", "cumsum"):
        for shape, dim in ALONG:
            yield {"x": make(*shape), "dim": dim}
    elif name in ("sum", "mean", "amax", "amin", "prod", "any", "all", "var"):
        for shape, dim in REDUCTIONS:
            yield {"x": make(*shape), "dim": dim}
    elif name in ("sort", "topk"):
        for shape in (ROWS, LONG):
            for k in [{"k": 2}, {"k": 40}, {"k": 90}] if name == "topk" else [{}]:
                yield {"x": make(*shape), **k}
    elif forward in ("layer_norm", "rms_norm"):
        for m, n in (ROWS, LONG):
            given = {"x": make(m, n), "weight": make(n), "bias": make(n), "grad": make(m, n)}
            statistics = {"mean": make(m, dtype=exact), "rstd": make(m, dtype=exact)}
            yield {key: value for key, value in {**given, **statistics}.items() if key in one.inputs}
    elif forward == "group_norm":
        image, channel = make(2, 64, 20, 20), make(64)
        given = {"x": image, "grad": image, "weight": channel, "bias": channel}
        given.update(mean=make(2, 8, dtype=exact), rstd=make(2, 8, dtype=exact))
        yield {"groups": 8, **{key: value for key, value in given.items() if key in one.inputs}}
    elif name == "embedding":
        yield {"weight": x, "indices": index}
    elif name == "embedding_backward":
        yield {"grad": make(300, 1000), "indices": index, "weight": x}
    elif name == "index_select":
        yield {"x": x, "dim": 0, "index": index}
        yield {"x": x, "dim": 1, "index": index}
    elif name == "index_select_backward":
        yield {"grad": make(300, 1000), "dim": 0, "index": index, "x": x}
    elif name == "index_add":
        yield {"x": x, "dim": 0, "index": index, "source": make(300, 1000)}
    elif name in ("gather", "gather_backward", "scatter", "scatter_add"):
        for dim in (0, 1):
            given = {"x": x, "source": x, "grad": x, "index": torch.empty_like(x, dtype=INDEX)}
            yield {"dim": dim, **{key: value for key, value in given.items() if key in one.inputs}}
    elif name == "cat":
        yield {"xs": [x, x], "dim": 1}
    elif forward == "rotary":
        table, tensor = make(32, 64), "x" if name == "rotary" else "grad"
        for interleaved in (False, True):
            given = {"cos": table, "sin": table, "interleaved": interleaved}
            yield {tensor: make(2, 32, 8, 128), **given}
    elif forward == "cross_entropy":
        given = {"x": x, "target": make(64, dtype=INDEX), "weight": row, "grad": make()}
        given.update(lse=make(64, dtype=exact), share=make(dtype=exact))
        for reduction in ("none", "mean"):
            given["grad"] = make(64) if reduction == "none" else make()
            chosen = {key: value for key, value in given.items() if key in one.inputs}
            yield {**chosen, "reduction": reduction, "label_smoothing": 0.1}
    elif name in ("matmul", "linear"):
        for activation in ("none", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh"):
            y = make(1000, 128)
            y = y if name == "matmul" else y.t()
            yield {"x": x, "y": y, "bias": make(128), "activation": activation}
    elif name == "bmm":
        yield {"x": make(4, 64, 64), "y": make(4, 64, 64)}
    elif forward == "grouped_matmul":
        given = {"x": x, "y": make(4, 1000, 64), "ends": make(4, dtype=torch.int32)}
        yield {**given, "grad": make(64, 64)} if name != forward else given
    elif forward == "conv2d":
        for size in (1, 3):
            given = {"x": make(2, 32, 16, 16), "weight": make(64, 32, size, size), "bias": make(64)}
            if name != forward:
                given["grad"] = make(2, 64, 16, 16)
            yield {**given, "padding": [size // 2] * 2}
    elif forward == "attention":
        q, k = make(1, 4, 128, 64), make(1, 2, 128, 64)
        given = {"q": q, "k": k, "v": k, "grad": q, "out": q, "lse": make(1, 4, 128, dtype=exact)}
        for causal in (False, True):
            yield {"causal": causal, **{key: value for key, value in given.items() if key in one.inputs}}
    else:
        raise AssertionError(f"no calls of {name}")


class Pointer:
    """What the compiler sees of a tensor."""

    def __init__(self, tensor):
        self.dtype, self.aligned = tensor.dtype, tensor.data_ptr() % 16 == 0

    def data_ptr(self):
        return 0 if self.aligned else 4

    def __repr__(self):
        return f"{self.dtype}{self.aligned}"


def without_data(value):
    if isinstance(value, torch.Tensor):
        return Pointer(value)
    return tuple(map(without_data, value)) if isinstance(value, tuple) else value


def launches(dtypes, monkeypatch):
    """(name, kernel, grid, arguments) of launches that differ in what is compiled."""
    found = {}
    current = None

    def start(kernel, grid, arguments):
        arguments = {name: without_data(value) for name, value in arguments.items()}
        found.setdefault((kernel, str(arguments)), (current, kernel, grid, arguments))

    monkeypatch.setattr(Operator, "start", staticmethod(start))
    monkeypatch.setattr(Device, "type", "cuda")
    monkeypatch.setattr(Device, "units", 132)
    for name in NAMES:
        lists = [facts["dtype"] for facts in operator(name).inputs.values() if "f32" in facts["dtype"]]
        for dtype in dtypes:
            if not dtype.is_floating_point and any(pack.NAMES[dtype] not in each for each in lists):
                continue
            current = f"{name} {pack.NAMES[dtype]}"
            for given in calls(name, dtype):
                operator(name)(**given)
    return list(found.values())


def where(kernel):
    return pathlib.Path(kernel.fn.__code__.co_filename).name, kernel.fn.__name__


class Driver:
    """What a kernel is compiled for; there is no device."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


def compiled(target, kernel, grid, arguments):
    """Whether Triton makes an image, and what it says if not. In a process of its own,
    because failed assertions end it."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            try:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                triton.runtime.driver.set_active(Driver(target))
                made = kernel.warmup(grid=grid, **arguments)
                image = made.asm["hsaco" if target.backend == "hip" else "cubin"]
                os._exit(0 if image.startswith(b"\x7fELF") else 3)
            except BaseException as error:
                os.write(2, f"{type(error).__name__}: {error}\n".encode())
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return status == 0, said.read().decode(errors="replace")[-600:]


@pytest.mark.parametrize("arch", TARGETS)
def test_kernels_compile(arch, monkeypatch, tmp_path):
    if pack.is_brief and arch != "sm_90":
        pytest.skip("without --all, sm_90 alone")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    names = ["f32"] if pack.is_brief else ["f32", "f16", "bf16", "f64", "i32", "i64", "i1"]
    every = launches([DTYPES[name] for name in names], monkeypatch)
    if pack.is_brief:
        scans = [one for one in every if where(one[1]) == ("scan.py", "rows")]
        every = list({where(one[1]): one for one in every}.values())[::SAMPLE] + scans
    assert len(every) > 10
    failed = []
    for name, kernel, grid, arguments in every:
        good, said = compiled(TARGETS[arch], kernel, grid, arguments)
        if not good:
            constants = {key: value for key, value in arguments.items() if key.isupper()}
            failed.append(f"{name}: {':'.join(where(kernel))} {constants}\n{said}")
    assert not failed, f"{len(failed)} of {len(every)} do not compile\n" + "\n".join(failed)


def test_every_kernel_is_compiled(monkeypatch):
    """Each kernel that an operator names is launched by one of the calls."""
    named = {
        tuple(step["kernel"].split(":"))
        for name in NAMES
        for variant in operator(name).data["variants"]
        for step in variant.get("steps", [variant])
        if "cpu" not in str(variant.get("when", ""))
    }
    found = {where(kernel) for _, kernel, _, _ in launches([torch.float16, torch.int64], monkeypatch)}
    assert named <= found, named - found
