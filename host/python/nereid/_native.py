"""The native module, or why it cannot be loaded."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from types import ModuleType

library: ModuleType | None
problem = ""

try:
    from . import _nereid as library
except (ImportError, OSError) as error:
    library = None
    problem = str(error)


def require() -> ModuleType:
    """The module; raises an ImportError with the reason if it cannot be loaded."""
    if library is None:
        raise ImportError(f"nereid's native module cannot be loaded: {problem}")
    return library
