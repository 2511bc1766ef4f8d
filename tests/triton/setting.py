# setting.py - what tests of the `triton` plugin are told, and run in.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import os
import pathlib
import sys
import tempfile

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def arguments(**more):
    """--python, --build and `more`, names with their types. The plugin uses that
    Python from then on; ends the program as skipped if there is none."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    for name, kind in more.items():
        parser.add_argument(f"--{name}", required=True, type=kind)
    options = parser.parse_args()
    if not options.python.exists():
        skip(f"no {options.python}; scripts/python-env makes it")
    os.environ["NEREID_TRITON_PYTHON"] = os.path.abspath(options.python)
    return options


@contextlib.contextmanager
def own_cache():
    """An empty cache, for what runs in this process and what it starts."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NEREID_CACHE_DIR"] = cache
        yield
