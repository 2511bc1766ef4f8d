"""Makes Nereid's device a vendor of FlagGems, without a change to FlagGems.

Import it before FlagGems, or pass it to pytest:

    import nereid.flag_gems
    import flag_gems

    pytest -p nereid.flag_gems tests/test_softmax.py --ref cpu

The device is the one that Triton uses: NEREID_TARGET, `nereid.triton.activate`,
or the best one. docs/flag_gems.md says what is supplied, and where from.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from .adapter import install
from .plugin import Facts

__all__ = ["Facts", "facts"]

_adapter = install()


def facts() -> Facts:
    """What FlagGems is told about the device: found out on the first call, or when
    FlagGems is imported."""
    return _adapter.facts
