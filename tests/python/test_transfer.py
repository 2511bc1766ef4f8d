"""Tensors of the host on a device with memory of its own."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0


def test_tensors_are_copied_in_and_out(build, run_program):
    done = run_program(
        "own_memory.py",
        NEREID_PLUGIN_DIRS=str(build / "tests/apart"),
        NEREID_TARGET="apart",
    )
    assert done.returncode == 0, done.stderr
