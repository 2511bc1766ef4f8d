"""A line about a run of tests: on a terminal one that is rewritten, elsewhere one
every minute."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import json
import shutil
import sys
import time


class Progress:
    """Reads the outcomes that the tests append to `results`, and their number from
    `total`, which is written once they have been collected."""

    def __init__(self, results, total, output=sys.stdout, clock=time.monotonic):
        self.results = open(results)
        self.results.seek(0, 2)
        self.total = total
        self.total.unlink(missing_ok=True)
        self.output = output
        self.clock = clock
        self.is_terminal = output.isatty()
        self.counts = collections.Counter()
        self.latest = ""
        self.start = clock()
        self.printed = self.start
        self.rest = ""

    def follow(self, process):
        while process.poll() is None:
            time.sleep(0.5)
            self.update()
        self.update()
        if self.is_terminal:
            print(file=self.output)

    def update(self):
        self.read()
        period = 0 if self.is_terminal else 60
        if self.clock() - self.printed >= period:
            self.printed = self.clock()
            self.show()

    def read(self):
        self.rest += self.results.read()
        *lines, self.rest = self.rest.split("\n")
        for line in lines:
            record = json.loads(line)
            self.counts[record["outcome"]] += 1
            self.latest = record["test"]

    def line(self):
        done = sum(self.counts.values())
        try:
            total = json.loads(self.total.read_text())
        except (OSError, ValueError):
            return f"collecting, {clock_text(self.clock() - self.start)}"
        outcomes = ", ".join(f"{n} {name}" for name, n in sorted(self.counts.items()))
        seconds = self.clock() - self.start
        left = f", {clock_text(seconds / done * (total - done))} left" if 0 < done < total else ""
        return f"{done}/{total}: {outcomes or 'none done'}{left}  {self.latest}"

    def show(self):
        if self.is_terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{self.line()[:width]}", end="", file=self.output, flush=True)
        else:
            print(self.line(), file=self.output, flush=True)


def clock_text(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
