"""values.py FILE NUMBER...: the elements are these numbers."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np

found = np.load(sys.argv[1]).tolist()
assert found == [int(text) for text in sys.argv[2:]], found
