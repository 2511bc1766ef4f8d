# tracing.py - what the fault tests share: running the driver under strace, and
# finding the system calls at which to strike.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE
TIME_LIMIT = 100  # seconds for one run: a run that takes so long hangs
EXIT_CODES = {0: "good", 1: "wrong use", 2: "wrong bytes or no result",
              3: "more than one warning", 4: "damaged entry or leftover"}

Point = collections.namedtuple("Point", "call number")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


class Scenario:
    """A command of the driver, and how its directory looks before it."""

    def __init__(self, name, prepare, *command, stores=False):
        self.name, self.prepare, self.command = name, prepare, command
        self.stores = stores  # an entry, unless something fails


class Tracing:
    def __init__(self, driver):
        self.driver = driver
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="nereid-cache-"))
        self.serial = 0
        if not shutil.which("strace"):
            skip("strace is not installed")
        try:
            # A real call, because ptrace is often forbidden in containers.
            self.strace([], "true")
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as e:
            skip(f"strace cannot trace: {e}")

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def fresh(self, scenario):
        """A new cache directory, prepared; its name has a fixed length."""
        self.serial += 1
        directory = self.root / f"{self.serial:06}" / "cache"
        directory.parent.mkdir()
        scenario.prepare(self, directory)
        return directory

    def run(self, *words):
        return subprocess.run([self.driver, *map(str, words)],
                              timeout=TIME_LIMIT).returncode

    def must(self, *words):
        code = self.run(*words)
        assert code == 0, f"{words}: {EXIT_CODES.get(code, code)}"

    def strace(self, options, *words):
        subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, *options,
                        *map(str, words)], timeout=TIME_LIMIT, check=True)

    def points(self, scenario):
        """Every system call of the scenario, after the driver's mark."""
        directory = self.fresh(scenario)
        log = directory.parent / "log"
        self.strace(["-o", log], self.driver, scenario.command[0], directory,
                    *scenario.command[1:])
        counts, found, begun = collections.Counter(), [], False
        for line in log.read_text().splitlines():
            match = re.match(r"\d+\s+(\w+)\(", line)
            if not match:
                continue
            call = match[1]
            counts[call] += 1
            # Random names now and then cost a getrandom, which changes nothing.
            if begun and call not in ("exit_group", "getrandom"):
                found.append(Point(call, counts[call]))
            begun = begun or "/nereid-test-begins" in line
        assert begun and found, f"{scenario.name}: no system call was seen"
        return found

    def strike(self, scenario, point, fault):
        """Runs the scenario with a fault at a point; the code and directory."""
        directory = self.fresh(scenario)
        injection = f"inject={point.call}:{fault}:when={point.number}"
        command = ["strace", "-f", "-qq", "-o", os.devnull, "-e",
                   f"trace={point.call}", "-e", injection, self.driver,
                   scenario.command[0], directory, *scenario.command[1:]]
        code = subprocess.run(list(map(str, command)),
                              timeout=TIME_LIMIT).returncode
        return code, directory


def in_parallel(jobs):
    """Runs (function, arguments...) tuples; the list of complaints."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        futures = [pool.submit(function, *arguments)
                   for function, *arguments in jobs]
        return [text for future in futures for text in future.result()]


def finish(tracing, count, complaints):
    tracing.remove()
    print(f"{count} runs")
    for text in complaints:
        print(f"error: {text}")
    sys.exit(1 if complaints else 0)


def nothing(tracing, directory):
    """A cache that does not exist yet."""


def one_entry(tracing, directory):
    tracing.must("put", directory, "a")


def several_entries(tracing, directory):
    for name in "abcd":
        tracing.must("put", directory, name)
    # A leftover of a process that died, beside an entry.
    folder = next(path for path in directory.iterdir() if path.is_dir())
    (folder / "tmp.000000").write_bytes(b"half an entry")
