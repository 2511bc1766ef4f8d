#!/usr/bin/env python3
# interrupt.py - runs a command in a folder, presses Ctrl-C while it measures and
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
for delay in (1, 4, 16, 64):
    process = subprocess.Popen(
        sys.argv[2:],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        # A shell's background jobs ignore SIGINT, and so would their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300)
    # On a slow machine the measurement had not begun.
    if process.returncode != -signal.SIGINT:
        break
print("exit code", process.returncode)
print(output)
print("left behind:", os.listdir(folder))
