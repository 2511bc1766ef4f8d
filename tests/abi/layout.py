#!/usr/bin/env python3
# layout.py - proves the layout of every struct against a committed file.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the offset, size and type of every field of every struct, and the
value of every constant, as a compiler sees them, and compares them with a
golden file. Also checks the rules that no offset shows: a struct starts with
its size or is a leaf, padding has a name, and only fixed-width types cross.

  layout.py --clang clang --cc gcc --include DIR [--also DIR]... GOLDEN
            [--update]

The headers below DIR are looked at; they may include those below --also.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

import surface

LEAVES = {"nereid_string_t", "nereid_bytes_t", "nereid_value_t", "nereid_tensor_t"}

# A scalar that may cross, by the spelling that clang gives it.
SCALAR = re.compile(r"^(u?int(8|16|32|64)_t|float|double|char"
                    r"|nereid_(status|type|severity|copy_direction|address|stream)"
                    r"_t)$")
ARRAY = re.compile(r"\[\d+\]$")


def type_error(type_):
    """Why a field of this type may not cross; None if it may."""
    if "(*)" in type_:
        words = re.findall(r"[A-Za-z_]\w*", type_)
        bad = {"_Bool", "long", "size_t", "enum", "int", "short"} & set(words)
        return f"{bad.pop()} in a signature" if bad else None
    if type_.endswith("*"):
        return None
    type_ = ARRAY.sub("", type_)
    if SCALAR.match(type_) or type_ in LEAVES:
        return None
    return f"type {type_}"


def rule_errors(structs):
    for struct in structs:
        first = struct.fields[0]
        starts_with_size = (first.name, first.type) == ("struct_size",
                                                        "uint32_t")
        if starts_with_size == (struct.name in LEAVES):
            yield (f"{struct.name}: starts with '{first.type} {first.name}', "
                   "expected 'uint32_t struct_size', or a leaf without it")
        for field in struct.fields:
            why = "a bit-field" if field.is_bitfield else type_error(field.type)
            if why:
                yield f"{struct.name}.{field.name}: {why} may not cross"


def program(names, api):
    """A C program that prints the layout."""
    lines = [surface.includes(names), "#include <stddef.h>\n#include <stdio.h>",
             "int main(void) {"]
    for macro in api.macros:
        lines.append(f"  PRINT_MACRO({macro});")
    for constant in api.constants:
        lines.append(f'  printf("%s = %d\\n", "{constant}", (int){constant});')
    for struct in api.structs:
        name = struct.name
        lines.append(f'  printf("\\n%s size %zu align %zu\\n", "{name}", '
                     f"sizeof({name}), _Alignof({name}));")
        lines.append("  size_t end = 0;" if struct is api.structs[0]
                     else "  end = 0;")
        for field in struct.fields:
            what = f"(({name} *)0)->{field.name}"
            lines.append(
                f"  if (offsetof({name}, {field.name}) != end) "
                f'puts("  PADDING without a name");')
            lines.append(
                f'  printf("  %zu %zu %s: %s\\n", '
                f"offsetof({name}, {field.name}), sizeof({what}), "
                f'"{field.name}", "{field.type}");')
            lines.append(f"  end = offsetof({name}, {field.name}) + "
                         f"sizeof({what});")
        lines.append(f"  if (sizeof({name}) != end) "
                     'puts("  PADDING without a name");')
    lines += ["  return 0;", "}", ""]
    text = "\n".join(lines)
    return text.replace("int main(void)", PRINT_MACRO + "int main(void)", 1)


# Texts and numbers print alike.
PRINT_MACRO = r"""
#define STRINGIFY_(x) #x
#define STRINGIFY(x) STRINGIFY_(x)
#define PRINT_MACRO(macro) printf("%s = %s\n", #macro, STRINGIFY(macro))
"""


def layout(cc, flags, names, api):
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work, "layout.c")
        source.write_text(program(names, api), encoding="utf-8")
        binary = pathlib.Path(work, "layout")
        subprocess.run([cc, "-std=c11", "-Wall", "-Wextra", "-pedantic",
                        "-Werror", *flags, source, "-o", binary],
                       check=True)
        return subprocess.run([binary], check=True, text=True,
                              stdout=subprocess.PIPE).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", required=True, help="reads the headers")
    parser.add_argument("--cc", required=True, help="lays the structs out")
    parser.add_argument("--include", required=True)
    parser.add_argument("--also", action="append", default=[])
    parser.add_argument("--update", action="store_true",
                        help="write the golden file instead")
    parser.add_argument("golden", type=pathlib.Path)
    args = parser.parse_args()

    names = surface.headers(args.include)
    flags = [f"-I{folder}" for folder in (args.include, *args.also)]
    api = surface.read(args.clang, args.include, flags)
    for folder in args.also:
        other = surface.read(args.clang, folder, flags)
        api.structs = [s for s in api.structs if s not in other.structs]
        api.constants = [c for c in api.constants
                         if c not in other.constants]
    found = layout(args.cc, flags, names, api)
    errors = list(rule_errors(api.structs))
    if "PADDING" in found:
        errors.append("a struct has padding without a name: see PADDING below")
    if args.update and not errors:
        args.golden.write_text(found, encoding="utf-8")
        return 0
    diff = difflib.unified_diff(
        args.golden.read_text(encoding="utf-8").splitlines(),
        found.splitlines(), str(args.golden), "the headers", lineterm="")
    errors += diff
    print("\n".join(errors) or f"{len(api.structs)} structs as in "
                               f"{args.golden.name}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
