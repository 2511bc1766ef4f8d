#!/usr/bin/env python3
# interrupt_build.py - presses Ctrl-C while `nereid build` is in a stage that
# waits to be cancelled: interrupt_build.py FOLDER PLUGIN
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import signal
import subprocess
import sys

folder, plugin = sys.argv[1:]
kernel = pathlib.Path(folder, "kernel.ttir")
kernel.write_text("""module {
  tt.func public @wait(%out: !tt.ptr<i32>) {
    tt.return
  }
}
""")
process = subprocess.Popen(
    ["nereid", "build", kernel, "-o", "kernels.nra", "--target", "mishap:a:b",
     "--compiler", "mishap", "--plugin", plugin],
    cwd=folder,
    env={**os.environ, "NEREID_LOG": "info", "NEREID_COMPILE": "always"},
    stderr=subprocess.PIPE,
    text=True,
    # A shell's background jobs ignore SIGINT, and so would their children.
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
)
for line in process.stderr:
    if "compiling with plugin 'mishap'" in line:
        break
process.send_signal(signal.SIGINT)
rest = process.stderr.read()
print("exit code", process.wait())
print(rest)
print("left behind:", os.listdir(folder))
