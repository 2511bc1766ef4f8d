"""Runs programs in forks of one process that has imported torch and Triton, which
takes longer than most programs. Requests and answers are lines of JSON."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import importlib
import json
import os
import runpy
import sys
import traceback

for module in ("torch", "triton"):
    importlib.import_module(module)


def run(program, arguments, variables, output, errors):
    for number, path in ((0, os.devnull), (1, output), (2, errors)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    os.environ.update(variables)
    sys.argv = [program, *arguments]
    status = 1
    try:
        runpy.run_path(program, run_name="__main__")
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


for line in sys.stdin:
    request = json.loads(line)
    if "wait" in request:
        answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
    else:
        answer = os.fork()
        if answer == 0:
            run(**request)
    print(json.dumps(answer), flush=True)
