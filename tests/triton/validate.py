# validate.py - `nereid validate` on the `triton` plugin: every check passes but
# those of drivers.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import subprocess
import sys

import setting


def main():
    options = setting.arguments()
    problems = 0
    with setting.own_cache():
        for target in ("cuda:sm_90a", "hip:gfx942"):
            ended = subprocess.run(
                [options.build / "bin/nereid", "validate", "--json", "--target",
                 target, options.build / "lib/nereid/plugins/triton.so"],
                capture_output=True, text=True)
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
