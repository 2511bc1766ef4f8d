"""Compares an export with the committed one (see export-ttir --check)."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import filecmp
import pathlib
import sys

import numpy as np


def files_below(folder):
    return {p.relative_to(folder) for p in folder.rglob("*") if p.is_file()}


def same(committed, fresh):
    """Equal bytes; for expected results, equal up to the last bits.

    Another machine's libm may round one bit differently.
    """
    if filecmp.cmp(committed, fresh, shallow=False):
        return True
    if not fresh.name.endswith(".expected.npy"):
        return False
    a, b = np.load(committed), np.load(fresh)
    if a.dtype != b.dtype or a.shape != b.shape or a.dtype.kind != "f":
        return False
    return np.allclose(a, b, rtol=4 * np.finfo(a.dtype).eps, atol=1e-7)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--committed", type=pathlib.Path, required=True)
    parser.add_argument("--fresh", type=pathlib.Path, required=True)
    parser.add_argument(
        "--whole", nargs="*", default=[], help="folders that the export makes entirely"
    )
    args = parser.parse_args()
    made, kept = files_below(args.fresh), files_below(args.committed)
    problems = [
        f"{name}: committed, but no case makes it"
        for name in kept - made
        if name.parts[0] in args.whole
    ]
    for name in made:
        if name not in kept:
            problems.append(f"{name}: not committed")
        elif not same(args.committed / name, args.fresh / name):
            problems.append(f"{name}: differs")
    print("\n".join(sorted(problems)) or f"{len(made)} files as committed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
