"""A pytest plugin that runs some tests of each function.

NEREID_SUITE_MOST is their number; they are spread evenly over the parameters. 0
runs all.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import os


def pytest_collection_modifyitems(config, items):
    most = int(os.environ.get("NEREID_SUITE_MOST", "0"))
    if not most:
        return
    functions = collections.defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    chosen = set()
    for tests in functions.values():
        count = min(most, len(tests))
        # From the middle of each of `count` equal parts.
        chosen.update(tests[(2 * i + 1) * len(tests) // (2 * count)] for i in range(count))
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]
