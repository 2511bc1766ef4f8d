"""Runs the tests of this folder, or those that are named, with one Python.

Those of ops, which compile for minutes, run when they are named.
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


def missing_device(python, env):
    """Why NEREID_TARGET has no device; empty if it has one."""
    code = "import nereid; nereid.options()"
    done = subprocess.run([python, "-c", code], env=env, capture_output=True, text=True)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--target", default="", help="skipped where there is no such device")
    args, rest = parser.parse_known_args()
    build = args.build.resolve()
    if not args.python.exists():
        print(f"[SKIP] there is no {args.python}: run scripts/python-env")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="nereid-python-") as folder:
        env = dict(
            os.environ,
            PYTHONPATH=str(build / "python"),
            PYTHONDONTWRITEBYTECODE="1",
            NEREID_TEST_BUILD=str(build),
            NEREID_PLUGIN_DIRS=str(build / "lib/nereid/plugins"),
            NEREID_CACHE_DIR=f"{folder}/nereid",
            NEREID_TUNED=f"{folder}/tuned.db",
            TRITON_CACHE_DIR=f"{folder}/triton",
            TRITON_INTERPRET="1" if args.interpret else "0",
        )
        for name in ("NEREID_TARGET", "NEREID_TUNING", "TRITON_DEFAULT_BACKEND"):
            env.pop(name, None)
        if args.target:
            env["NEREID_TARGET"] = args.target
            if reason := missing_device(args.python, env):
                print(f"[SKIP] {reason}")
                return SKIPPED
        tests = pathlib.Path(__file__).parent
        command = [args.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        chosen = rest or [tests, f"--ignore={tests / 'ops'}"]
        return subprocess.run([*command, *chosen], env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
