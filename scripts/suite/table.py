"""Results of Triton's tests as a table by file, and the list out of reach."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import fnmatch
import itertools
import json
import os
import re

NOT_RUN = "not run: "  # in the reason of a skipped test
COLUMNS = ("passed", "failed", "crashed", "skipped", "out of reach")


class OutOfReach:
    """Patterns of test ids that cannot pass with a version of what is tested, each
    with its reason. One with "~" in front may pass, one with "!" is not run; one with
    "?" is a pattern of messages instead, of whatever test."""

    def __init__(self, files, version):
        self.rules = []
        self.not_run = []
        self.may_pass = []
        self.messages = []
        lines = [file.read_text().splitlines() for file in files if file.exists()]
        for line in itertools.chain(*lines):
            if line.strip() and not line.startswith("#"):
                pattern, reason = re.split(r"\s{2,}", line, maxsplit=1)
                kind, pattern = pattern[0], pattern.lstrip("!~?")
                only, _, pattern = pattern.rpartition("@")
                if version.startswith(only):
                    self._add(kind, (pattern.replace("[", "[[]"), reason))

    def _add(self, kind, rule):
        (self.messages if kind == "?" else self.rules).append(rule)
        if kind == "!":
            self.not_run.append(rule)
        if kind == "~":
            self.may_pass.append(rule)

    def reason(self, test, message=""):
        return self._find(self.rules, test) or self._find(self.messages, message)

    def is_unexpected(self, test):
        """Whether a pass of the test is a mistake in the list."""
        return bool(self.reason(test)) and not self._find(self.may_pass, test)

    @staticmethod
    def _find(rules, test):
        for pattern, reason in rules:
            if fnmatch.fnmatchcase(test, pattern):
                return reason
        return None


def whole_lines(path):
    """The lines of a file of results. A last one that was not written whole, because
    the machine stopped, is removed from the file."""
    content = path.read_bytes() if path.exists() else b""
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(path, end)
    return content[:end].decode().splitlines()


class Results:
    """What a run wrote, one outcome a test: the last one counts."""

    def __init__(self, lines, out_of_reach):
        self.tests = {}
        for line in lines:
            record = json.loads(line)
            self.tests[record["test"]] = record
        for record in self.tests.values():
            self._judge(record, out_of_reach)

    @staticmethod
    def _judge(record, out_of_reach):
        reason = out_of_reach.reason(record["test"], record["reason"])
        passed = record["outcome"] == "passed"
        record["unexpected"] = passed and out_of_reach.is_unexpected(record["test"])
        is_not_run = record["outcome"] == "skipped" and NOT_RUN in record["reason"]
        if reason and (is_not_run or record["outcome"] in ("failed", "crashed", "uncollected")):
            record.update(outcome="out of reach", reason=reason)
        if record["outcome"] == "uncollected":
            record["outcome"] = "failed"

    def having(self, outcome):
        return [r for r in self.tests.values() if r["outcome"] == outcome]

    def unexpected(self):
        return [r for r in self.tests.values() if r["unexpected"]]

    def is_good(self):
        return not (self.having("failed") or self.having("crashed") or self.unexpected())

    def table(self):
        counts = collections.defaultdict(collections.Counter)
        for record in self.tests.values():
            counts[record["test"].partition("::")[0]][record["outcome"]] += 1
        total = sum(counts.values(), collections.Counter())
        rows = [("file", *COLUMNS)]
        for name, count in [*sorted(counts.items()), ("total", total)]:
            rows.append((name, *(str(count[column]) for column in COLUMNS)))
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join(
            "  ".join(
                [row[0].ljust(widths[0])]
                + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
            )
            for row in rows
        )

    def failures(self):
        """Failures with the same reason together, the most frequent first."""
        groups = collections.defaultdict(list)
        for record in self.having("crashed") + self.having("failed"):
            function = record["test"].partition("[")[0]
            groups[function, generalise(record["reason"])].append(record["test"])
        ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
        return "\n".join(
            f"{len(tests):5}  {function}\n       {reason}\n       {tests[0]}"
            for (function, reason), tests in ordered
        )


def generalise(reason):
    """Without numbers and addresses, which differ from test to test."""
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "N", reason)
