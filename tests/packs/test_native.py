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
from test_generic import (  # noqa: E402, F401
    random,
    test_activations_of_products,
    test_adding,
    test_attention,
    test_binary,
    test_binary_backward,
    test_conv2d,
    test_cross_entropy,
    test_cumsum,
    test_dropout,
    test_gradients_that_move,
    test_group_norm,
    test_indices_out_of_range,
    test_moving,
    test_norm,
    test_numbers_as_attributes,
    test_order,
    test_position,
    test_products,
    test_reduction,
    test_reductions_of_nan,
    test_refusals,
    test_rotary,
    test_rounded_division,
    test_silu_and_mul,
    test_softmax,
    test_softmax_of_infinities,
    test_special_values,
    test_unary,
    test_unary_backward,
    test_where,
)


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
