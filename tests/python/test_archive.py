"""Archives from Python: opened, launched, explained."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import gc
import os
import pathlib
import shutil
import subprocess
import threading

import nereid
import pytest
import torch

DATA = pathlib.Path(__file__).parents[1] / "data/kernels/3.6.0"


@pytest.fixture
def archive(build, tmp_path):
    """Vector addition and softmax for the CPU, with TTIR."""
    path = tmp_path / "k.nra"
    kernels = [DATA / "vector_add_f32.ttir", DATA / "softmax_f32.ttir"]
    command = [build / "bin/nereid", "build", *kernels, "-o", path, "--target", "cpu", "--progress", "none"]
    subprocess.run([*command, "--embed-ttir"], check=True)
    return path


def add(kernel, n, offset=0):
    x, y = torch.randn(n + offset)[offset:], torch.randn(n + offset)[offset:]
    out = torch.zeros(n + offset)[offset:]
    kernel.launch((-(-n // 1024),), x, y, out, n)
    torch.testing.assert_close(out, x + y)


def test_kernels_are_launched_by_name(archive):
    kernels = nereid.open(archive, target="cpu")
    assert list(kernels) == ["softmax_f32", "vector_add_f32"]
    assert len(kernels) == 2
    assert "softmax_f32" in kernels and "nothing" not in kernels
    add(kernels["vector_add_f32"], 3000)
    # Not at a multiple of 16 bytes: the variant without conditions.
    add(kernels["vector_add_f32"], 3000, offset=1)
    x = torch.randn(8, 700)
    out = torch.empty_like(x)
    kernels["softmax_f32"].launch((8,), out, x, 700, 700, 700)
    torch.testing.assert_close(out, torch.softmax(x, 1))


def test_facts_of_kernels(archive):
    kernels = nereid.open(str(archive), target="cpu")
    kernel = kernels["vector_add_f32"]
    assert kernel.name == "vector_add_f32"
    assert [argument.type for argument in kernel.arguments] == ["*f32", "*f32", "*f32", "i32"]
    assert kernel.group == "" and kernel.constants == {}
    assert kernel.describe()["variants"][1]["conditions"] == []
    assert kernel.explain()["launchable"]
    kernel.prepare()
    assert kernels.describe()["format"] == "1.0"
    kernels.verify()


def test_errors(archive, tmp_path):
    with pytest.raises(nereid.Error, match="no such file or directory"):
        nereid.open(tmp_path / "absent.nra", target="cpu")
    kernels = nereid.open(archive, target="cpu")
    with pytest.raises(KeyError, match="no kernel 'vector_add'; .*'vector_add_f32'"):
        kernels["vector_add"]
    with pytest.raises(KeyError, match="no group 'sums'"):
        kernels.group("sums")
    with pytest.raises(TypeError, match="takes 4 arguments, 1 were given"):
        kernels["vector_add_f32"].launch((1,), 0)
    add = kernels["vector_add_f32"]
    with pytest.raises(TypeError, match="argument 3 is a float, expected an integer"):
        add.launch((1,), 0, 0, 0, 1.5)
    with pytest.raises(TypeError, match="the grid is not a sequence, expected 1 to 3 sizes"):
        add.launch(1, 0, 0, 0, 1)
    damaged = tmp_path / "damaged.nra"
    damaged.write_bytes(archive.read_bytes()[:-1])
    with pytest.raises(nereid.Error, match="truncated"):
        nereid.open(damaged, target="cpu")


def test_tensors_of_other_elements_are_refused(archive):
    kernel = nereid.open(archive, target="cpu")["vector_add_f32"]
    x, y, out = torch.randn(64), torch.randn(64), torch.zeros(64)
    for wrong in (torch.float16, torch.int32, torch.float64):
        with pytest.raises(TypeError, match=r"argument 2 \('.*'\) of 'vector_add_f32' is a tensor of .*, expected one for '\*f32'"):
            kernel.launch((1,), x, y, out.to(wrong), 64)
    assert not out.any()
    # An address says nothing of what is there.
    kernel.launch((1,), x.data_ptr(), y, out, 64)
    torch.testing.assert_close(out, x + y)


@pytest.mark.parametrize(
    "element, dtype, fits",
    [
        ("f32", "float32", True),
        ("f32", "int32", False),
        ("bf16", "float16", False),
        ("i8", "uint8", True),
        ("i1", "bool", True),
        ("i8", "float8_e5m2", True),
        ("i32", "float8_e5m2", False),
        ("f8e4m3fn", "float8_e4m3fn", True),
        ("f8e4m3fn", "uint8", True),
        ("f8e4m3fn", "float16", False),
        ("f32", "complex64", True),
        ("*f32", "int64", True),
    ],
)
def test_dtypes_of_elements(element, dtype, fits):
    assert nereid._archive._takes(element, dtype) == fits


def test_kernels_outlive_their_archive(archive):
    kernel = nereid.open(archive, target="cpu")["vector_add_f32"]
    os.remove(archive)
    gc.collect()
    add(kernel, 100)


def test_threads_launch_together(archive):
    kernel = nereid.open(archive, target="cpu")["vector_add_f32"]
    failures = []

    def work():
        try:
            for n in range(1, 40):
                add(kernel, n)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_ttir_is_compiled_only_if_asked(build, tmp_path):
    path = tmp_path / "k.nra"
    command = [build / "bin/nereid", "build", DATA / "vector_add_f32.ttir", "-o", path]
    other = "x86_64" if os.uname().machine == "aarch64" else "aarch64"
    command += ["--target", f"cpu:{other}:generic", "--progress", "none", "--embed-ttir"]
    subprocess.run(command, check=True)
    kernel = nereid.open(path, target="cpu")["vector_add_f32"]
    with pytest.raises(nereid.Error, match="has no image for the device"):
        add(kernel, 100)
    add(nereid.open(path, target="cpu", can_compile=True)["vector_add_f32"], 100)


VULKAN = """
import sys
import nereid, torch

kernels = nereid.open(sys.argv[1], target="vulkan")
x, y, out = torch.randn(3000), torch.randn(3000), torch.zeros(3000)
with nereid.allocate(12000, "vulkan") as a, nereid.allocate(12000, "vulkan") as b, \\
        nereid.allocate(12000, "vulkan") as c:
    a.copy_from(x.numpy())
    b.copy_from(y.numpy())
    kernels["vector_add_f32"].launch((3,), a, b, c, 3000)
    c.copy_to(out.numpy())
torch.testing.assert_close(out, x + y)
with open("/proc/self/maps") as maps:
    assert "libnereid-vulkan-compiler" not in maps.read()
"""


def test_a_driver_alone_launches(build, tmp_path, run_program):
    """The plugin without its compiler part, as a program ships it."""
    if not any(device.device_type == "vulkan" for device in nereid.devices()):
        pytest.skip("no Vulkan device")
    path = tmp_path / "k.nra"
    command = [build / "bin/nereid", "build", DATA / "vector_add_f32.ttir", "-o", path]
    subprocess.run([*command, "--target", "vulkan", "--progress", "none"], check=True)
    plugins = tmp_path / "plugins"
    plugins.mkdir(mode=0o755)
    shutil.copy(build / "lib/nereid/plugins/vulkan.so", plugins)
    cache = str(tmp_path / "empty-cache")
    done = run_program(
        VULKAN, path, NEREID_PLUGIN_DIRS=str(plugins), NEREID_CACHE_DIR=cache
    )
    assert done.returncode == 0, done.stderr
