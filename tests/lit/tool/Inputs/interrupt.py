#!/usr/bin/env python3
# interrupt.py - runs a command in a folder, presses Ctrl-C after a second and
# tells how it ended: interrupt.py FOLDER COMMAND...
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import subprocess
import sys
import time

folder = sys.argv[1]
process = subprocess.Popen(
    sys.argv[2:],
    cwd=folder,
    stdout=subprocess.PIPE,
    text=True,
    # A shell's background jobs ignore SIGINT, and so would their children.
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
)
time.sleep(1.5)
process.send_signal(signal.SIGINT)
output, _ = process.communicate(timeout=30)
print("exit code", process.returncode)
print(output)
print("left behind:", os.listdir(folder))
