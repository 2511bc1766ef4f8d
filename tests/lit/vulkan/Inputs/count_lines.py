"""count_lines.py LINES LOG TOTAL: printed and lost lines are all lines."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import re
import sys

lines, log, total = sys.argv[1:]
printed = sum(line.startswith("pid") for line in open(lines))
lost = int(re.search(r"printed (\d+) lines more", open(log).read())[1])
assert 0 < printed < int(total) and printed + lost == int(total), (printed, lost)
