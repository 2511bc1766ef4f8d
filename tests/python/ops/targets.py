"""What the tests are run on: the plugin that NEREID_TARGET names, cpu by default."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import fnmatch
import os
import pathlib
import re

import pytest

TARGET = os.environ.get("NEREID_TARGET", "cpu")


def ways(*fewer):
    """Marks a test that is repeated without fast paths of the code generator: its
    argument `options` has the options of the launch. `fewer` are values of cpu's
    nereid_fast_paths; vulkan has wide accesses to turn off."""
    options = {"default": {}, "none": {"nereid_access_bytes": 1}}
    if TARGET == "cpu":
        options = {"default": {}, **{name: {"nereid_fast_paths": name} for name in fewer}}
    return pytest.mark.parametrize("options", list(options.values()), ids=list(options))


def refusal_of(test):
    """A part of the message with which the target refuses the test's kernel; None
    if it has to run it. <target>.txt has the patterns of such tests."""
    path = pathlib.Path(__file__).with_name(f"{TARGET}.txt")
    for line in path.read_text().splitlines() if path.exists() else ():
        if line and not line.startswith("#"):
            pattern, message = re.split(r"\s{2,}", line, maxsplit=1)
            if fnmatch.fnmatchcase(test, pattern.replace("[", "[[]")):
                return message
    return None
