#!/usr/bin/env python3
# compare_yaml.py - YAML documents, read by PyYAML and by libnereid-ops.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the values of random documents, and of the files below each FOLDER.

  compare_yaml.py YAML_VALUES [FOLDER...] [--count N] [--seed N]

Ends with 77, the code of a skipped test, where PyYAML is not installed.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not installed")
    sys.exit(77)


class Loader(yaml.SafeLoader):
    """safe_load with what is stricter here: no key twice, no large integers;
    timestamps are strings."""

    def get_single_node(self):
        root = super().get_single_node()
        seen, waiting = set(), [root]
        while waiting:
            node = waiting.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, yaml.SequenceNode):
                waiting += node.value
            elif isinstance(node, yaml.MappingNode):
                self.check_keys(node)
                waiting += [value for _, value in node.value]
        return root

    def check_keys(self, node):
        keys = set()
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.tag == "tag:yaml.org,2002:value":
                key.tag = "tag:yaml.org,2002:str"
            value = self.construct_object(key, deep=True)
            if not isinstance(key, yaml.ScalarNode) or value in keys:
                raise ValueError(f"the key {value!r} is there twice")
            keys.add(value)


def raw(loader, node):
    return loader.construct_scalar(node)


def integer(loader, node):
    value = yaml.SafeLoader.construct_yaml_int(loader, node)
    if not -2**63 <= value < 2**63:
        raise ValueError("large")
    return value


def refused(_, node):
    raise ValueError(f"the tag {node.tag} is not supported")


Loader.add_constructor("tag:yaml.org,2002:timestamp", raw)
Loader.add_constructor("tag:yaml.org,2002:int", integer)
for name in ("set", "omap", "pairs", "binary"):
    Loader.add_constructor(f"tag:yaml.org,2002:{name}", refused)


def plain(value):
    if value is None:
        return ["none", "None"]
    if isinstance(value, (bool, int, float)):
        return [type(value).__name__, repr(value)]
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, list):
        return {"list": [plain(item) for item in value]}
    return {"map": [[plain(k), plain(v)] for k, v in value.items()]}


def expected(path):
    try:
        return plain(yaml.load(pathlib.Path(path).read_bytes(), Loader))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        return {"error": str(error)}


WORDS = ["a", "b", "key", "x y", "yes", "No", "on", "OFF", "True", "~", "null",
         "", "0", "-0", "12", "-1_000", "+5", "010", "08", "0_", "0b11", "0b_",
         "0x1f", "0xG", "0o7", "1:30", "1:75", "1:30.5", "190:20:30", "1.", ".5",
         "+.5", "-1.5", "1e3", "1.0e3", "1.0e+3", "1.5E-2", "1e-3", "6.02_e+2",
         ".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".Nan", "2024-01-02",
         "2024-1-2", "2024-1-2 3:04:05", "2024-01-02T03:04:05.6Z",
         "2024-1-2 3:04:05 +01:00", "=", "<<", "9223372036854775807",
         "9223372036854775808", "-9223372036854775808", "1__0", "_1", "1_",
         "0.1_2", "1.0.0", "- a", "a:b", "a#b", "nULL", "NaN", "inf", "é",
         "0777", "-0b1", "+0x10", "-010", "1:0", "01:30", "1:2:3.", "685.230_15e+03"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.anchors = []

    def scalar(self):
        pick = self.random
        kind = pick.random()
        if kind < 0.25:
            letters = "0123456789_.:+-eExb~"
            return "".join(pick.choice(letters)
                           for _ in range(pick.randrange(1, 8)))
        word = pick.choice(WORDS)
        if kind < 0.85:
            return word
        if kind < 0.9:
            return "'" + word.replace("'", "''") + "'"
        if kind < 0.95:
            return json.dumps(word, ensure_ascii=False)
        tag = pick.choice(["!!str", "!!str", "!", "!!int", "!!float"])
        if tag in ("!!int", "!!float"):
            return f"{tag} {pick.choice(['1', '12'])}"
        return f"{tag} '{word}'"

    def key(self):
        return self.random.choice(
            ["a", "b", "c", "d", "e", "f", "g", "1", "2.5", "yes", "x y"])

    def flow(self, depth):
        pick = self.random
        kind = pick.random()
        if depth == 0 or kind < 0.5:
            return self.scalar()
        if kind < 0.55 and self.anchors:
            return "*" + pick.choice(self.anchors) + " "
        anchor = ""
        if kind < 0.7:
            name = f"n{len(self.anchors)}"
            anchor = f"&{name} "
        if kind < 0.85:
            text = "[" + ", ".join(self.flow(depth - 1) or "~"
                                   for _ in range(pick.randrange(4))) + "]"
        else:
            keys = pick.sample(["a", "b", "c", "d", "1", "yes", "<<"],
                               pick.randrange(4))
            text = "{" + ", ".join(f"{key}: {self.flow(depth - 1)}"
                                   for key in keys) + "}"
        if anchor:
            self.anchors.append(anchor[1:-1])
        return anchor + text

    def block(self, depth, indent):
        pick = self.random
        lines = []
        if pick.random() < 0.4:
            for _ in range(pick.randrange(1, 4)):
                lines += self.member(depth, indent, "-")
        else:
            for _ in range(pick.randrange(1, 5)):
                key = self.key() if pick.random() < 0.92 or not self.anchors \
                    else "<<"
                lines += self.member(depth, indent, f"{key}:")
        return lines

    def member(self, depth, indent, start):
        pick = self.random
        space = " " * indent
        kind = pick.random()
        if depth and kind < 0.35:
            anchor = ""
            if pick.random() < 0.3:
                anchor = f" &n{len(self.anchors)}"
            lines = [f"{space}{start}{anchor}"]
            lines += self.block(depth - 1, indent + 2)
            if anchor:
                self.anchors.append(anchor[2:])
            return lines
        if kind < 0.42:
            style = pick.choice(["|", ">", "|-", ">-", "|+"])
            return [f"{space}{start} {style}",
                    *(f"{space}  {pick.choice(WORDS)}" for _ in range(2))]
        if kind < 0.5 and self.anchors:
            return [f"{space}{start} *{pick.choice(self.anchors)}"]
        comment = "  # why" if pick.random() < 0.1 else ""
        return [f"{space}{start} {self.flow(2)}{comment}"]

    def document(self):
        self.anchors = []
        kind = self.random.random()
        if kind < 0.3:
            return self.scalar() + "\n"
        return "\n".join(self.block(3, 0)) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=18)
    options = parser.parse_args()
    generator = Generator(options.seed)
    problems, good = [], 0
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i in range(options.count):
            path = pathlib.Path(folder) / f"{i}.yaml"
            path.write_text(generator.document(), encoding="utf-8")
            paths.append(path)
        for given in options.folders:
            found = sorted(pathlib.Path(given).rglob("*.y*ml"))
            print(f"{given}: {len(found)} files")
            paths += found
        output = subprocess.run(
            [options.tool], input="".join(f"{path}\n" for path in paths),
            text=True, check=True, stdout=subprocess.PIPE).stdout
        for path, line in zip(paths, output.splitlines(), strict=True):
            want, got = expected(path), json.loads(line)
            good += "error" not in want
            # libyaml's scanner refuses such words, which PyYAML's accepts.
            if "error" in got and "found unexpected ':'" in got["error"]:
                continue
            if want == got or ("error" in want and "error" in got):
                continue
            problems.append(f"{path.read_text(encoding='utf-8')[:400]}\n"
                            f"  PyYAML: {json.dumps(want)[:400]}\n"
                            f"  here:   {json.dumps(got)[:400]}")
    for problem in problems[:20]:
        print(problem)
    print(f"{len(paths)} documents, {good} good ones, {len(problems)} differ")
    if good < len(paths) // 4:
        print("too few of the documents are good")
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
