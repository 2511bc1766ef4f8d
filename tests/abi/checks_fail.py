#!/usr/bin/env python3
# checks_fail.py - the checks of the ABI fail when they should.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Changes a copy of the headers in one way at a time and runs the checks.

  checks_fail.py --clang C --cc C ROOT
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

APPEND = ("driver.h", "                            const nereid_call_t *call);\n"
          "} nereid_driver_t;",
          "                            const nereid_call_t *call);\n"
          "  // (optional) New. [any-thread]\n"
          "  nereid_status_t (*added)(nereid_state_t *state);\n"
          "} nereid_driver_t;")
REQUIRE = ("driver.h", APPEND[1], APPEND[2].replace("(optional)", "Required."))
NEW_STRUCT = ("note.h", "typedef struct nereid_note_t {",
              "typedef struct nereid_added_t {\n  uint32_t struct_size;\n"
              "  uint32_t reserved;\n} nereid_added_t;\n"
              "typedef struct nereid_note_t {")
INSERT = ("driver.h", "  uint32_t grid[3]; ", "  uint64_t added;\n"
          "  uint32_t grid[3]; ")
REMOVE = ("driver.h", "  uint64_t arguments_size;   // bytes\n", "")
LEAF = ("base.h", "  uint64_t size;\n} nereid_bytes_t;",
        "  uint64_t size;\n  uint64_t added;\n} nereid_bytes_t;")
RETYPE = ("driver.h", "  int64_t shared; ", "  double shared; ")
SIGNATURE = ("driver.h", "const nereid_image_t *image,",
             "const nereid_launch_t *image,")
CONSTANT = ("base.h", "NEREID_NOT_FOUND = 5,", "NEREID_NOT_FOUND = 12,")
BOOL = ("driver.h", "  int64_t shared; ", "  _Bool shared; ")
PADDING = ("base.h", "  uint32_t reserved;\n  int64_t i64;", "  int64_t i64;")
UNSIZED = ("driver.h", "typedef struct nereid_launch_t {\n"
           "  uint32_t struct_size;",
           "typedef struct nereid_launch_t {\n  uint32_t size;")
WORD = ("driver.h", "is returned. [hot]", "is returned.")
INCLUDE = ("base.h", "#include <stdint.h>", "#include <stdbool.h>\n"
           "#include <stdint.h>")
EXTENSION_ID = ("ext/libdevice.h", 'LIBDEVICE "nereid.libdevice/1"',
                'LIBDEVICE "nereid.libdevice/2"')

# (changes, check, exit status, what it prints)
CASES = [
    ([], "layout", 0, "structs as in"),
    ([APPEND], "layout", 1, "+  "),
    ([NEW_STRUCT], "layout", 1, "+nereid_added_t"),
    ([INSERT], "layout", 1, "added: uint64_t"),
    ([CONSTANT], "layout", 1, "+NEREID_NOT_FOUND = 12"),
    ([EXTENSION_ID], "layout", 1, '"nereid.libdevice/2"'),
    ([SIGNATURE], "layout", 1, "load_image"),
    ([BOOL], "layout", 1, "nereid_kernel_info_t.shared: type _Bool"),
    ([PADDING], "layout", 1, "padding without a name"),
    ([UNSIZED], "layout", 1, "expected 'uint32_t struct_size'"),
    ([], "thread_words", 0, ""),
    ([WORD], "thread_words", 1, "driver.h:"),
    ([], "slots", 0, "slots as in"),
    ([APPEND], "slots", 1, "+driver.h added optional"),
    ([REQUIRE], "slots", 1, "+driver.h added required"),
    ([], "headers", 0, "headers"),
    ([INCLUDE], "headers", 1, "base.h: includes stdbool.h"),
    ([], "check-abi", 0, "unchanged"),
    ([APPEND], "check-abi", 0, "compatible"),
    ([NEW_STRUCT], "check-abi", 0, "compatible"),
    ([INSERT], "check-abi", 1, "incompatible"),
    ([REMOVE], "check-abi", 1, "incompatible"),
    ([LEAF], "check-abi", 1, "incompatible"),
    ([RETYPE], "check-abi", 1, "incompatible"),
    ([SIGNATURE], "check-abi", 1, "incompatible"),
    ([APPEND, SIGNATURE], "check-abi", 1, "incompatible"),
]


def change(folder, changes):
    for name, old, new in changes:
        path = folder / "nereid" / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{name} has not one '{old.splitlines()[0]}'")
        path.write_text(text.replace(old, new), encoding="utf-8")


def command(check, args, folder):
    here = args.root / "tests/abi"
    return {
        "layout": [here / "layout.py", "--clang", args.clang, "--cc", args.cc,
                   "--include", folder, here / "layout.txt"],
        "thread_words": [here / "thread_words.py", folder / "nereid/base.h",
                         folder],
        "slots": [here / "slots.py", folder, here / "slots.txt"],
        "headers": [here / "headers.py", "--std", "c11", "--include", folder,
                    args.cc],
        "check-abi": [args.root / "scripts/check-abi", "--headers", folder,
                      "--reference", args.reference],
    }[check]


def failure(args, work, number, case):
    """Why the case went wrong; None if it did not."""
    changes, check, status, text = case
    folder = work / str(number)
    shutil.copytree(args.root / "plugin-api/include", folder)
    change(folder, changes)
    result = subprocess.run([sys.executable, *command(check, args, folder)],
                            text=True, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    if result.returncode == status and text in result.stdout:
        return None
    return (f"case {number}: {check} gave {result.returncode}, expected "
            f"{status} and '{text}'\n{result.stdout}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("root", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        # Against itself: what was released is another test's matter.
        args.reference = work / "self.abi"
        subprocess.run([sys.executable, args.root / "scripts/check-abi",
                        "--write", args.reference], check=True)
        failures = [failure(args, work, number, case)
                    for number, case in enumerate(CASES)]
    failures = [f for f in failures if f]
    print("\n".join(failures) or f"{len(CASES)} cases")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
