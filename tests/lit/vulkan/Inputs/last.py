"""last.py FILE NUMBER: the largest element is NUMBER."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np

found = np.load(sys.argv[1]).max()
assert found == int(sys.argv[2]), f"{found}, expected {sys.argv[2]}"
