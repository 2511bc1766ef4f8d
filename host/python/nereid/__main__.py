"""`python -m nereid`: the tool `nereid`, with this package's plugins."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys

_PACKAGE = pathlib.Path(__file__).parent


def tool() -> pathlib.Path:
    """The tool of the wheel, else that of the build tree."""
    import _nereid

    build = pathlib.Path(_nereid.__file__).resolve().parent.parent
    for folder in (_PACKAGE / "bin", build / "bin"):
        if (folder / "nereid").exists():
            return folder / "nereid"
    sys.exit(f"nereid: no tool in {_PACKAGE / 'bin'} or {build / 'bin'}")


if __name__ == "__main__":
    path = tool()
    os.execv(path, [str(path), *sys.argv[1:]])
