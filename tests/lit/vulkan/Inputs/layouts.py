"""Prints the layouts in the metadata of a compilation: layouts.py metadata.json"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import sys

with open(sys.argv[1]) as file:
    print(json.load(file)["layouts"])
