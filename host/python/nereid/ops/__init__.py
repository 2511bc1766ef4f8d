"""The operators of packs, as functions.

    import nereid
    y = nereid.ops.softmax(x, dim=-1)      # torch tensors, numpy arrays, DLPack
    nereid.ops.add(x, y, out=z)

    with nereid.ops.use():                 # torch's own operators run packs' kernels
        model(x)

`dir(nereid.ops)` and `operators()` list them; each has its signature and its
schema as help. Packs are found when an operator is first used (docs/operators.md).
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

# Operators become globals of this module when they are first used. Some have the
# names of Python's own functions, so that no other code belongs into this file.

from ._front import disable, enable, explain, operators, report, show, use

__all__ = ["disable", "enable", "explain", "operators", "report", "show", "use"]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from . import _front

    function = _front.function(name)
    globals()[name] = function
    return function


def __dir__():
    from . import _front

    return _front.names_of_module()
