"""Operators as torch.ops.nereid.*: with meta functions and gradients, so that
torch.compile, autograd and torch's modes see each as one operator."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._api import Error
from .._device import choose_device
from . import _calling
from ._calling import Operator

DTYPES = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2,
}  # fmt: skip
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
ATTRIBUTE_TYPES = {
    "int": "int", "float": "float", "number": "Scalar", "bool": "bool",
    "string": "str", "list": "int[]", "dtype": "str",
}  # fmt: skip

count_modes = torch._C._len_torch_dispatch_stack
find_transform = torch._C._functorch.peek_interpreter_stack


class _Bypass(threading.local):
    """Whether replaced operators run torch's own kernels, on this thread."""

    active = False


bypass = _Bypass()


# ---------------------------------------------------------------- definitions

_library: torch.library.Library | None = None


def load() -> None:
    """Defines torch.ops.nereid.*, once."""
    global _library
    with _calling._lock:
        if _library is not None:
            return
        _library = torch.library.Library("nereid", "DEF")
        _calling.native().set_torch(
            torch.is_grad_enabled, count_modes, find_transform, torch._C._increment_version
        )
        for op in _calling.all_operators():
            _define(op, _library)
            values = op.function.__globals__
            values["_compiled"], values["_is_compiling"] = _compiled(op), torch.compiler.is_compiling


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def schema_of(op: Operator) -> str:
    """The operator's schema as torch writes it. Only the last parameters may have
    defaults."""
    parameters: list[str] = []
    may_have_default = True
    for each in reversed([*op.inputs, *op.attributes]):
        is_input = "rank" in each
        if is_input:
            kind = "Tensor[]" if each["list"] else "Tensor"
            has_default, default = each["optional"], None
        else:
            kind = ATTRIBUTE_TYPES[each["type"]]
            has_default, default = "default" in each, each.get("default")
        text = f"{kind}{'?' if has_default and default is None else ''} {each['name']}"
        may_have_default = may_have_default and has_default
        parameters.insert(0, f"{text}={_literal(default)}" if may_have_default else text)
    returned = ", ".join(["Tensor"] * len(op.outputs))
    returned = returned if len(op.outputs) == 1 else f"({returned})"
    return f"{op.name}({', '.join(parameters)}) -> {returned}"


def _defaults(op: Operator) -> list[Any]:
    return [None] * len(op.inputs) + [each.get("default") for each in op.attributes]


def _define(op: Operator, library: torch.library.Library) -> None:
    library.define(schema_of(op), tags=(torch.Tag.pt2_compliant_tag,))
    defaults = _defaults(op)

    def run(*args: Any) -> Any:
        # torch leaves out arguments that equal the schema's defaults.
        results = op.native.run(*args, *defaults[len(args) :], None)
        return _without_none(results, args)

    def meta(*args: Any) -> Any:
        given = [*args, *defaults[len(args) :]]
        like = next(each for each in tensors_in(given))
        found = outputs_of(op, given, like.device.type)
        made = tuple(
            like.new_empty(0) if each is None else torch.empty(each[0], dtype=each[1], device=like.device)
            for each in found
        )
        return made[0] if len(made) == 1 else made

    library.impl(op.name, run, "CompositeExplicitAutograd")
    # Older releases refuse one beside an implementation for Meta, which it makes itself.
    torch.library.register_fake(f"nereid::{op.name}", meta, lib=library)
    torch.library.register_autograd(
        f"nereid::{op.name}",
        functools.partial(_backward, op),
        setup_context=functools.partial(_save, op),
        lib=library,
    )


def _without_none(results: Any, args: Sequence[Any]) -> Any:
    """torch.ops.nereid.* return an empty tensor for an output that a call does not
    have."""
    if not isinstance(results, tuple):
        return results
    like = next(each for each in results if each is not None)
    return tuple(like.new_empty(0) if each is None else each for each in results)


def tensors_in(values: Sequence[Any]) -> list[torch.Tensor]:
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(each for each in value if isinstance(each, torch.Tensor))
    return found


# ---------------------------------------------------------------- shapes


@functools.cache
def _target(device_type: str) -> tuple[str, str, str, str]:
    """What operators are chosen for on devices of this type; those of the default
    device where there is none, as for torch's meta device."""
    try:
        device = choose_device(device_type)
    except Error:
        device = choose_device("")
    backend = device.backend
    kind, arch = backend.target(device.index)[:2]
    compiler = backend.compiler(device.index).info()
    return kind, arch, f"{compiler['id']}-{compiler['version']}", backend.properties(device.index)


@functools.lru_cache(maxsize=4096)
def _explain(name: str, device_type: str, call: str) -> tuple[tuple | None, ...]:
    op = _calling.operator(name)
    plan = json.loads(_calling.packs().native.explain(_target(device_type), name, call))
    found = {
        each["name"]: (tuple(each["shape"]), DTYPES[each["dtype"]])
        for each in plan["tensors"]
        if each["role"] == "output"
    }
    return tuple(found.get(output) for output in op.outputs)


def outputs_of(op: Operator, args: Sequence[Any], device_type: str) -> tuple[tuple | None, ...]:
    """Shape and type of each output, None for one that the call does not have. Sizes
    that torch.compile leaves open become fixed."""

    def facts(tensor: torch.Tensor) -> dict[str, Any]:
        dtype = DTYPE_NAMES.get(tensor.dtype, str(tensor.dtype))
        return {"shape": [int(size) for size in tensor.shape], "dtype": dtype}

    inputs: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for each, value in zip(op.inputs, args):
        if isinstance(value, torch.Tensor):
            inputs[each["name"]] = facts(value)
        elif value is not None:
            inputs[each["name"]] = [facts(one) for one in value]
    for each, value in zip(op.attributes, args[len(op.inputs) :]):
        if value is not None:
            attributes[each["name"]] = attribute(each, value)
    call = json.dumps({"inputs": inputs, "attributes": attributes}, sort_keys=True)
    return _explain(op.name, device_type, call)


def attribute(schema: dict[str, Any], value: Any) -> Any:
    """A value as its type has it: an int for a list is a list of one."""
    kind = schema["type"]
    if value is None or kind in ("string", "dtype", "bool"):
        return value
    if kind == "list":
        return [int(each) for each in value] if isinstance(value, (list, tuple)) else [int(value)]
    if kind == "int":
        return int(value)
    return float(value) if kind == "float" or isinstance(value, float) else int(value)


# ---------------------------------------------------------------- gradients


def has_backward(op: Operator, attributes: dict[str, Any], needed: Sequence[str]) -> bool:
    """Whether the pack's operator gives the gradients of the inputs `needed`. It has
    all of the forward's attributes that choose between functions, or those are at
    their defaults."""
    if not op.backward:
        return False
    backward = _calling.operator(op.backward)
    known = {each["name"] for each in backward.attributes}
    for each in op.attributes:
        if each["type"] == "string" and each["name"] not in known:
            if attributes.get(each["name"]) != each.get("default"):
                return False
    return all(f"d{name}" in backward.outputs for name in needed)


def _save(op: Operator, ctx: Any, inputs: tuple, output: Any) -> None:
    outputs = output if isinstance(output, tuple) else (output,)
    given = [*inputs, *_defaults(op)[len(inputs) :]]
    ctx.set_materialize_grads(False)
    # Gradients are those of the first output.
    ctx.mark_non_differentiable(*[each for each in outputs[1:] if each.is_floating_point()])
    count = len(op.inputs)
    ctx.attributes = {each["name"]: value for each, value in zip(op.attributes, given[count:])}
    ctx.is_list = [isinstance(value, (list, tuple)) for value in given[:count]]
    ctx.counts = [len(tensors_in([value])) for value in given[:count]]
    ctx.save_for_backward(*tensors_in(given[:count]), *outputs)


def _backward(op: Operator, ctx: Any, *grads: Any) -> tuple:
    rest = list(ctx.saved_tensors)
    inputs: list[Any] = []
    for count, is_list in zip(ctx.counts, ctx.is_list):
        members, rest = rest[:count], rest[count:]
        inputs.append(members if is_list else members[0] if members else None)
    # torch may leave out trailing arguments, here too.
    flags = list(ctx.needs_input_grad)
    needed = [bool(_any_needs(flag)) for flag in [*flags, *[False] * len(inputs)][: len(inputs)]]
    names = [each["name"] for each, wanted in zip(op.inputs, needed) if wanted]
    values = {each["name"]: value for each, value in zip(op.inputs, inputs)}
    found: dict[str, Any] = {}
    if grads[0] is not None:
        found = _gradients(op, values, dict(zip(op.outputs, rest)), ctx.attributes, grads[0], names)
    answer: list[Any] = []
    for each, value, wanted in zip(op.inputs, inputs, needed):
        nothing = [None] * len(value) if isinstance(value, list) else None
        answer.append(found.get(each["name"], nothing) if wanted else nothing)
    return (*answer, *[None] * len(op.attributes))[: len(flags)]


def _gradients(
    op: Operator,
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    attributes: dict[str, Any],
    grad: torch.Tensor,
    needed: Sequence[str],
) -> dict[str, Any]:
    """Gradients by the name of the input."""
    if torch.is_grad_enabled():  # they are differentiated again, which torch can
        try:
            return _recompute(op, inputs, attributes, grad, needed)
        except NotImplementedError:
            pass  # what follows has no gradient itself, and says so
    found: dict[str, Any] = {}
    if has_backward(op, attributes, needed):
        found = _call_backward(op, inputs, outputs, attributes, grad)
    if not all(name in found for name in needed):
        found.update(_recompute(op, inputs, attributes, grad, needed))
    return found


def _any_needs(flag: Any) -> bool:
    return any(flag) if isinstance(flag, (list, tuple)) else flag


def _call_backward(
    op: Operator, inputs: dict[str, Any], outputs: dict[str, Any], attributes: dict[str, Any], grad: torch.Tensor
) -> dict[str, torch.Tensor]:
    """Gradients by the name of the input, from the pack's operator."""
    backward = _calling.operator(op.backward)
    values = {**outputs, **inputs, "grad": grad}
    args = [values[each["name"]] for each in backward.inputs]
    for each in backward.attributes:
        args.append(attributes[each["name"]] if each["name"] in attributes else each.get("default"))
    results = overload_of(backward)(*args)
    results = results if isinstance(results, tuple) else (results,)
    found = {}
    for name, result in zip(backward.outputs, results):
        to = inputs.get(name[1:])
        if not isinstance(to, torch.Tensor):
            continue
        if result.shape != to.shape:
            if result.numel() == 0 and to.numel() != 0:
                continue  # this call of the operator does not have it
            result = result.sum_to_size(to.shape)
        found[name[1:]] = result.to(to.dtype)
    return found


def _recompute(
    op: Operator, inputs: dict[str, Any], attributes: dict[str, Any], grad: torch.Tensor, needed: Sequence[str]
) -> dict[str, Any]:
    """Gradients from torch's operator of the same meaning, run again."""
    for name, mapping in op.aten.items():
        found = _aten_arguments(op, name, mapping, inputs, attributes)
        if found is None:
            continue
        is_recorded = torch.is_grad_enabled()

        def leaf(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.view_as(tensor) if is_recorded else tensor.detach().requires_grad_()

        leaves: dict[str, Any] = {}
        arguments = dict(found)
        outer, bypass.active = bypass.active, True  # torch's own kernels and gradients
        try:
            with torch.enable_grad():
                for own, aten in mapping.items():
                    value = inputs.get(own)
                    if own in needed and value is not None:
                        leaves[own] = [leaf(one) for one in value] if isinstance(value, list) else leaf(value)
                        arguments[aten] = leaves[own]
                result = aten_overload(name)(**arguments)
                result = result[0] if isinstance(result, tuple) else result
        finally:
            bypass.active = outer
        flat = tensors_in(list(leaves.values()))
        gradients = list(torch.autograd.grad(result, flat, grad, allow_unused=True, create_graph=is_recorded))
        answer = {}
        for own, given in leaves.items():
            count = len(given) if isinstance(given, list) else 1
            taken, gradients = gradients[:count], gradients[count:]
            answer[own] = taken if isinstance(given, list) else taken[0]
        return answer
    chosen = ", ".join(f"{name}={value!r}" for name, value in attributes.items())
    raise NotImplementedError(
        f"{op.name}: there is no gradient of {', '.join(needed)}" + (f" with {chosen}" if chosen else "")
    )


def _aten_arguments(
    op: Operator, name: str, mapping: dict[str, Any], inputs: dict[str, Any], attributes: dict[str, Any]
) -> dict[str, Any] | None:
    """The call of torch's operator by name; None if it cannot say the same."""
    types = {each.name: str(each.type) for each in aten_overload(name)._schema.arguments}
    if not all(aten in types for aten in mapping.values()):
        return None  # an expression
    arguments = {}
    for each in op.inputs:
        value = inputs[each["name"]]
        if each["name"] in mapping:
            arguments[mapping[each["name"]]] = value
        elif value is not None:
            return None
    for each in op.attributes:
        value = attributes[each["name"]]
        if each["name"] not in mapping:
            if value != each.get("default"):
                return None
            continue
        aten = mapping[each["name"]]
        if types[aten] == "int" and isinstance(value, list):
            if len(value) != 1:
                return None
            value = value[0]
        arguments[aten] = value
    return arguments


def aten_overload(name: str) -> Any:
    """The overload of ATen that a pack calls `name`: "softmax.int", "exp"."""
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def overload_of(op: Operator) -> Any:
    load()
    return getattr(torch.ops.nereid, op.name).default


# ---------------------------------------------------------------- calls


def call(op: Operator, args: tuple) -> Any:
    """The call through torch's dispatcher; `args` are inputs, attributes, out."""
    load()
    return _compiled(op)(args)


@functools.cache
def _compiled(op: Operator) -> Callable[[tuple], Any]:
    """What torch.compile sees of a call."""
    overload = getattr(torch.ops.nereid, op.name).default
    lists = [len(op.inputs) + i for i, each in enumerate(op.attributes) if each["type"] == "list"]

    def compiled(args: tuple) -> Any:
        *given, out = args
        for i in lists:
            if isinstance(given[i], int):
                given[i] = [given[i]]
        if out is not None and torch.is_grad_enabled():
            for each in given:
                if isinstance(each, torch.Tensor) and each.requires_grad:
                    raise RuntimeError("a call with out= has no gradient; leave out= out, or use torch.no_grad()")
        results = overload(*given)
        if out is None:
            return results
        if not isinstance(results, tuple):
            out.copy_(results)
            return out
        made = []
        for to, result in zip(out, results):
            made.append(result if to is None else to.copy_(result))
        return tuple(made)

    return compiled
