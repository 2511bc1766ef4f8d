"""A process that does what it reads, a line each, and answers with a line."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess


class Driver:
    def __init__(self, words, environment=None):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})

    def read(self):
        return self.process.stdout.readline().strip()

    def send(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def __call__(self, *words):
        self.send(*words)
        return self.read()

    def children(self, program):
        """The process ids of those that run `program`."""
        found = []
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                if os.readlink(f"/proc/{child}/exe") == os.path.realpath(program):
                    found.append(int(child))
        return found

    def end(self):
        """Its exit code."""
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        return code
