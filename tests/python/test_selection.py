"""Who Triton takes: Nereid only where it is named or nobody else has a device.

The other driver is one that always claims a GPU, found as every backend is.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil

import pytest

OTHER = '''
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.backends.driver import DriverBase

class OtherDriver(DriverBase):
    @staticmethod
    def is_active():
        return True
    def map_python_to_cpp_type(self, ty):
        return "int"
    def get_current_target(self):
        return GPUTarget("other", "one", 32)
    def get_active_torch_device(self):
        return None
    def get_benchmarker(self):
        return None

class OtherBackend(BaseBackend):
    @staticmethod
    def supports_target(target):
        return target.backend == "other"
    def hash(self):
        return ""
    def parse_options(self, opts):
        return None
    def add_stages(self, stages, options, language=None):
        pass
    def load_dialects(self, context):
        pass
    def get_module_map(self):
        return {}
'''

WHO = """
import triton
print(type(triton.runtime.driver.active).__name__)
"""


@pytest.fixture
def other_driver(tmp_path):
    """PYTHONPATH with another backend on it."""
    package = tmp_path / "path/other"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    driver, compiler = OTHER.split("class OtherBackend")
    (package / "driver.py").write_text(driver)
    imports = OTHER[: OTHER.index("class OtherDriver")].replace("DriverBase", "DriverBase as _")
    (package / "compiler.py").write_text(imports + "class OtherBackend" + compiler)
    info = tmp_path / "path/other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[triton.backends]\nother = other\n")
    return os.pathsep.join([str(tmp_path / "path"), os.environ["PYTHONPATH"]])


def test_alone_it_is_the_device(run_program):
    done = run_program("program_add.py")
    assert done.stdout == "NereidDriver cpu\n", done.stderr


def test_another_driver_stays_the_choice(run_program, other_driver):
    done = run_program(WHO, PYTHONPATH=other_driver)
    assert done.stdout == "OtherDriver\n", done.stderr


@pytest.mark.parametrize(
    "variable, value", [("NEREID_TARGET", "cpu"), ("TRITON_DEFAULT_BACKEND", "nereid")]
)
def test_named_it_outranks_the_other(run_program, other_driver, variable, value):
    done = run_program("program_add.py", PYTHONPATH=other_driver, **{variable: value})
    assert done.stdout == "NereidDriver cpu\n", done.stderr


def test_activated_it_outranks_the_other(run_program, other_driver):
    done = run_program("program_add.py", "--activate", PYTHONPATH=other_driver)
    assert done.stdout == "NereidDriver cpu\n", done.stderr


def test_target_that_is_not_there_is_an_error(run_program):
    done = run_program("program_add.py", NEREID_TARGET="cup")
    assert done.returncode == 1
    assert "nereid.Error" in done.stderr and "'cpu'" in done.stderr


def test_missing_library_breaks_nothing(run_program, tmp_path):
    """The native module of the first package on the path cannot be loaded."""
    package = pathlib.Path(__file__).parents[2] / "host/python/nereid"
    shutil.copytree(package, tmp_path / "path/nereid")
    broken = tmp_path / "path/nereid/_nereid.py"
    broken.write_text("raise ImportError('libnereid.so.1 is gone')")
    path = os.pathsep.join([str(tmp_path / "path"), os.environ["PYTHONPATH"]])
    done = run_program(
        "import triton, nereid\nprint(nereid.plugins()[0].detail)\n", PYTHONPATH=path
    )
    assert done.stdout == "libnereid.so.1 is gone\n", done.stderr


def test_broken_plugin_breaks_nothing(run_program, build, tmp_path):
    folder = tmp_path / "plugins"
    folder.mkdir(mode=0o755)
    (folder / "bad.so").write_bytes(b"\x7fELF and no more")
    (folder / "bad.so").chmod(0o755)
    plugins = f"{folder};{build / 'lib/nereid/plugins'}"
    done = run_program(
        "import triton, nereid\n"
        "print([p.reason for p in nereid.plugins() if p.path.endswith('bad.so')])\n",
        NEREID_PLUGIN_DIRS=plugins,
    )
    assert "loaded" not in done.stdout and "['" in done.stdout, done.stderr


def test_without_plugins_there_is_no_driver(run_program, tmp_path):
    done = run_program(
        "import os, triton\n"
        "print([b.driver.is_active() for n, b in triton.backends.backends.items()"
        " if n == 'nereid'])\n",
        NEREID_PLUGIN_DIRS=str(tmp_path),
        NEREID_TARGET=None,
    )
    assert done.returncode == 0, done.stderr


def test_a_driver_without_a_compiler_is_not_the_choice(run_program, build):
    plugins = f"{build / 'tests/apart-drv'};{build / 'lib/nereid/plugins'}"
    done = run_program("program_add.py", NEREID_PLUGIN_DIRS=plugins)
    assert done.stdout == "NereidDriver cpu\n", done.stderr


def test_a_driver_without_a_compiler_says_so_when_it_is_named(run_program, build):
    plugins = f"{build / 'tests/apart-drv'};{build / 'lib/nereid/plugins'}"
    done = run_program("program_add.py", NEREID_PLUGIN_DIRS=plugins, NEREID_TARGET="apart")
    assert done.returncode == 1
    assert "nereid.Error" in done.stderr and "compile" in done.stderr.splitlines()[-1]
