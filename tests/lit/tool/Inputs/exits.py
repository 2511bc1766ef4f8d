#!/usr/bin/env python3
# exits.py - runs a command and passes if it ends with the exit code that is
# expected: exits.py CODE COMMAND...
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

found = subprocess.run(sys.argv[2:]).returncode
if found != int(sys.argv[1]):
    sys.exit(f"exit code {found}, expected {sys.argv[1]}")
