"""The driver that torch.compile makes active before it launches on the CPU."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from .. import driver  # the module: Triton looks for one class here


class CpuDriver(driver.NereidDriver):
    """Nereid's CPU, whatever NEREID_TARGET names."""

    @staticmethod
    def is_active() -> bool:
        return False

    def __init__(self) -> None:
        super().__init__("cpu")
