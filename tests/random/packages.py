"""What these tests need besides Python itself."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import importlib
import sys

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE


def require(name: str) -> None:
    """Ends the program as skipped where package `name` cannot be imported."""
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(f"skipped: package {name} is missing ({error}); install it, as with 'pip install {name}'")
        sys.exit(SKIPPED)
