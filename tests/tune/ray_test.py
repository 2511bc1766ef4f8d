"""Sweeps over a Ray cluster of two machines, which are processes here."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE
parser = argparse.ArgumentParser()
parser.add_argument("--python", required=True, type=pathlib.Path)
parser.add_argument("--tool", required=True, type=pathlib.Path)
parser.add_argument("--triton", required=True, type=pathlib.Path, help="a Python with it")
args = parser.parse_args()
if not args.python.exists():
    print(f"skipped: no {args.python}; scripts/python-env makes it")
    sys.exit(SKIPPED)
if sys.executable != str(args.python):
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.execv(args.python, [args.python, *sys.argv])

from ray.cluster_utils import Cluster  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRIPT = ROOT / "host/tools/nereid/tune/ray_sweep.py"
LIMIT = 600  # seconds; only ends what hangs


class Machines:
    """A cluster whose head runs nothing, and the machines a and b."""

    def __init__(self):
        limits = {"object_store_memory": 80 << 20}
        self._cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **limits}
        )
        self._nodes = {
            name: self._cluster.add_node(
                num_cpus=1, env_vars={**os.environ, "FAKE_MACHINE": name}, **limits
            )
            for name in ("a", "b")
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._cluster.shutdown()

    @property
    def address(self):
        return self._cluster.address

    def remove(self, name):
        self._cluster.remove_node(self._nodes.pop(name), allow_graceful=False)


class Sweep:
    """A sweep that was started, over tasks that say what they do (fake_tool.py)."""

    def __init__(
        self, address, folder, tasks, budget=0, resumes=False, tool=HERE / "fake_tool.py"
    ):
        self._store = folder / "store.json"
        settings = {
            "address": address,
            "tool": str(tool),
            "store": str(self._store),
            "words": [],
            "budget": budget,
            "resumes": resumes,
        }
        command = [sys.executable, "-c", SCRIPT.read_text(), json.dumps(settings)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with self._process.stdin as calls:
            calls.writelines(json.dumps(task) + "\n" for task in tasks)
        self._process.stdin = None

    def wait_for(self, path):
        """The content of a file that a task writes."""
        end = time.monotonic() + LIMIT
        while not path.exists() or not path.read_text():
            assert self._process.poll() is None, self._process.stderr.read()
            assert time.monotonic() < end, f"{path} was not written"
            time.sleep(0.1)
        return path.read_text()

    def finish(self, expected=0):
        """What it did, and its messages."""
        _, messages = self._process.communicate(timeout=LIMIT)
        assert self._process.returncode == expected, messages
        rows = json.loads(self._store.read_text()) if self._store.exists() else []
        return sorted(rows, key=lambda row: row["task"]), messages


def check_that_both_machines_work(machines, folder):
    meeting = folder / "meeting"
    meeting.mkdir()
    tasks = [{"task": number, "meet": str(meeting)} for number in range(20)]
    rows, _ = Sweep(machines.address, folder, tasks, budget=1000).finish()
    assert [row["task"] for row in rows] == list(range(20))
    assert {row["machine"] for row in rows} == {"a", "b"}
    assert all(1 <= int(row["budget"].removesuffix("s")) <= 1000 for row in rows)


def check_that_a_failure_is_reported(machines, folder):
    tasks = [{"task": number} for number in range(3)]
    tasks[1]["fails"] = "no such operator"
    rows, messages = Sweep(machines.address, folder, tasks).finish(expected=1)
    assert [row["task"] for row in rows] == [0, 2]
    assert "error: no such operator" in messages
    assert messages.endswith("error: 1 of 3 tasks failed\n")


def check_that_a_sweep_is_resumed(machines, folder):
    known = {"task": 1, "machine": "before", "budget": None}
    (folder / "store.json").write_text(json.dumps([known]))
    tasks = [{"task": number} for number in range(3)]
    rows, _ = Sweep(machines.address, folder, tasks, resumes=True).finish()
    assert [row["machine"] for row in rows if row["task"] == 1] == ["before"]
    assert {row["task"] for row in rows} == {0, 1, 2}


def check_that_a_missing_tool_is_an_error(machines, folder):
    _, messages = Sweep(machines.address, folder, [{"task": 0}], tool=folder / "no").finish(1)
    assert "No such file or directory" in messages


def check_that_no_cluster_is_an_error(machines, folder):
    _, messages = Sweep("127.0.0.1:1", folder, [{"task": 0}]).finish(1)
    assert messages.startswith("error: there is no Ray cluster at 127.0.0.1:1")


def check_that_the_tool_tunes(machines, folder):
    if not args.triton.exists():
        print(f"skipped: no {args.triton}; scripts/python-env makes it")
        return
    command = [
        args.tool, "tune", "run", "softmax_table", "--shape", "8x1024", "--target", "cpu",
        "--python", args.triton, "--packs", ROOT / "examples/tunable/pack",
        "--store", folder / "tuned.db", "--ray", machines.address, "--budget", "10m",
    ]  # fmt: skip
    environment = {**os.environ, "NEREID_RAY_PYTHON": sys.executable}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("1 of 1 tasks\n"), done.stderr
    command = [args.tool, "tune", "list", "--store", folder / "tuned.db", "--json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["results"]
    assert {row["operator"] for row in rows} == {"softmax_table"}
    assert len(rows) >= 5, rows


def check_that_tasks_of_a_lost_machine_go_elsewhere(machines, folder):
    held = folder / "held"
    tasks = [{"task": number} for number in range(6)]
    tasks[0]["hold"] = str(held)
    sweep = Sweep(machines.address, folder, tasks)
    lost = sweep.wait_for(held)
    machines.remove(lost)
    rows, messages = sweep.finish()
    assert [row["task"] for row in rows] == list(range(6))
    assert rows[0]["machine"] != lost
    assert "6 of 6 tasks" in messages


try:
    machines_of_the_test = Machines()
except Exception as error:
    print(f"skipped: no cluster of Ray starts here: {error}")
    sys.exit(SKIPPED)
with machines_of_the_test as cluster:
    for check in (
        check_that_both_machines_work,
        check_that_a_failure_is_reported,
        check_that_a_sweep_is_resumed,
        check_that_the_tool_tunes,
        check_that_a_missing_tool_is_an_error,
        check_that_no_cluster_is_an_error,
        check_that_tasks_of_a_lost_machine_go_elsewhere,
    ):
        print(check.__name__, flush=True)
        with tempfile.TemporaryDirectory(prefix="nereid-ray-") as name:
            check(cluster, pathlib.Path(name))
