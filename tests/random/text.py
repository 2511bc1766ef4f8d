"""The TTIR of a random kernel."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from elements import literal
from ir import Block, Kernel, Op, PointerArgument, Value


def print_kernel(kernel: Kernel) -> str:
    lines = ["module {"]
    for function in kernel.functions:
        arguments = ", ".join(f"{v.name}: {v.type}" for v in function.body.arguments)
        results = _types(function.body.yields)
        lines.append(
            f"tt.func private @{function.name}({arguments})"
            f"{f' -> ({results})' if results else ''} attributes {{noinline = true}} {{"
        )
        _print_ops(function.body, lines, "  ")
        lines += [f"  tt.return{_operands(function.body.yields)}", "}"]
    arguments = []
    for argument in kernel.arguments:
        hint = ""
        if isinstance(argument, PointerArgument) and argument.aligned:
            hint = " {tt.divisibility = 16 : i32}"
        arguments.append(f"{argument.value.name}: {argument.value.type}{hint}")
    lines.append(f"tt.func public @kernel({', '.join(arguments)}) attributes {{noinline = false}} {{")
    _print_ops(kernel.body, lines, "  ")
    lines += ["  tt.return", "}", "}", ""]
    return "\n".join(lines)


def _types(values: list[Value]) -> str:
    return ", ".join(v.type for v in values)


def _names(values: list[Value]) -> str:
    return ", ".join(v.name for v in values)


def _operands(values: list[Value]) -> str:
    return f" {_names(values)} : {_types(values)}" if values else ""


def _print_ops(block: Block, lines: list[str], indent: str) -> None:
    for op in block.ops:
        _PRINTERS.get(op.kind, _print_simple)(op, lines, indent)


def _results(op: Op) -> str:
    """Results of one operation; each has a name of its own, a region's too."""
    return f"{_names(op.results)} = " if op.results else ""


def _print_simple(op: Op, lines: list[str], indent: str) -> None:
    lines.append(indent + _results(op) + _SIMPLE[op.kind](op, *op.operands))


def _constant(op):
    result = op.results[0]
    value = op.attributes["value"]
    if not result.shape:
        if result.element.name == "i1":
            return f"arith.constant {literal(value, result.element)}"
        return f"arith.constant {literal(value, result.element)} : {result.type}"
    if isinstance(value, list):
        return f"arith.constant dense<{_nested(value, result)}> : {result.type}"
    return f"arith.constant dense<{literal(value, result.element)}> : {result.type}"


def _nested(value, result: Value) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_nested(item, result) for item in value)}]"
    return literal(value, result.element)


def _cast(op, x):
    name = op.attributes["name"]
    result = op.results[0]
    rounding = ""
    if name == "tt.fp_to_fp" and result.element.bits < x.element.bits:
        rounding = f", rounding = {'rtz' if op.attributes.get('towards_zero') else 'rtne'}"
    arrow = "->" if name.startswith("tt.") else "to"
    return f"{name} {x.name}{rounding} : {x.type} {arrow} {result.type}"


def _select(op, c, x, y):
    types = f"{c.type}, {x.type}" if c.shape else x.type
    return f"arith.select {_names([c, x, y])} : {types}"


def _memory(op, *operands):
    hint = " {isVolatile = true}" if op.attributes.get("volatile") else ""
    return f"tt.{op.kind} {_names(list(operands))}{hint} : {operands[0].type}"


def _shape(name):
    return lambda op, x: f"tt.{name} {x.name} : {x.type} -> {op.results[0].type}"


def _like(op, *operands):
    return f"{op.attributes['name']} {_names(list(operands))} : {operands[0].type}"


def _dot(op, a, b, c):
    precision = op.attributes["precision"]
    option = f", inputPrecision = {precision}" if precision else ""
    return f"tt.dot {_names([a, b, c])}{option} : {a.type} * {b.type} -> {op.results[0].type}"


def _gather(op, x, i):
    axis = op.attributes["axis"]
    return (
        f"tt.gather {x.name}[{i.name}] {{axis = {axis} : i32}} : "
        f"({x.type}, {i.type}) -> {op.results[0].type}"
    )


def _rmw(op, *operands):
    return (
        f"tt.atomic_rmw {op.attributes['name']}, {op.attributes['sem']}, gpu, {_names(list(operands))} : "
        f"({_types(list(operands))}) -> {op.results[0].type}"
    )


def _return_if(op, condition):
    number = op.attributes["number"]
    return (
        f"cf.cond_br {condition.name}, ^stop{number}, ^go{number}\n"
        f"^stop{number}:\n  tt.return\n^go{number}:"
    )


_SIMPLE = {
    "constant": _constant,
    "range": lambda op: (
        f"tt.make_range {{end = {op.attributes['start'] + op.results[0].count} : i32, "
        f"start = {op.attributes['start']} : i32}} : {op.results[0].type}"
    ),
    "program": lambda op: f"tt.get_program_id {op.attributes.get('axis', 'x')} : i32",
    "binary": _like,
    "unary": _like,
    "clamp": lambda op, x, a, b: f"tt.clampf {_names([x, a, b])}, propagateNan = none : {x.type}",
    "compare": lambda op, x, y: f"{op.attributes['name']} {op.attributes['predicate']}, {_names([x, y])} : {x.type}",
    "select": _select,
    "cast": _cast,
    "splat": _shape("splat"),
    "broadcast": _shape("broadcast"),
    "reshape": lambda op, x: (
        f"tt.reshape {x.name}{' allow_reorder' if op.attributes.get('reorder') else ''} : "
        f"{x.type} -> {op.results[0].type}"
    ),
    "bitcast": _shape("bitcast"),
    "expand": lambda op, x: (
        f"tt.expand_dims {x.name} {{axis = {op.attributes['axis']} : i32}} : "
        f"{x.type} -> {op.results[0].type}"
    ),
    "trans": lambda op, x: (
        f"tt.trans {x.name} {{order = array<i32: {', '.join(map(str, op.attributes['order']))}>}} : "
        f"{x.type} -> {op.results[0].type}"
    ),
    "join": lambda op, x, y: f"tt.join {_names([x, y])} : {x.type} -> {op.results[0].type}",
    "cat": lambda op, x, y: f"tt.cat {_names([x, y])} : {x.type} -> {op.results[0].type}",
    "split": lambda op, x: f"tt.split {x.name} : {x.type} -> {op.results[0].type}",
    "gather": _gather,
    "histogram": lambda op, *xs: f"tt.histogram {_names(list(xs))} : {xs[0].type} -> {op.results[0].type}",
    "ptr_to_int": _shape("ptr_to_int"),
    "int_to_ptr": _shape("int_to_ptr"),
    "addptr": lambda op, p, i: f"tt.addptr {_names([p, i])} : {p.type}, {i.type}",
    "load": _memory,
    "store": _memory,
    "rmw": _rmw,
    "cas": lambda op, *xs: f"tt.atomic_cas acq_rel, gpu, {_names(list(xs))} : ({_types(list(xs))}) -> {op.results[0].type}",
    "dot": _dot,
    "return_if": _return_if,
    "assert": lambda op, x: f'tt.assert {x.name}, "it holds" : {x.type}',
    "call": lambda op, *xs: f"tt.call @{op.attributes['function'].name}({_names(list(xs))}) : ({_types(list(xs))}) -> ({_types(op.results)})",
}


def _print_combine(op: Op, lines: list[str], indent: str) -> None:
    """A reduction, a scan, or a region for each element."""
    if op.kind == "map_elementwise":
        attributes = "pack = 1 : i32"
    else:
        attributes = f"axis = {op.attributes['axis']} : i32"
    if op.kind == "scan":
        attributes += f", reverse = {'true' if op.attributes['reverse'] else 'false'}"
    region = op.regions[0]
    lines.append(f'{indent}{_results(op)}"tt.{op.kind}"({_names(op.operands)}) <{{{attributes}}}> ({{')
    arguments = ", ".join(f"{v.name}: {v.type}" for v in region.arguments)
    lines.append(f"{indent}^bb0({arguments}):")
    _print_ops(region, lines, indent + "  ")
    lines.append(f"{indent}  tt.{op.kind}.return{_operands(region.yields)}")
    lines.append(f"{indent}}}) : ({_types(op.operands)}) -> ({_types(op.results)})")


def _carried(names: list[Value], inits: list[Value]) -> str:
    return ", ".join(f"{a.name} = {b.name}" for a, b in zip(names, inits))


def _print_for(op: Op, lines: list[str], indent: str) -> None:
    body = op.regions[0]
    iv, *carried = body.arguments
    low, high, step, *inits = op.operands
    head = f"{indent}{_results(op)}scf.for {iv.name} = {low.name} to {high.name} step {step.name}"
    if carried:
        head += f" iter_args({_carried(carried, inits)}) -> ({_types(carried)})"
    lines.append(f"{head}  : {iv.type} {{")
    _print_ops(body, lines, indent + "  ")
    if carried:
        lines.append(f"{indent}  scf.yield{_operands(body.yields)}")
    lines.append(indent + "}")


def _print_while(op: Op, lines: list[str], indent: str) -> None:
    """Before: the values and the condition, which is the first yielded value."""
    before, after = op.regions
    types = _types(op.results)
    lines.append(
        f"{indent}{_results(op)}scf.while ({_carried(before.arguments, op.operands)}) : "
        f"({_types(op.operands)}) -> ({types}) {{"
    )
    _print_ops(before, lines, indent + "  ")
    condition, *passed = before.yields
    lines.append(f"{indent}  scf.condition({condition.name}){_operands(passed)}")
    arguments = ", ".join(f"{v.name}: {v.type}" for v in after.arguments)
    lines += [indent + "} do {", f"{indent}^bb0({arguments}):"]
    _print_ops(after, lines, indent + "  ")
    lines += [f"{indent}  scf.yield{_operands(after.yields)}", indent + "}"]


def _print_if(op: Op, lines: list[str], indent: str) -> None:
    types = f" -> ({_types(op.results)})" if op.results else ""
    lines.append(f"{indent}{_results(op)}scf.if {op.operands[0].name}{types} {{")
    for number, region in enumerate(op.regions):
        if number:
            lines.append(indent + "} else {")
        _print_ops(region, lines, indent + "  ")
        if region.yields:
            lines.append(f"{indent}  scf.yield{_operands(region.yields)}")
    lines.append(indent + "}")


def _print_block(op: Op, lines: list[str], indent: str) -> None:
    """An access, after what makes its descriptor or block pointer."""
    form, shape = op.attributes["form"], op.attributes["shape"]
    rank = len(shape)
    pointer, rest = op.operands[0], op.operands[1:]
    sizes, strides, position, stored = rest[:rank], rest[rank : 2 * rank], rest[2 * rank : 3 * rank], rest[3 * rank :]
    element = pointer.element.pointee.name
    block = (1, *shape[1:]) if form == "rows" else shape
    tile = f"tensor<{'x'.join(map(str, block))}x{element}>"
    name = f"%block{position[0].number}_{len(lines)}"
    frame = f"{pointer.name}, [{_names(sizes)}], [{_names(strides)}]"
    at = f"[{_names(position)}]"
    padding = "padding = 2 : i32" if op.attributes["nan"] else ""
    value = f", {stored[0].name}" if stored else ""
    if form == "pointer":
        order = ", ".join(str(d) for d in reversed(range(rank)))
        lines.append(f"{indent}{name} = tt.make_tensor_ptr {frame}, {at} {{order = array<i32: {order}>}} : <{tile}>")
        checked = ", ".join(map(str, op.attributes["checked"]))
        hints = [f"boundaryCheck = array<i32: {checked}>"] if checked else []
        if op.kind == "block_load" and checked:
            hints.append(padding or "padding = 1 : i32")
        hints = f" {{{', '.join(hints)}}}" if hints else ""
        kind = op.kind.removeprefix("block_")
        lines.append(f"{indent}{_results(op)}tt.{kind} {name}{value}{hints} : !tt.ptr<{tile}>")
        return
    hint = f" {{{padding}}}" if padding else ""
    lines.append(f"{indent}{name} = tt.make_tensor_descriptor {frame}{hint} : <{element}>, <{tile}>")
    descriptor = f"!tt.tensordesc<{tile}>"
    if form == "rows":
        types = f"{descriptor}, {_types(position)}"
        kind = "scatter" if stored else "gather"
        types = f"{types}, {stored[0].type}" if stored else f"({types}) -> {_types(op.results)}"
    else:
        kind = op.kind.removeprefix("block_")
        types = f"{descriptor}, {stored[0].type}" if stored else f"{descriptor} -> {_types(op.results)}"
        if kind == "reduce":
            types = types.replace(f"x{element}>>", f"xs{element}>>", 1)
            lines[-1] = lines[-1].removesuffix(f"<{tile}>") + f"<{tile.replace(f'x{element}', f'xs{element}')}>"
            kind += f" {op.attributes['name']},"
    lines.append(f"{indent}{_results(op)}tt.descriptor_{kind} {name}{at}{value} : {types}")


_PRINTERS = {
    "block_load": _print_block,
    "block_store": _print_block,
    "block_reduce": _print_block,
    "reduce": _print_combine,
    "scan": _print_combine,
    "map_elementwise": _print_combine,
    "for": _print_for,
    "while": _print_while,
    "if": _print_if,
}
