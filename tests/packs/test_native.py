"""The operators again, through libnereid-ops: read, chosen and called in C++."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import native  # noqa: E402
import pack  # noqa: E402
import test_generic  # noqa: E402

# What calls no operator, or chooses variants and configurations itself.
NOT_CALLS = {
    "test_configurations",
    "test_every_operator_is_tested",
    "test_guards",
    "test_table_of_slow_operators",
    "test_variants_of_other_devices",
    "test_written_inputs",
    "test_yaml",
}
CALLS = {name for name in vars(test_generic) if name.startswith("test_")} - NOT_CALLS
random = test_generic.random  # their fixture
globals().update({name: getattr(test_generic, name) for name in CALLS})


@pytest.fixture(scope="module")
def library():
    os.environ.setdefault("NEREID_TRITON_PYTHON", sys.executable)
    return native.Library(pathlib.Path(os.environ["NEREID_TEST_BUILD"], "lib"), pack.GENERIC)


@pytest.fixture(autouse=True)
def through_the_library(library, monkeypatch):
    original = pack.Operator.__call__

    def call(self, outputs=None, configuration=None, variant=None, **given):
        if configuration or variant:
            return original(self, outputs, configuration, variant, **given)
        return native.call(library, self, outputs, given)

    monkeypatch.setattr(pack.Operator, "__call__", call)
