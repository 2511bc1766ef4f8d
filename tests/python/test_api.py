"""The Python API beside Triton: plain data in and out."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import ast
import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import nereid
import pytest
import torch

ADD = """
tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %op = tt.addptr %os, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %xv = tt.load %xp : tensor<16x!tt.ptr<f32>>
  %yv = tt.load %yp : tensor<16x!tt.ptr<f32>>
  %sum = arith.addf %xv, %yv : tensor<16xf32>
  tt.store %op, %sum : tensor<16x!tt.ptr<f32>>
  tt.return
}
"""

DOUBLE = """
tt.func public @double(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %xv = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %sum = arith.addf %xv, %xv : tensor<1024xf32>
  tt.store %op, %sum : tensor<1024x!tt.ptr<f32>>
  tt.return
}
"""


def test_plugins_are_the_load_report():
    loaded = {plugin.id: plugin for plugin in nereid.plugins() if plugin.loaded}
    assert {"cpu", "extension"} <= set(loaded)
    assert loaded["cpu"].reason == "loaded"
    json.dumps(dataclasses.asdict(loaded["cpu"]))


def test_devices():
    devices = {device.name: device for device in nereid.devices()}
    cpu = devices["cpu"]
    assert (cpu.plugin, cpu.index) == ("cpu", 0)
    assert cpu.properties["multiprocessor_count"] > 0
    assert devices["extension:1"].index == 1


def test_explain_names_the_winner():
    assert nereid.explain("cpu")["winner"]


def test_options_have_documentation():
    names = {option["name"]: option for option in nereid.options("cpu")}
    assert names["opt_level"]["doc"]


def test_compile_and_launch():
    kernel = nereid.compile(ADD, "cpu", name="add.ttir")
    assert kernel.name == "add"
    assert [a.type for a in kernel.arguments] == ["*f32"] * 3
    assert b"define" in kernel.stage("llir")
    x, y, out = torch.randn(16), torch.randn(16), torch.zeros(16)
    kernel.launch((1,), x, y, out.data_ptr())
    assert torch.equal(out, x + y)


def test_second_compile_is_from_the_cache():
    nereid.compile(ADD, "cpu", options={"opt_level": 1})
    again = nereid.compile(ADD, "cpu", options={"opt_level": 1})
    assert again.describe()["from_cache"]
    assert b"define" in again.stage("llir")


def test_dump(tmp_path):
    nereid.compile(ADD, "cpu", dump_dir=str(tmp_path))
    assert any(path.suffix == ".ll" for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "source, target, options, status, words",
    [
        ("nonsense", "cpu", {}, "invalid-argument", "kernel.ttir:1:"),
        (ADD, "cpux", {}, "not-found", "cpu"),
        (ADD, "cpu", {"opt_levle": 1}, "invalid-argument", "opt_level"),
    ],
)
def test_refusals_say_why(source, target, options, status, words):
    with pytest.raises(nereid.Error, match=words) as caught:
        nereid.compile(source, target, options=options)
    assert caught.value.status == status


def test_ttir_is_described_by_libnereid():
    native = nereid._native.require()
    (function,) = json.loads(native.describe_ttir(ADD, "add.ttir"))["functions"]
    assert [bool(a.get("written")) for a in function["arguments"]] == [False, False, True]
    with pytest.raises(nereid.Error, match="add.ttir:1:") as caught:
        native.describe_ttir("nonsense", "add.ttir")
    assert caught.value.status == "invalid-argument"


def test_wrong_arguments():
    kernel = nereid.compile(ADD, "cpu")
    with pytest.raises(TypeError, match="takes 3 arguments, 2 were given"):
        kernel.launch((1,), torch.zeros(16), torch.zeros(16))
    with pytest.raises(TypeError, match="argument 1 is a str"):
        kernel.launch((1,), torch.zeros(16), "y", torch.zeros(16))
    with pytest.raises(TypeError, match="option 'opt_level' is a NoneType"):
        nereid.compile(ADD, "cpu", options={"opt_level": None})


def stored(kind, value):
    """What a kernel with one argument of type `kind` stores."""
    store = "tt.store %p, %a : !tt.ptr<KIND>"
    source = (
        "tt.func public @k(%p: !tt.ptr<KIND>, %a: KIND) {\n  "
        + store
        + "\n  tt.return\n}\n"
    ).replace("KIND", kind)
    out = torch.zeros(1, dtype=torch.int64)
    nereid.compile(source).launch((1,), out.data_ptr(), value)
    return out.item()


@pytest.mark.parametrize(
    "kind, value",
    [("i32", 2**32 + 3), ("i32", -(2**31) - 1), ("i64", 2**64 + 9), ("i64", -(2**70)),
     ("i8", 256), ("i1", 2)],
)  # fmt: skip
def test_integers_that_do_not_fit_are_refused(kind, value):
    with pytest.raises(OverflowError, match=f"integer of {kind[1:]} bit"):
        stored(kind, value)


def test_integers_may_be_signed_or_unsigned():
    assert stored("i32", 2**32 - 1) == 2**32 - 1
    assert stored("i32", -1) == 2**32 - 1
    assert stored("i64", 2**64 - 1) == -1
    assert stored("i8", -128) == 128
    assert stored("i1", True) == stored("i1", 1) == stored("i1", 3) == 1


@pytest.mark.parametrize("value", ["x", [1], 2.5, None])
def test_truth_values_are_no_other_types(value):
    with pytest.raises(TypeError, match="expected a truth value"):
        stored("i1", value)


def test_the_program_of_the_readme(program_of_readme):
    names = {"ttir": DOUBLE, "target": "cpu"}
    exec(program_of_readme, names)
    assert names["nanoseconds"] > 0
    assert (names["result"] == 2).all()


OUT_OF_MEMORY = """
import resource
import nereid
values = [1] * 50_000_000
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
try:
    nereid.compile("module {}", "cpu", options={"opt_level": values})
except MemoryError:
    print("MemoryError")
"""


def test_out_of_memory_is_an_exception(run_program):
    done = run_program(OUT_OF_MEMORY)
    assert done.stdout == "MemoryError\n", done.stderr


def test_devices_are_numbers():
    from nereid._native import library

    backend, _ = library.choose("cpu")
    for number in (-1, 2**32, 2**70):
        with pytest.raises(ValueError, match="is not the number of a device"):
            backend.target(number)
    with pytest.raises(TypeError):
        backend.target("0")


def test_the_stub_describes_the_native_module():
    from nereid._native import library

    stub = pathlib.Path(__file__).parents[2] / "host/python/nereid/_nereid.pyi"
    tree = ast.parse(stub.read_text())

    def names(body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.AnnAssign):
                yield node.target.id

    def public(thing):
        return {name for name in vars(thing) if not name.startswith("_")}

    assert set(names(tree.body)) == public(library)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name != "Error":
            described = {name for name in names(node.body) if not name.startswith("_")}
            assert described == public(getattr(library, node.name)), node.name


def test_the_tool():
    done = subprocess.run(
        [sys.executable, "-m", "nereid", "plugins", "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)


def test_memory_of_the_cpu_plugin():
    before = nereid.memory_info("cpu")
    assert 0 < before.free <= before.total
    pinned = nereid.allocate_host(64, "cpu")
    memoryview(pinned)[:] = bytes(range(64))
    with nereid.allocate(64, "cpu") as memory:
        memory.copy_from(pinned)
        back = nereid.allocate_host(64, "cpu")
        memory.copy_to(back)
    assert bytes(back) == bytes(range(64))


MEMORY = """
import nereid

for device, size in (("asynchronous:0", 64 << 20), ("asynchronous:1", 16 << 20)):
    assert nereid.memory_info(device) == (size, size), nereid.memory_info(device)
    with nereid.allocate(1 << 20, device) as memory:
        assert nereid.memory_info(device).free == size - (1 << 20)
        pinned = nereid.allocate_host(1 << 20, device)
        view = memoryview(pinned)
        view[:] = bytes(range(256)) * 4096
        stream = nereid.Stream(device)
        memory.copy_from(pinned, stream=stream)
        back = nereid.allocate_host(1 << 20, device)
        memory.copy_to(back, stream=stream)
        stream.synchronize()
        assert bytes(back) == bytes(view)
    assert nereid.memory_info(device).free == size
    try:
        nereid.allocate_host(1 << 62, device)
    except nereid.Error as error:
        assert error.status == "out-of-resources", error.status
        assert "no memory for 4611686018427387904 bytes" in str(error)
    else:
        raise AssertionError("there is so much memory")
"""


def test_memory_of_an_asynchronous_device(build, run_program):
    done = run_program(
        MEMORY, NEREID_PLUGIN_DIRS=str(build / "tests/plugins/asynchronous")
    )
    assert done.returncode == 0, done.stderr


CANCELLED = """
import os, pathlib, signal, sys, threading, time
import nereid

dump = pathlib.Path(sys.argv[1])

def press_ctrl_c():
    while not dump.exists():  # the source is written before the first stage
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press_ctrl_c).start()
try:
    nereid.compile("wait", "cpu", dump_dir=str(dump))
except KeyboardInterrupt:
    print("interrupted")
try:
    nereid.compile("refuse", "cpu")
except nereid.Error as error:
    print(error)
"""


@pytest.mark.parametrize("policy", ["always", "always,isolated"])
def test_ctrl_c_ends_a_compilation(build, run_program, tmp_path, policy):
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    shutil.copy(build / "tests/plugins/mishap_plugin.so", plugins)
    done = run_program(
        CANCELLED,
        tmp_path / "dump",
        NEREID_PLUGIN_DIRS=f"{plugins};{build / 'lib/nereid/plugins'}",
        NEREID_COMPILER="mishap",
        NEREID_COMPILE=policy,
    )
    assert done.returncode == 0, done.stderr
    first, _, rest = done.stdout.partition("\n")
    assert first == "interrupted"
    assert "not this one" in rest
