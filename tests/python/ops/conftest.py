"""Collects which operations, on which types, the tests that pass compiled."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import sys

import pytest
import triton

sys.path.insert(0, str(pathlib.Path(__file__).parent))
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


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when != "call":
        return
    if outcome.get_result().passed:
        for text in compiled:
            collected.update((*row, item.path.stem) for row in operations(text))
    compiled.clear()


def pytest_sessionfinish():
    path = os.environ.get("NEREID_TRITON_COVERAGE")
    if path:
        rows = {"triton": triton.__version__, "tested": sorted(collected)}
        pathlib.Path(path).write_text(json.dumps(rows))


