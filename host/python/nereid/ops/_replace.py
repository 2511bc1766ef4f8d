"""Packs' operators in place of torch's own, by torch.library.

Each overload gets two kernels: one for the device and one for autograd in front of
it. Both call the pack where it computes what torch would, checked once for each
kind of call, and otherwise the kernel that was there before.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ast
import json
import threading
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch

from .._api import Error
from .._device import PluginDevice, choose_device
from . import _calling, _torch
from ._calling import Operator

KEYS = {"cpu": "CPU", "cuda": "CUDA", "hip": "CUDA", "xpu": "XPU"}
MOST_PLANS = 65536
PLAIN = (torch.Tensor, torch.nn.Parameter)
NUMBERS = (bool, int, float, complex)


class Choice(NamedTuple):
    """What `enable` was called with."""

    include: tuple[str, ...] | None
    exclude: tuple[str, ...]
    target: str


class Plan(NamedTuple):
    """How a kind of call is made. An argument is (name of torch's argument, None) or
    (None, value)."""

    arguments: list[tuple[str | None, Any]]
    scalars: dict[str, torch.dtype]  # torch's arguments that are numbers, to be tensors
    outputs: list[tuple[tuple, tuple, torch.dtype]]  # torch's shape, strides and type
    is_dense: bool  # all of them are row-major
    attributes: dict[str, Any]


class Replacement:
    """A pack's operator for one overload of torch's, on one device type."""

    def __init__(self, op: Operator, overload: Any, mapping: dict[str, Any], key: str, device: str) -> None:
        self.op = op
        self.overload = overload
        self.mapping = mapping
        self.device = device
        self.schema = overload._schema.arguments
        self.positional = [each.name for each in self.schema if not each.kwarg_only]
        self.tensor_positions = [
            i for i, each in enumerate(self.schema) if str(each.type) == "Tensor" and not each.kwarg_only
        ]
        self.defaults = {each.name: each.default_value for each in self.schema if each.has_default_value()}
        self.plans: dict[Any, Plan | None] = {}
        # The kernels that are replaced.
        try:
            self.device_kernel = torch.library.get_kernel(overload, key)
        except RuntimeError:
            self.device_kernel = None  # torch has none for a new kind of device
        self.autograd_kernel = torch.library.get_kernel(overload, f"Autograd{key}")
        self.nereid = _torch.overload_of(op)

    # ------------------------------------------------------------ the two kernels

    def on_device(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        values = self.bind(args, kwargs)
        plan = self.plan(values, _torch.tensors_in(list(values.values())))
        if plan is None:
            return self.call_torch(self.device_kernel, keys, args, kwargs)
        return self.run(plan, values)

    def in_autograd(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        values = self.bind(args, kwargs)
        tensors = _torch.tensors_in(list(values.values()))
        # torch's transforms and forward derivatives need its own autograd.
        plan = None
        is_special = torch.autograd.forward_ad._current_level >= 0 or _torch.find_transform() is not None
        if not is_special and not _torch.bypass.active:
            plan = self.plan(values, tensors)
        if plan is None:
            return self.call_torch(self.autograd_kernel, keys, args, kwargs)
        has_gradient = torch.is_grad_enabled() and any(each.requires_grad for each in tensors)
        if has_gradient and not self.has_backward(plan, values):
            return self.call_torch(self.autograd_kernel, keys, args, kwargs)
        is_plain = all(type(each) in PLAIN for each in tensors)
        if has_gradient or not is_plain or _torch.count_modes():
            return self.finish(plan, self.nereid(*self.arguments(plan, values)))
        return self.run(plan, values)

    def call_torch(self, kernel: Any, keys: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """torch gives numbers for tensors as they are, but does not take them so."""
        if kernel is None:
            raise NotImplementedError(
                f"{self.overload}: neither torch nor a pack has a kernel for this call on {self.device}"
            )
        if any(isinstance(args[i], NUMBERS) for i in self.tensor_positions if i < len(args)):
            args = tuple(
                self.tensor_of_number(args, i) if i in self.tensor_positions and isinstance(one, NUMBERS) else one
                for i, one in enumerate(args)
            )
        return kernel.call_boxed(keys, *args, **kwargs)

    def tensor_of_number(self, args: tuple, position: int) -> torch.Tensor:
        """One that leads to the type of result that the number does, as precise as
        that allows."""
        others = [
            args[i]
            for i in self.tensor_positions
            if i != position and i < len(args) and self.positional[i] != "condition"
        ]
        number = args[position]
        dtype = torch.result_type(others[0], number) if others else torch.result_type(number, number)
        like = others[0] if others and isinstance(others[0], torch.Tensor) else None
        if like is not None and like.dim() and like.dtype == dtype and not isinstance(number, complex):
            # It has no say beside a tensor with dimensions.
            dtype = torch.float64 if isinstance(number, float) else torch.int64
        return torch.scalar_tensor(number, dtype=dtype)

    # ------------------------------------------------------------ calls

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        values = dict(self.defaults)
        values.update(zip(self.positional, args))
        values.update(kwargs)
        return values

    def arguments(self, plan: Plan, values: dict[str, Any]) -> list[Any]:
        given = [value if name is None else values[name] for name, value in plan.arguments]
        if plan.scalars:
            like = _torch.tensors_in(given)[0]
            for i, (name, _) in enumerate(plan.arguments):
                if name in plan.scalars:
                    given[i] = torch.full((), given[i], dtype=plan.scalars[name], device=like.device)
        return given

    def run(self, plan: Plan, values: dict[str, Any]) -> Any:
        out: Any = None
        if not plan.is_dense:  # torch's layout, which programs may rely on
            out = [
                torch.empty_strided(shape, stride, dtype=dtype, device=self.device)
                for shape, stride, dtype in plan.outputs[:1]
            ]
            out = out[0] if len(self.op.outputs) == 1 else [*out, *[None] * (len(self.op.outputs) - 1)]
        return self.finish(plan, self.op.native.run(*self.arguments(plan, values), out))

    def finish(self, plan: Plan, results: Any) -> Any:
        if not isinstance(results, tuple):
            return results
        made = [result.to(dtype) for result, (_, _, dtype) in zip(results, plan.outputs)]
        return made[0] if len(made) == 1 else tuple(made)

    def has_backward(self, plan: Plan, values: dict[str, Any]) -> bool:
        needed = []
        for each, (name, _) in zip(self.op.inputs, plan.arguments):
            if name is not None and any(one.requires_grad for one in _torch.tensors_in([values[name]])):
                needed.append(each["name"])
        if "bias" in needed and "weight" not in needed:
            return False  # packs give both or none
        return _torch.has_backward(self.op, plan.attributes, needed)

    # ------------------------------------------------------------ plans

    def plan(self, values: dict[str, Any], tensors: list[torch.Tensor]) -> Plan | None:
        """How the pack computes the call; None if it does not."""
        if any(each.is_neg() or each.layout is not torch.strided for each in tensors):
            return None  # torch materializes the negation
        try:
            key = tuple(_facts(value) for value in values.values())
            known = self.plans.get(key, self)
        except TypeError:  # sizes that are not known while a program is compiled
            return None
        if known is not self:
            return known
        with torch.utils._python_dispatch._disable_current_modes():
            try:
                made = self.make_plan(values)
            except (Error, NotImplementedError, RuntimeError, TypeError, ValueError):
                made = None
        if len(self.plans) >= MOST_PLANS:
            self.plans.clear()
        self.plans[key] = made
        return made

    def make_plan(self, values: dict[str, Any]) -> Plan | None:
        used: set[str] = set()
        arguments: list[tuple[str | None, Any]] = []
        examples: list[Any] = []
        scalars: dict[str, torch.dtype] = {}
        attributes: dict[str, Any] = {}
        like = _torch.tensors_in(list(values.values()))
        if not like or any(each.device.type != self.device or each.device != like[0].device for each in like):
            return None
        for each in self.op.inputs:
            name = self.mapping.get(each["name"])
            value = values[name] if name is not None else None
            if isinstance(value, NUMBERS):
                scalars[name] = _type_of_number(value, like[0].dtype)
                examples.append(torch.empty((), dtype=scalars[name], device="meta"))
            else:
                examples.append(value)
            if name is not None:
                used.add(name)
            arguments.append((name, None))
        for each in self.op.attributes:
            value = each.get("default")
            if (text := self.mapping.get(each["name"])) is not None:
                found = self.evaluate(text, values, used)
                value = value if found is None else _torch.attribute(each, found)
            attributes[each["name"]] = value
            arguments.append((None, value))
            examples.append(value)
        # What the pack does not take has to be at its default.
        for name, value in values.items():
            if name not in used and value != self.defaults.get(name, self):
                return None
        found = _torch.outputs_of(self.op, examples, self.device)
        expected = self.expected(values)
        if len(expected) > len(found):
            return None
        for i, (mine, (shape, _, dtype)) in enumerate(zip(found, expected)):
            if mine is None or mine[0] != shape or (i == 0 and mine[1] != dtype):
                return None
        shape, stride, dtype = expected[0]
        is_dense = torch.empty_strided(shape, stride, dtype=dtype, device="meta").is_contiguous()
        return Plan(arguments, scalars, expected, is_dense, attributes)

    def evaluate(self, text: str, values: dict[str, Any], used: set[str]) -> Any:
        """An expression of the pack over torch's arguments."""
        if text in values:
            used.add(text)
            return values[text]
        names = {name: value for name, value in values.items() if not _torch.tensors_in([value])}
        used.update(name for name in names if name in text)
        return ast.literal_eval(_calling.native().evaluate(text, json.dumps(names, default=str)))

    def expected(self, values: dict[str, Any]) -> list[tuple[tuple, tuple, torch.dtype]]:
        """What torch returns, from its meta function."""

        def meta(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
            return [meta(one) for one in value] if isinstance(value, (list, tuple)) else value

        args = [meta(values[name]) for name in self.positional]
        kwargs = {name: meta(value) for name, value in values.items() if name not in self.positional}
        results = self.overload(*args, **kwargs)
        results = results if isinstance(results, (list, tuple)) else (results,)
        return [(tuple(each.shape), tuple(each.stride()), each.dtype) for each in results]


def _facts(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        shape, stride = value.shape, value.stride()
        if any(type(size) is not int for size in (*shape, *stride)):
            raise TypeError("a size is not known")
        return (value.dtype, shape, stride, value.device)
    if isinstance(value, (list, tuple)):
        return tuple(_facts(one) for one in value)
    return (type(value), value)


def _type_of_number(number: Any, dtype: torch.dtype) -> torch.dtype:
    """The type of a tensor for a number: it is not rounded to a narrow one before the
    kernel computes."""
    if isinstance(number, complex) or isinstance(number, float) and not dtype.is_floating_point:
        raise TypeError("the number is not one of the tensors' type")
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


# ---------------------------------------------------------------- registration

_lock = threading.RLock()
_current: Choice | None = None
_library: torch.library.Library | None = None


def current() -> Choice | None:
    return _current


def restore(choice: Choice | None) -> None:
    if choice is None:
        disable()
    else:
        enable(choice.include, choice.exclude, choice.target)


def disable() -> None:
    global _current, _library
    with _lock:
        if _library is not None:
            _library._destroy()
        _current = _library = None


def enable(include: Iterable[str] | None, exclude: Iterable[str], target: str) -> list[str]:
    global _current, _library
    if isinstance(include, str) or isinstance(exclude, str):
        raise TypeError("include and exclude are lists of names")
    choice = Choice(None if include is None else tuple(include), tuple(exclude), target)
    _torch.load()
    device = choose_device(target)
    chosen = _choose(choice)
    key = _dispatch_key(device)
    with _lock:
        disable()  # before the kernels are read that are replaced
        library = torch.library.Library("aten", "IMPL")
        try:
            replacements = [
                Replacement(op, _torch.aten_overload(name), op.aten[name], key, _torch_name(device))
                for name, op in chosen.items()
            ]
            for each in replacements:
                _register(library, each, key)
        except BaseException:
            library._destroy()
            raise
        _current, _library = choice, library
    return sorted(chosen)


def _register(library: torch.library.Library, replacement: Replacement, key: str) -> None:
    kernels: list[tuple[Callable, str]] = [
        (replacement.on_device, key),
        (replacement.in_autograd, f"Autograd{key}"),
    ]
    for kernel, where in kernels:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that there is a kernel already
            library.impl(replacement.overload, kernel, where, with_keyset=True)


def _dispatch_key(device: PluginDevice) -> str:
    return KEYS.get(device.device_type, "PrivateUse1")


def _torch_name(device: PluginDevice) -> str:
    """The type of torch's device."""
    return "cuda" if device.device_type == "hip" else device.device_type


def _choose(choice: Choice) -> dict[str, Operator]:
    """The operators by the overload of ATen that they replace."""
    known: dict[str, Operator] = {}
    for name in _calling.packs().names:
        op = _calling.operator(name)
        known.update(dict.fromkeys(op.aten, op))
    for name in (*(choice.include or ()), *choice.exclude):
        if name not in known:
            op = _calling.operator(name)  # the error suggests similar names
            if not op.aten:
                raise ValueError(f"{name} does not replace an operator of torch")
    return {
        overload: op
        for overload, op in known.items()
        if (choice.include is None or overload in choice.include or op.name in choice.include)
        and overload not in choice.exclude
        and op.name not in choice.exclude
    }
