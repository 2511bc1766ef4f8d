# compile_kernels.py - compiles kernels with the `triton` plugin, through
# libnereid's C interface: each gives an image, and with --compare the same each
# time, the same as Triton itself makes of it, and an error where that fails.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NO_CACHE, KEEP_STAGES = 1, 8
NO_DISCOVERY, ALLOW_WRITABLE = 1, 8


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_uint64)]


class RuntimeOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32)]


class Target(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("warp_size", ctypes.c_int32),
                ("backend", String), ("arch", String), ("features", String)]


class Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("source", String), ("source_name", String),
                ("target", ctypes.POINTER(Target)),
                ("device", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("options", ctypes.c_void_p), ("option_count", ctypes.c_uint64),
                ("start_at", String), ("stop_after", String),
                ("replacements", ctypes.c_void_p),
                ("replacement_count", ctypes.c_uint64), ("dump_dir", String)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint64)]


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return String(data, len(data))


class Nereid:
    def __init__(self, build):
        self.lib = ctypes.CDLL(build / "lib/libnereid.so")
        for name in ("nereid_error",):
            getattr(self.lib, name).restype = String
        self.lib.nereid_buffer_bytes.restype = Bytes
        self.lib.nereid_buffer_bytes.argtypes = [ctypes.c_void_p]
        for name in ("nereid_artifact_destroy", "nereid_buffer_destroy",
                     "nereid_runtime_destroy"):
            getattr(self.lib, name).argtypes = [ctypes.c_void_p]
            getattr(self.lib, name).restype = None
        self.runtime, self.backend = ctypes.c_void_p(), ctypes.c_void_p()
        options = RuntimeOptions(ctypes.sizeof(RuntimeOptions),
                                 NO_DISCOVERY | ALLOW_WRITABLE)
        self.check(self.lib.nereid_runtime_create(
            ctypes.byref(options), ctypes.byref(self.runtime)))
        plugin = build / "lib/nereid/plugins/triton.so"
        self.check(self.lib.nereid_runtime_load(
            self.runtime, text(str(plugin)), ctypes.byref(self.backend)))

    def close(self):
        self.lib.nereid_runtime_destroy(self.runtime)

    def check(self, status):
        if status:
            error = self.lib.nereid_error()
            raise RuntimeError(error.data[:error.size].decode())

    def json(self, function, *arguments):
        buffer = ctypes.c_void_p()
        self.check(function(*arguments, ctypes.byref(buffer)))
        data = self.lib.nereid_buffer_bytes(buffer)
        result = json.loads(ctypes.string_at(data.data, data.size))
        self.lib.nereid_buffer_destroy(buffer)
        return result

    def compile(self, target, path):
        return self.compile_bytes(target, path.read_bytes(), path.name)

    def compile_bytes(self, target, source, name, start_at=""):
        """(description, {stage: bytes})"""
        backend, _, arch = target.partition(":")
        spec = Target(ctypes.sizeof(Target), 0, text(backend), text(arch))
        request = Request(struct_size=ctypes.sizeof(Request),
                          flags=NO_CACHE | KEEP_STAGES,
                          source=text(source), source_name=text(name),
                          target=ctypes.pointer(spec),
                          start_at=text(start_at))
        artifact = ctypes.c_void_p()
        self.check(self.lib.nereid_compile(
            self.backend, ctypes.byref(request), ctypes.byref(artifact)))
        facts = self.json(self.lib.nereid_artifact_describe, artifact)
        stages = {}
        for stage in facts["stages"]:
            out = Bytes()
            self.check(self.lib.nereid_artifact_stage(
                artifact, text(stage["name"]), ctypes.byref(out)))
            stages[stage["name"]] = ctypes.string_at(out.data, out.size)
        self.lib.nereid_artifact_destroy(artifact)
        return facts, stages


# Runs Triton's stages in one process, modules in memory: as its own compile()
# does it for a kernel in Python.
REFERENCE = """
import json, os, sys
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
from triton.backends import backends
from triton.backends.compiler import GPUTarget, Language
from triton._C.libtriton import ir
backend, arch = sys.argv[1].split(":")
target = GPUTarget("cuda", int(arch.strip("sma_")), 32) if backend == "cuda" \\
    else GPUTarget("hip", arch, 64)
compiler = [b.compiler for b in backends.values()
            if b.compiler.supports_target(target)][0](target)
options = compiler.parse_options({})
for path in sys.argv[2:]:
    # Each in a process of its own: Triton aborts on some.
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    with open(path) as file:
        source = file.read()
    with open("input.ttir", "w") as file:
        file.write(source)
    context = ir.context()
    ir.load_dialects(context)
    compiler.load_dialects(context)
    module = ir.parse_mlir_module("input.ttir", context)
    module.context = context
    stages = {}
    compiler.add_stages(stages, options, Language.TRITON)
    metadata = dict(vars(options))
    try:
        for name, function in stages.items():
            module = function(module, metadata)
            if name in ("ptx", "amdgcn"):
                asm = module
    except Exception:
        os._exit(1)  # what this Triton cannot compile for this target
    facts = {name: value for name, value in metadata.items()
             if isinstance(value, (str, int)) or value is None}
    facts["maps"] = len(metadata.get("tensordesc_meta") or ())
    with open(os.path.basename(path) + ".asm", "w") as file:
        json.dump(facts, file)
        file.write("\\n" + asm)
    os._exit(0)
"""


def reference(python, target, paths):
    """{path: (metadata, assembly) of Triton itself}, where it makes an image"""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-c", REFERENCE, target, *map(str, paths)],
                       check=True, cwd=folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        made = {path: pathlib.Path(folder) / f"{path.name}.asm"
                for path in paths}
        found = {path: asm.read_bytes().split(b"\n", 1)
                 for path, asm in made.items() if asm.exists()}
        return {path: (json.loads(facts), asm)
                for path, (facts, asm) in found.items()}


def without_record(data):
    head, _, _ = data.rpartition(b"nereid.metadata ")
    return head.rsplit(b"\n", 1)[0]


def code_of(assembly):
    """Without lines of the source: where two operations were merged, the line
    of either may remain when a module has been written and read again."""
    return [line for line in assembly.split(b"\n")
            if line and not line.lstrip().startswith(b".loc\t")]


def metadata_problem(found, expected):
    """How the metadata of an image differs from what Triton says, or None."""
    def padded(name):
        size = expected["num_ctas"] * (expected.get(f"{name}_size") or 0)
        return -(-size // found["scratch_alignment"]) * found["scratch_alignment"]

    values = {name: expected.get(name) or 0
              for name in ("name", "shared", "num_warps", "num_ctas")}
    values["scratch_size"] = padded("global_scratch") + padded("profile_scratch")
    values["profile_scratch_size"] = padded("profile_scratch")
    if expected.get("tmem_size"):
        values["tmem_size"] = expected["tmem_size"]
    for name, value in values.items():
        if found[name] != value:
            return f"{name} is {found[name]}, Triton says {value}"
    # A record has five numbers and the size of each dimension.
    numbers, maps = list(found.get("tensor_maps", [])), 0
    while numbers:
        del numbers[:5 + numbers[1]]
        maps += 1
    if maps != expected["maps"]:
        return f"there are {maps} tensor maps, Triton says {expected['maps']}"
    return None


def problem_of(facts, stages):
    """What is wrong with a result, or None."""
    image = facts["stages"][-1]["name"]
    if not stages[image].startswith(b"\x7fELF"):
        return f"{image} is not an ELF file"
    metadata = facts["metadata"]
    for name in ("name", "argument_names", "argument_types", "argument_offsets",
                 "shared", "num_warps", "scratch_size", "scratch_parameters"):
        if name not in metadata:
            return f"metadata has no {name}"
    if metadata["name"].encode() not in stages[image]:
        return "the image does not have the kernel's symbol"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--kernels", required=True, type=pathlib.Path)
    parser.add_argument("--targets", default="cuda:sm_90a,hip:gfx942")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.python.exists():
        print(f"skipped: no {options.python}; scripts/python-env makes it")
        return 77
    os.environ["NEREID_TRITON_PYTHON"] = os.path.abspath(options.python)
    failures = 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NEREID_CACHE_DIR"] = cache
        nereid = Nereid(options.build)
        paths = sorted(options.kernels.resolve().glob("*.ttir"))[::options.every]
        for target in options.targets.split(","):
            start = time.monotonic()
            expected = reference(os.path.abspath(options.python), target, paths) \
                if options.compare else {}

            def compile_one(path, target=target, expected=expected):
                is_expected = not options.compare or path in expected
                try:
                    facts, stages = nereid.compile(target, path)
                    problem = problem_of(facts, stages)
                    if not is_expected:
                        problem = "compiles, but not with Triton alone"
                    elif options.compare and not problem:
                        asm = stages.get("ptx", stages.get("amdgcn"))
                        metadata, code = expected[path]
                        problem = metadata_problem(facts["metadata"], metadata)
                        if problem:
                            pass
                        elif code_of(without_record(asm)) != code_of(code):
                            problem = "differs from what Triton makes"
                        elif nereid.compile(target, path)[1] != stages:
                            problem = "differs the second time"
                except RuntimeError as error:
                    problem = str(error) if is_expected else None
                return path, problem

            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for path, problem in pool.map(compile_one, paths):
                    if problem:
                        failures += 1
                        print(f"{target} {path.name}: {problem}")
            refused = len(paths) - len(expected) if options.compare else 0
            print(f"{target}: {len(paths)} kernels in "
                  f"{time.monotonic() - start:.1f} s"
                  + (f", {refused} of which Triton cannot compile"
                     if refused else ""))
        nereid.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
