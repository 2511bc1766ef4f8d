"""Reads a pack's operators and runs them: the format of docs/operators.md by
PyYAML and Python's eval, so that a pack's data and kernels are tested as they are.

The memory of outputs and temporaries lies between guard bytes. Every call checks
them, and that its inputs are as they were.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import functools
import importlib.util
import itertools
import math
import pathlib
import re

import torch
import yaml

GENERIC = pathlib.Path(__file__).resolve().parents[2] / "plugins/packs/generic"

DTYPES = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
# Whether tests leave out most types and shapes: conftest.py.
is_brief = True
GUARD = 64
GUARD_BYTE = 0xA5


def next_power_of_2(n):
    return 1 << max(n - 1, 0).bit_length()


def axes(dims, rank):
    """Dimensions as sorted indices; None and [] are all of them."""
    if dims is None or dims == []:
        return list(range(rank))
    dims = dims if isinstance(dims, list) else [dims]
    found = sorted(d + max(rank, 1) if d < 0 else d for d in dims)
    if not all(0 <= d < max(rank, 1) for d in found) or len(set(found)) != len(found):
        raise ValueError(f"axes: {dims} are not dimensions of rank {rank}")
    return found if rank else []


BUILTINS = {
    "min": min,
    "max": max,
    "abs": abs,
    "cdiv": lambda a, b: -(-a // b),
    "next_power_of_2": next_power_of_2,
    "prev_power_of_2": lambda n: 1 << (n.bit_length() - 1),
    "round_up": lambda a, b: -(-a // b) * b,
    "log2": lambda n: n.bit_length() - 1,
    "is_power_of_2": lambda n: n > 0 and n & (n - 1) == 0,
    "prod": lambda values: math.prod(values),
    "sum": sum,
    "len": len,
    "any": any,
    "all": all,
    "round": round,
    "int": int,
    "float": float,
    "axes": axes,
    "drop": lambda values, indices: [v for i, v in enumerate(values) if i not in indices],
    "pick": lambda values, indices: [values[i] for i in indices],
    "put": lambda values, indices, value: [value if i in indices else v for i, v in enumerate(values)],
    "column": lambda lists, index: [values[index] for values in lists],
    "broadcast": lambda *shapes: list(torch.broadcast_shapes(*shapes)),
}


class Facts:
    """What an expression sees of a tensor."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.shape = list(tensor.shape)
        self.stride = list(tensor.stride())
        self.rank = tensor.dim()
        self.numel = tensor.numel()
        self.dtype = NAMES[tensor.dtype]
        self.itemsize = tensor.element_size()
        address = tensor.data_ptr()
        self.align = min(128, address & -address) if address else 128
        self.contiguous = tensor.is_contiguous()


class FactsList(list):
    """A list of tensors: its attributes are the lists of theirs."""

    def __getattr__(self, name):
        return [getattr(one, name) for one in self]


class Device:
    """The cpu plugin's device."""

    type = "cpu"
    name = "cpu"
    units = 2
    warp_size = 32
    shared_memory = 1 << 20


class Names(dict):
    """Values by name; `let` is evaluated when its names are first used."""

    def __init__(self, values, let):
        super().__init__(values)
        self.let = dict(let)
        self.open = []

    def __missing__(self, name):
        if name not in self.let:
            raise KeyError(name)
        if name in self.open:
            raise ValueError(f"cycle: {' -> '.join([*self.open, name])}")
        self.open.append(name)
        self[name] = value = self.evaluate(self.let[name])
        self.open.pop()
        return value

    def evaluate(self, text):
        if isinstance(text, str):
            return eval(compiled(text), {"__builtins__": BUILTINS}, self)
        if isinstance(text, list):
            return [self.evaluate(part) for part in text]
        return text

    def nested(self, let):
        return Names(self, {**self.let, **let})


@functools.cache
def compiled(text):
    return compile(text.strip(), text, "eval")


def guarded(shape, dtype, made):
    """An uninitialised row-major tensor between guard bytes; noted in `made`."""
    size = math.prod(shape) * torch.empty((), dtype=dtype).element_size()
    memory = torch.full((GUARD + size + GUARD,), GUARD_BYTE, dtype=torch.uint8)
    made.append((memory, size))
    return memory[GUARD : GUARD + size].view(dtype).view(shape)


def check_guards(made, what):
    for memory, size in made:
        before, after = memory[:GUARD], memory[GUARD + size :]
        assert (before == GUARD_BYTE).all(), f"{what}: wrote before a tensor"
        assert (after == GUARD_BYTE).all(), f"{what}: wrote past a tensor"


def tensors_of(value):
    """The tensors of an argument: none, one, or those of a list."""
    if value is None:
        return []
    return value if isinstance(value, (list, tuple)) else [value]


def collapse(tensors, shape):
    """The iteration space of a pointwise operator and each tensor's steps."""
    steps = []
    for tensor in tensors:
        lead = len(shape) - tensor.rank
        row = [0] * lead
        for size, stride in zip(tensor.shape, tensor.stride):
            row.append(0 if size == 1 else stride)
        steps.append(row)
    dims, kept = [], [[] for _ in tensors]
    for d, size in enumerate(shape):
        if size == 1:
            continue
        here = [row[d] for row in steps]
        if dims and all(row[-1] == step * size for row, step in zip(kept, here)):
            dims[-1] *= size
            for row, step in zip(kept, here):
                row[-1] = step
            continue
        dims.append(size)
        for row, step in zip(kept, here):
            row.append(step)
    if not dims:
        dims, kept = [1], [[0] for _ in tensors]
    return dims, kept


class Operator:
    def __init__(self, path):
        self.path = path
        self.data = yaml.safe_load(path.read_text())
        self.name = self.data["operator"]
        schema = self.data["schema"]
        self.inputs = schema.get("inputs", {})
        self.attributes = schema.get("attributes", {})
        self.outputs = schema["outputs"]

    def dtypes(self, name):
        return [DTYPES[d] for d in self.inputs[name]["dtype"]]

    def kernel(self, text):
        file, _, function = text.partition(":")
        return getattr(module(self.path.parent / file), function)

    def names(self, given, made, outputs):
        """The names of a call, with its outputs; None in place of those that are not
        given."""
        unknown = set(given) - set(self.inputs) - set(self.attributes)
        assert not unknown, f"{self.name} has no {unknown}"
        values = {"device": Device, "None": None, "True": True, "False": False}
        for name, facts in self.inputs.items():
            value = given.get(name)
            if value is None:
                assert facts.get("optional"), f"{self.name} needs {name}"
                values[name] = None
            elif facts.get("list"):
                values[name] = FactsList(Facts(one) for one in value)
            else:
                values[name] = Facts(value)
                if isinstance(facts["dtype"], list):
                    assert values[name].dtype in facts["dtype"], (self.name, name)
                low, high = facts.get("rank", [0, 8])
                assert low <= values[name].rank <= high, (self.name, name)
        for name, facts in self.attributes.items():
            if name in given:
                values[name] = given[name]
            else:
                assert "default" in facts, f"{self.name} needs {name}"
                values[name] = facts["default"]
        names = Names(values, self.data.get("let", {}))
        for name, facts in self.inputs.items():
            if values[name] is not None and isinstance(facts["dtype"], str):
                assert names.evaluate(facts["dtype"]) == values[name].dtype, (self.name, name)
        for text, message in self.data.get("require", {}).items():
            if not names.evaluate(text):
                filled = re.sub(r"\{([^}]+)\}", lambda hole: str(names.evaluate(hole[1])), message)
                raise ValueError(f"{self.name}: {filled}")
        for name, facts in self.outputs.items():
            if not names.evaluate(facts.get("when", True)):
                names[name] = None
                continue
            shape, dtype = names.evaluate(facts["shape"]), names.evaluate(facts["dtype"])
            tensor = (outputs or {}).get(name)
            if tensor is None:
                tensor = guarded(shape, DTYPES[dtype], made)
            assert list(tensor.shape) == shape, (self.name, name, shape)
            names[name] = Facts(tensor)
        return names

    def __call__(self, outputs=None, configuration=None, variant=None, launches=None, **given):
        """Runs the operator. `launches`, a list, gets what is launched: kernel, grid and
        arguments."""
        made = []
        names = self.names(given, made, outputs)
        inputs = [(name, one, one.clone()) for name in self.inputs for one in tensors_of(given.get(name))]
        results = [names[name] and names[name].tensor for name in self.outputs]
        if names.evaluate(self.data.get("empty", False)):
            return results[0] if len(results) == 1 else results
        names = self.prepared(names)
        chosen = self.choose(names, variant)
        names = names.nested(chosen.get("let", {}))
        for name, facts in chosen.get("temporaries", {}).items():
            shape, dtype = names.evaluate(facts["shape"]), names.evaluate(facts["dtype"])
            names[name] = Facts(guarded(shape, DTYPES[dtype], made))
        for step in chosen.get("steps", [chosen]):
            count = names.evaluate(step.get("repeat", 1))
            for index in range(count):
                inner = names.nested({})
                inner["step"] = index
                if step is chosen or inner.evaluate(step.get("when", True)):
                    self.launch(step, inner, configuration, launches)
        check_guards(made, f"{self.name}/{chosen['name']}")
        for name, tensor, before in inputs:
            same = (tensor == before) | (tensor != tensor)
            assert same.all(), f"{self.name}/{chosen['name']}: wrote to {name}"
        return results[0] if len(results) == 1 else results

    def prepared(self, names):
        """Copies what has to be row-major; adds the steps of pointwise operators."""
        for name in self.data.get("contiguous", []):
            value = names[name]
            if isinstance(value, FactsList):
                names[name] = FactsList(Facts(one.tensor.contiguous()) for one in value)
            elif value is not None:
                names[name] = Facts(value.tensor.contiguous())
        if pointwise := self.data.get("pointwise"):
            outs = pointwise.get("outputs") or [pointwise["output"]]
            over = [*pointwise["inputs"], *outs]
            shape = names[outs[0]].shape
            names["dims"], steps = collapse([names[name] for name in over], shape)
            for name, row in zip(over, steps):
                names[name].steps = row
        return names

    def choose(self, names, wanted):
        for variant in self.data["variants"]:
            if wanted in (None, variant["name"]) and names.evaluate(variant.get("when", True)):
                return variant
        raise ValueError(f"{self.name}: no variant applies")

    def configurations(self, variant=None, **given):
        """What tune_configs.yaml has for a call, as {name: value} each."""
        names = self.prepared(self.names(given, [], None))
        chosen = self.choose(names, variant)
        names = names.nested(chosen.get("let", {}))
        step = chosen.get("steps", [chosen])[0]
        constants = {**step.get("constants", {}), **step.get("options", {})}
        entries = yaml.safe_load((self.path.parents[1] / "tune_configs.yaml").read_text())
        for entry in entries[chosen["tune"]]:
            for configuration in expand(entry):
                if names.nested({**constants, **configuration}).evaluate(entry.get("where", True)):
                    yield configuration

    def launch(self, step, names, configuration, launches):
        constants = dict(step.get("constants", {}))
        options = dict(step.get("options", {}))
        for name, value in (configuration or {}).items():
            if name in constants:
                constants[name] = value
            elif name.startswith("num_"):
                options[name] = value
        names = names.nested({**constants, **options})
        arguments = {key: names.evaluate(v) for key, v in step.get("arguments", {}).items()}
        for key, value in arguments.items():
            arguments[key] = argument(value)
        grid = [names.evaluate(size) for size in step["grid"]]
        if math.prod(grid) == 0:
            return
        chosen = {key: names[key] for key in {**constants, **options}}
        for key, value in chosen.items():
            arguments[key] = tuple(value) if isinstance(value, list) else value
        kernel = self.kernel(step["kernel"])
        self.start(kernel, tuple(grid), arguments)
        if launches is not None:
            launches.append((kernel, tuple(grid), arguments))

    @staticmethod
    def start(kernel, grid, arguments):
        kernel[grid](**arguments)


def expand(entry):
    """The configurations of an entry: FlagGems' plain ones and products of lists."""
    if not entry.get("gen"):
        rest = {key: value for key, value in entry.items() if key not in ("META", "where")}
        return [{**entry["META"], **rest}]
    facts = dict(entry["param_map"])
    facts.update(facts.pop("META"))
    lists = [entry[value] if isinstance(value, str) else [value] for value in facts.values()]
    return [dict(zip(facts, values)) for values in itertools.product(*lists)]


def argument(value):
    if isinstance(value, Facts):
        return value.tensor
    if isinstance(value, list):
        return tuple(argument(one) for one in value)
    return value


@functools.cache
def module(path):
    spec = importlib.util.spec_from_file_location(f"pack_{path.stem}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@functools.cache
def operator(name, folder=GENERIC):
    return Operator(folder / "ops" / f"{name}.yaml")
