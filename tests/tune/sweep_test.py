# sweep_test.py - `nereid tune run`: candidates that fail in every way, tuners
# and workers that are killed, stores that cannot be written.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: sweep_test.py NEREID PYTHON candidates|killed|ends|stores|shared
# PYTHON: one with Triton

import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from processes import descendants, is_alive, name_of
from sweep_pack import KERNELS, write_pack

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE
TIME_LIMIT = 280  # seconds; what takes so long hangs

nereid, python, test = sys.argv[1:]
if not os.access(python, os.X_OK):
    print(f"skipped: {python} is not there; scripts/python-env makes it")
    sys.exit(SKIPPED)
root = pathlib.Path(tempfile.mkdtemp(prefix="nereid-sweep-"))
pack, store, temporary = root / "pack", root / "tuned.db", root / "tmp"
environment = {name: value for name, value in os.environ.items()
               if not name.startswith(("NEREID_", "XDG_")) or name.startswith("NEREID_PLUGIN")}
environment |= {"NEREID_TRITON_PYTHON": python, "NEREID_CACHE_DIR": str(root / "cache"),
                "NEREID_PACK_DIRS": str(pack), "HOME": str(root), "TMPDIR": str(temporary)}


def command(*words):
    return [nereid, "tune", *map(str, words)]


def tool(*words, code=0, **more):
    done = subprocess.run(command(*words), timeout=TIME_LIMIT, capture_output=True, text=True,
                          env=environment, **more)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def options(*words, where=store):
    return ["run", *words, "--target", "cpu", "--jobs", "1", "--store", where]


def run(*words, code=0, where=store):
    return json.loads(tool(*options(*words, where=where), "--json", "--progress", "none",
                           code=code).stdout)


def rows(where=store):
    return json.loads(tool("list", "--store", where, "--json").stdout)["results"]


def statuses(where=store):
    return {(row["variant"], row["configuration"].get("BLOCK")): row["status"]
            for row in rows(where)}


def wait_until(what, condition):
    end = time.monotonic() + TIME_LIMIT
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.05)


def test_candidates():
    summary = run("twice", "--shape", "1000", "--limit", "8s")
    [task] = summary["tasks"]
    found = statuses()
    assert task["status"] == "done", summary
    assert task["standard"]["variant"] == "plain" and task["standard"]["default"]
    assert found[("wrong", None)] == "wrong", found
    assert found[("crashes", None)] == "crashed", found
    assert found[("hangs", None)] == "slow", found
    assert found[("odd", None)] == "failed", found
    assert ("absent", None) not in found
    for block in (None, 64, 1024, 4096):
        assert found[("plain", block)] in ("ok", "slow"), found
    notes = {row["variant"]: row["note"] for row in rows()}
    assert "of 1000 differ, the first at" in notes["wrong"], notes
    assert "signal 11" in notes["crashes"], notes
    assert "did not end within 8 s" in notes["hangs"], notes
    assert "300" in notes["odd"] or "power of 2" in notes["odd"], notes
    [default] = [row for row in rows() if row["is_default"]]
    assert default["variant"] == "plain" and default["configuration"] == {}
    assert json.loads(default["note"])["inputs"]["x"]["shape"] == [1000], default
    assert default["protocol"].startswith("sweep 1") and len(default["source"]) == 64
    # All of it is known now, and again after the failures.
    again = run("twice", "--shape", "1000", "--resume")
    assert again["measured"] == again["failed"] == 0 and again["skipped"] == 8, again
    # Other sources are other kernels.
    (pack / "ops/kernels.py").write_text(KERNELS + "# changed\n")
    changed = run("raised", "--shape", "1000")
    assert changed["failed"] == 0 and changed["measured"] == 2, changed
    # A default that cannot be compared with.
    [task] = run("bad", "--shape", "1000", code=1)["tasks"]
    assert task["status"] == "failed" and "the default is crashed" in task["reason"], task
    # Data that no memory holds say nothing about a candidate.
    most = 16 << 30
    done = tool(*options("many", "--shape", "10000000000"), "--json", code=1,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
    [task] = json.loads(done.stdout)["tasks"]
    assert "no memory for" in task["reason"] and task["measured"] + task["failed"] == 0, task
    [task] = run("twice", "--shape", "0")["tasks"]
    assert task["status"] == "empty", task
    error = tool(*options("twice", "--shape", "3x3"), code=1).stdout
    assert "x has 2 dimensions, expected 1" in error, error
    assert "unknown operator 'twcie'" in tool(*options("twcie", "--shape", "3"), code=3).stderr
    assert "nowhere" in tool("run", "twice", "--shape", "3", "--target", "nowhere", "--store",
                             store, code=3).stderr


def test_killed():
    def start():
        return subprocess.Popen(command(*options("many", "--shape", "3000", "--resume"),
                                        "--progress", "plain"),
                                env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
    # The tool: what it had shown is there, and its workers end.
    process = start()
    shown = process.stderr.readline()
    assert "many n=3000" in shown, shown
    children = descendants(process.pid)
    assert any(name_of(child).startswith("nereid-tune-wor") for child in children), children
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    wait_until("the end of the workers", lambda: not any(map(is_alive, children)))
    known = len(rows())
    assert known >= 1
    # Ctrl-C: a summary, and nothing that says a candidate crashed.
    process = start()
    process.stderr.readline()
    os.kill(process.pid, signal.SIGINT)
    for child in descendants(process.pid):
        if name_of(child).startswith("nereid-tune-wor"):
            os.kill(child, signal.SIGINT)
    process.communicate(timeout=TIME_LIMIT)
    assert process.returncode in (0, 130), process.returncode
    assert set(statuses().values()) <= {"ok", "slow"}, statuses()
    # A worker: one row, and the others go on.
    process = start()
    process.stderr.readline()
    is_killed = False
    while process.poll() is None and not is_killed:
        # Others may build what comes next: each would leave a row.
        for child in descendants(process.pid):
            if name_of(child).startswith("nereid-tune-wor"):
                try:
                    os.kill(child, signal.SIGKILL)
                    is_killed = True
                    break
                except ProcessLookupError:
                    pass
    process.communicate(timeout=TIME_LIMIT)
    assert process.returncode in (0, 1), process.returncode
    bad = [row for row in rows() if row["status"] not in ("ok", "slow")]
    assert len(bad) <= 1 and all(row["status"] == "crashed" for row in bad), bad
    [task] = run("many", "--shape", "3000", "--resume",
                 code=1 if any(row["is_default"] for row in bad) else 0)["tasks"]
    assert task["status"] in ("done", "failed"), task
    assert len({(row["variant"], str(row["configuration"])) for row in rows()}) == len(rows())


def test_ends():
    # The first probe keeps the budget too.
    [task] = run("hung", "--shape", "100", "--budget", "3s")["tasks"]
    assert task["status"] == "left" and "winner" not in task, task
    assert rows() == []
    # A full disk is an error, and what was recorded stays.
    run("twice", "--shape", "50", "--budget", "20s")
    before = statuses()
    limit = store.stat().st_size + 16384
    done = tool(*options("many", "--shape", "77"), code=6, restore_signals=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert "tuned.db" in done.stderr, done.stderr
    assert before.items() <= statuses().items()


def test_stores():
    run("raised", "--shape", "40")
    assert set(statuses().values()) <= {"ok", "slow"}, statuses()
    # A row that somebody changed is measured again.
    connection = sqlite3.connect(store)
    connection.execute("UPDATE result SET median_ns = 1 WHERE is_default = 0")
    connection.commit()
    connection.close()
    again = run("raised", "--shape", "40", "--resume")
    assert (again["skipped"], again["measured"]) == (1, 1), again
    assert min(row["median_ns"] for row in rows()) > 1
    # What was fast elsewhere comes first after the default, and decides nothing.
    run("many", "--shape", "70")
    foreign = json.loads(tool("export", "--store", store, "--operator", "many").stdout)
    for row in foreign["results"]:
        row |= {"device_name": "another", "device_architecture": "another"}
        if row["configuration"].get("BLOCK") == 512:  # even if it was slow here
            row |= {"status": "ok", "median_ns": 1}
        elif row["status"] == "ok":
            row["median_ns"] = 1000
    (root / "foreign.json").write_text(json.dumps(foreign))
    other = root / "other.db"
    tool("import", root / "foreign.json", "--store", other)
    process = tool(*options("many", "--shape", "70", "--resume", where=other), "--progress",
                   "json")
    events = [json.loads(line) for line in process.stderr.splitlines() if line.startswith("{")]
    order = [event["configuration"].get("BLOCK") for event in events
             if event["event"] == "candidate"]
    [task] = [event["summary"] for event in events if event["event"] == "tuned"]
    assert order[:2] == [None, 512], order
    assert task["winner"]["median_ns"] > 1 and task["skipped"] == 0, task
    # A store of a newer format is not written, and nothing is timed for it.
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    done = subprocess.run(command(*options("hung", "--shape", "40")), timeout=TIME_LIMIT,
                          capture_output=True, text=True, env=environment)
    assert done.returncode != 0 and "tuned.db" in done.stderr, done
    connection = sqlite3.connect(store)
    assert connection.execute("PRAGMA user_version").fetchone() == (99,)
    connection.close()


def test_shared():
    shapes = root / "shapes.yaml"
    shapes.write_text("- operator: raised\n  inputs: {x: {shape: [40], dtype: f32}}\n"
                      "- operator: raised\n  inputs: {x: {shape: [50], dtype: f32}}\n"
                      "- operator: twice\n  inputs: {x: {shape: [60], dtype: f32}}\n")
    plan = tool("run", "--plan", "--shapes", shapes, "raised").stdout.splitlines()
    assert [json.loads(line)["inputs"]["x"]["shape"] for line in plan] == [[40], [50]], plan
    # One task each at the same time, first on stores of their own.
    tasks = []
    for number, line in enumerate(plan):
        tasks.append(root / f"tasks{number}.jsonl")
        tasks[-1].write_text(line + "\n")
    own = [root / "a.db", root / "b.db"]
    for places in (own, [store, store]):
        processes = [subprocess.Popen(command(*options("--tasks", task, where=place)),
                                      env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
                     for task, place in zip(tasks, places)]
        for process in processes:
            out, error = process.communicate(timeout=TIME_LIMIT)
            assert process.returncode == 0, (out, error)
    merged = root / "merged.db"
    tool("merge", *own, "--store", merged)

    def names(where):
        return {(row["operator"], str(row["key_exact"]), row["variant"],
                 str(row["configuration"])) for row in rows(where)}
    assert names(merged) == names(store) and len(names(store)) == 4, names(merged)
    # What programs wrote down.
    wanted = json.loads(tool("export", "--store", own[0]).stdout)
    [row] = [row for row in wanted["results"] if row["is_default"]]
    row |= {"status": "wanted", "protocol": "wanted", "median_ns": 0, "spread_ns": 0,
            "is_default": False,
            "note": '{"inputs": {"x": {"shape": [40], "dtype": "f32"}}}'}
    wanted["results"] = [row]
    (root / "wanted.json").write_text(json.dumps(wanted))
    noted = root / "noted.db"
    tool("import", root / "wanted.json", "--store", noted)
    [task] = run("--recorded", where=noted)["tasks"]
    assert task["status"] == "done" and task["key"]["n"] == 40, task
    assert run("--recorded", where=noted)["tasks"] == []
    # Mistakes in a file name the line.
    shapes.write_text("- operator: raised\n  input: {}\n")
    error = tool("run", "--plan", "--shapes", shapes, code=2).stderr
    assert "shapes.yaml:1: unknown member 'input'; did you mean 'inputs'" in error, error


def check_nothing_is_left():
    """Of workers; what a killed process leaves is removed by another one."""
    begin = time.monotonic()
    while left := list(temporary.iterdir()):
        assert time.monotonic() < begin + TIME_LIMIT, left
        time.sleep(0.05)


temporary.mkdir()
write_pack(pack)
try:
    globals()[f"test_{test}"]()
    check_nothing_is_left()
finally:
    shutil.rmtree(root, ignore_errors=True)
