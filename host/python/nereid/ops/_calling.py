"""Packs and their operators as Python functions.

Calls run in the native module, which asks the methods of `Hooks` what depends on
the library that the tensors belong to.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import inspect
import json
import keyword
import sys
import threading
from types import FunctionType, ModuleType
from typing import Any

from .. import _native
from .._device import PluginDevice, choose_device

# Of an answer of Hooks.classify.
TORCH, TORCH_CLASS, OTHER = range(3)
# DLPack's numbers of devices that torch and plugins call by the same name.
DEVICE_TYPES = {1: "cpu", 2: "cuda", 3: "cuda", 7: "vulkan", 8: "metal", 10: "hip", 13: "cuda", 14: "xpu"}
EXTENSION_DEVICE = 12
NUMPY_TYPES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip


class UnknownOperator(LookupError):
    pass


def native() -> Any:
    """The native module."""
    _native.require()
    try:
        from .. import _operators
    except ImportError as error:
        raise ImportError(f"nereid's operators cannot be loaded: {error}") from None
    return _operators


class Packs:
    """The packs that were found, and what is loaded of them."""

    def __init__(self) -> None:
        self.native = native().Packs()
        self.names = sorted(each["operator"] for each in json.loads(self.native.list()))
        self.devices: dict[tuple[str, int], Any] = {}
        self.lock = threading.RLock()

    @functools.cache  # noqa: B019 - there is one for the process
    def show(self, name: str) -> dict[str, Any]:
        return json.loads(self.native.show(name))

    def device(self, device: PluginDevice) -> Any:
        """The packs on `device`."""
        key = (device.plugin, device.index)
        with self.lock:
            if key not in self.devices:
                is_synchronous = device.is_host_accessible and device.is_host_cpu
                self.devices[key] = self.native.load(device.backend, device.index, is_synchronous)
            return self.devices[key]


_lock = threading.RLock()


@functools.cache
def _make_packs() -> Packs:
    return Packs()


def packs() -> Packs:
    with _lock:
        return _make_packs()


def device_name(kind: int, number: int) -> str:
    """The target whose memory DLPack's device is; "" for kind 0, no tensor."""
    if kind == 0:
        return ""
    if kind == EXTENSION_DEVICE and "torch" in sys.modules:
        name = sys.modules["torch"]._C._get_privateuse1_backend_name()
        return f"{name}:{number}"
    if kind not in DEVICE_TYPES:
        raise ValueError(f"there are no operators for device type {kind} of DLPack")
    return DEVICE_TYPES[kind] if kind == 1 else f"{DEVICE_TYPES[kind]}:{number}"


class Hooks:
    """What the native module asks."""

    @staticmethod
    def classify(kind: type) -> tuple[int, Any] | None:
        torch = sys.modules.get("torch")
        if torch is not None and issubclass(kind, torch.Tensor):
            from . import _torch

            _torch.load()
            exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
            if exchange is None:
                raise ImportError(
                    f"torch {torch.__version__} does not exchange tensors as nereid.ops needs it; "
                    "torch 2.10 and newer do"
                )
            is_plain = kind in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
            return (TORCH if is_plain else TORCH_CLASS), exchange
        return (OTHER, None) if hasattr(kind, "__dlpack__") else None

    @staticmethod
    def find_device(kind: int, number: int) -> Any:
        return packs().device(choose_device(device_name(kind, number)))

    @staticmethod
    def import_stream(kind: int, number: int, handle: int) -> int:
        device = choose_device(device_name(kind, number))
        return device.backend.import_stream(device.index, f"{device.device_type}.stream", handle)

    @staticmethod
    def allocate(shape: tuple[int, ...], dtype: str, kind: int, number: int) -> Any:
        """For calls without a tensor of torch."""
        if kind == 1 and dtype in NUMPY_TYPES and (numpy := sys.modules.get("numpy")):
            # Aligned to 64 bytes, which numpy does not promise.
            kind_of = numpy.dtype(NUMPY_TYPES[dtype])
            size = kind_of.itemsize * int(numpy.prod(shape, dtype=numpy.int64))
            memory = numpy.empty(size + 64, numpy.uint8)
            start = -memory.ctypes.data % 64
            return memory[start : start + size].view(kind_of).reshape(shape)
        import torch

        from . import _torch

        return torch.empty(shape, dtype=_torch.DTYPES[dtype], device=device_name(kind, number))

    @staticmethod
    def copy(to: Any, source: Any) -> None:
        if hasattr(to, "copy_"):
            to.copy_(source)
        else:
            to[...] = source

    @staticmethod
    def dispatch(name: str, args: tuple) -> Any:
        from . import _torch

        return _torch.call(operator(name), args)


class Operator:
    """One operator: its schema, its native callable, and the function made of both."""

    def __init__(self, name: str) -> None:
        shown = packs().show(name)
        schema = shown["schema"]
        self.name = name
        self.inputs: list[dict[str, Any]] = schema["inputs"]
        self.attributes: list[dict[str, Any]] = schema["attributes"]
        self.outputs: list[str] = [each["name"] for each in schema["outputs"]]
        self.output_schema: list[dict[str, Any]] = schema["outputs"]
        self.backward: str = shown["backward"]
        self.aten: dict[str, dict[str, Any]] = shown["aten"]
        self.native = native().Operator(
            name,
            [(each["name"], each["optional"], each["list"]) for each in self.inputs],
            [(each["name"], each["type"], each.get("default", 0) is None) for each in self.attributes],
            self.outputs,
            Hooks,
        )
        self.function = self._make_function()
        self.signature = inspect.signature(self.function)

    def _make_function(self) -> FunctionType:
        """A function with the schema's parameters: inputs, attributes, out."""
        parameters, names, is_optional = [], [], False
        for each in [*self.inputs, *self.attributes]:
            name = each["name"]
            if not name.isidentifier() or keyword.iskeyword(name) or name == "out" and "rank" not in each:
                raise ValueError(f"{self.name}: '{name}' cannot be the name of a parameter")
            has_default = each.get("optional", False) or "default" in each
            if is_optional and not has_default and "*" not in parameters:
                parameters.append("*")  # one without a default after one with it
            is_optional |= has_default
            parameters.append(f"{name}={each.get('default')!r}" if has_default else name)
            names.append(name)
        if "*" not in parameters:
            parameters.append("*")
        out = "out" if "out" not in names else "output"
        parameters.append(f"{out}=None")
        arguments = ", ".join([*names, out])
        text = f"def {self.name}({', '.join(parameters)}):\n"
        text += f"    if _is_compiling():\n        return _compiled(({arguments},))\n"
        text += f"    return _call({arguments})\n"
        # torch.compile looks for a function's globals in the module of that name.
        module = ModuleType(f"nereid.ops._functions.{self.name}")
        sys.modules[module.__name__] = module
        module._call = self.native
        module._compiled = module._is_compiling = _never  # until torch is there
        exec(compile(text, f"<nereid.ops.{self.name}>", "exec"), module.__dict__)
        made = module.__dict__[self.name]
        made.__doc__ = self._describe()
        made.__module__ = "nereid.ops"
        return made

    def _describe(self) -> str:
        lines = [f"The operator `{self.name}`.", ""]
        for each in self.inputs:
            dtypes = each["dtype"] if isinstance(each["dtype"], str) else ", ".join(each["dtype"])
            low, high = each["rank"]
            rank = str(low) if low == high else f"{low} to {high}"
            what = "list of tensors" if each["list"] else "tensor"
            rest = "; may be None" if each["optional"] else ""
            lines.append(f"    {each['name']}: {what}, {dtypes}, rank {rank}{rest}")
        for each in self.attributes:
            default = f", by default {each['default']!r}" if "default" in each else ""
            lines.append(f"    {each['name']}: {each['type']}{default}")
        for each in self.output_schema:
            lines.append(f"    -> {each['name']}: {each['dtype']}, shape {each['shape']}")
        return "\n".join(lines)


def _never() -> bool:
    return False


_operators: dict[str, Operator] = {}


def operator(name: str) -> Operator:
    """The operator called `name`; an UnknownOperator suggests similar names."""
    found = _operators.get(name)
    if found is not None:
        return found
    with _lock:
        if name not in packs().names:
            try:
                packs().show(name)
            except _native.require().Error as error:
                raise UnknownOperator(str(error)) from None
        if name not in _operators:
            _operators[name] = Operator(name)
        if "torch" in sys.modules:
            from . import _torch  # torch.compile may be looking at the call

            _torch.load()
        return _operators[name]


def all_operators() -> list[Operator]:
    with _lock:
        return [_operators.get(name) or _operators.setdefault(name, Operator(name)) for name in packs().names]
