"""Which of the tests run: with --all, those of all types, shapes and layouts."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import pack  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="all types, shapes and layouts: minutes of compiling")


def pytest_configure(config):
    pack.is_brief = not config.getoption("--all")


def pytest_collection_modifyitems(config, items):
    """Briefly, of cases that differ in the type: one; through the library, which
    compiles the same kernels, one case of each test."""
    if not pack.is_brief:
        return
    cases = {}
    for item in items:
        parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        if item.module.__name__ == "test_native":
            cases.setdefault(("test_native", item.originalname, ""), []).append(item)
        elif parameters.pop("dtype", None) is not None:
            cases.setdefault((item.module.__name__, item.originalname, str(parameters)), []).append(item)
    left_out = set()
    for (_, name, parameters), each in cases.items():
        at = zlib.crc32(f"{name} {parameters}".encode()) % len(each)
        left_out.update(each[:at] + each[at + 1 :])
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]
