# fault_test.py - a file system call that fails never makes a wrong result or a
# second warning, and leaves nothing behind that hurts. One interrupted call
# does not even keep an entry from being stored.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: fault_test.py DRIVER put|compute|get|collect

import subprocess
import sys

from tracing import (EXIT_CODES, Point, Scenario, Tracing, finish,
                     in_parallel, nothing, one_entry, several_entries)

SCENARIOS = {
    "put": Scenario("put", nothing, "put", "a", stores=True),
    "compute": Scenario("computation", nothing, "compute", "a", stores=True),
    "get": Scenario("hit", one_entry, "compute", "a"),
    "collect": Scenario("collection", several_entries, "collect", "60000"),
}

# All that take a file or a path. Memory is another test's business.
FILE_CALLS = {
    "access", "chmod", "close", "fchmod", "fcntl", "flock", "fstat", "fstatfs",
    "fsync", "getdents64", "linkat", "lseek", "lstat", "mkdir", "mkdirat",
    "newfstatat", "open", "openat", "pread64", "read", "readlink",
    "readlinkat", "rename", "renameat", "renameat2", "stat", "statfs", "statx",
    "unlink", "unlinkat", "utimensat", "write",
}
ERRORS = ["ENOSPC", "EIO", "EACCES", "EBUSY", "ESTALE", "EINTR"]
# Calls that claim to have done only a part of what they were asked for.
SHORT = {"write": ["retval=0", "retval=1"], "pread64": ["retval=0", "retval=7"]}


def is_stored(directory):
    return any(directory.glob("??/*.entry"))


def faults_of(call):
    return [f"error={error}" for error in ERRORS] + SHORT.get(call, [])


def fail(tracing, scenario, point, fault):
    what = f"{scenario.name}, {point.call} number {point.number}: {fault}"
    try:
        code, directory = tracing.strike(scenario, point, fault)
        if fault == "error=EINTR" and scenario.stores and not (
                str(point.number).endswith("+") or is_stored(directory)):
            return [f"{what}: nothing is stored"]
        if code == 0:
            code = tracing.run("recover", directory, "a")
            what += ", then without fault"
    except subprocess.TimeoutExpired:
        return [f"{what}: hangs"]
    return [f"{what}: {EXIT_CODES.get(code, code)}"] if code else []


def main():
    tracing = Tracing(sys.argv[1])
    scenario = SCENARIOS[sys.argv[2]]
    points = [point for point in tracing.points(scenario)
              if point.call in FILE_CALLS]
    # Once at each call, then from the first call of a kind for ever.
    firsts = {}
    for point in points:
        firsts.setdefault(point.call, point)
    points += [Point(point.call, f"{point.number}+")
               for point in firsts.values()]
    jobs = [(fail, tracing, scenario, point, fault) for point in points
            for fault in faults_of(point.call)]
    finish(tracing, len(jobs), in_parallel(jobs))


main()
