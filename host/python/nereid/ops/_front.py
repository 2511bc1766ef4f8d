"""The functions of nereid.ops that are not operators."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from . import _calling


def operators() -> list[str]:
    """The names of all operators, sorted."""
    return _calling.packs().names


def report() -> dict[str, Any]:
    """The packs that were found, and what is wrong with them."""
    return json.loads(_calling.packs().native.report())


def show(name: str) -> dict[str, Any]:
    """An operator: its schema, layers and variants."""
    return _calling.packs().show(name)


def explain(name: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """What the call nereid.ops.NAME(...) launches, and why, without running it."""
    called = _calling.operator(name)
    bound = called.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return json.loads(called.native.explain(*bound.arguments.values()))


def function(name: str) -> FunctionType:
    """The operator called `name`."""
    try:
        return _calling.operator(name).function
    except _calling.UnknownOperator as error:
        raise AttributeError(str(error)) from None


def names_of_module() -> list[str]:
    return sorted([*operators(), "disable", "enable", "explain", "operators", "report", "show", "use"])


def enable(
    include: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    *,
    target: str = "",
) -> list[str]:
    """Makes torch's operators run the packs' kernels on the device of `target`.

    `include` and `exclude` have names of operators, or of torch's overloads
    ("softmax.int"). Where an operator does not apply, as to a type that it does
    not have, torch's own kernel runs. Returns the overloads that were replaced. A
    second call replaces the choice of the first.
    """
    from . import _replace

    return _replace.enable(include, exclude, target)


def disable() -> None:
    """Ends what `enable` began."""
    from . import _replace

    _replace.disable()


@contextlib.contextmanager
def use(
    include: Iterable[str] | None = None,
    exclude: Iterable[str] = (),
    *,
    target: str = "",
) -> Iterator[list[str]]:
    """`enable` for the time of a block; afterwards it is as it was before."""
    from . import _replace

    before = _replace.current()
    try:
        yield _replace.enable(include, exclude, target)
    finally:
        _replace.restore(before)
