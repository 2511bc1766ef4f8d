"""`@triton.autotune` on the store of tuned results."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import itertools
import json
import pathlib
import subprocess
import sys

import nereid
import pytest
import triton

PROGRAM = pathlib.Path(__file__).with_name("autotuned.py")


@pytest.fixture
def tool(build, tmp_path):
    """Runs `nereid tune` on the test's store."""

    def run(*arguments):
        command = [build / "bin/nereid", "tune", *arguments, "--store", tmp_path / "tuned.db"]
        done = subprocess.run([*command, "--json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def forks():
    """Asks the process that forks."""
    command = [sys.executable, PROGRAM.with_name("forked.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def ask(**request):
            print(json.dumps(request), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()


class Run:
    """A program that was started."""

    def __init__(self, forks, folder, program, words, variables):
        self._ask = forks
        self._folder = folder
        folder.mkdir()
        self._number = forks(
            program=str(program),
            arguments=[str(word) for word in words],
            variables=variables,
            output=str(folder / "output"),
            errors=str(folder / "errors"),
        )

    def wait(self):
        """Whether it succeeded, what it reported, its errors."""
        status = self._ask(wait=self._number)
        return status == 0, *((self._folder / x).read_text() for x in ("output", "errors"))

    def report(self):
        succeeded, output, errors = self.wait()
        assert succeeded, errors
        return json.loads(output)


@pytest.fixture
def start(forks, tmp_path):
    """Starts the program, or a changed one, on the test's store."""
    count = itertools.count()

    def run(*words, program=PROGRAM, **variables):
        variables = {"NEREID_TUNED": str(tmp_path / "tuned.db"), **variables}
        return Run(forks, tmp_path / f"run-{next(count)}", program, words, variables)

    return run


@pytest.fixture
def tuned(start):
    """What the program reports."""
    return lambda *words, **options: start(*words, **options).report()


@pytest.fixture
def changed_program(tmp_path):
    def change(before, after):
        text = PROGRAM.read_text()
        assert before in text
        path = tmp_path / "autotuned.py"
        path.write_text(text.replace(before, after))
        return path

    return change


@pytest.fixture
def rows(tool):
    return lambda: tool("list")["results"]


@pytest.fixture
def replace_rows(tool, tmp_path):
    """Replaces the store by its rows after `change`."""

    def replace(change):
        path = tmp_path / "changed.json"
        tool("export", "-o", path)
        content = json.loads(path.read_text())
        for row in content["results"]:
            change(row)
        path.write_text(json.dumps(content))
        (tmp_path / "tuned.db").rename(tmp_path / "before.db")
        tool("import", path)

    return replace


def test_what_is_stored_is_not_timed_again(tuned, rows):
    first = tuned(1000)
    assert first["timed"] == [64, 128, 256]
    second = tuned(1000)
    assert second == {**first, "timed": [], "once": True}
    assert [(row["operator"], row["status"]) for row in rows()] == [("triton:add_one", "ok")] * 3
    assert sorted(row["median_ns"] for row in rows()) == [1e6, 2e6, 3e6]
    assert rows()[0]["key_exact"] == {
        "n": 1000, "x.dtype": "torch.float32", "y.dtype": "torch.float32"
    }


def test_rows_name_compiler_and_device(tuned, rows):
    tuned(1000)
    row = rows()[0]
    device = next(device for device in nereid.devices() if device.device_type == "cpu")
    assert row["compiler_plugin"] == device.plugin
    assert row["compiler_build"] and row["compiler_release"]
    assert row["compiler_dependencies"].endswith(f"triton {triton.__version__}")
    assert row["device_name"] == device.properties["name"]
    assert row["device_architecture"] == device.arch
    assert row["device_units"] == device.properties["multiprocessor_count"]


def test_device_that_does_not_exist_has_no_origin():
    backend, _ = nereid._native.require().choose("cpu")
    with pytest.raises(nereid.Error, match="device"):
        nereid._native.require().origin(backend, 99)


def test_another_key_is_tuned(tuned):
    tuned(1000)
    assert tuned(1001)["timed"] == [64, 128, 256]


def test_changed_kernel_is_tuned_again(tuned, changed_program):
    tuned(1000)
    program = changed_program("tl.load(x + at) + 1", "tl.load(x + at) + 1.0")
    assert tuned(1000, program=program)["timed"] == [64, 128, 256]


def test_only_new_configurations_are_timed(tuned):
    tuned(1000)
    more = tuned(1000, "more")
    assert (more["timed"], more["best"]) == ([512], 512)
    assert more["times"] == pytest.approx([0.5, 1, 2, 3])


def test_pruned_configurations_are_left_alone(tuned):
    assert tuned(1000, "pruned")["timed"] == [64, 128]
    assert tuned(1000, "pruned", "slow")["timed"] == []
    assert tuned(1000)["timed"] == [256]


def test_same_kernel_is_timed_once(tuned, rows):
    first = tuned(1024, "warps")
    assert first["timed"] == [64, 128, 256]
    assert first["times"] == [1] * 4 + [2] * 4 + [3] * 4
    assert len(rows()) == 12
    assert tuned(1024, "warps")["timed"] == []
    assert tuned(1024, "warps", NEREID_TUNING="off")["timed"] == [64] * 4 + [128] * 4 + [256] * 4


def test_option_that_a_heuristic_reads_makes_another_kernel(tuned):
    assert tuned(1024, "warps", "reads_warps")["timed"] == [64, 64, 128, 128, 256, 256]


def test_option_that_the_kernel_reads_makes_another_kernel(tuned, changed_program):
    declared = changed_program("EVEN: tl.constexpr,", "EVEN: tl.constexpr, num_warps: tl.constexpr,")
    assert tuned(1024, "warps", program=declared)["timed"] == [64, 128, 256]
    text = declared.read_text().replace("BLOCK > FAILING", "BLOCK > FAILING * num_warps")
    declared.write_text(text)
    assert tuned(1024, "warps", program=declared)["timed"] == [64, 64, 128, 128, 256, 256]


def test_off_is_triton_alone(tuned, rows):
    assert tuned(1000, NEREID_TUNING="off")["timed"] == [64, 128, 256]
    assert tuned(1000)["timed"] == [64, 128, 256]
    assert tuned(1000, NEREID_TUNING="off")["timed"] == [64, 128, 256]
    assert len(rows()) == 3


@pytest.mark.parametrize("mode", ["use", "record", "on"])
def test_other_modes_are_one(tuned, mode):
    assert tuned(1000, NEREID_TUNING=mode)["timed"] == [64, 128, 256]
    assert tuned(1000, NEREID_TUNING=mode)["timed"] == []


def test_unknown_mode_is_an_error(start):
    succeeded, _, errors = start(1000, NEREID_TUNING="always").wait()
    assert not succeeded
    assert "NEREID_TUNING is 'always', expected one of off, use, record, on" in errors


def test_hooks_run_as_with_triton(tuned):
    first = tuned(1000, "hooks")
    assert first["hooks"] == [64, 128, 256]
    assert tuned(1000, "hooks")["hooks"] == []


def test_values_are_restored(tuned):
    assert tuned(1000, "restore")["once"]
    assert tuned(1000, "restore")["once"]


def test_tensor_that_is_input_and_output_is_restored(tuned):
    assert tuned(1000, "in_place")["once"]
    assert not tuned(2000, "in_place", NEREID_TUNING="off")["once"]


OVERLAPS = """
import torch
from nereid.triton import activate
activate()
from nereid.triton.autotune import _restored

memory = torch.arange(24.0).reshape(4, 6)
before = memory.clone()
row, column = memory[1], memory[:, 2].expand(2, 4)
parameter = torch.nn.Parameter(memory[3])
version = memory._version
with _restored((row, 7, memory[2], "", column, parameter, memory[3])):
    memory.data.fill_(-1.0)
assert memory._version == version
changed = torch.ones(4, 6, dtype=torch.bool)
changed[1:4] = False  # passed with a column that crosses them
changed[0, 2] = False
assert torch.equal(memory, torch.where(changed, -1.0, before)), memory
with _restored((memory[:2].clone(), memory[2:].clone(), memory[:2], memory[2:])):
    memory.fill_(5.0)
assert (memory == 5).all()
"""


def test_overlapping_arguments_are_restored_and_no_others(tmp_path):
    done = subprocess.run([sys.executable, "-c", OVERLAPS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_row_of_another_compiler_is_no_winner(tuned, replace_rows):
    tuned(1000)
    replace_rows(lambda row: row.update(compiler_release="9.9"))
    assert tuned(1000, "slow")["best"] == 128


def test_row_of_another_build_is_used(tuned, replace_rows):
    tuned(1000)
    replace_rows(lambda row: row.update(compiler_build="another"))
    assert tuned(1000)["timed"] == []
    # Their times cannot be compared with new ones.
    assert tuned(1000, "more")["timed"] == [64, 128, 256, 512]


def test_unknown_configuration_is_ignored(tuned, replace_rows):
    tuned(1000)

    def poison(row):
        if row["configuration"]["BLOCK"] == 64:
            row["configuration"] = {"BLOCK": 1 << 40, "ir_override": "/tmp/evil.ttir"}

    replace_rows(poison)
    again = tuned(1000)
    assert (again["timed"], again["best"]) == ([64], 64)


def test_damaged_store_is_moved_away(tuned, tmp_path):
    (tmp_path / "tuned.db").write_bytes(b"not a store" * 1000)
    assert tuned(1000)["timed"] == [64, 128, 256]
    assert tuned(1000)["timed"] == []
    assert (tmp_path / "tuned.db.damaged-1").exists()


def test_store_that_cannot_be_written_costs_nothing_but_time(tuned, tmp_path):
    (tmp_path / "file").write_text("")
    store = str(tmp_path / "file/tuned.db")
    assert tuned(1000, NEREID_TUNED=store)["timed"] == [64, 128, 256]


def test_kernel_that_does_not_load_is_set_aside(tuned, rows):
    tuned(1000)
    # FAILING is no part of the key, so that the stored winner is one that does not
    # compile.
    again = tuned(1000, "failing")
    assert (again["timed"], again["best"]) == ([], 128)
    failed = [row for row in rows() if row["status"] == "failed"]
    assert [(row["configuration"]["BLOCK"], row["protocol"]) for row in failed] == [(64, "run")]
    assert tuned(1000)["best"] == 128


def test_configuration_that_fails_is_not_tried_again(tuned):
    first = tuned(1000, "failing")
    assert first["best"] == 128
    again = tuned(1000, "failing")
    assert (again["timed"], again["best"]) == ([], 128)


def test_two_processes_at_once(start, tuned, rows):
    both = [start(1000), start(1000)]
    assert [run.report()["best"] for run in both] == [64, 64]
    assert len(rows()) == 3
    assert tuned(1000)["timed"] == []
