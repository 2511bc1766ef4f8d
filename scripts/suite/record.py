"""A pytest plugin that writes the outcome of each test as a line of JSON.

NEREID_SUITE_RESULTS names the file. Only the process that controls the workers
writes, so that a worker that dies loses nothing.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import os


class Recorder:
    def __init__(self, path):
        self.file = open(path, "a", buffering=1)

    def write(self, **facts):
        self.file.write(json.dumps(facts) + "\n")

    def pytest_runtest_logreport(self, report):
        """One line a test: its call, or what went wrong around it."""
        is_crash = report.when == "???"
        if report.when != "call" and report.passed:
            return
        outcome = "crashed" if is_crash else report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "skipped"
        self.write(
            test=report.nodeid,
            outcome=outcome,
            reason=reason_of(report),
            seconds=round(report.duration, 3) if report.duration else 0,
        )

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(
                test=report.nodeid, outcome="uncollected", reason=reason_of(report)
            )


def reason_of(report):
    """One line: the exception of a failure, the reason of a skip."""
    if report.passed:
        return ""
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return " | ".join(lines[:3])[:400] if crash else (lines or [""])[-1][:400]


def pytest_configure(config):
    path = os.environ.get("NEREID_SUITE_RESULTS")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(path), "nereid-recorder")
