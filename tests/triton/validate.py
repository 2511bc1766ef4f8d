# validate.py - `nereid validate` on the `triton` plugin: every check passes but
# those of drivers.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    options = parser.parse_args()
    if not options.python.exists():
        print(f"skipped: no {options.python}; scripts/python-env makes it")
        return 77
    problems = 0
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ, "NEREID_CACHE_DIR": cache,
            "NEREID_TRITON_PYTHON": os.path.abspath(options.python)}
        for target in ("cuda:sm_90a", "hip:gfx942"):
            ended = subprocess.run(
                [options.build / "bin/nereid", "validate", "--json", "--target",
                 target, options.build / "lib/nereid/plugins/triton.so"],
                env=environment, capture_output=True, text=True)
            checks = json.loads(ended.stdout)["checks"]
            wrong = [check for check in checks if check["result"] != "pass"
                     and check["detail"] != "the plugin has no driver"]
            for check in wrong:
                print(f"{target}: {check['check']}: {check['result']}: "
                      f"{check['detail']}")
            problems += len(wrong) + (not checks)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
