# surface.py - what the C headers declare, read from clang's syntax tree.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Structs with their fields, constants and macros of a folder of headers.

Nothing is listed by hand: what somebody adds to a header is found here, and
so is missing from the golden file until it is put there on purpose.
"""

import dataclasses
import json
import pathlib
import re
import subprocess


@dataclasses.dataclass
class Field:
    name: str
    type: str
    is_bitfield: bool


@dataclasses.dataclass
class Struct:
    name: str
    fields: list


@dataclasses.dataclass
class Surface:
    structs: list
    constants: list  # of enums
    macros: list  # that are a number or a text


MACRO = re.compile(r'^#define (NEREID_[A-Z0-9_]+) ("[^"]*"|\d+)$', re.M)


def headers(folder):
    """The C headers below `folder`, by the name that a program includes."""
    folder = pathlib.Path(folder)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.h"))


def includes(names):
    return "".join(f"#include <{name}>\n" for name in names)


def read(clang, folder, flags):
    """The surface of the headers of `folder`, and of those they include."""
    names = headers(folder)
    tree = json.loads(subprocess.run(
        [clang, "-x", "c", "-std=c11", "-fsyntax-only", "-Xclang",
         "-ast-dump=json", *flags, "-"],
        input=includes(names), text=True, check=True,
        stdout=subprocess.PIPE).stdout)
    structs, constants = [], []
    for node in tree["inner"]:
        if node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            if node.get("name", "").startswith("nereid_"):
                structs.append(_struct(node))
        elif node["kind"] == "EnumDecl":
            constants += [c["name"] for c in node.get("inner", [])
                          if c["kind"] == "EnumConstantDecl"]
    macros = []
    for name in names:
        text = (pathlib.Path(folder) / name).read_text(encoding="utf-8")
        macros += [macro for macro, _ in MACRO.findall(text)]
    # Macros that a plugin may define itself are not part of the surface.
    macros = [m for m in macros if m != "NEREID_PLUGIN_MIN_HOST_MINOR"
              and not m.startswith("NEREID_NOTE_SANITIZER")
              and m != "NEREID_NOTE_MACHINE"]
    return Surface(sorted(structs, key=lambda s: s.name), constants,
                   list(dict.fromkeys(macros)))


def _struct(node):
    fields = [Field(child["name"], child["type"]["qualType"],
                    child.get("isBitfield", False))
              for child in node.get("inner", []) if child["kind"] == "FieldDecl"]
    return Struct(node["name"], fields)
