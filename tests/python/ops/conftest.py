"""Collects which operations, on which types, the tests that pass compiled.

Tests of kernels that the target refuses pass if it does so by name.
With TRITON_INTERPRET=1 the kernels run in Triton's interpreter instead, a second
oracle for what the tests expect.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import fnmatch
import json
import os
import pathlib
import re
import sys

import pytest
import triton

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from targets import TARGET, refusal_of  # noqa: E402
from ttir import operations  # noqa: E402

compiled = []
collected = set()


def listen(src, metadata, metadata_group, times, cache_hit):
    """Keeps the TTIR of what was compiled until the test's end."""
    for name, path in metadata_group.items():
        if name.endswith(".ttir"):
            compiled.append(pathlib.Path(path).read_text())


def pytest_configure(config):
    triton.knobs.compilation.listener = listen


def wrong_in_interpreter():
    """Pairs of a pattern of tests and what the interpreter does in them."""
    lines = pathlib.Path(__file__).with_name("interpreter.txt").read_text()
    for line in lines.splitlines():
        if line and not line.startswith("#"):
            pattern, reason = re.split(r"\s{2,}", line, maxsplit=1)
            version, _, pattern = pattern.rpartition("@")
            if triton.__version__.startswith(version):
                yield pattern.replace("[", "[[]"), reason


def pytest_collection_modifyitems(items):
    if not triton.knobs.runtime.interpret:
        return
    rules = list(wrong_in_interpreter())
    for item in items:
        for pattern, reason in rules:
            if fnmatch.fnmatchcase(item.name, pattern):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    refusal = refusal_of(pyfuncitem.name)
    if refusal is None or triton.knobs.runtime.interpret:
        return (yield)
    with pytest.raises(Exception, match=re.escape(refusal)):
        yield
    return True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when != "call":
        return
    report = outcome.get_result()
    if report.passed:
        rows = {row for text in compiled for row in operations(text)}
        # Part of the report, so that it reaches the process that controls workers.
        report.user_properties.append(("operations", [[*row, item.path.stem] for row in rows]))
    compiled.clear()


def pytest_runtest_logreport(report):
    for name, rows in report.user_properties:
        if name == "operations":
            collected.update(map(tuple, rows))


def pytest_sessionfinish(session):
    path = os.environ.get("NEREID_TRITON_COVERAGE")
    if path and not hasattr(session.config, "workerinput"):
        rows = {
            "triton": triton.__version__,
            "target": TARGET,
            "tested": sorted(collected),
        }
        pathlib.Path(path).write_text(json.dumps(rows))
