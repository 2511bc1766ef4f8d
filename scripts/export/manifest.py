"""Writes a case: TTIR, arrays as .npy, and the JSON manifest beside them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import re

import numpy as np
import torch

from case import short

# numpy has no such types: the bits travel as unsigned integers. TTIR's integers
# have no sign: theirs as signed ones.
BITS = {
    torch.uint8: torch.int8,
    torch.bfloat16: torch.uint16,
    torch.float8_e5m2: torch.uint8,
    torch.float8_e4m3fn: torch.uint8,
}


# A tag for what a backend may not have yet, and the text that shows the need.
TAGS = {
    "assert": "tt.assert",
    "atomics": "tt.atomic_|tt.descriptor_reduce",
    "block-pointer": "tt.make_tensor_ptr",
    "branches": r"\bcf\.",
    "call": "tt.call",
    "descriptor": "tt.make_tensor_descriptor",
    "dot": "tt.dot",
    "fp8": "f8E",
    "histogram": "tt.histogram",
    "print": "tt.print",
    "reduce": "tt.reduce",
    "scan": "tt.scan",
    "while": r"\bscf\.while",
}


def tags(case, text):
    found = {tag for tag, pattern in TAGS.items() if re.search(pattern, text)}
    return sorted(found | set(case.tags))


class Data:
    """The folder of arrays, shared by all Triton versions."""

    def __init__(self, folder, reference):
        self.folder = folder
        self.reference = reference  # as written from the manifest's folder
        folder.mkdir(parents=True, exist_ok=True)

    def save(self, name, tensor):
        if tensor.dtype in BITS:
            tensor = tensor.view(BITS[tensor.dtype])
        np.save(self.folder / f"{name}.npy", in_memory_order(tensor).numpy())
        return f"{self.reference}/{name}.npy"


def in_memory_order(tensor):
    """A dense view as it lies in memory: a transposed matrix turned back."""
    order = sorted(range(tensor.dim()), key=lambda d: -tensor.stride(d))
    tensor = tensor.permute(order)
    if not tensor.is_contiguous():
        raise ValueError("an argument has gaps between its elements")
    return tensor


def uniform(tensor):
    """The value that all elements have, or None."""
    if tensor.numel() == 0:
        return 0
    if tensor.dtype.itemsize == 1 and tensor.dtype.is_floating_point:
        tensor = tensor.float()
    first = tensor.flatten()[0]
    return first.item() if bool((tensor == first).all()) else None


def tensor_argument(case, name, tensor, data):
    if not tensor.dtype.is_floating_point:
        tensor = tensor.view(BITS.get(tensor.dtype, tensor.dtype))
    arg = {
        "name": name,
        "kind": "tensor",
        "dtype": short(tensor.dtype),
        "shape": list(in_memory_order(tensor).shape),
    }
    if "bench" in case.tags:
        arg["fill"] = 0 if name in case.outputs else "random"
        return arg
    fill = uniform(tensor)
    if fill is None:
        arg["file"] = data.save(f"{case.name}.{name}", tensor)
    else:
        arg["fill"] = fill
    return arg


SCALARS = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "u1": "i1"}


def scalar_argument(name, type_name, value):
    dtype = SCALARS.get(type_name, type_name.replace("u", "i"))
    return {"name": name, "kind": "scalar", "dtype": dtype, "value": value}


def arguments(case, signature, data):
    """One entry for each parameter that the module's function still has."""
    args = []
    for name, type_name in signature.items():
        value = case.args[name]
        if type_name == "constexpr":
            continue
        if isinstance(value, torch.Tensor):
            args.append(tensor_argument(case, name, value, data))
        elif type_name.startswith("tensordesc"):
            args += descriptor_arguments(case, name, value, data)
        else:
            args.append(scalar_argument(name, type_name, value))
    return args


def descriptor_arguments(case, name, desc, data):
    """What a host descriptor becomes when it is rewritten to a pointer."""
    import triton

    shape = [(f"shape{i}", int(n)) for i, n in enumerate(desc.shape)]
    strides = [(f"stride{i}", int(n)) for i, n in enumerate(desc.strides)]
    flags = [("nan_padding", desc.padding == "nan")]
    if triton.__version__ >= "3.7":
        flags.append(("round_f32_to_tf32", False))
    parts = [(n, "i64", v) for n, v in shape + strides]
    parts += [(n, "i1", v) for n, v in flags]
    parts += [(n, "i32", v) for n, v in shape]
    parts += [(n, "i64", v) for n, v in strides]
    base = tensor_argument(case, name, desc.base, data)
    return [base] + [
        {"name": f"{name}.{part}", "kind": "scalar", "dtype": dtype, "value": value}
        for part, dtype, value in parts
    ]


def check_types(args, text):
    """The manifest's arguments must be those of the module's function."""
    header = re.search(r"tt\.func public @[^(]*\((.*)\) attributes", text).group(1)
    found = re.findall(r"%[\w.]+: (?:!tt\.ptr<([^,>]*)[^>]*>|(\w+))", header)
    found = [pointee or scalar for pointee, scalar in found]
    types = {"f8e5m2": "f8E5M2", "f8e4m3fn": "f8E4M3FN"}
    listed = [types.get(arg["dtype"], arg["dtype"]) for arg in args]
    if found != listed:
        raise ValueError(f"the module takes {found}, the case gives {listed}")


def outputs(case, args, data):
    index = {arg["name"]: i for i, arg in enumerate(args)}
    if "bench" in case.tags:
        return [{"arg": index[name]} for name in case.outputs]
    return [
        {
            "arg": index[name],
            "expected": data.save(f"{case.name}.{name}.expected", e.value),
            "rtol": e.rtol,
            "atol": e.atol,
        }
        for name, e in case.expect.items()
    ]


def build(case, texts, signature, version, data):
    """The manifest of a case as a dictionary; writes its arrays."""
    args = arguments(case, signature, data)
    check_types(args, texts["plain"])
    manifest = {
        "name": case.name,
        "kernel": texts["symbol"],
        "triton": version,
        "ttir": f"{case.name}.ttir",
        "grid": list(case.grid) + [1] * (3 - len(case.grid)),
        "args": args,
        "outputs": outputs(case, args, data),
        "tags": tags(case, texts["plain"]),
    }
    if case.raw:
        manifest["raw"] = f"{case.name}.raw.ttir"
    if case.work:
        manifest["work"] = case.work
    if case.stdout is not None:
        manifest["expect_stdout"] = sorted(case.stdout)
    if case.fault:
        manifest["expect_fault"] = case.fault
    return manifest


def dumps(manifest):
    """JSON with one line for each argument and output."""
    lines = []
    for key, value in manifest.items():
        if key in ("args", "outputs", "expect_stdout") and value:
            rows = ",\n".join("    " + json.dumps(v) for v in value)
            lines.append(f'  "{key}": [\n{rows}\n  ]')
        else:
            lines.append(f'  "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def relative_paths(text, kernels, triton_root):
    """Source locations without this machine's folders."""
    text = text.replace(f'"{kernels}/', '"')
    text = text.replace(f'"{triton_root}/', '"triton/')
    leak = re.search(r'loc\("(/[^"]*)"', text)
    if leak:
        raise ValueError(f"a location has an absolute path: {leak.group(1)}")
    return text
