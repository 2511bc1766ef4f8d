#!/usr/bin/env python3
# check_json.py - with --json, stdout is one document, of the members that
# docs/tool.md lists for the verb, whatever happens.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_json.py KERNEL PLUGIN DOCS, DOCS the path of docs/tool.md
import json
import os
import re
import subprocess
import sys
import tempfile

kernel, plugin, docs = sys.argv[1:]
made = tempfile.mkdtemp(prefix="nereid-json-")
archive = made + "/k.nra"
packs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packs")
results = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tuned.json")
arguments = ["--grid", "16", "f32[64]=0", "f32[64]=0", "f32[64]=0", "i32=64"]
target = ["--target", "extension"]
commands = {
    "--help": ["--help"],
    "plugins": ["plugins"],
    "devices": ["devices"],
    "explain": ["explain"],
    "options": ["options", "extension"],
    "compile": ["compile", kernel, *target],
    "run": ["run", kernel, *target, *arguments],
    "bench": ["bench", kernel, *target, *arguments, "--repeats", "5", "--bytes", "1", "--flops", "1"],
    "build": ["build", kernel, *target, "-o", archive, "--progress", "none"],
    "archive list": ["archive", "list", archive],
    "archive show": ["archive", "show", archive, "vector_add_f32"],
    "archive verify": ["archive", "verify", archive],
    "ops list": ["ops", "list", "--packs", packs],
    "ops show": ["ops", "show", "scale", "--packs", packs],
    "ops explain": ["ops", "explain", "scale", "--packs", packs, *target, "--shape", "4x8"],
    "tune run": ["tune", "run", "scale", "--packs", packs, *target, "--shape", "0x8",
                 "--store", made + "/run.db", "--progress", "none"],
    "tune import": ["tune", "import", results, "--store", made + "/tuned.db"],
    "tune list": ["tune", "list", "--store", made + "/tuned.db"],
    "tune merge": ["tune", "merge", made + "/tuned.db", "--store", made + "/other.db"],
    "tune diff": ["tune", "diff", made + "/tuned.db", made + "/other.db"],
    "tune export": ["tune", "export", "--store", made + "/tuned.db", "-o", made + "/out.json"],
    "tune report": ["tune", "report", "--store", made + "/tuned.db", "-o", made + "/report.html"],
    "cache stat": ["cache", "stat"],
    "cache verify": ["cache", "verify"],
    "cache gc": ["cache", "gc"],
    "cache clear": ["cache", "clear"],
    "new-plugin": ["new-plugin", "--from-python", "a:B", f"{made}/plugins", "--id", "b"],
    "validate": ["validate", plugin],
    "completion": ["completion", "bash"],
    "version": ["version"],
}
failing = [
    ["plugins", "--gird"],
    ["rum"],
    [],
    ["run", kernel, *target],
    ["compile", "/nowhere.ttir", *target],
    ["options", "nowhere"],
]


def documented():
    """{verb: {member: is it always there}} of the tables in docs/tool.md."""
    members, verb = {}, None
    for line in open(docs, encoding="utf-8"):
        if heading := re.match(r"### `nereid (.+) --json`", line):
            verb = heading[1]
            members[verb] = {}
        elif line.startswith("#"):
            verb = None
        elif verb and (row := re.match(r"\| `(\w+)` \| ([^|]*) \|", line)):
            members[verb][row[1]] = "if" not in row[2].split()
    return members


def document(words):
    """Runs the tool and gives its exit code and the parsed stdout."""
    done = subprocess.run(["nereid", *words, "--json"], capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError as error:
        sys.exit(f"{words}: {error}\n{done.stdout}\n{done.stderr}")


problems = []
tables = documented()
for verb, words in commands.items():
    code, found = document(words)
    expected = tables.get(verb)
    if expected is None:
        problems.append(f"{verb}: no table in {docs}")
    elif code != 0:
        problems.append(f"{verb}: exit code {code}: {found}")
    else:
        required = {name for name, always in expected.items() if always}
        problems += [f"{verb}: no member {name}" for name in required - found.keys()]
        problems += [f"{verb}: {name} is not documented" for name in found.keys() - expected.keys()]
for words in failing:
    code, found = document(words)
    error = found.get("error", {})
    if code == 0 or error.get("exit") != code or not error.get("message", "").startswith("error: "):
        problems.append(f"{words}: exit code {code}: {found}")
print(f"{len(commands)} documents, {len(failing)} errors")
sys.exit("\n".join(problems) or 0)
