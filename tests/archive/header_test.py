#!/usr/bin/env python3
# header_test.py - generated headers: programs in C and C++ launch through them,
# and wrong arguments do not compile.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import unittest

from support import LIBRARY, SOURCE, ToolTest, sanitizer_flags

PROGRAM = r"""
#include "k.h"
#include <nereid/host.h>
#include <stdio.h>
#include <stdlib.h>

static void check(nereid_status_t status, const char *what) {
  nereid_string_t error = nereid_error();
  if (status == NEREID_OK)
    return;
  printf("%s: %.*s\n", what, (int)error.size, error.data);
  exit(1);
}

static nereid_pointer_f32_t pointer(float *values) {
  nereid_pointer_f32_t result = {(nereid_address_t)(uintptr_t)values};
  return result;
}

int main(int argc, char **argv) {
  static float x[1001], y[1001], sum[1001];
  nereid_runtime_t *runtime;
  nereid_backend_t *backend;
  nereid_archive_t *archive;
  nereid_archive_device_t *device;
  nereid_string_t cpu = {"cpu", 3};
  uint32_t index;
  int32_t n = 999;
  int i, right = 0;
  check(nereid_runtime_create(NULL, &runtime), "runtime");
  check(nereid_runtime_choose(runtime, cpu, &backend, &index), "choose");
  check(argc > 1 ? k_open(argv[1], &archive) : OPEN_LINKED(&archive), "open");
  check(nereid_archive_load(archive, backend, index, 0, &device), "load");
  for (i = 0; i < 1001; ++i)
    x[i] = (float)i, y[i] = 2.0f * (float)i, sum[i] = -1.0f;
  check(k_add(device, 1, 1, 1, 0, pointer(x + 1), pointer(y + 1), pointer(sum + 1), n), "launch");
  check(nereid_backend_synchronize(backend, index, 0), "wait");
  for (i = 0; i < 1001; ++i)
    right += sum[i] == (i >= 1 && i <= 999 ? 3.0f * (float)i : -1.0f);
  printf("%d right, block %d, number %d\n", right, k_add_BLOCK, k_add_number);
  nereid_archive_device_destroy(device);
  nereid_archive_destroy(archive);
  nereid_runtime_destroy(runtime);
  return right == 1001 ? 0 : 1;
}
"""

TTIR = """module {
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %sum: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %limit = tt.splat %n : i32 -> tensor<1024xi32>
    %mask = arith.cmpi slt, %range, %limit : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %xp, %mask : tensor<1024x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %b = tt.load %yp, %mask : tensor<1024x!tt.ptr<f32>>
    %c = arith.addf %a, %b : tensor<1024xf32>
    %ss = tt.splat %sum : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %sp = tt.addptr %ss, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %sp, %c, %mask : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
"""

LIST = """{"kernels": [{"name": "add",
  "arguments": [{"name": "x", "type": "*f32"}, {"name": "y", "type": "*f32"},
                {"name": "sum", "type": "*f32"}, {"name": "n", "type": "i32"}],
  "constants": [{"name": "BLOCK", "value": 1024}],
  "variants": [
    {"ttir": "aligned.ttir", "parameters": [0, 1, 2, 3],
     "conditions": [{"argument": 0, "divisible_by": 16}, {"argument": 1, "divisible_by": 16},
                    {"argument": 2, "divisible_by": 16}]},
    {"ttir": "any.ttir", "parameters": [0, 1, 2, 3]}]}]}
"""

INCLUDES = [f"-I{SOURCE}/host/include", f"-I{SOURCE}/plugin-api/include", "-I."]
LINK = [f"-L{LIBRARY.parent}", "-lnereid"]


class HeaderTest(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "aligned.ttir").write_text(TTIR)
        (self.folder / "any.ttir").write_text(TTIR.replace(" {tt.divisibility = 16 : i32}", ""))
        (self.folder / "list.json").write_text(LIST)
        self.build("list.json", "-o", "k.nra", "--header", "k.h", "--object", "k.o", "--target", "cpu")

    def compile(self, language, text, *more, code=0):
        name = f"program.{language}"
        (self.folder / name).write_text(text)
        compiler = os.environ["CC" if language == "c" else "CXX"]
        standard = "-std=c11" if language == "c" else "-std=c++17"
        flags = ["-Wall", "-Wextra", "-Werror", "-O1", *sanitizer_flags()]
        done = subprocess.run(
            [compiler, standard, *flags, *INCLUDES, name, *more],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def launch(self, *words, code=0):
        # What a machine without any compiler has: the driver alone.
        environment = dict(self.environment, NEREID_COMPILE="never")
        done = subprocess.run(
            ["./program", *words], cwd=self.folder, env=environment, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_launches_from_a_file(self):
        for language in ("c", "cpp"):
            program = PROGRAM.replace("OPEN_LINKED(&archive)", "NEREID_INVALID_ARGUMENT")
            self.compile(language, program, *LINK, "-o", "program")
            self.assertEqual(self.launch("k.nra"), "1001 right, block 1024, number 0\n")

    def test_launches_what_is_linked_in(self):
        self.build("list.json", "-o", "k.nra", "--object", "libk.a", "--target", "cpu")
        for language in ("c", "cpp"):
            for linked in ("k.o", "libk.a"):
                program = PROGRAM.replace("OPEN_LINKED", "k_open_linked")
                self.compile(language, program, linked, *LINK, "-o", "program")
                self.assertEqual(self.launch(), "1001 right, block 1024, number 0\n")

    def test_needs_no_compiler_at_run_time(self):
        program = PROGRAM.replace("OPEN_LINKED", "k_open_linked").replace(
            "nereid_archive_device_destroy",
            '{ char line[512]; FILE *maps = fopen("/proc/self/maps", "r");\n'
            "  while (fgets(line, sizeof line, maps)) fputs(line, stdout); fclose(maps); }\n"
            "  nereid_archive_device_destroy",
        )
        self.compile("c", program, "k.o", *LINK, "-o", "program")
        maps = self.launch()
        self.assertIn("cpu.so", maps)
        for absent in ("LLVM", "MLIR", "cpu-compiler", "libnereid-ttir"):
            self.assertNotIn(absent, maps)

    def test_refuses_a_header_of_another_build(self):
        program = PROGRAM.replace("OPEN_LINKED(&archive)", "NEREID_INVALID_ARGUMENT")
        self.compile("c", program, *LINK, "-o", "program")
        changed = LIST.replace('"name": "n", "type": "i32"', '"name": "count", "type": "i32"')
        (self.folder / "list.json").write_text(changed)
        self.build("list.json", "-o", "k.nra", "--target", "cpu")
        output = self.launch("k.nra", code=1)
        self.assertIn("open: error: k.nra: its kernels have contract", output)
        self.assertIn("the header that this program was built with has", output)

    def test_does_not_compile_with_wrong_arguments(self):
        right = "k_add(0, 1, 1, 1, 0, p, p, p, n)"
        wrong = [
            "k_add(0, 1, 1, 1, 0, p, p, n, p)",
            "k_add(0, 1, 1, 1, 0, p, p, n)",
            "k_add(0, 1, 1, 1, 0, p, p, p, n, n)",
            "k_add(0, 1, 1, 1, 0, p, p, p, 1.5f)",
            "k_add(0, 1, 1, 1, 0, p, p, p, (int64_t)1)",
            "k_add(0, 1, 1, 1, 0, p, p, p, (unsigned)1)",
            "k_add(0, 1, 1, 1, 0, p, p, other, n)",
            "k_add(0, 1, 1, 1, 0, p, p, address, n)",
        ]
        frame = (
            '#include "k.h"\ntypedef struct { nereid_address_t address; } other_t;\n'
            "int main(void) {\n  nereid_pointer_f32_t p = {0};\n  other_t other = {0};\n"
            "  nereid_address_t address = 0;\n  int32_t n = 1;\n"
            "  (void)p, (void)other, (void)address, (void)n;\n  return (int)%s;\n}\n"
        )
        for language in ("c", "cpp"):
            self.compile(language, frame % right, "-c", "-o", "program.o")
            for call in wrong:
                with self.subTest(language=language, call=call):
                    self.compile(language, frame % call, "-c", "-o", "program.o", code=1)

    def test_writes_objects_for_both_machines(self):
        for arch, machine in (("x86_64", 62), ("aarch64", 183)):
            words = ["list.json", "-o", "k.nra", "--object", "m.o", "--object-arch", arch]
            self.build(*words, "--target", "cpu")
            data = (self.folder / "m.o").read_bytes()
            self.assertEqual(data[:6], b"\x7fELF\x02\x01")
            self.assertEqual(int.from_bytes(data[18:20], "little"), machine)

    def test_survives_strange_names(self):
        strange = LIST.replace('"name": "add"', r'"name": "a/*\n\\\u0000\u00e9b"')
        strange = strange.replace('"name": "sum"', '"name": "int"').replace('"name": "n"', '"name": "device"')
        strange = strange.replace('"value": 1024', r'"value": "a\"\u0001"')
        (self.folder / "list.json").write_text(strange)
        self.build("list.json", "-o", "s.nra", "--header", "s.h", "--target", "cpu")
        for language in ("c", "cpp"):
            self.compile(language, '#include "s.h"\nint x;\n', "-c", "-o", "s.o")

    def test_includes_two_headers_in_one_program(self):
        self.build("list.json", "-o", "other.nra", "--header", "other.h", "--target", "cpu")
        for language in ("c", "cpp"):
            self.compile(language, '#include "k.h"\n#include "other.h"\nint x;\n', "-c", "-o", "p.o")


if __name__ == "__main__":
    unittest.main(verbosity=2)
