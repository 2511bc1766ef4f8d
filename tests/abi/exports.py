#!/usr/bin/env python3
# exports.py - a plugin exports its entry, and nothing else.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the dynamic symbols of PLUGIN, and that it has one Nereid note.

  exports.py PLUGIN
"""

import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def main():
    plugin = sys.argv[1]
    symbols = sorted(line.split()[-1] for line in
                     output("nm", "-D", "--defined-only", plugin).splitlines())
    notes = [line for line in output("readelf", "-nW", plugin).splitlines()
             if line.split()[:1] == ["nereid"]]
    errors = []
    if symbols != ["nereid_plugin_entry_1"]:
        errors.append(f"{plugin}: exports {', '.join(symbols) or 'nothing'}, "
                      "expected nereid_plugin_entry_1 alone")
    if len(notes) != 1:
        errors.append(f"{plugin}: has {len(notes)} Nereid notes, expected one")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
