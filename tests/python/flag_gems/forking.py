"""Runs programs, each in a fork of a process that has imported torch and Triton.

Requests are lines of JSON on the standard input: the program's text, a folder for the
front of its path, and variables. The answers are its exit status and output.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import importlib
import json
import os
import sys
import tempfile
import traceback

for name in ("torch", "triton"):
    importlib.import_module(name)


def run(request):
    os.environ.update(request["env"])
    if request["folder"]:
        sys.path.insert(0, request["folder"])
    try:
        exec(compile(request["program"], "program", "exec"), {"__name__": "__main__"})
        return 0
    except BaseException:
        traceback.print_exc()
        return 1


def main():
    for line in sys.stdin:
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = os.fork()
            if not child:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                status = run(json.loads(line))
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
            _, status = os.waitpid(child, 0)
            out.seek(0)
            err.seek(0)
            answer = {"returncode": status, "stdout": out.read(), "stderr": err.read()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
