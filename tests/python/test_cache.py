"""Triton's cache and Nereid's: nothing is compiled twice, nothing gets lost."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json

import pytest


@pytest.fixture
def run_add(run_program, tmp_path):
    """Runs the program with caches of its own; gives what the trace says of
    compilations: "compiled" or "cached" for each."""

    def run(triton="triton", nereid="nereid", **variables):
        trace = tmp_path / "trace.json"
        trace.unlink(missing_ok=True)
        done = run_program(
            "program_add.py",
            TRITON_CACHE_DIR=str(tmp_path / triton),
            NEREID_CACHE_DIR=str(tmp_path / nereid),
            NEREID_TRACE=str(trace),
            **variables,
        )
        assert done.returncode == 0, done.stderr
        events = json.loads(trace.read_text())
        if isinstance(events, dict):
            events = events["traceEvents"]
        return [e["args"]["result"] for e in events if e.get("cat") == "compile"]

    return run


def test_warm_process_asks_triton_alone(run_add):
    assert run_add() == ["compiled"]
    assert run_add() == []


def test_cold_triton_takes_what_nereid_has(run_add):
    assert run_add() == ["compiled"]
    assert run_add(triton="another") == ["cached"]


def test_image_in_tritons_cache_is_enough(run_add):
    assert run_add() == ["compiled"]
    assert run_add(nereid="another") == []


def test_always_compile(run_add):
    assert run_add() == ["compiled"]
    assert run_add(TRITON_ALWAYS_COMPILE="1") == ["cached"]


REMOTE = """
import pathlib
from triton.runtime.cache import RemoteCacheBackend

class FolderBackend(RemoteCacheBackend):
    def __init__(self, key):
        self.folder = pathlib.Path(__file__).parent / "remote"
        self.folder.mkdir(exist_ok=True)
        self.key = key
    def path(self, name):
        return self.folder / (self.key + name).replace("/", "_")
    def get(self, names):
        return {n: self.path(n).read_bytes() for n in names if self.path(n).exists()}
    def put(self, name, data):
        self.path(name).write_bytes(data)
"""


def test_remote_cache(run_add, tmp_path):
    import os

    (tmp_path / "folder_remote.py").write_text(REMOTE)
    variables = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]),
        "TRITON_CACHE_MANAGER": "triton.runtime.cache:RemoteCacheManager",
        "TRITON_REMOTE_CACHE_BACKEND": "folder_remote:FolderBackend",
    }
    assert run_add(**variables) == ["compiled"]
    assert run_add(triton="b", nereid="b", **variables) == []
    assert any("add_kernel.so" in path.name for path in (tmp_path / "remote").iterdir())


def test_damaged_image_is_refused(run_add, tmp_path, run_program):
    assert run_add() == ["compiled"]
    image = next((tmp_path / "triton").rglob("*.so"))
    content = bytearray(image.read_bytes())
    content[len(content) // 2] ^= 1
    image.write_bytes(content)
    done = run_program(
        "program_add.py",
        TRITON_CACHE_DIR=str(tmp_path / "triton"),
        NEREID_CACHE_DIR=str(tmp_path / "nereid"),
    )
    assert done.returncode == 1
    assert "add_kernel: not a saved kernel, or a damaged one" in done.stderr


@pytest.mark.parametrize("stage", ["llir", "asm", "so"])
def test_dump_and_override(run_add, tmp_path, run_program, stage):
    folder = tmp_path / "dump"
    variables = {"TRITON_KERNEL_DUMP": "1", "TRITON_DUMP_DIR": str(folder)}
    run_add(**variables)
    dumped = {path.suffix for path in folder.rglob("add_kernel.*")}
    assert {".ttir", ".llir", ".asm", ".so"} <= dumped

    changed = next(folder.rglob(f"add_kernel.{stage}"))
    for path in folder.rglob("add_kernel.*"):
        if path != changed:
            path.unlink()
    if stage == "so":
        content = bytearray(changed.read_bytes())
        content[len(content) // 2] ^= 1
        changed.write_bytes(content)
    else:
        text = changed.read_text()
        assert "fadd" in text or "addps" in text
        for name, other in (("fadd", "fsub"), ("addps", "subps")):
            text = text.replace(name, other)
        changed.write_text(text)
    done = run_program(
        "program_add.py",
        TRITON_CACHE_DIR=str(tmp_path / "c"),
        TRITON_KERNEL_OVERRIDE="1",
        TRITON_OVERRIDE_DIR=str(folder),
        TRITON_ALWAYS_COMPILE="1",
    )
    assert "Overriding kernel with file" in done.stdout
    if stage == "so":
        assert "not a saved kernel, or a damaged one" in done.stderr
    else:
        assert "assert torch.equal(out, x + y)" in done.stderr


def test_a_stage_of_the_extension_plugin_is_overridden(tmp_path, run_program):
    variables = {
        "NEREID_TARGET": "extension",
        "TRITON_CACHE_DIR": str(tmp_path / "c"),
        "TRITON_DUMP_DIR": str(tmp_path / "dump"),
        "TRITON_OVERRIDE_DIR": str(tmp_path / "dump"),
        "TRITON_ALWAYS_COMPILE": "1",
    }
    run_program("program_add.py", TRITON_KERNEL_DUMP="1", **variables)
    image = next((tmp_path / "dump").rglob("add_kernel.binary"))
    done = run_program("program_add.py", TRITON_KERNEL_OVERRIDE="1", **variables)
    assert f"Overriding kernel with file {image}" in done.stdout
    # The plugin runs nothing, so the sum is wrong, but the image was launched.
    assert "assert torch.equal(out, x + y)" in done.stderr
    image.write_bytes(b"nothing")
    done = run_program("program_add.py", TRITON_KERNEL_OVERRIDE="1", **variables)
    assert "not a saved kernel" in done.stderr


FORK = """
import os, sys
import torch, triton
torch.set_num_threads(1)  # OpenMP of torch does not survive a fork
sys.argv = ["program_add"]
sys.path.insert(0, {folder!r})
from program_add import add_kernel

def check():
    x, y, out = torch.randn(100_000), torch.randn(100_000), torch.zeros(100_000)
    add_kernel[(391,)](x, y, out, 100_000, BLOCK=256)
    assert torch.equal(out, x + y)

check()
child = os.fork()
if child == 0:
    check()
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0
check()
"""


def test_a_fork_launches(run_program):
    import pathlib

    folder = str(pathlib.Path(__file__).parent)
    done = run_program(FORK.format(folder=folder))
    assert done.returncode == 0, done.stderr
