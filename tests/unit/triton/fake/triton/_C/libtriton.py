# The part of Triton that is a library: parsing.
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import re
import sys


class Context:
    pass


class Module:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def get_entry_func_name(self):
        found = re.search(r"tt\.func public @(\w+)", self.text)
        return found.group(1) if found else ""

    def get_function(self, name):
        return name

    def get_function_signature(self, name):
        arguments = re.search(rf"@{name}\((.*)\)", self.text).group(1)
        types = re.findall(r"%\w+: (!tt\.ptr<(\w+)>|!tt\.tensordesc<.*?>>|\w+)",
                           arguments)
        return ["*" + inner if inner else type_ for type_, inner in types]


class ir:
    context = Context

    @staticmethod
    def load_dialects(context):
        pass

    @staticmethod
    def parse_mlir_module(path, context):
        with open(path) as file:
            text = file.read()
        if "tt.func" not in text:
            print(f"{path}:3:7: error: expected a kernel", file=sys.stderr)
            print("  some text\n  ^", file=sys.stderr)
            raise RuntimeError("Parse MLIR file failed.")
        return Module(text)
