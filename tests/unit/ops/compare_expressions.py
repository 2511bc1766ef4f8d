#!/usr/bin/env python3
# compare_expressions.py - thousands of random expressions, evaluated by Python
# and by libnereid-ops.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compares values, and whether there is one, of random expressions.

  compare_expressions.py LIBNEREID LIBNEREID_OPS [--count N] [--seed N]

What Python computes beyond the language (integers of more than 64 bits, complex
numbers, long lists) must be an error here.
"""

import argparse
import ast
import json
import math
import random
import sys
import warnings

import libnereid_ops


def integer_only(*values):
    for value in values:
        if not isinstance(value, int):
            raise TypeError("expected an integer")


def cdiv(a, b):
    integer_only(a, b)
    return -(-a // b)


def next_power_of_2(n):
    integer_only(n)
    return 1 << max(n - 1, 0).bit_length()


def prev_power_of_2(n):
    integer_only(n)
    if n < 1:
        raise ValueError
    return 1 << (int(n).bit_length() - 1)


def log2(n):
    integer_only(n)
    if n < 1:
        raise ValueError
    return int(n).bit_length() - 1


def is_power_of_2(n):
    integer_only(n)
    return n > 0 and n & (n - 1) == 0


def round_up(n, m):
    return cdiv(n, m) * m


def of_list(function):
    def called(value):
        if not isinstance(value, list):
            raise TypeError
        return function(value)
    return called


def number_list(function, start):
    def called(value):
        if not isinstance(value, list):
            raise TypeError
        total = start
        for item in value:
            if not isinstance(item, (int, float)):
                raise TypeError
            total = check(function(total, item))
        return total
    return called


def number(function):
    def called(value):
        if not isinstance(value, (int, float)):
            raise TypeError
        return function(value)
    return called


class Tensor:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def integers(value):
    values = value if isinstance(value, list) else [value]
    integer_only(*values)
    return [int(one) for one in values]


def lists_only(*values):
    for value in values:
        if not isinstance(value, list):
            raise TypeError("expected a list")


def axes(dims, rank):
    integer_only(rank)
    if not 0 <= rank <= 64:
        raise ValueError
    if dims is None or dims == []:
        return list(range(rank))
    found = sorted(d + max(rank, 1) if d < 0 else d for d in integers(dims))
    if not all(0 <= d < max(rank, 1) for d in found) or len({*found}) != len(found):
        raise ValueError
    return found if rank else []


def drop(values, indices):
    lists_only(values)
    indices = integers(indices)
    return [v for i, v in enumerate(values) if i not in indices]


def put(values, indices, value):
    lists_only(values)
    indices = integers(indices)
    return [value if i in indices else v for i, v in enumerate(values)]


def pick(values, indices):
    indices = integers(indices)
    if indices:
        lists_only(values)
    return [values[i] for i in indices]


def column(lists, index):
    lists_only(lists, *lists)
    return [values[index] for values in lists]


def broadcast(*shapes):
    lists_only(*shapes)
    rank = max(len(shape) for shape in shapes)
    result = []
    for at in range(rank):
        sizes = {1}
        for shape in shapes:
            integers(shape)
            place = at - rank + len(shape)
            if place >= 0:
                sizes.add(shape[place])
        if len(sizes) > 2:
            raise ValueError
        result.append(int(max(sizes - {1}, default=1)))
    return result


BUILTINS = {
    "axes": axes, "drop": drop, "put": put, "pick": pick, "column": column,
    "broadcast": broadcast,
    "min": min, "max": max, "abs": abs, "cdiv": cdiv, "log2": log2,
    "next_power_of_2": next_power_of_2, "prev_power_of_2": prev_power_of_2,
    "is_power_of_2": is_power_of_2, "round_up": round_up,
    "prod": number_list(lambda a, b: a * b, 1),
    "sum": number_list(lambda a, b: a + b, 0),
    "len": of_list(len), "any": of_list(any), "all": of_list(all),
    "round": number(round), "int": number(int), "float": number(float),
    "__builtins__": {},
}

VALUES = {
    "n": 1000, "m": 7, "zero": 0, "neg": -13, "big": 2**62, "most": 2**63 - 1,
    "least": -2**63, "half": 0.5, "third": 1 / 3, "huge": 1e300, "yes": True,
    "no": False, "nothing": None, "word": "row", "empty": [], "list": [3, 1, 2],
    "x": {"shape": [4, 1, 1000], "rank": 3, "dtype": "f16", "numel": 4000},
}


def check(value):
    """Refuses what the language does not have."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        raise OverflowError
    if isinstance(value, complex):
        raise OverflowError
    if isinstance(value, list):
        if len(value) > 64:
            raise OverflowError
        for item in value:
            check(item)
    if isinstance(value, str) and len(value) > 4096:
        raise OverflowError
    return value


def multiply(a, b):
    """Without lists that do not fit into memory."""
    for items, count in ((a, b), (b, a)):
        if isinstance(items, str):
            raise TypeError
        if isinstance(items, list) and isinstance(count, int) and \
                len(items) * count > 64:
            raise OverflowError
    return check(a * b)


def modulo(a, b):
    """Without the formatting of strings."""
    if isinstance(a, str):
        raise TypeError
    return check(a % b)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def leaf(self):
        pick = self.random
        kind = pick.random()
        if kind < 0.35:
            return str(pick.choice([0, 1, 2, 3, 4, 7, 8, 16, 63, 64, 1000,
                                    2**31, 2**53 + 1, 2**63 - 1]))
        if kind < 0.45:
            return pick.choice(["0.5", "1.5", "2.5", "1e3", "0.1", "1e-7",
                                "1e16", "123456789.75", "1e308"])
        if kind < 0.55:
            return pick.choice(["True", "False", "None", "'row'", "'r'", "''"])
        return pick.choice(["n", "m", "zero", "neg", "big", "most", "least",
                            "half", "third", "huge", "yes", "no", "nothing",
                            "word", "empty", "list", "x.shape", "x.rank",
                            "x.dtype", "x.numel"])

    def make(self, depth):
        pick = self.random
        if depth == 0:
            return self.leaf()

        def sub():
            return self.make(pick.randrange(depth))
        kind = pick.random()
        if kind < 0.35:
            op = pick.choice(["+", "-", "*", "/", "//", "%", "**"])
            left, right = sub(), sub()
            if op == "**":  # powers that Python computes in reasonable time
                right = pick.choice(["0", "1", "2", "3", "0.5", "-1", "-2"])
            return f"{left} {op} {right}"
        if kind < 0.5:
            count = pick.choice([1, 1, 1, 2, 3])
            text = sub()
            for _ in range(count):
                op = pick.choice(["<", "<=", ">", ">=", "==", "!=", "in",
                                  "not in"])
                text += f" {op} {sub()}"
            return text
        if kind < 0.6:
            return f"{sub()} {pick.choice(['and', 'or'])} {sub()}"
        if kind < 0.67:
            return f"{sub()} if {sub()} else {sub()}"
        if kind < 0.73:
            return f"{pick.choice(['-', '+', 'not '])}{sub()}"
        if kind < 0.80:
            return f"({sub()})"
        if kind < 0.84:
            return "[" + ", ".join(sub() for _ in range(pick.randrange(4))) + "]"
        if kind < 0.87:
            value = pick.choice(["list", "x.shape", "empty", f"[{sub()}]"])
            return f"{value}[{sub()}]"
        if kind < 0.91:
            value = pick.choice(["list", "x.shape", "empty"])
            parts = [pick.choice(["", "0", "1", "-1", "-2", "5", sub()])
                     for _ in range(pick.choice([2, 2, 3]))]
            return f"{value}[{':'.join(parts)}]"
        if kind < 0.93:
            return f"{sub()} {pick.choice(['is', 'is not'])} None"
        name = pick.choice([n for n in BUILTINS if n != "__builtins__"])
        if name == "put" or (name in ("drop", "pick", "axes", "column",
                                      "broadcast") and pick.random() < 0.8):
            lists = ["list", "x.shape", "empty", "[0, -1]", "[1]", "[[1, 2], [3]]",
                     "[4, 2, 1]", "[1, 5]"]
            first = "None" if name == "axes" and pick.random() < 0.2 \
                else pick.choice(lists)
            second = pick.choice([*lists, "x.rank", "0", "1", "-1"])
            third = f", {sub()}" if name == "put" else ""
            return f"{name}({first}, {second}{third})"
        count = {"min": 2, "max": 3, "cdiv": 2, "round_up": 2, "axes": 2,
                 "drop": 2, "pick": 2, "column": 2}.get(name, 1)
        return f"{name}({', '.join(sub() for _ in range(count))})"


def python(code, names):
    """repr() of the value, or None and why there is none."""
    try:
        value = eval(code, {**BUILTINS, **names})  # pylint: disable=eval-used
        return repr(check(value)), None
    except (ArithmeticError, TypeError, ValueError, IndexError,
            AttributeError, NameError) as error:
        return None, f"{type(error).__name__}: {error}"


def python_checked(text, names):
    """The same, where every intermediate value must be in the language: in the
    syntax tree there is a check behind every operation."""
    class Wrap(ast.NodeTransformer):
        def generic_visit(self, node):
            super().generic_visit(node)
            for kind, name in ((ast.Mult, "multiply__"), (ast.Mod, "modulo__")):
                if isinstance(getattr(node, "op", None), kind):
                    return ast.Call(ast.Name(name, ast.Load()),
                                    [node.left, node.right], [])
            if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call, ast.List)):
                return ast.Call(ast.Name("check__", ast.Load()), [node], [])
            return node

        def visit_Attribute(self, node):
            return node

    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        return None, str(error)
    tree = ast.fix_missing_locations(Wrap().visit(tree))
    code = compile(tree, "<expression>", "eval")
    return python(code, {**names, "check__": check, "multiply__": multiply,
                         "modulo__": modulo})


def agree(expected, found):
    if expected == found:
        return True
    # A list with NaN, or -0.0 in a list, differs in nothing but its text.
    return expected is not None and found is not None and \
        expected.replace("-nan", "nan") == found


def main():
    warnings.simplefilter("ignore", SyntaxWarning)
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("ops")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=18)
    options = parser.parse_args()
    library = libnereid_ops.Library(options.host, options.ops)
    generator = Generator(options.seed)
    names = {**VALUES, "x": Tensor(**VALUES["x"])}
    values = json.dumps(VALUES)
    with_value, problems = 0, []
    for _ in range(options.count):
        text = generator.make(generator.random.randrange(1, 6))
        expected, why = python_checked(text, names)
        found, error = library.evaluate(text, values)
        if agree(expected, found):
            with_value += expected is not None
            continue
        problems.append(f"{text}\n  Python: {expected or why}\n"
                        f"  here:   {found or error}")
    for problem in problems[:20]:
        print(problem)
    print(f"{options.count} expressions, {with_value} with a value, "
          f"{len(problems)} differ")
    if with_value < options.count // 4 or math.isnan(with_value):
        print("too few of the expressions have a value")
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
