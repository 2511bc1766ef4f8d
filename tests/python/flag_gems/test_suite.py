"""scripts/flag-gems, on a checkout with a few tests in place of FlagGems': what it
counts, what it continues with, and what it prints."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import io
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(ROOT / "scripts/suite")]
import fake  # noqa: E402
from progress import Progress, clock_text  # noqa: E402
from table import NOT_RUN, OutOfReach, Results, whole_lines  # noqa: E402

pytest.importorskip("torch")
pytest.importorskip("xdist")
pytest.importorskip("pytest_timeout")

CONFTEST = """
import flag_gems

def pytest_addoption(parser):
    parser.addoption("--ref")
    parser.addoption("--quick", action="store_true")
"""

TESTS = """
import os
import time
import pytest
import flag_gems

def test_vendor():
    assert flag_gems.vendor_name == "nereid_cpu"

@pytest.mark.parametrize("n", range(9))
def test_many(n):
    pass

def test_fails():
    assert flag_gems.vendor_name == "nvidia", "what was expected"

def test_is_known_to_fail():
    assert False

def test_is_wrongly_listed():
    pass

def test_dies():
    os._exit(3)

def test_hangs():
    time.sleep(3600)

def test_damages():
    raise SystemExit("was run")

def test_needs_memory():
    bytearray(1 << 40)
"""

EXCEPTIONS = """
# A comment.
tests/test_a.py::test_is_known_to_fail  asks for CUDA
tests/test_a.py::test_is_wrongly_listed  asks for CUDA
!tests/test_a.py::test_damages  stores anywhere
"""


@pytest.fixture
def suite(tmp_path, build):
    """Runs the script; gives its exit status, its output and the outcomes."""
    checkout = tmp_path / "checkout"
    (checkout / "tests").mkdir(parents=True)
    (checkout / "conf").mkdir()
    fake.write(checkout / "src", "5.4")
    (checkout / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    (checkout / "tests/conftest.py").write_text(CONFTEST)
    (checkout / "tests/test_a.py").write_text(TESTS)
    (tmp_path / "exceptions.txt").write_text(EXCEPTIONS)

    def run(*arguments):
        results = tmp_path / "results.jsonl"
        done = subprocess.run(
            [
                ROOT / "scripts/flag-gems", "--flag-gems", checkout, "--python", sys.executable,
                "--build", build, "--exceptions", tmp_path / "exceptions.txt",
                "--results", results, "--timeout", "30", "--most", "3", "--jobs", "1",
                *arguments,
            ],
            capture_output=True, text=True, timeout=900,
        )  # fmt: skip
        lines = [json.loads(it) for it in results.read_text().splitlines()]
        return done, [(it["test"].partition("::")[2], it["outcome"]) for it in lines]

    return run


def test_a_run_counts_what_fails_dies_and_hangs_and_continues(suite):
    done, outcomes = suite()
    assert done.returncode == 1, done.stderr
    assert dict(outcomes) == {
        "test_vendor": "passed",
        "test_many[1]": "passed",
        "test_many[4]": "passed",
        "test_many[7]": "passed",
        "test_fails": "failed",
        "test_is_known_to_fail": "failed",
        "test_is_wrongly_listed": "passed",
        "test_dies": "crashed",
        "test_hangs": "crashed",
        "test_damages": "skipped",
        "test_needs_memory": "failed",
    }
    lines = done.stdout.splitlines()
    total = next(line for line in lines if line.startswith("total"))
    # passed, failed, crashed, skipped, out of reach
    assert total.split()[1:] == ["5", "2", "2", "0", "2"]
    assert "unexpected pass: tests/test_a.py::test_is_wrongly_listed" in lines
    assert "MemoryError" in done.stdout and "what was expected" in done.stdout

    # What failed unexpectedly is run again, and nothing else.
    _, later = suite("--again")
    failed = ["test_dies", "test_fails", "test_hangs", "test_needs_memory"]
    assert sorted(name for name, _ in later[len(outcomes) :]) == failed


def test_a_missing_file_is_named(suite, tmp_path):
    (tmp_path / "results.jsonl").touch()
    done, _ = suite("test_b.py")
    assert done.returncode and "flag-gems: no test_b.py in" in done.stderr


def rules(tmp_path, text):
    (tmp_path / "list.txt").write_text(text)
    return OutOfReach([tmp_path / "list.txt", tmp_path / "absent.txt"], "3.6.0")


def record(test, outcome, reason=""):
    return json.dumps({"test": test, "outcome": outcome, "reason": reason})


def test_a_listed_test_is_out_of_reach_whether_it_failed_or_was_not_run(tmp_path):
    known = rules(tmp_path, "a::*  first\n!b::*  second\n3.9@c::x  third\n~d::p[*  4\n"
                            "?*needs CUDA*  fifth\n")  # fmt: skip
    assert known.not_run == [("b::*", "second")]
    lines = [
        record("a::x", "failed"),
        record("b::x", "skipped", f"Skipped: {NOT_RUN}second"),
        record("a::y", "skipped", "needs CUDA"),
        record("c::x", "failed"),
        record("a::z", "passed"),
        record("d::p[1]", "passed"),
        record("d::p[2]", "failed"),
        record("e::x", "failed", "RuntimeError: this needs CUDA!"),
        record("e::y", "failed", "RuntimeError: this needs more"),
        record("e::z", "passed"),
    ]
    outcome = Results(lines, known)
    assert [it["test"] for it in outcome.having("out of reach")] == [
        "a::x", "b::x", "d::p[2]", "e::x",
    ]  # fmt: skip
    assert [it["test"] for it in outcome.having("skipped")] == ["a::y"]
    assert [it["test"] for it in outcome.having("failed")] == ["c::x", "e::y"]
    assert [it["test"] for it in outcome.unexpected()] == ["a::z"]


def test_an_outcome_that_was_not_written_whole_is_run_again(tmp_path):
    file = tmp_path / "results"
    assert whole_lines(file) == []
    file.write_text("one\ntwo\n{\"test\": ")
    assert whole_lines(file) == ["one", "two"]
    assert file.read_text() == "one\ntwo\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def progress(tmp_path, output):
    times = iter(range(0, 100000, 10))
    (tmp_path / "results").write_text(record("earlier", "passed") + "\n")
    return Progress(tmp_path / "results", tmp_path / "total", output, lambda: next(times))


def append(tmp_path, *records):
    with open(tmp_path / "results", "a") as file:
        file.write("".join(f"{it}\n" for it in records))


def test_the_line_has_counts_and_the_time_left(tmp_path):
    output = Terminal()
    shown = progress(tmp_path, output)
    shown.update()
    assert "collecting" in output.getvalue()
    (tmp_path / "total").write_text("40")
    append(tmp_path, record("t::a", "passed"), record("t::b", "failed"))
    shown.update()
    line = output.getvalue().rpartition("\r")[2]
    assert "2/40: 1 failed, 1 passed" in line and " left" in line and "t::b" in line
    assert "\n" not in output.getvalue()


def test_without_a_terminal_there_is_a_line_a_minute(tmp_path):
    output = io.StringIO()
    shown = progress(tmp_path, output)
    (tmp_path / "total").write_text("40")
    for _ in range(20):
        append(tmp_path, record("t::a", "passed"))
        shown.update()
    lines = output.getvalue().splitlines()
    assert 2 <= len(lines) <= 8 and all("\r" not in line for line in lines)


def test_a_half_written_outcome_is_read_later(tmp_path):
    shown = progress(tmp_path, io.StringIO())
    whole = record("t::a", "passed") + "\n"
    for part in (whole[:10], whole[10:]):
        with open(tmp_path / "results", "a") as file:
            file.write(part)
        shown.read()
    assert shown.counts == {"passed": 1}


def test_times_are_short():
    assert [clock_text(it) for it in (5, 65, 3665)] == ["0:05", "1:05", "1:01:05"]
