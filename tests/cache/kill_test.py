# kill_test.py - SIGKILL at every system call of a put, a computation and a
# collection leaves entries absent or whole, and blocks nobody.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import signal
import subprocess
import sys

from tracing import (EXIT_CODES, Scenario, Tracing, finish, in_parallel,
                     nothing, one_entry, several_entries)

SCENARIOS = [
    Scenario("first put", nothing, "put", "a"),
    Scenario("replacing put", one_entry, "put", "a"),
    Scenario("computation", nothing, "compute", "a"),
    Scenario("collection", several_entries, "collect", "60000"),
]


def kill(tracing, scenario, point):
    what = f"{scenario.name}, killed at {point.call} number {point.number}"
    try:
        code, directory = tracing.strike(scenario, point, "signal=KILL")
        if code != -signal.SIGKILL:
            return [f"{what}: not killed but {code}"]
        code = tracing.run("recover", directory, "a")
    except subprocess.TimeoutExpired:
        return [f"{what}: blocks the next process"]
    return [f"{what}: {EXIT_CODES.get(code, code)}"] if code else []


def main():
    tracing = Tracing(sys.argv[1])
    jobs = [(kill, tracing, scenario, point) for scenario in SCENARIOS
            for point in tracing.points(scenario)]
    finish(tracing, len(jobs), in_parallel(jobs))


main()
