"""A pytest plugin for FlagGems' tests: continues a run, limits the memory of a process,
and reports how many tests there are.

NEREID_SUITE_DONE names a file with the tests that are not run again,
NEREID_SUITE_NOT_RUN one with patterns of tests that are skipped, and their reasons;
NEREID_SUITE_MEMORY is the limit in MiB, 0 for none. The number of tests is written
beside NEREID_SUITE_RESULTS.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import fnmatch
import json
import os
import pathlib
import resource
import sys

import nereid.flag_gems
import pytest
from table import NOT_RUN


def pytest_configure(config):
    limit = int(os.environ.get("NEREID_SUITE_MEMORY", "0")) << 20
    if limit and hasattr(config, "workerinput"):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _skip_what_is_not_run(items):
    rules = json.loads(pathlib.Path(os.environ["NEREID_SUITE_NOT_RUN"]).read_text())
    for item in items:
        for pattern, reason in rules:
            if fnmatch.fnmatchcase(item.nodeid, pattern):
                item.add_marker(pytest.mark.skip(reason=NOT_RUN + reason))


def _use_all_operators():
    """Those too that the adapter leaves to torch: their tests would compare torch
    with itself."""
    vendor = sys.modules.get(nereid.flag_gems.facts().module)
    if vendor is not None:
        vendor.CUSTOMIZED_UNUSED_OPS = ()


# After the plugin that chooses a sample.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    _use_all_operators()
    _skip_what_is_not_run(items)
    done = set(pathlib.Path(os.environ["NEREID_SUITE_DONE"]).read_text().splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
    items[:] = [item for item in items if item.nodeid not in done]
    total = os.environ["NEREID_SUITE_RESULTS"] + ".total"
    pathlib.Path(total).write_text(json.dumps(len(items)))
