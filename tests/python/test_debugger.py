"""gdb breaks on lines of a kernel's Python source and shows them."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib
import shutil
import subprocess
import sys

import pytest

_PROGRAM = pathlib.Path(__file__).with_name("traced.py")


def _line_of(text):
    lines = _PROGRAM.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def _stop_at(line):
    """What gdb says where it stops."""
    if not shutil.which("gdb"):
        pytest.skip("there is no gdb")
    commands = ["set breakpoint pending on", "set debuginfod enabled off"]
    commands += [f"break traced.py:{line}", "run", "backtrace 2", "kill"]
    gdb = ["gdb", "-nx", "-batch"]
    for command in commands:
        gdb += ["-ex", command]
    # A session of its own: gdb would wait for a terminal that it is not given.
    done = subprocess.run(
        [*gdb, "--args", sys.executable, str(_PROGRAM)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=2400,
        start_new_session=True,
    )
    return done.stdout


def test_a_line_of_the_kernel():
    line = _line_of("# line of the store")
    told = _stop_at(line)
    assert f"traced.py:{line}" in told
    assert "# line of the store" in told, "the source is shown"
    assert "traced_kernel" in told.split("#1")[0]


def test_a_line_of_a_helper():
    line = _line_of("# line of the helper")
    told = _stop_at(line)
    assert "# line of the helper" in told
    assert f"traced.py:{_line_of('z = tripled(x)')}" in told, "who called it"


def test_lines_can_be_left_out(monkeypatch):
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(out_ptr, C: tl.constexpr):
        tl.store(out_ptr, C)

    out = torch.zeros(1)
    assert "!dbg" in kernel[(1,)](out, 1).asm["llir"]
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    assert "!dbg" not in kernel[(1,)](out, 2).asm["llir"]
