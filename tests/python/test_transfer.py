"""Devices with memory of their own, whose work is done later."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib

FOLDER = pathlib.Path(__file__).parent

WHERE = """
import sys, threading
import triton
active = triton.runtime.driver.active
print(active.get_current_device(), active.get_current_target().arch)
thread = threading.Thread(target=lambda: print(active.get_current_device()))
thread.start()
thread.join()
"""


def test_own_memory(build, run_program):
    done = run_program(
        "import sys, pytest\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(FOLDER / 'own_memory.py')!r}]))\n",
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_named_device_is_every_threads(build, run_program):
    done = run_program(
        WHERE, NEREID_PLUGIN_DIRS=str(build / "tests/apart"), NEREID_TARGET="apart:1"
    )
    assert done.stdout == "apart:1 two\napart:1\n", done.stderr


def test_a_device_library_that_is_lost(build, run_program):
    done = run_program(
        WHERE,
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
        APART_LOSES_LIBDEVICE="1",
    )
    assert "nereid.Error: the device library has gone" in done.stderr
