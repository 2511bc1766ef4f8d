#!/usr/bin/env python3
# python_test.py - `nereid build` of Python files, with a real Triton.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import signal
import subprocess
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
            ("def get_function_table(): return 3\n", "get_function_table() returned int, expected a list of kernels"),
            ("def get_funcion_table(): return [3]\n", "an entry of the table is of type int"),
            ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
            ("import os\nos._exit(0)\n", "the file ended Python before it gave its kernels"),
            ("import os\nos._exit(7)\n", "ended with code 7 while it made the kernels"),
            ("import os\nos.abort()\n", "ended with signal 6 while it made the kernels"),
        ):
            (self.folder / "kernels.py").write_text(text)
            done = self.build_python(code=1)
            self.assertIn(message, done.stderr)
        self.assertFalse((self.folder / "k.nra").exists())

    def test_is_interrupted_like_other_builds(self):
        text = "import sys, time\nprint('started', flush=True)\ntime.sleep(1000)\n"
        (self.folder / "kernels.py").write_text(text)
        words = ["build", "kernels.py", "-o", "k.nra", "--python", TRITON, "--target", "cpu"]
        process = subprocess.Popen(
            [os.environ["NEREID"], *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.assertEqual(process.stderr.readline(), "started\n")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted: 0 of 0 images are done", errors)

    def test_says_which_python_it_needs(self):
        self.write()
        words = ["build", "kernels.py", "-o", "k.nra", "--target", "cpu", "--python"]
        done = self.run_tool(*words, "/nonexistent/python3", code=3)
        self.assertIn("/nonexistent/python3 cannot be run: no such file or directory; set --python", done.stderr)
        bare = self.folder / "bare-python"
        bare.write_text(f'#!/bin/sh\nexec {TRITON} -S -I "$@"\n')
        bare.chmod(0o755)
        done = self.run_tool(*words, bare, code=1)
        self.assertIn("has no Triton", done.stderr)
        self.assertIn("set --python or NEREID_TRITON_PYTHON", done.stderr)
        self.environment["NEREID_TRITON_PYTHON"] = str(bare)
        done = self.run_tool(*words[:-1], code=1)
        self.assertIn("has no Triton", done.stderr)


PROGRAM = '''import sys

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i * stride, tl.load(x + i * stride, mask=i < n) * factor, mask=i < n)


x, out = torch.ones(1024), torch.empty(1024)
for n in (1000, 992, 1000):
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, 2.0, 1, BLOCK=256, num_warps=8)
scale[(1,)](x[1:], out[1:], 10, 2.0, 2, BLOCK=128)
print("arguments", sys.argv[1:])
sys.exit(int(sys.argv[1]))
'''


class TraceTest(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "program.py").write_text(PROGRAM)
        build = pathlib.Path(os.environ["NEREID"]).parents[1]
        self.environment["PYTHONPATH"] = str(build / "python")
        self.environment["NEREID_TARGET"] = "cpu"

    def trace(self, *words, code=0):
        return self.run_tool("trace", "-o", "rec", "--python", TRITON, "--", *words, code=code)

    def test_records_what_a_program_launches(self):
        done = self.trace("program.py", "0", "--flag")
        self.assertIn("arguments ['0', '--flag']", done.stdout)
        self.assertIn("rec/kernels.json: 2 kernels", done.stdout)
        first, second = json.loads((self.folder / "rec/kernels.json").read_text())["kernels"]
        self.assertEqual((first["name"], second["name"]), ("scale", "scale_2"))
        self.assertEqual(first["grid"], [4, 1, 1])
        self.assertEqual(first["options"], [{"name": "num_warps", "value": "8"}])
        self.assertEqual(first["constants"], [{"name": "BLOCK", "value": 256}])
        # n = 992 is divisible by 16, 1000 is not; the stride is 1 in both.
        self.assertEqual([len(v["conditions"]) for v in first["variants"]], [4, 3, 0])
        self.assertEqual(first["variants"][0]["parameters"], [0, 1, 2, 3])
        self.assertEqual(first["variants"][2]["parameters"], [0, 1, 2, 3, 4])
        self.assertEqual([len(v["conditions"]) for v in second["variants"]], [0])

        self.build("rec/kernels.json", "-o", "k.nra", "--target", "cpu")
        listed = self.run_json("archive", "list", "k.nra")
        self.assertEqual([k["variants"] for k in listed["kernels"]], [3, 1])

    def test_keeps_what_was_launched_before_a_failure(self):
        done = self.trace("program.py", "3", code=1)
        self.assertIn("program.py: ended with code 3; what it launched before is", done.stderr)
        self.assertTrue((self.folder / "rec/kernels.json").exists())
        (self.folder / "program.py").write_text("raise ValueError('no')\n")
        done = self.trace("program.py", code=1)
        self.assertIn("ValueError: no", done.stderr)
        self.trace("absent.py", code=3)
        (self.folder / "program.py").write_text("print('idle')\n")
        done = self.trace("program.py")
        self.assertIn("rec/kernels.json: no kernel was launched", done.stdout)
        done = self.run_tool("trace", "-o", "rec", "program.py", "--flag", code=2)
        self.assertIn("those of the program follow '--'", done.stderr)
        done = self.run_tool("trace", "-o", "rec", code=2)
        self.assertIn("PROGRAM is required", done.stderr)
        (self.folder / "program.py").write_text("import os\nos._exit(4)\n")
        done = self.trace("program.py", code=1)
        self.assertIn("ended Python, with code 4, before its launches", done.stderr)


if __name__ == "__main__":
    if not os.path.exists(TRITON):
        print(f"skipped: no {TRITON}; scripts/python-env makes it")
        sys.exit(77)
    unittest.main(verbosity=2)
