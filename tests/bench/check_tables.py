#!/usr/bin/env python3
"""Checks the output of scripts/bench: help, figures, missing parts.

usage: check_tables.py ROOT BUILD_DIR

SPDX-FileCopyrightText: the Nereid authors
SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import peers

ROWS = [
    r"create host, .* 3 directories, .* first launch done +[\d.]+ ms",
    r"1 000 plugins in one directory: preflight and report +[\d.]+ ms",
    r"compile vector_add, block 65536 +[\d.]+ ms  [\d.]+ of block 1024",
    r"compile softmax, block 65536 +[\d.]+ ms  [\d.]+ of block 1024",
    r"compile layer_norm, block 65536 +[\d.]+ ms  [\d.]+ of block 1024",
    r"launch, 5 arguments: host above the plugin's slot +-?[\d.]+ ns",
    r"launch, 20 arguments: host above the plugin's slot +-?[\d.]+ ns",
]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def check_help(root):
    shown = run(root / "scripts/bench", "--help").stdout
    scripts = ("figures.py", "peers.py", "compile_corpus.py", "pack.py")
    texts = [(root / "tests/bench" / name).read_text() for name in scripts]
    texts.append((root / "scripts/bench").read_text())
    hidden = {"--peer-of", "--build", "--help"}
    options = set(re.findall(r'add_argument\("(--[a-z-]+)"', "".join(texts)))
    options |= set(re.findall(r"^ +(--[a-z]+)\b.*\)$", texts[-1], re.M))
    assert {"--figures", "--corpus", "--threads", "--target"} <= options, options
    for option in options - hidden:
        assert option in shown, f"{option} is not in\n{shown}"


def check_figures(root, build):
    figures = [sys.executable, root / "tests/bench/figures.py"]
    done = run(*figures, "--budget", "0.01", "--build", build)
    for row in ROWS:
        assert re.search(f"^{row}", done.stdout, re.M), (row, done)

    with tempfile.TemporaryDirectory() as empty:
        done = run(*figures, "--build", empty)
    assert done.returncode == 1 and "bench/first_launch" in done.stderr, done
    assert "-DNEREID_BUILD_TESTS=ON" in done.stderr, done


def check_peers():
    line = peers.row("add 8", 2.0, {"numpy": 4.0, "jax": 1.0}, "GB/s", ["numpy", "jax"])
    assert line.endswith("0.50 of numpy"), line
    peers.peer_functions.NEEDS["absent"] = ("json", "no_such.module")
    peers.peer_functions.NEEDS["here"] = ("json", "os.path")
    assert peers.installed(["absent", "here"]) == (["here"], ["absent"])


def main():
    root, build = map(Path, sys.argv[1:])
    check_help(root)
    check_peers()
    check_figures(root, build)


if __name__ == "__main__":
    main()
