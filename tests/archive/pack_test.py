#!/usr/bin/env python3
# pack_test.py - `nereid build` of a pack of operators with a real Triton, and a C
# program that calls them from the archive alone.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from support import LIBRARY, SOURCE, ToolTest, sanitizer_flags

TRITON = os.environ["NEREID_TEST_TRITON"]  # a Python that has it

PACK = {
    "vendor.yaml": "vendor_name: test\ntargets: ['*']\n",
    "ops/rows.py": """import triton
import triton.language as tl

from helpers import scaled


@triton.jit
def rows(out, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + offsets, mask=offsets < n, other=0.0)
    tl.store(out + row, scaled(tl.sum(values, 0)))
""",
    "ops/helpers.py": """import triton


@triton.jit
def scaled(x):
    return x * 2
""",
    "ops/rows.yaml": """operator: rows
schema:
  inputs:
    x: {dtype: [f32], rank: 2}
  outputs:
    out: {dtype: x.dtype, shape: "[x.shape[0]]"}
let: {m: "x.shape[0]", n: "x.shape[1]"}
key: {n: log2}
variants:
  - name: whole
    kernel: rows.py:rows
    arguments: {out: out, x: x, n: n}
    constants: {BLOCK: next_power_of_2(n)}
    options: {num_warps: 4}
    grid: [m]
""",
}

# Sums of the rows of a matrix with the columns that the command line has.
PROGRAM = r"""
#include <nereid/host.h>
#include <nereid/ops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(nereid_status_t status) {
  if (status) {
    nereid_string_t text = nereid_error();
    fprintf(stderr, "%.*s\n", (int)text.size, text.data);
    exit(1);
  }
}
static nereid_string_t text(const char *words) {
  nereid_string_t made = {words, strlen(words)};
  return made;
}

int main(int argc, char **argv) {
  int64_t columns = atoi(argv[argc - 1]), shape[2] = {3, columns}, rows = 3;
  float *x = aligned_alloc(64, 1 << 20), *out = aligned_alloc(64, 64);
  for (int64_t i = 0; i < 3 * columns; ++i)
    x[i] = (float)(i / columns + 1);
  nereid_runtime_t *runtime = NULL;
  nereid_ops_t *ops = NULL;
  nereid_ops_device_t *device = NULL;
  nereid_operator_t *op = NULL;
  nereid_ops_load_t load = {0};
  check(nereid_runtime_create(NULL, &runtime));
  check(nereid_ops_create(NULL, &ops));
  load.struct_size = sizeof load;
  load.runtime = runtime;
  check(nereid_ops_load(ops, &load, &device));
  check(nereid_ops_operator(device, text("rows"), &op));
  nereid_tensor_t given = {x, 1, 0, 2, 2, 32, 1, shape, NULL, 0};
  nereid_tensor_t made = {out, 1, 0, 1, 2, 32, 1, &rows, NULL, 0};
  const nereid_tensor_t *inputs[] = {&given}, *outputs[] = {&made};
  nereid_tensor_argument_t input = {sizeof input, 1, text("x"), inputs};
  nereid_tensor_argument_t output = {sizeof output, 1, text("out"), outputs};
  nereid_operator_call_t call = {0};
  call.struct_size = sizeof call;
  call.inputs = &input;
  call.input_count = 1;
  call.outputs = &output;
  call.output_count = 1;
  check(nereid_operator_call(op, &call));
  nereid_ops_device_destroy(device); /* waits */
  nereid_ops_destroy(ops);
  nereid_runtime_destroy(runtime);
  printf("%g %g %g\n", out[0], out[1], out[2]);
  free(x);
  free(out);
  return 0;
}
"""


class PackTest(ToolTest):
    def setUp(self):
        super().setUp()
        for name, text in PACK.items():
            path = self.folder / "pack" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.folder / "shapes.yaml").write_text(
            "- {operator: rows, inputs: {x: {shape: [3, 80], dtype: f32}}}\n"
        )

    def build_pack(self, *words, code=0):
        return self.build(
            "pack", "-o", "pack.nra", "--target", "cpu", "--python", TRITON, *words, code=code
        )

    def compile_program(self):
        (self.folder / "program.c").write_text(PROGRAM)
        include = [f"-I{SOURCE / folder / 'include'}" for folder in ("host", "host/ops", "plugin-api")]
        subprocess.run(
            [os.environ["CC"], "-std=c11", "-Wall", "-Werror", "-D_GNU_SOURCE", *sanitizer_flags(),
             *include, "program.c", "-o", "program", str(LIBRARY.parent / "libnereid-ops.so"),
             str(LIBRARY)],
            cwd=self.folder, check=True,
        )  # fmt: skip

    def run_program(self, columns):
        # The driver without its compiler, no Python in PATH, an empty cache.
        plugins = self.folder / "plugins"
        plugins.mkdir(exist_ok=True)
        shutil.copy(pathlib.Path(os.environ["NEREID_PLUGIN_DIRS"]) / "cpu.so", plugins)
        environment = {
            "PATH": "/nonexistent",
            "HOME": str(self.folder),
            "LD_LIBRARY_PATH": str(LIBRARY.parent),
            "NEREID_CACHE_DIR": str(self.folder / "empty"),
            "NEREID_PLUGIN_DIRS": str(plugins),
            "NEREID_PACK_DIRS": str(self.folder / "pack.nra"),
            "NEREID_TARGET": "cpu",
        }
        return subprocess.run(
            [str(self.folder / "program"), str(columns)],
            env=environment, capture_output=True, text=True, cwd="/",
        )  # fmt: skip

    def test_program_needs_the_archive_alone(self):
        report = self.build_pack("--shapes", "shapes.yaml")
        self.assertEqual([len(k["images"]) for k in report["kernels"]], [1])
        listed = self.run_json("archive", "list", "pack.nra")
        self.assertEqual([f["name"] for f in listed["files"]], ["compilers.json", "pack.json"])
        shutil.rmtree(self.folder / "pack")
        self.compile_program()
        done = self.run_program(80)
        self.assertEqual((done.returncode, done.stdout), (0, "160 320 480\n"), done.stderr)
        # The same kernel serves other shapes of its block.
        done = self.run_program(112)
        self.assertEqual((done.returncode, done.stdout), (0, "224 448 672\n"), done.stderr)
        # Another one is not there, and nothing can make it.
        done = self.run_program(1024)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("pack.nra: it was not built for rows.py:rows with these types", done.stderr)
        self.assertIn("note: it cannot be made here: there is no 'python3' in PATH", done.stderr)
        self.assertFalse(any((self.folder / "empty").rglob("*.ttir")))

    def test_missing_kernel_is_made_of_the_sources_in_the_archive(self):
        self.build_pack()
        shutil.rmtree(self.folder / "pack")
        self.compile_program()
        self.environment.update(
            NEREID_PACK_DIRS=str(self.folder / "pack.nra"),
            NEREID_TARGET="cpu",
            NEREID_TRITON_PYTHON=TRITON,
        )
        done = subprocess.run(
            [str(self.folder / "program"), "80"],
            env=self.environment, capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (0, "160 320 480\n"), done.stderr)

    def test_mode_on_tunes_at_the_first_call(self):
        rows = (self.folder / "pack/ops/rows.yaml").read_text()
        (self.folder / "pack/ops/rows.yaml").write_text(rows + "    tune: rows\n")
        (self.folder / "pack/tune_configs.yaml").write_text(
            "rows:\n- gen: true\n  param_map: {META: {BLOCK: sizes}}\n  sizes: [256, 512]\n"
        )
        self.compile_program()
        self.environment.update(
            NEREID_PACK_DIRS=str(self.folder / "pack"),
            NEREID_TARGET="cpu",
            NEREID_TRITON_PYTHON=TRITON,
            NEREID_TUNED=str(self.folder / "tuned.db"),
        )

        def results(mode):
            self.environment["NEREID_TUNING"] = mode
            done = subprocess.run(
                [str(self.folder / "program"), "80"],
                env=self.environment, capture_output=True, text=True,
            )  # fmt: skip
            self.assertEqual((done.returncode, done.stdout), (0, "160 320 480\n"), done.stderr)
            listed = self.run_json("tune", "list", "--store", "tuned.db")["results"]
            return {str(row["configuration"]): row["status"] for row in listed}

        tuned = results("on:300")
        self.assertEqual(set(tuned), {"{}", "{'BLOCK': 256}", "{'BLOCK': 512}"})
        self.assertIn("ok", tuned.values())
        times = (self.folder / "tuned.db").stat().st_mtime_ns
        # The next process times nothing.
        self.assertEqual(results("on:300"), tuned)
        self.assertEqual((self.folder / "tuned.db").stat().st_mtime_ns, times)

    def test_same_pack_gives_the_same_bytes(self):
        self.build_pack("--shapes", "shapes.yaml")
        first = (self.folder / "pack.nra").read_bytes()
        shutil.copytree(self.folder / "pack", self.folder / "elsewhere/pack")
        self.build("elsewhere/pack", "-o", "other.nra", "--target", "cpu", "--python", TRITON,
                   "--shapes", "shapes.yaml")  # fmt: skip
        self.assertEqual((self.folder / "other.nra").read_bytes(), first)

    def test_mistakes(self):
        (self.folder / "shapes.yaml").write_text(
            "- {operator: rows, inputs: {x: {shape: [3, 80], dtype: f16}}}\n"
        )
        report = self.build_pack("--shapes", "shapes.yaml", code=1)
        self.assertIn("rows: x is f16, expected f32", report["failures"][0]["message"])
        (self.folder / "pack/ops/rows.yaml").write_text("operatr: rows\n")
        done = self.run_tool("build", "pack", "-o", "pack.nra", "--target", "cpu", code=2)
        self.assertIn("rows.yaml:1:1: the operator has no 'operator'", done.stderr)
        done = self.run_tool("build", "x.py", "-o", "x.nra", "--shapes", "s", code=2)
        self.assertIn("--shapes belongs to the directory of a pack", done.stderr)


if __name__ == "__main__":
    if not os.path.exists(TRITON):
        print(f"skipped: no {TRITON}; scripts/python-env makes it")
        sys.exit(77)
    unittest.main(verbosity=2)
