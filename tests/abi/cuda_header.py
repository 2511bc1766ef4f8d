"""Compares plugins/cuda/api.h with NVIDIA's cuda.h: numbers, structs and functions.

    cuda_header.py COMPILER API_H FOLDER...

The header is looked for below each FOLDER (Triton's wheel has one). Exits with 77
if there is none. A difference is an error of the compiler.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
# What the plugin lets out of the structs that it passes: fields that are added
# to what was reserved.
PARTS = {"CUmemPoolProps": ["reserved"]}
# Types whose name is another one in the header.
NAMES = {"CUDA_MEMCPY2D": "CUDA_MEMCPY2D_v2"}

HEAD = """#include "api.h"
#include <cstddef>
#include <type_traits>
namespace mine {
using namespace nereid::cuda;
"""
# The result is an enumeration in the header, and handles are pointers to other
# structs: parameters are alike if they are as large and of one kind.
TEMPLATES = """}
#include <cuda.h>
template <typename A, typename B>
constexpr bool isAlikeType =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <typename... A> struct Types {};
template <typename A, typename B> constexpr bool areAlike = false;
template <>
inline constexpr bool areAlike<Types<>, Types<>> = true;
template <typename A, typename... As, typename B, typename... Bs>
constexpr bool areAlike<Types<A, As...>, Types<B, Bs...>> =
    isAlikeType<A, B> && areAlike<Types<As...>, Types<Bs...>>;
template <typename A, typename B> constexpr bool isAlike = false;
template <typename... A, typename... B>
constexpr bool isAlike<nereid::cuda::CUresult(A...), CUresult(B...)> =
    areAlike<Types<A...>, Types<B...>>;
"""


def numbers(api):
    """(name, number) of each enumerator."""
    return re.findall(r"^  (CU\w+) = (\d+),", api, re.M)


def structs(api):
    """(name, fields) of each struct; unions are compared by their size."""
    for name, body in re.findall(r"^struct (?:alignas\(\d+\) )?(CU\w+) \{\n(.*?)^\};", api, re.M | re.S):
        fields = []
        for line in re.findall(r"^  ([^/\n]*);", body, re.M):
            names = re.sub(r"^(?:const )?\w+ ", "", line)
            fields += [re.sub(r"[*\s]|\[.*", "", part) for part in names.split(",")]
        yield name, fields


def functions(api):
    """(name, symbol, parameters) of each function."""
    text = api.replace("\\\n", " ")
    return re.findall(r"X\((cu\w+),\s*(cu\w+),\s*\d+,\s*\(([^()]*)\)\)", text)


def check_of(api):
    mine, compared = [], []
    for name, number in numbers(api):
        # Some are macros in the header: only their text is compared.
        compared.append(f'static_assert({name} == {number}, "{name}");')
    for name, fields in structs(api):
        theirs = "::" + NAMES.get(name, name)
        compared.append(f'static_assert(sizeof(mine::{name}) == sizeof({theirs}), "{name}");')
        for field in fields:
            if field in PARTS.get(name, []):
                continue
            compared.append(
                f"static_assert(offsetof(mine::{name}, {field}) == offsetof({theirs}, {field}) && "
                f"sizeof(mine::{name}::{field}) == sizeof({theirs}::{field}), \"{name}.{field}\");"
            )
    for name, symbol, parameters in functions(api):
        mine.append(f"using {name}_mine = nereid::cuda::CUresult({parameters});")
        compared.append(f'static_assert(isAlike<mine::{name}_mine, decltype(::{symbol})>, "{name}");')
    return mine, compared


def source(api):
    mine, compared = check_of(api)
    return "\n".join([HEAD, *mine, TEMPLATES, *compared]) + "\n"


def main():
    compiler, header = sys.argv[1], Path(sys.argv[2])
    found = [path for folder in sys.argv[3:] for path in Path(folder).glob("**/nvidia/include/cuda.h")]
    if not found:
        print("no cuda.h of NVIDIA below", *sys.argv[3:])
        return SKIPPED
    api = header.read_text()
    assert len(numbers(api)) > 90 and len(list(structs(api))) >= 8 and len(functions(api)) > 65
    for path in found:
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(source(api))
            file.flush()
            command = [compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof"]
            command += [f"-I{header.parent}", "-isystem", str(path.parent), file.name]
            if subprocess.run(command).returncode:
                print(f"{header} differs from {path}")
                return 1
        print(f"as {path}")
    return 0


sys.exit(main())
