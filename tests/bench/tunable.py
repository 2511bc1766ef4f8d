#!/usr/bin/env python3
"""Tunes two tables, and shows what that gained: softmax in f16 and f32 with five sizes
of blocks (examples/tunable), and products of f16 matrices with 30 configurations.

    tunable.py [--target TARGET] [--seconds N] [--tool FILE] [--store FILE] [--small]

The store is filled, or completed; a second run on it times nothing. Each line has the
default, the one that is picked from the store, and the fastest of all.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKS = [ROOT / "examples/tunable/pack", HERE / "tunable_pack"]
COLUMNS = (1024, 2048, 4096, 8192, 16384)
ROWS = (16, 256, 1024, 4096, 8192)
WEIGHTS = ((4096, 4096), (14336, 4096), (4096, 14336), (8192, 8192))  # n, k


def softmax_calls(elements):
    for dtype in ("f16", "f32"):
        for columns in COLUMNS:
            x = {"shape": [elements // columns, columns], "dtype": dtype}
            yield {"operator": "softmax_table", "inputs": {"x": x}}


def matmul_calls(scale):
    for n, k in WEIGHTS:
        for m in ROWS:
            m, n, k = (max(16, size // scale) for size in (m, n, k))
            inputs = {"x": {"shape": [m, k], "dtype": "f16"}, "y": {"shape": [k, n], "dtype": "f16"}}
            yield {"operator": "matmul_table", "inputs": inputs}


class Table:
    def __init__(self, args, folder, calls):
        self.args = args
        self.calls = list(calls)
        self.file = folder / f"{self.calls[0]['operator']}.jsonl"
        self.file.write_text("".join(json.dumps(call) + "\n" for call in self.calls))

    def tool(self, *words):
        command = [self.args.tool, *map(str, words), "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"tunable.py: {' '.join(map(str, command))}: status {done.returncode}")
        return json.loads(done.stdout)

    def tune(self):
        """What `tune run` reports; it skips what the store has."""
        return self.tool(
            "tune", "run", "--tasks", self.file, "--target", self.args.target,
            "--budget", f"{self.args.seconds}s", "--store", self.args.store, "--resume",
        )  # fmt: skip

    def rows(self):
        """The measured results by shape: {shape: [result]}."""
        found = {}
        listed = self.tool(
            "tune", "list", "--store", self.args.store, "--operator", self.calls[0]["operator"]
        )
        for row in listed["results"]:
            if row["status"] == "ok" and row["median_ns"]:
                found.setdefault(json.dumps(row["key_exact"]), []).append(row)
        return found


def text(row):
    values = " ".join(f"{name}={value}" for name, value in row["configuration"].items())
    return f"{row['variant']} {values or '(its own settings)'}"


def show(title, rows, work):
    """`work` gives what a call does and its unit, by key."""
    print(f"\n{title}\n")
    print(f"{'shape':34} {'default':>10} {'best':>10} {'gain':>6} {'rate':>14}  best configuration")
    ratios = []
    for key, results in rows.items():
        best = min(results, key=lambda row: row["median_ns"])
        standard = next((row for row in results if row["is_default"]), None)
        amount, unit = work(json.loads(key))
        name = " ".join(f"{k}={v}" for k, v in json.loads(key).items())
        slow = standard["median_ns"] if standard else float("nan")
        ratios.append(slow / best["median_ns"])
        print(
            f"{name:34} {slow / 1e3:7.1f} us {best['median_ns'] / 1e3:7.1f} us "
            f"{ratios[-1]:6.2f} {amount / best['median_ns']:9.1f} {unit}  {text(best)}"
        )
    print(f"{len(rows)} shapes, {sum(map(len, rows.values()))} candidates timed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--seconds", type=int, default=200, help="for each table")
    parser.add_argument("--tool", default=str(ROOT / "build/bin/nereid"))
    parser.add_argument("--store", default="tunable.db")
    parser.add_argument("--small", action="store_true", help="small shapes, for a test")
    args = parser.parse_args()
    os.environ["NEREID_PACK_DIRS"] = ";".join(map(str, PACKS))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        softmax = Table(args, folder, softmax_calls(1 << 16 if args.small else 1 << 26))
        matmul = Table(args, folder, matmul_calls(128 if args.small else 1))
        for table in (softmax, matmul):
            done = table.tune()
            left = sum(task.get("left", 0) for task in done["tasks"])
            print(f"{done['measured']} candidates timed in {done['seconds']:.0f} s, {left} left")
        bits = {"f16": 16, "f32": 32}
        show(
            "softmax of rows",
            softmax.rows(),
            lambda key: (2 * key["m"] * key["n"] * bits[key["x"]] / 8, "GB/s"),
        )
        show(
            "products of f16 matrices, 30 configurations",
            matmul.rows(),
            lambda key: (2e-3 * key["m"] * key["n"] * key["k"], "TFLOP/s"),
        )
        again = [table.tune() for table in (softmax, matmul)]
        print(f"\na second run: {sum(run['measured'] for run in again)} candidates timed")


if __name__ == "__main__":
    main()
