"""again.py COMMAND...: runs a command until it succeeds, at most 50 times.

For programs of one launch that wait for each other: llvmpipe ends a loop after
65535 rounds, and while a machine is busy that is before the other program gets
a core.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys

for _ in range(50):
    code = subprocess.run(sys.argv[1:]).returncode
    if code == 0:
        break
sys.exit(code)
