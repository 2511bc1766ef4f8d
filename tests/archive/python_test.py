#!/usr/bin/env python3
# python_test.py - `nereid build` of Python files, with a real Triton.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys
import unittest

from support import ToolTest

TRITON = os.environ["NEREID_TEST_TRITON"]  # a Python that has it

SOURCE = '''import os
import sys

import triton
import triton.language as tl

import sizes

print("printed while it is loaded")
os.write(1, b"written to stdout")


@triton.jit
def softmax(out, x, out_stride, x_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x + row * x_stride + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * out_stride + offsets, v / tl.sum(v, 0), mask=mask)


@triton.jit
def broken(x):
    value = tl.load(x)
    tl.store(x, value + missing)


def get_NAME_table():
    table = []
    for dtype in ("fp16", "fp32"):
        for size in sizes.SIZES:
            table.append({
                "name": f"softmax_{dtype}_{size}",
                "group": f"softmax_{dtype}",
                "func": softmax,
                "sig": f"*{dtype}:16,*{dtype}:16,i32:16,i32:1,i32",
                "kwargs": {"num_warps": 8, "constants": {"BLOCK": size}},
            })
    return table + EXTRA
'''


class PythonTest(ToolTest):
    def write(self, extra="[]", name="function"):
        text = SOURCE.replace("EXTRA", extra).replace("NAME", name)
        (self.folder / "kernels.py").write_text(text)
        (self.folder / "sizes.py").write_text("SIZES = [128, 1024]\n")

    def build_python(self, *words, code=0):
        return self.run_tool(
            "build", "kernels.py", "-o", "k.nra", "--python", TRITON, "--progress", "none",
            "--target", "cpu", "--json", *words, code=code,
        )

    def test_builds_a_function_table(self):
        # The second spelling is that of a file of ONNX Runtime.
        for name in ("function", "funcion"):
            self.write(name=name)
            done = self.build_python("--check", "--depfile", "k.d")
            self.assertIn("printed while it is loaded", done.stderr)
            self.assertEqual(json.loads(done.stdout)["built"], 4)
        text = (self.folder / "k.d").read_text()
        for read in ("kernels.py", "sizes.py", "libtriton.so"):
            self.assertIn(read, text)
        shown = self.run_json("archive", "show", "k.nra", "softmax_fp16_1024")
        self.assertEqual(shown["group"], "softmax_fp16")
        self.assertEqual([a["type"] for a in shown["arguments"]], ["*f16", "*f16", "i32", "i32", "i32"])
        self.assertEqual(shown["constants"], [{"name": "BLOCK", "value": 1024}])
        special, general = shown["variants"]
        self.assertEqual(special["conditions"][3], {"argument": "x_stride", "equals": 1})
        self.assertEqual(special["parameters"], ["out", "x", "out_stride", "n"])
        self.assertEqual(general["conditions"], [])
        self.assertEqual(special["options"], "num_warps=8\n")

    def test_reports_kernels_that_fail_with_their_lines(self):
        self.write(
            '[{"name": "bad", "func": broken, "sig": "*fp32"},'
            ' {"name": "type", "func": broken, "sig": "*fp31"},'
            ' {"name": "count", "func": broken, "sig": "*fp32,i32"},'
            ' {"name": "hint", "func": broken, "sig": "*fp32:8"},'
            ' {"name": "option", "func": broken, "sig": "*fp32", "kwargs": {"warps": 4}},'
            ' {"name": "plain", "func": print, "sig": "*fp32"},'
            ' {"name": "nothing"}]'
        )
        done = self.build_python(code=1)
        line = SOURCE.splitlines().index("    tl.store(x, value + missing)") + 1
        for message in (
            f"kernels.py:{line}: kernel 'bad': missing is not defined",
            "kernel 'type': sig: '*fp31' is neither a type nor a constant",
            "kernel 'count': sig has 2 items, expected 1 for x",
            "kernel 'hint': sig: hint '8' of x, expected 16 or 1",
            "kernel 'option': kwargs: 'warps' is neither a parameter nor an option",
            "kernel 'plain': func is of type builtin_function_or_method",
            "kernel 'nothing': no 'func'",
        ):
            self.assertIn(message, done.stderr)
        self.assertEqual(json.loads(done.stdout)["built"], 4)

    def test_reports_files_that_fail(self):
        for text, message in (
            ("x = 1\nraise ValueError('no')\n", "kernels.py:2: ValueError: no"),
            ("def f(:\n", "kernels.py:1: invalid syntax"),
            ("x = 1\n", "no get_function_table()"),
            ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
            ("import os\nos._exit(0)\n", "the file ended Python before it gave its kernels"),
            ("import os\nos._exit(7)\n", "ended with code 7 while it made the kernels"),
            ("import os\nos.abort()\n", "ended with signal 6 while it made the kernels"),
        ):
            (self.folder / "kernels.py").write_text(text)
            done = self.build_python(code=1)
            self.assertIn(message, done.stderr)
        self.assertFalse((self.folder / "k.nra").exists())

    def test_says_which_python_it_needs(self):
        self.write()
        words = ["build", "kernels.py", "-o", "k.nra", "--target", "cpu", "--python"]
        done = self.run_tool(*words, "/nonexistent/python3", code=3)
        self.assertIn("/nonexistent/python3 cannot be run", done.stderr)
        bare = self.folder / "bare-python"
        bare.write_text(f'#!/bin/sh\nexec {TRITON} -S -I "$@"\n')
        bare.chmod(0o755)
        done = self.run_tool(*words, bare, code=1)
        self.assertIn("has no Triton", done.stderr)
        self.assertIn("set --python or NEREID_TRITON_PYTHON", done.stderr)
        self.environment["NEREID_TRITON_PYTHON"] = str(bare)
        done = self.run_tool(*words[:-1], code=1)
        self.assertIn("has no Triton", done.stderr)


if __name__ == "__main__":
    if not os.path.exists(TRITON):
        print(f"skipped: no {TRITON}; scripts/python-env makes it")
        sys.exit(77)
    unittest.main(verbosity=2)
