# processes.py - what Linux says of a process and of those that it started
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib


def descendants(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
        found = [int(word) for file in children for word in file.read_text().split()]
    except FileNotFoundError:
        return []
    return found + [each for child in found for each in descendants(child)]


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] != "Z"
    except FileNotFoundError:
        return False
