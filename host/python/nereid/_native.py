"""The native module, or why it cannot be loaded."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType

library: ModuleType | None
problem = ""



def _prefer_own_triton() -> None:
    """The plugin `triton` uses the Triton beside this package, also where PATH has
    another Python first, as with an environment that is not activated."""
    try:
        has_triton = importlib.util.find_spec("triton") is not None
    except ValueError:
        has_triton = False  # a module that a program made up
    if has_triton and sys.executable:
        os.environ.setdefault("NEREID_TRITON_PYTHON", sys.executable)


try:
    _prefer_own_triton()  # plugins read it when they are loaded
    from . import _nereid as library
except (ImportError, OSError) as error:
    library = None
    problem = str(error)


def require() -> ModuleType:
    """The module; raises an ImportError with the reason if it cannot be loaded."""
    if library is None:
        raise ImportError(f"nereid's native module cannot be loaded: {problem}")
    return library
