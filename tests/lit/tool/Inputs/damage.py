#!/usr/bin/env python3
# damage.py - flips a bit in the middle of every cache entry below a folder.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

entries = list(pathlib.Path(sys.argv[1]).rglob("*.entry"))
for entry in entries:
    content = bytearray(entry.read_bytes())
    content[len(content) // 2] ^= 1
    entry.chmod(0o600)
    entry.write_bytes(content)
sys.exit(0 if entries else "no entries")
