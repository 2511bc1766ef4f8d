"""What several tests use: programs in a process of their own, and a count of
Triton's launches."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture
def build():
    """The build tree."""
    return pathlib.Path(os.environ["NEREID_TEST_BUILD"])


@pytest.fixture
def program_of_readme():
    """The program that shows memory, streams and events."""
    readme = pathlib.Path(__file__).parents[2] / "host/python/README.md"
    _, _, text = readme.read_text().partition("## Memory, streams and events\n")
    _, _, block = text.partition("\n\n    ")
    lines = ("    " + block).splitlines()
    end = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return "\n".join(line[4:] for line in lines[:end])


@pytest.fixture
def run_program(tmp_path):
    """Runs a file of this folder or a text as a program; gives the process."""

    def run(program, *arguments, **variables):
        path = pathlib.Path(__file__).parent / program if "\n" not in program else None
        if path is None:
            path = tmp_path / "program.py"
            path.write_text(program)
        env = {**os.environ, **variables}
        return subprocess.run(
            [sys.executable, path, *map(str, arguments)],
            env={name: value for name, value in env.items() if value is not None},
            capture_output=True,
            text=True,
            timeout=1200,
        )

    return run


@pytest.fixture
def jit_calls(monkeypatch):
    """The calls that reach Triton's JIT."""
    from triton.runtime.jit import JITFunction

    calls = []
    run = JITFunction.run

    def counted(self, *args, **kwargs):
        calls.append(self)
        return run(self, *args, **kwargs)

    monkeypatch.setattr(JITFunction, "run", counted)
    return calls
