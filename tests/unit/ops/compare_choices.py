#!/usr/bin/env python3
# compare_choices.py - what random calls of the generic pack's operators launch:
# by libnereid-ops, and by the pack's own harness in Python.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compares kernels, grids, arguments, constants and options, and whether a call is
refused. Nothing is launched.

  compare_choices.py LIBNEREID LIBNEREID_OPS SOURCE [--count N] [--seed N]

Ends with 77, the code of a skipped test, where torch, Triton or PyYAML is missing.
"""

import argparse
import collections
import importlib
import json
import pathlib
import random
import sys

import libnereid_ops

try:
    import torch
    for name in ("triton", "yaml"):  # for the harness
        importlib.import_module(name)
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SIZES = [0, 1, 1, 2, 3, 5, 8, 17, 64, 100, 130]
PROPERTIES = {"multiprocessor_count": 2, "max_shared_mem": 1 << 20,
              "warp_size": 32, "name": "cpu"}


def plain(value, pack):
    """An argument without the identity of tensors."""
    if isinstance(value, pack.Facts):
        return "tensor"
    if isinstance(value, list):
        return [plain(one, pack) for one in value]
    return value


class Recorder:
    """Runs the harness up to each launch."""

    def __init__(self, pack):
        self.pack, self.launches = pack, []
        recorder = self

        def launch(operator, step, names, configuration, launches):
            del operator, configuration, launches
            recorder.add(step, names)

        pack.Operator.launch = launch
        pack.check_guards = lambda *_: None

    def add(self, step, names):
        constants, options = step.get("constants", {}), step.get("options", {})
        names = names.nested({**constants, **options})
        grid = [names.evaluate(size) for size in step["grid"]]
        arguments = {key: plain(names.evaluate(value), self.pack)
                     for key, value in step.get("arguments", {}).items()}
        if 0 in grid:
            return
        self.launches.append({
            "kernel": step["kernel"], "grid": (grid + [1, 1])[:3],
            "arguments": arguments,
            "constants": {key: names[key] for key in constants},
            "options": {key: names[key] for key in options}})

    def run(self, operator, given):
        self.launches = []
        try:
            operator(**given)
        except Exception as error:  # pylint: disable=broad-except
            return None, f"{type(error).__name__}: {error}"
        return self.launches, None


class Calls:
    def __init__(self, pack, seed):
        self.pack, self.random = pack, random.Random(seed)

    def tensor(self, dtype, shape):
        pick = self.random
        made = torch.zeros(shape, dtype=self.pack.DTYPES[dtype])
        if len(shape) >= 2 and pick.random() < 0.3:
            order = list(range(len(shape)))
            pick.shuffle(order)
            back = [order.index(i) for i in range(len(order))]
            return made.permute(order).contiguous().permute(back)
        if shape and pick.random() < 0.15:
            twice = torch.zeros([size * 2 for size in shape], dtype=made.dtype)
            return twice[tuple(slice(None, None, 2) for _ in shape)]
        return made

    def describe(self, tensor):
        return {"shape": list(tensor.shape), "stride": list(tensor.stride()),
                "dtype": self.pack.NAMES[tensor.dtype], "align": 64}

    def shape(self, base, rank):
        pick = self.random
        shape = base[:rank] if pick.random() < 0.8 else \
            [pick.choice(SIZES) for _ in range(rank)]
        if shape and pick.random() < 0.2:
            shape[pick.randrange(rank)] = 1
        return shape

    def attribute(self, kind):
        pick = self.random
        return {"int": pick.choice([-2, -1, 0, 1, 2]),
                "float": pick.choice([0.5, 1.0, 2.5]),
                "number": pick.choice([1, 2, 0.5]),
                "bool": pick.random() < 0.5,
                "string": pick.choice(["none", "gelu", "relu", "tanh"]),
                "list": pick.choice([[0], [1], [0, 1], [-1], [1, 1], [0, 0]]),
                "dtype": pick.choice(["f32", "i32"])}[kind]

    def make(self, operator):
        """Arguments for the harness, and the same call for the library."""
        pick = self.random
        given, call = {}, {"inputs": {}, "attributes": {}}
        base, first = [pick.choice(SIZES) for _ in range(8)], None
        for name, facts in operator.inputs.items():
            if facts.get("optional") and pick.random() < 0.5:
                continue
            dtype = pick.choice(facts["dtype"]) if isinstance(
                facts["dtype"], list) else first or "f32"
            if first and first in facts["dtype"] and pick.random() < 0.95:
                dtype = first
            first = first or dtype
            ranks = facts.get("rank", [0, 8])
            low, high = ranks if isinstance(ranks, list) else (ranks, ranks)
            rank = pick.randint(low, min(high, max(low, 4)))
            count = pick.randint(1, 3) if facts.get("list") else 1
            members = [self.tensor(dtype, self.shape(base, rank))
                       for _ in range(count)]
            described = [self.describe(member) for member in members]
            given[name] = members if facts.get("list") else members[0]
            call["inputs"][name] = described if facts.get("list") else described[0]
        for name, facts in operator.attributes.items():
            if "default" in facts and pick.random() < 0.5:
                continue
            given[name] = call["attributes"][name] = self.attribute(facts["type"])
        return given, call


def launches_of(choice, operator, call):
    """The launches of the library in the harness's words."""
    found = []
    for launch in choice["launches"]:
        arguments = {}
        for name, value in launch["arguments"].items():
            if isinstance(value, str) and value.startswith("attribute "):
                attribute = value.removeprefix("attribute ")
                value = call["attributes"].get(
                    attribute, operator.attributes[attribute].get("default"))
            elif isinstance(value, str):
                value = "tensor"
            elif isinstance(value, list):
                value = ["tensor" if isinstance(one, str) else one for one in value]
            arguments[name] = value
        found.append({**launch, "arguments": arguments})
    return found


def text(launches):
    # The kind of a value counts: true is not 1.
    return json.dumps(launches, sort_keys=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("ops")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int, default=18)
    options = parser.parse_args()
    sys.path.insert(0, str(options.source / "tests/packs"))
    import pack  # pylint: disable=import-outside-toplevel
    library = libnereid_ops.Library(options.host, options.ops)
    packs = libnereid_ops.Packs(library, options.source / "plugins/packs", "cpu",
                                "x86_64", PROPERTIES)
    problems = [f"{problem['file']}:{problem['line']}: {problem['text']}"
                for problem in packs.report()["problems"]]
    recorder, calls = Recorder(pack), Calls(pack, options.seed)
    counts = collections.Counter()
    for path in sorted((pack.GENERIC / "ops").glob("*.yaml")):
        operator = pack.Operator(path)
        counts["operators"] += 1
        for _ in range(options.count):
            given, call = calls.make(operator)
            want, why = recorder.run(operator, given)
            choice, error = packs.explain(operator.name, call)
            counts["refused" if want is None else "calls"] += 1
            if (want is None) != (choice is None):
                problems.append(f"{operator.name} {json.dumps(call)}\n  Python: "
                                f"{why}\n  here:   {error}")
                continue
            if want is None:
                continue
            found = launches_of(choice, operator, call)
            counts["launches"] += len(want)
            if text(want) != text(found):
                problems.append(f"{operator.name} {json.dumps(call)}\n  Python: "
                                f"{text(want)}\n  here:   {text(found)}")
    for problem in problems[:10]:
        print(problem)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) +
          f", {len(problems)} problems")
    if counts["launches"] < counts["operators"] * options.count // 4:
        print("too few calls launch something")
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
