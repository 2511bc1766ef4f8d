"""`python -m nereid`: the tool `nereid`, with this package's plugins."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys

from . import _native

_PACKAGE = pathlib.Path(__file__).parent


def tool() -> pathlib.Path:
    """The tool in the wheel, or else the one in the build tree."""
    build = pathlib.Path(_native.require().__file__).resolve().parents[2]
    for folder in (_PACKAGE / "bin", build / "bin"):
        if (folder / "nereid").exists():
            return folder / "nereid"
    sys.exit(f"nereid: no tool in {_PACKAGE / 'bin'} or {build / 'bin'}")


if __name__ == "__main__":
    path = tool()
    os.execv(path, [str(path), *sys.argv[1:]])
