"""Runs Triton's frontend and common TTIR passes; needs no GPU.

The backend is that of `nereid build`. It keeps the module's text before and after
the passes.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "host/kernels"))

import kernels


@dataclass(frozen=True)
class Options(kernels.Options):
    default_dot_input_precision: str = "ieee"
    rewrite_pointers: bool = False  # see Case.rewrite_pointers


_texts = {}  # of the last compilation


def _compile_ttir(mod, options):
    _texts["raw"] = str(mod)
    kernels.run_common_passes(mod, options.rewrite_pointers)
    _texts["located"] = str(mod)
    _texts["plain"] = mod.str_nodebug()
    _texts["symbol"] = mod.get_entry_func_name()


def install():
    kernels.make_backend(_compile_ttir, Options)


def compile_case(case):
    """Texts of the case's modules, and what Triton made of its parameters."""
    _texts.clear()
    compiled = case.kernel.warmup(
        **case.args,
        **case.options,
        grid=case.grid,
        rewrite_pointers=case.rewrite_pointers,
        name=f"{case.name} {case.tags}",
    )
    return dict(_texts), compiled.src.signature
