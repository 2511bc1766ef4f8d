"""A pytest plugin for tests that ask for a process of their own.

They may end the context of a GPU. A plugin of Nereid survives, so they run
where the others do, with Triton's settings read anew before and after.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "forked: runs in the same process here")


def read_settings_anew(item):
    if item.get_closest_marker("forked"):
        import triton

        triton.knobs.refresh_knobs()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    read_settings_anew(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    read_settings_anew(item)
