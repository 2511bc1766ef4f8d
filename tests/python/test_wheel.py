"""The wheel's layout: installed where no path of the build tree helps."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import triton

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "host/python/nereid"
WRITTEN = "3.6.0" if triton.__version__ < "3.8" else "3.9.0"
KERNEL = ROOT / f"tests/data/kernels/{WRITTEN}/vector_add_f32.ttir"


@pytest.fixture
def site(build, tmp_path):
    """A folder of packages with this one alone."""
    site = tmp_path / "site"
    subprocess.run(
        ["cmake", "--install", build, "--component", "wheel", "--prefix", site],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shutil.copytree(PACKAGE, site / "nereid", dirs_exist_ok=True)
    assert [path.name for path in site.iterdir()] == ["nereid"]
    shutil.copytree(next((build / "python").glob("nereid-*.dist-info")), site / "nereid.dist-info")
    return site


@pytest.fixture
def run_tool(site):
    """Runs `python -m nereid` of the package, with no other Python in PATH."""

    def run(*arguments):
        env = {**os.environ, "PYTHONPATH": str(site), "PATH": "/nonexistent"}
        for name in ("NEREID_PLUGIN_DIRS", "NEREID_TRITON_PYTHON"):
            env.pop(name, None)
        command = [sys.executable, "-m", "nereid", *map(str, arguments)]
        return subprocess.run(command, env=env, capture_output=True, text=True)

    return run


def test_installed_package_stands_alone(site, run_program):
    variables = {"PYTHONPATH": str(site), "NEREID_PLUGIN_DIRS": None}
    done = run_program("program_add.py", **variables)
    assert done.stdout == "NereidDriver cpu\n", done.stderr
    done = run_program(
        "import nereid\n"
        "print([p.path for p in nereid.plugins() if p.loaded and p.id == 'cpu'])\n",
        **variables,
    )
    assert done.stdout == f"['{site}/nereid/lib/nereid/plugins/cpu.so']\n", done.stderr
    tool = subprocess.run([site / "nereid/bin/nereid", "version"], capture_output=True)
    assert tool.returncode == 0


def test_installed_package_has_operators(site, run_program):
    done = run_program(
        "import nereid, numpy\n"
        "x = numpy.ones((2, 4), numpy.float32)\n"
        "print(nereid.ops.softmax(x)[0, 0])\n",
        PYTHONPATH=str(site),
        NEREID_PLUGIN_DIRS=None,
        NEREID_TARGET="cpu",
    )
    assert done.stdout == "0.25\n", done.stderr
    packs = site / "nereid/share/nereid/packs"
    assert (packs / "generic/ops/softmax.py").exists()
    assert (packs / "tune_configs.schema.json").exists()



def test_the_package_has_every_plugin(build, site, run_program, run_tool):
    expected = {"cpu", "cuda", "extension", "triton"}
    if (build / "lib/nereid/plugins/vulkan.so").exists():
        expected.add("vulkan")
    done = run_program(
        "import nereid\nprint(*sorted(p.id for p in nereid.plugins() if p.loaded))\n",
        PYTHONPATH=str(site),
        NEREID_PLUGIN_DIRS=None,
    )
    assert set(done.stdout.split()) == expected, done.stderr
    done = run_tool("devices")
    assert "cpu" in done.stdout, done.stderr


def test_the_package_compiles_with_the_triton_beside_it(run_tool, tmp_path):
    image = tmp_path / "add.cubin"
    done = run_tool("compile", KERNEL, "--target", "cuda:sm_90a", "-o", image)
    assert done.returncode == 0, done.stderr
    assert image.read_bytes().startswith(b"\x7fELF")


def test_the_package_makes_plugins_of_classes(site, run_tool, tmp_path):
    """The NVIDIA backend of Triton serves as the class."""
    name = "triton.backends.nvidia.compiler:CUDABackend"
    done = run_tool("new-plugin", "--from-python", name, tmp_path / "plugins", "--id", "own", "--target", "cuda")
    assert done.returncode == 0, done.stderr
    plugin = tmp_path / "plugins/own.so"
    done = run_tool("validate", plugin, "--target", "cuda:sm_90a")
    assert done.returncode == 0, done.stderr
