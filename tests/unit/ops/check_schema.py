#!/usr/bin/env python3
# check_schema.py - the JSON Schema of tune_configs.yaml beside its reader.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the schema, and the files and documents that must or must not conform.

  check_schema.py SOURCE TUNE_VALUES [FLAGGEMS]

The files are those of the source tree, and those that scripts/import-flaggems
makes of a checkout of FlagGems.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml
from jsonschema import Draft202012Validator

import compare_yaml

# What vendor.yaml would name in `options`.
OPTIONS = ["num_ldmatrixes", "pipeline"]

# Each is the list of an operator, without the dash of its first element.
GOOD = """
META: {BLOCK: 16, EVEN: true, RATE: 0.5, KIND: base, NONE: null}
===
META: {}
===
num_warps: 4
===
{META: {A: 1}, num_warps: 1, num_stages: 0, num_ctas: 2, maxnreg: 96}
===
{META: {A: 1}, maxnreg: null}
===
{META: {A: 1}, num_ldmatrixes: 0, pipeline: fast}
===
pipeline: null
===
{META: {A: 1}, let: {B: A + 1, C: 2, D: [A, [B, 3]], E: true}, where: B > A}
===
{META: {A: 1}, where: [A > 0, true, [A, 2]]}
===
{META: {A: 1}, where: [], let: {}}
===
{META: {A: 1}, let: {B: null}, where: null}
===
gen: true
  param_map:
    META: {A: a, B: 7, C: [true, x, 0.5, null], D: false}
    num_warps: warps
    num_stages: 3
    num_ctas: [1, 2]
    maxnreg: [null, 96]
    num_ldmatrixes: [0, 1]
    pipeline: kinds
  a: [1, 2]
  warps: [4]
  kinds: [fast, slow]
  let: {G: A * H, H: B + 1}
  where: [A * B < 4, num_warps > A]
===
{gen: true, param_map: {}}
===
{param_map: {META: {A: 1}}}
===
{param_map: {META: {A: 1}, num_warps: 4, num_stages: [0, 3], maxnreg: 96}}
===
{param_map: {num_stages: stages, maxnreg: limits}, stages: [0], limits: [null]}
===
{param_map: {META: {A: [1, 2]}}, where: A > 1}
===
{gen: true, param_map: {META: blocks}, blocks: [{M: 1}, {M: 3, N: 4}, {}]}
===
{gen: true, param_map: {META: [{M: 1}, {M: x}]}}
===
{gen: true, param_map: {META: {A: a list}}, a list: [1]}
===
{gen: true, param_map: {META: META, num_warps: num_warps}, META: [{A: 1}],
   num_warps: [2, 4]}
===
config:
  param_map: {META: {A: a}}
  a: [16, 32]
===
{config: null, gen: true, param_map: {META: {A: 1}}}
===
strategy: {M: log, N: log2, K: default, L: exact, stride: align32}
===
strategy: {}
===
table: {key: [N, K], by: M, values: [BLOCK, num_warps]}
  fallback: {H800: H100, 910: 920}
  devices:
    H100: {'256,7168': {'64': [128, 8], '-1': [16, 4], 16: [x, null]}, '1,2': {}}
    A100: {}
===
table: {key: N, by: M, values: BLOCK}
  devices: {H100: {1: {2: [3]}}}
===
{table: {key: [], by: M, values: []}}
===
META: {A: 1}
- gen: true
  param_map: {META: {A: [2, 3]}}
- strategy: {M: log}
- table: {key: N, by: M, values: A}
===
&first
  META: {A: 1}
  num_warps: 4
- <<: *first
  num_warps: 8
"""

BAD = """
1
===
~
===
[META]
===
{}
===
where: A > 0
===
let: {A: 1}
===
META:
===
META: [1]
===
META: {A: [1]}
===
META: {A: {B: 1}}
===
META: {a-b: 1}
===
META: {class: 1}
===
META: {1A: 1}
===
{META: {A: 1}, num_warps: 0}
===
{META: {A: 1}, num_warps: -4}
===
{META: {A: 1}, num_warps: four}
===
{META: {A: 1}, num_warps: 4.5}
===
{META: {A: 1}, num_warps: true}
===
{META: {A: 1}, num_warps: null}
===
{META: {A: 1}, num_warps: [4]}
===
{META: {A: 1}, num_stages: -1}
===
{META: {A: 1}, num_ctas: 0}
===
{META: {A: 1}, num_stages: 2.5}
===
{META: {A: 1}, num_ctas: two}
===
{META: {A: 1}, maxnreg: most}
===
{META: {A: 1}, maxnreg: 0}
===
{META: {A: 1}, pipeline: [fast]}
===
{META: {A: 1}, pipeline: {a: 1}}
===
{META: {A: 1}, block: [1, 2]}
===
{META: {A: 1}, num-stages: 1}
===
{META: {A: 1}, where: {A: 1}}
===
{META: {A: 1}, where: [{A: 1}]}
===
{META: {A: 1}, where: ''}
===
{META: {A: 1}, let: A}
===
{META: {A: 1}, let: null}
===
{META: {A: 1}, let: {a-b: 1}}
===
{META: {A: 1}, let: {B: {C: 1}}}
===
gen: true
===
gen: true
  META: {A: 1}
===
config:
===
config:
  META: {A: 1}
===
{gen: false, param_map: {META: {A: 1}}}
===
{gen: 1, param_map: {META: {A: 1}}}
===
{gen: null, param_map: {META: {A: 1}}}
===
{config: true, param_map: {META: {A: 1}}}
===
{gen: true, parm_map: {META: {A: a}}, a: [1]}
===
{gen: true, param_map: [META]}
===
{gen: true, param_map: null}
===
{gen: true, param_map: {META: 1}}
===
{gen: true, param_map: {META: null}}
===
{gen: true, param_map: {META: [1]}}
===
{gen: true, param_map: {META: [{A: [1]}]}}
===
{gen: true, param_map: {META: {A: 0.5}}}
===
{gen: true, param_map: {META: {A: null}}}
===
{gen: true, param_map: {META: {A: {B: 1}}}}
===
{gen: true, param_map: {META: {A: [[1]]}}}
===
{gen: true, param_map: {META: {a-b: 1}}}
===
{gen: true, param_map: {META: {A: 1}, num_warps: 0}}
===
{gen: true, param_map: {META: {A: 1}, num_warps: true}}
===
{gen: true, param_map: {META: {A: 1}, num_warps: [4, 0]}}
===
{gen: true, param_map: {META: {A: 1}, num_stages: [-1]}}
===
{gen: true, param_map: {META: {A: 1}, num_stages: -1}}
===
{gen: true, param_map: {META: {A: 1}, num_stages: true}}
===
{gen: true, param_map: {META: {A: 1}, num_stages: [two]}}
===
{gen: true, param_map: {META: {A: 1}, num_ctas: [null]}}
===
{gen: true, param_map: {META: {A: 1}, maxnreg: null}}
===
{gen: true, param_map: {META: {A: 1}, maxnreg: 0}}
===
{gen: true, param_map: {META: {A: 1}, maxnreg: true}}
===
{gen: true, param_map: {META: {A: 1}, maxnreg: [0]}}
===
{gen: true, param_map: {META: {A: 1}, maxnreg: [most]}}
===
{gen: true, param_map: {META: {A: 1}, pipeline: 0.5}}
===
{gen: true, param_map: {META: {A: 1}, num-warps: 2}}
===
{gen: true, param_map: {META: {A: a}}, a: []}
===
{gen: true, param_map: {META: {A: a}}, a: 1}
===
{gen: true, param_map: {META: {A: a}}, a: [1, {B: 2}]}
===
{gen: true, param_map: {META: {A: a}}, a: [[1]]}
===
{gen: true, param_map: {META: {A: 1}}, num_stages: 2}
===
{gen: true, param_map: {META: {A: 1}}, where: [{A: 1}]}
===
{gen: true, param_map: {META: {A: 1}}, let: {B: {C: 1}}}
===
{gen: true, param_map: {META: {A: 1}}, strategy: {M: log}}
===
strategy: {M: logg}
===
strategy: {M: [log]}
===
strategy: {M: 1}
===
strategy: log
===
strategy:
===
{strategy: {M: log}, META: {A: 1}}
===
table: [N]
===
table: {by: M, values: [A]}
===
table: {key: [N], values: [A]}
===
table: {key: [N], by: M}
===
table: {key: [1], by: M, values: [A]}
===
table: {key: [N], by: [M], values: [A]}
===
table: {key: [N], by: M, values: {A: 1}}
===
table: {key: [N], by: M, values: [A], value: 1}
===
{table: {key: [N], by: M, values: [A]}, device: {}}
===
{table: {key: [N], by: M, values: [A]}, fallback: H100}
===
{table: {key: [N], by: M, values: [A]}, devices: [H100]}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: 1}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {1: [3]}}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {1: {2: 3}}}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {1: {x: [3]}}}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {1: {0.5: [3]}}}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {1: {+2: [3]}}}}
"""

# What the reader refuses and a schema cannot express.
ONLY_THE_READER = """
{META: {A: 1}, nstags: 2}  # the option of another vendor, or of none
===
{META: {A: 1}, 'on': 2}
===
{META: {A: 1}, on: 2}  # not a string in YAML 1.1
===
{META: {A: 1}, num_warps: 4.0}  # an integer in JSON
===
{META: {A: 1}, where: A <}
===
{META: {A: 1}, let: {B: (A}}
===
{META: {A: 1}, let: {B: C, C: B}}
===
{META: {A: 1}, where: ' '}
===
{META: {A: 1, A: 2}}  # a parser's matter
===
{gen: true, param_map: {META: {A: blok}}, block: [1]}
===
{gen: true, param_map: {META: {A: 1}}, unused: [1]}
===
{gen: true, param_map: {META: {A: 1}, num_wraps: 2}}
===
{gen: true, param_map: {num_warps: warps}, warps: [4, 0]}
===
{gen: true, param_map: {META: {A: sets}}, sets: [{B: 1}]}
===
{gen: true, param_map: {META: sets}, sets: [1, 2]}
===
{gen: true, param_map: {META: {A: v, B: v, C: v, D: v, E: v}},
   v: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
===
{table: {key: [N], by: M, values: [A, B]}, devices: {D: {1: {2: [3]}}}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {'1,2': {2: [3]}}}}
===
{table: {key: [N], by: M, values: [A]},
   devices: {D: {1: {99999999999999999999: [3]}}}}
"""

# What the reader accepts although it means nothing.
ONLY_THE_SCHEMA = """
{table: {key: [N], by: M, values: [A]}, fallback: {H800: [H100]}}
===
{table: {key: [N], by: M, values: [A]}, devices: {D: {1: {2: [[3]]}}}}
"""

# Whole documents.
GOOD_ROOTS = ["", "# nothing\n", "{}\n", "mm: []\n", "1: []\n",
              "bad name: [{META: {}}]\n"]
BAD_ROOTS = ["- 1\n", "1\n", "mm\n", "mm:\n", "mm: {META: {A: 1}}\n", "mm: 1\n"]


class Loader(compare_yaml.Loader):
    """Keys are their texts, as in JSON; a key may be there twice."""

    def check_keys(self, node):
        pass

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=True)
                for key, value in node.value}


def documents(text):
    return [f"mm:\n- {element}\n" for element in text.strip().split("\n===\n")]


def load(path):
    return yaml.load(pathlib.Path(path).read_bytes(), Loader)


class Comparison:
    def __init__(self, schema, tool, folder):
        self.validator = Draft202012Validator(schema)
        self.tool = tool
        self.folder = folder
        self.problems = []

    def complaints(self, path):
        return [f"{error.json_path}: {error.message[:200]}"
                for error in self.validator.iter_errors(load(path))]

    def conform(self, paths):
        for path in paths:
            self.problems += [f"{path}: {complaint}"
                              for complaint in self.complaints(path)[:5]]

    def compare(self, texts, is_good, is_read):
        """Whether the schema and the reader accept each of the documents."""
        paths = []
        for i, text in enumerate(texts):
            paths.append(self.folder / f"{i}.yaml")
            paths[-1].write_text(text, encoding="utf-8")
        output = subprocess.run(
            [self.tool], text=True, check=True, stdout=subprocess.PIPE,
            input="".join("\t".join([str(path), *OPTIONS]) + "\n"
                          for path in paths)).stdout
        for text, path, line in zip(texts, paths, output.splitlines(),
                                    strict=True):
            for who, found, wanted in (
                    ("the schema", self.complaints(path), is_good),
                    ("the reader", json.loads(line)["problems"], is_read)):
                if wanted and found:
                    self.problems.append(f"{text}  {who} refuses it: {found[0]}")
                elif not wanted and not found:
                    self.problems.append(f"{text}  {who} accepts it")


def files_of(source, schema):
    """The files of the tree; those that name a schema must name this one."""
    paths = [path for folder in ("examples", "plugins", "tests")
             for path in sorted((source / folder).rglob("tune_configs.yaml"))]
    generic = schema.parent / "generic/tune_configs.yaml"
    assert generic in paths, f"{generic} is missing"
    named = {path: re.search(r"^# yaml-language-server: \$schema=(.*)$",
                             path.read_text(encoding="utf-8"), re.MULTILINE)
             for path in paths}
    assert named[generic], f"{generic} does not name its schema"
    for path, line in named.items():
        assert not line or (path.parent / line[1]).samefile(schema), path
    return paths


def main():
    source, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
    path = source / "plugins/packs/tune_configs.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    files = files_of(source, path)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        comparison = Comparison(schema, tool, folder)
        if len(sys.argv) > 3:
            subprocess.run([sys.executable, source / "scripts/import-flaggems",
                            sys.argv[3], folder / "packs"], check=True,
                           stderr=subprocess.DEVNULL)
            converted = sorted((folder / "packs").rglob("tune_configs.yaml"))
            assert converted, f"no configurations in {sys.argv[3]}"
            files += converted
        comparison.conform(files)
        good, bad = documents(GOOD) + GOOD_ROOTS, documents(BAD) + BAD_ROOTS
        comparison.compare(good, True, True)
        comparison.compare(bad, False, False)
        comparison.compare(documents(ONLY_THE_READER), True, False)
        comparison.compare(documents(ONLY_THE_SCHEMA), False, True)
    for problem in comparison.problems[:30]:
        print(problem)
    print(f"{len(files)} files, {len(good)} good and {len(bad)} bad documents, "
          f"{len(comparison.problems)} problems")
    return 1 if comparison.problems else 0


if __name__ == "__main__":
    sys.exit(main())
