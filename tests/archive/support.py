# support.py - runs the tool in a folder of its own, for the tests beside it.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NEREID_SOURCE"])
LIBRARY = pathlib.Path(os.environ["NEREID_LIBRARY"])
DATA = SOURCE / "tests/data/kernels/3.6.0"
SANITIZER = {"address": ["-fsanitize=address,undefined"], "thread": ["-fsanitize=thread"]}


def sanitizer_flags():
    return SANITIZER.get(os.environ.get("NEREID_SANITIZER", ""), [])


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nereid-archive-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = dict(
            os.environ,
            NEREID_CACHE_DIR=str(self.folder / "cache"),
            LD_LIBRARY_PATH=str(LIBRARY.parent),
        )
        self.environment.pop("NEREID_TARGET", None)

    def run_tool(self, *words, code=0, **options):
        done = subprocess.run(
            [os.environ["NEREID"], *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            **options,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_json(self, *words, code=0):
        return json.loads(self.run_tool(*words, "--json", code=code).stdout)

    def build(self, *words, code=0):
        return self.run_json("build", *words, "--progress", "none", code=code)
