#!/usr/bin/env python3
# check_help.py - every help text fits on a screen of 24 lines and 80 columns,
# and the verbs that the tool lists are those that it has.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys


def text_of(*words):
    return subprocess.run(["nereid", *words], check=True, capture_output=True, text=True).stdout


problems = []


def check(title, text):
    lines = text.splitlines()
    if len(lines) > 24:
        problems.append(f"{title}: {len(lines)} lines")
    problems.extend(f"{title}: too wide: {line}" for line in lines if len(line) > 80)


main = text_of("--help")
check("nereid --help", main)
verbs = [line.split()[0] for line in main.split("\n\n")[0].splitlines()[1:]]
for verb in verbs:
    text = text_of(verb, "--help")
    check(f"nereid {verb} --help", text)
    if not text.startswith(f"Usage: nereid {verb}"):
        problems.append(f"nereid {verb} --help starts with {text[:40]!r}")
    if text_of("help", verb) != text:
        problems.append(f"nereid help {verb} differs")
print(len(verbs), "verbs")
sys.exit("\n".join(problems) or 0)
