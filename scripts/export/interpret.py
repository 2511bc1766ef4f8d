"""Compares the expected results with Triton's interpreter, a second oracle.

Started by export-ttir with TRITON_INTERPRET=1 and numpy below 2.3 (newer ones
break the interpreter's loops). Writes which cases agreed, and why the others
were not compared.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import sys

import numpy as np
import torch
import triton

import export_cases


def why_not(case):
    """The reason why the interpreter is wrong about a case, or None."""
    if case.fault:
        return "the interpreter raises a Python exception in place of a fault"
    return case.not_interpreted


def difference(case):
    """Runs the case; one line about the first wrong output, or None."""
    case.kernel[case.grid](**case.args, **case.options)
    for name, expect in case.expect.items():
        found = case.args[name]
        found = getattr(found, "base", found) if name.endswith("desc") else found
        wide = torch.float64 if found.dtype.is_floating_point else torch.int64
        a, b = found.to(wide), expect.value.to(wide)
        close = torch.isclose(a, b, rtol=expect.rtol, atol=expect.atol, equal_nan=True)
        if not close.all():
            worst = (a - b).abs().max().item()
            count = int((~close).sum())
            return f"{name}: {count} of {a.numel()} differ, by up to {worst:g}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    np.seterr(all="ignore")  # lanes that a kernel discards may overflow
    agree, skipped, failed = [], {}, 0
    for source, case, bench in export_cases.collect(args.kernels, args.only):
        if bench:  # has no expected results
            continue
        reason = why_not(case)
        if reason:
            skipped[case.name] = reason
            continue
        try:
            wrong = difference(case)
        except Exception as error:  # report every case
            lines = str(error).strip().splitlines() or [""]
            wrong = f"{type(error).__name__}: {lines[-1]}"
        if wrong:
            failed += 1
            print(f"{source}.py: {case.name}: {wrong}", flush=True)
        else:
            agree.append(case.name)
    print(
        f"interpreter: {len(agree)} agree, {failed} differ, {len(skipped)} not compared"
    )
    if not args.only:
        note = {
            "triton": triton.__version__,
            "agree": sorted(agree),
            "not_compared": dict(sorted(skipped.items())),
        }
        path = args.out / "interpreter.json"
        path.write_text(json.dumps(note, indent=2) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
