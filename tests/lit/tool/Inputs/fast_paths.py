"""Compares the fast paths that an error message lists with the rows of the
table in docs/architecture.md.

  fast_paths.py MESSAGE DOCUMENT

Exits with 1 and names the differences.
"""
import re
import sys

message, document = (open(path, encoding="utf-8").read()
                     for path in sys.argv[1:3])
names = re.search(r"expected all, none or some of: (.*)", message)[1].split(", ")
table = re.search(r"^\| choice \|.*\n((?:\|.*\n)+)", document, re.M)[1]
rows = [name for row in table.splitlines()
        for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]
missing, unknown = set(names) - set(rows), set(rows) - set(names)
if missing:
    print("not in the document:", ", ".join(sorted(missing)))
if unknown:
    print("not in the compiler:", ", ".join(sorted(unknown)))
if len(rows) != len(set(rows)):
    print("the document lists a choice twice")
sys.exit(bool(missing or unknown or len(rows) != len(set(rows))))
