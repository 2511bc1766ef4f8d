#!/usr/bin/env python3
# build_test.py - what `nereid build` and `nereid archive` promise.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import shutil
import signal
import subprocess
import unittest

from support import DATA, ToolTest

TARGETS = "cpu:x86_64:x86-64-v2,cpu:x86_64:x86-64-v3,cpu:aarch64:neoverse-n1"


class BuildTest(ToolTest):
    def test_builds_for_targets_that_are_not_here(self):
        kernels = [DATA / "softmax_f32.ttir", DATA / "vector_add_f32.ttir"]
        built = self.build(*kernels, "-o", "k.nra", "--targets", TARGETS, "--check")
        self.assertEqual(built["built"], 2)
        self.assertEqual(built["failures"], [])
        listed = self.run_json("archive", "list", "k.nra")
        self.assertEqual([k["name"] for k in listed["kernels"]], ["softmax_f32", "vector_add_f32"])
        self.assertEqual(len(listed["targets"]), 3)
        shown = self.run_json("archive", "show", "k.nra", "softmax_f32")
        aligned, general = shown["variants"]
        self.assertEqual(aligned["conditions"][0], {"argument": "output_ptr", "divisible_by": 16})
        self.assertEqual(general["conditions"], [])
        self.assertEqual([a["type"] for a in shown["arguments"]], ["*f32", "*f32", "i32", "i32", "i32"])
        self.assertTrue(self.run_json("archive", "verify", "k.nra")["intact"])

    def test_gives_the_same_bytes_from_other_folders_and_orders(self):
        first = [DATA / "softmax_f32.ttir", DATA / "vector_add_f32.ttir"]
        self.build(*first, "-o", "a.nra", "--target", "cpu:x86_64:x86-64-v3")
        (self.folder / "copy").mkdir()
        second = [shutil.copy(path, self.folder / "copy") for path in reversed(first)]
        self.build(*second, "-o", "b.nra", "--target", "cpu:x86_64:x86-64-v3", "--no-cache")
        self.assertEqual((self.folder / "a.nra").read_bytes(), (self.folder / "b.nra").read_bytes())

    def test_takes_a_second_build_from_the_cache(self):
        words = [DATA / "softmax_f32.ttir", "-o", "k.nra", "--target", "cpu:x86_64:x86-64-v3"]
        self.build(*words)
        again = self.build(*words)
        images = again["kernels"][0]["images"]
        self.assertEqual([image["from_cache"] for image in images], [True, True])

    def test_builds_the_others_when_a_kernel_fails(self):
        (self.folder / "broken.ttir").write_text("module {\n  nonsense\n}\n")
        words = ["broken.ttir", DATA / "vector_add_f32.ttir", "-o", "k.nra", "--progress", "none"]
        done = self.run_tool("build", *words, code=1)
        self.assertIn("broken.ttir:2:3: custom op 'nonsense'", done.stderr)
        self.assertIn("failed: 'broken'", done.stdout)
        listed = self.run_json("archive", "list", "k.nra")
        self.assertEqual([k["name"] for k in listed["kernels"]], ["vector_add_f32"])

    def test_names_every_kernel_that_fails_for_a_target(self):
        kernels = [DATA / "softmax_f32.ttir", DATA / "vector_add_f32.ttir"]
        words = [*kernels, "-o", "k.nra", "--targets", "extension:v9,cpu:x86_64:no-cpu", "--progress", "none"]
        done = self.run_tool("build", *words, code=1)
        self.assertEqual(done.stderr.count("unknown CPU 'no-cpu'"), 1)
        self.assertIn("k.nra: 2 kernels for 1 of 2 targets, ", done.stdout)
        self.assertIn("failed for cpu:x86_64:no-cpu: 'softmax_f32', 'vector_add_f32'", done.stdout)
        told = self.run_json("build", *words, code=1)
        failed = [(each["kernel"], each["target"]) for each in told["failures"]]
        self.assertEqual(failed, [(name, "cpu:x86_64:no-cpu") for name in ("softmax_f32", "vector_add_f32")])

    def test_compiles_with_the_python_that_is_given(self):
        words = [DATA / "softmax_f32.ttir", "-o", "k.nra", "--target", "hip:gfx942", "--python"]
        for python in ("/bin/true", "true"):
            done = self.run_tool("build", *words, python, code=4)
            self.assertIn("bin/true' cannot be asked for Triton", done.stderr)

    def test_writes_nothing_when_all_fail(self):
        (self.folder / "broken.ttir").write_text("nonsense")
        done = self.run_tool("build", "broken.ttir", "-o", "k.nra", "--progress", "none", code=1)
        self.assertIn("no kernel could be built; k.nra was not written", done.stderr)
        self.assertFalse((self.folder / "k.nra").exists())

    def test_refuses_wrong_command_lines(self):
        add = DATA / "vector_add_f32.ttir"
        for words, message in (
            ([add], "-o is missing"),
            ([add, "-o", "k.nra", "--jobs", "0"], "--jobs '0': expected a number"),
            ([add, "-o", "k.nra", "--progress", "bat"], "did you mean 'bar'"),
            ([add, "-o", "k.nra", "--object-arch", "x86_64"], "belongs to --object"),
            ([add, "-o", "k.nra", "--object", "k.o", "--object-arch", "x86"], "--object-arch 'x86'"),
            ([add, "-o", "k.nra", "--name", "a-b"], "expected a C identifier"),
            ([add, "-o", "k.nra", "--targets", "cpu:x86_64,cpu:x86_64"], "are the same"),
            ([add, add, "-o", "k.nra"], "two kernels are called 'vector_add_f32'"),
            (["other.nra", "-o", "k.nra"], "other.nra: is an archive, expected a TTIR file"),
        ):
            done = self.run_tool("build", *words, code=2)
            self.assertIn(message, done.stderr)
        self.run_tool("build", add, "-o", "k.nra", "--target", "nothing:v9", code=4)
        self.run_tool("build", "absent.ttir", "-o", "k.nra", code=3)
        self.run_tool("build", add, "-o", "no/such/folder/k.nra", code=3)

    def test_writes_progress_as_json_lines(self):
        words = [DATA / "softmax_f32.ttir", "-o", "k.nra", "--progress", "json"]
        done = self.run_tool("build", *words)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual([line["done"] for line in lines], [1, 2])
        self.assertEqual({line["total"] for line in lines}, {2})
        self.assertEqual({line["result"] for line in lines}, {"compiled"})
        done = self.run_tool("build", *words[:-1], "plain")
        self.assertIn("[2/2] softmax_f32 cpu:0: cached in", done.stderr)

    def test_writes_what_it_read(self):
        self.build(DATA / "vector_add_f32.ttir", "-o", "k.nra", "--depfile", "k.d")
        text = (self.folder / "k.d").read_text()
        self.assertTrue(text.startswith("k.nra: \\\n"), text)
        self.assertIn("vector_add_f32.ttir", text)
        self.assertIn("cpu.so", text)

    def test_leaves_no_half_archive_on_a_full_disk(self):
        # More than the limit on files, which object code in memory is not: the
        # write fails as on a full disk.
        script = "ulimit -f 16; trap '' XFSZ; exec \"$@\""
        kernels = [DATA / f"{name}.ttir" for name in ("dot_f32", "dot_f16", "dot_bf16")]
        words = [*kernels, "-o", "k.nra", "--no-cache", "--progress", "none"]
        done = subprocess.run(
            ["bash", "-c", script, "-", os.environ["NEREID"], "build", *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 6, done.stdout + done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("k.nra")], [])

    def test_keeps_what_is_done_when_interrupted(self):
        # Their lines do not fit into the pipe: the build is not done before
        # they are read.
        source = DATA / "vector_add_f32.ttir"
        kernels = [shutil.copy(source, self.folder / f"{'k' * 200}{i}.ttir") for i in range(60)]
        words = ["build", *kernels, "-o", "k.nra", "--progress", "plain", "--jobs", "1"]
        process = subprocess.Popen(
            [os.environ["NEREID"], *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pipesize=4096,
        )
        os.read(process.stderr.fileno(), 1)  # one image is done
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted: ", errors)
        self.assertFalse((self.folder / "k.nra").exists())
        stat = self.run_json("cache", "stat")
        self.assertGreater(stat["entries"], 0)

    def test_reads_lists_of_kernels(self):
        shutil.copy(DATA / "vector_add_f32.ttir", self.folder / "add.ttir")
        arguments = [{"name": n, "type": t} for n, t in zip("xyon", ["*f32", "*f32", "*f32", "i32"])]
        kernel = {
            "name": "add",
            "group": "sums",
            "grid": [4, 1, 1],
            "arguments": arguments,
            "constants": [{"name": "BLOCK", "value": 1024}, {"name": "MODE", "value": "fast"}],
            "options": [{"name": "num_warps", "value": "8"}, {"name": "unknown", "value": "1"}],
            "variants": [{"ttir": "add.ttir", "parameters": [0, 1, 2, 3]}],
        }
        (self.folder / "list.json").write_text(json.dumps({"kernels": [kernel]}))
        self.build("list.json", "-o", "k.nra")
        shown = self.run_json("archive", "show", "k.nra", "add")
        self.assertEqual(shown["group"], "sums")
        self.assertEqual(shown["grid"], [4, 1, 1])
        self.assertEqual(shown["variants"][0]["options"], "num_warps=8\n")
        self.assertEqual(shown["constants"][1], {"name": "MODE", "value": "fast"})
        for wrong, code, message in (
            ([0, 1, 2], 1, "its TTIR takes 4 arguments, 3 are declared"),
            ([0, 1, 2, 4], 2, "kernel 'add' has no argument 4"),
        ):
            kernel["variants"][0]["parameters"] = wrong
            (self.folder / "list.json").write_text(json.dumps({"kernels": [kernel]}))
            done = self.run_tool("build", "list.json", "-o", "k.nra", code=code)
            self.assertIn(message, done.stderr)
        kernel["variants"][0]["parameters"] = [0, 1, 2, 3]
        kernel["arguments"][3]["type"], kernel["arguments"][2]["type"] = "*f32", "i32"
        (self.folder / "list.json").write_text(json.dumps({"kernels": [kernel]}))
        done = self.run_tool("build", "list.json", "-o", "k.nra", code=1)
        self.assertIn("its TTIR takes argument 'o' as '*f32', declared is 'i32'", done.stderr)
        (self.folder / "list.json").write_text("{}")
        self.run_tool("build", "list.json", "-o", "k.nra", code=2)
        del kernel["arguments"]
        (self.folder / "list.json").write_text(json.dumps({"kernels": [kernel]}))
        done = self.run_tool("build", "list.json", "-o", "k.nra", code=2)
        self.assertIn("list.json: not a list of kernels", done.stderr)


class ArchiveTest(ToolTest):
    def test_merges_extracts_and_explains(self):
        add = DATA / "vector_add_f32.ttir"
        self.build(add, "-o", "a.nra", "--targets", "cpu:x86_64:x86-64-v2", "--embed-ttir")
        self.build(add, DATA / "softmax_f32.ttir", "-o", "b.nra", "--targets", "cpu:aarch64:neoverse-n1")
        self.run_json("archive", "merge", "a.nra", "b.nra", "-o", "both.nra")
        listed = self.run_json("archive", "list", "both.nra")
        self.assertEqual([k["images"] for k in listed["kernels"]], [2, 4])
        self.run_tool("archive", "extract", "both.nra", "vector_add_f32", "--target", "cpu:aarch64", "-o", "x.so")
        self.assertEqual((self.folder / "x.so").read_bytes()[:4], b"\x7fELF")
        self.run_tool("archive", "extract", "both.nra", "vector_add_f32", "--ttir", "--variant", "0", "-o", "x.ttir")
        self.assertEqual((self.folder / "x.ttir").read_bytes(), add.read_bytes())
        done = self.run_tool("archive", "extract", "both.nra", "vector_add_f32", "-o", "x", code=2)
        self.assertIn("--target is missing, expected one of", done.stderr)
        done = self.run_tool("archive", "show", "both.nra", "vector_ad", code=3)
        self.assertIn("known are 'softmax_f32', 'vector_add_f32'", done.stderr)

    def test_shortens_long_targets(self):
        add = DATA / "vector_add_f32.ttir"
        long = "extension:v9:" + ",".join(f"feature{i}" for i in range(40)) + ":4"
        short = "extension:v9:" + ",".join(f"feature{i}" for i in range(6)) + ",...:4"
        words = ["build", add, "-o", "k.nra", "--target", long, "--progress"]
        done = self.run_tool(*words, "plain")
        self.assertIn(f"vector_add_f32 {short}: ", done.stderr)
        self.assertNotIn("feature20", done.stdout + done.stderr)
        self.assertIn("k.nra: 1 kernel for 1 target, ", done.stdout)
        self.assertIn(long, self.run_tool(*words, "json").stderr)
        done = self.run_tool(*words, "none", "--target", long, code=2)
        self.assertIn(f"targets '{short}' and '{short}' are the same", done.stderr)
        # What a listing has is what --target takes.
        for words in (["list"], ["show"], ["explain", "--target", "cpu"]):
            archive = [words[0], "k.nra"] + ([] if words == ["list"] else ["vector_add_f32"]) + words[1:]
            code = 1 if words[0] == "explain" else 0
            done = self.run_tool("archive", *archive, code=code)
            self.assertIn(short, done.stdout)
            self.assertNotIn("feature20", done.stdout + done.stderr)
            self.assertIn(long, json.dumps(self.run_json("archive", *archive, code=code)))
        for target in (short, long, "extension:v9"):
            self.run_tool("archive", "extract", "k.nra", "vector_add_f32", "--target", target, "-o", "image")
        done = self.run_tool("archive", "extract", "k.nra", "vector_add_f32", "--target", "v9", "-o", "x", code=3)
        self.assertIn(f"--target 'v9' means 0 of '{short}'", done.stderr)

    def test_reports_damage(self):
        self.build(DATA / "vector_add_f32.ttir", "-o", "k.nra", "--targets", "cpu:x86_64:x86-64-v2")
        path = self.folder / "k.nra"
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        self.assertFalse(self.run_json("archive", "verify", "k.nra", code=1)["intact"])
        self.run_tool("archive", "list", "k.nra")
        path.write_bytes(whole[:-1])
        self.assertIn("truncated", self.run_json("archive", "verify", "k.nra", code=1)["reason"])
        path.write_bytes(b"something else")
        self.run_tool("archive", "list", "k.nra", code=2)

    def test_chooses_by_the_features_of_the_cpu(self):
        if os.uname().machine != "x86_64":
            self.skipTest("the names are those of x86-64 CPUs")
        self.build(DATA / "softmax_f32.ttir", "-o", "k.nra", "--targets", TARGETS)
        told = self.run_json("archive", "explain", "k.nra", "softmax_f32", "--target", "cpu")
        self.assertTrue(told["launchable"])
        images = {i["target"]: i for i in told["variants"][0]["images"]}
        self.assertEqual(images["cpu:aarch64:neoverse-n1:0"]["score"], 0)
        self.assertIn("the device is x86_64", images["cpu:aarch64:neoverse-n1:0"]["reason"])
        v2, v3 = images["cpu:x86_64:x86-64-v2:0"], images["cpu:x86_64:x86-64-v3:0"]
        self.assertGreater(v2["score"], 0)
        self.assertNotEqual(v2["used"], v3["used"])
        self.assertEqual(v3["used"], v3["score"] > 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
