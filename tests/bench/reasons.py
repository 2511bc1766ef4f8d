"""Why rows miss their goal, where that is known. Each was found with a profile."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    rows: tuple  # of rows' names, any part of one
    why: str
    threads: tuple = (1, 1 << 30)  # fewest and most for which it holds
    vendor: str = ""  # a part of the processor's name; all processors if empty

    def holds(self, row, run):
        fewest, most = self.threads
        return (
            any(part in row["name"] for part in self.rows)
            and fewest <= run["threads"] <= most
            and self.vendor in run["machine"]["cpu"]
        )


REASONS = ()


def of(row, run):
    """Why this row of the run may miss its goal; empty if that is not known."""
    return "; ".join(reason.why for reason in REASONS if reason.holds(row, run))
