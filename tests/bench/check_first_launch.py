#!/usr/bin/env python3
"""Checks that a cached kernel is launched without mapping a compiler.

usage: check_first_launch.py FIRST_LAUNCH KERNEL PLUGIN_DIR WORK_DIR

SPDX-FileCopyrightText: the Nereid authors
SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import shutil
import subprocess
import sys


class FirstLaunch:
    """Runs the program with three plugin directories, two of them empty, and a
    cache of its own, both in the folder `work`."""

    def __init__(self, program, kernel, plugins, work):
        self.command = [program, kernel]
        empty = [os.path.join(work, name) for name in ("first", "second")]
        for directory in empty:
            os.makedirs(directory, mode=0o755)
        self.environment = dict(
            os.environ,
            NEREID_CACHE_DIR=os.path.join(work, "cache"),
            NEREID_PLUGIN_DIRS=";".join([*empty, str(plugins)]),
        )
        self.environment.pop("NEREID_TARGET", None)

    def run(self):
        output = subprocess.run(
            self.command, env=self.environment, check=True, stdout=subprocess.PIPE
        ).stdout
        return json.loads(output)


def main():
    program, kernel, plugins, work = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    first_launch = FirstLaunch(program, kernel, plugins, work)
    cold, cached = first_launch.run(), first_launch.run()
    # The first run shows that a mapped compiler is detected.
    assert not cold["from_cache"] and "libLLVM" in cold["mapped"], cold
    assert cached["from_cache"] and not cached["mapped"], cached


if __name__ == "__main__":
    main()
