"""Runs the tests of this folder with one environment's Python.

Caches are in a temporary folder, so that every run compiles.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True, type=pathlib.Path)
    parser.add_argument("--package", required=True)
    parser.add_argument("--plugins", required=True)
    args, rest = parser.parse_known_args()
    if not args.python.exists():
        print(f"[SKIP] there is no {args.python}: run scripts/python-env")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="nereid-python-") as folder:
        env = dict(
            os.environ,
            PYTHONPATH=args.package,
            PYTHONDONTWRITEBYTECODE="1",
            NEREID_PLUGIN_DIRS=args.plugins,
            NEREID_CACHE_DIR=f"{folder}/nereid",
            TRITON_CACHE_DIR=f"{folder}/triton",
        )
        tests = pathlib.Path(__file__).parent
        command = [args.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
        return subprocess.run([*command, *rest], env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
