"""Triton's programs on Nereid's plugins: the backend that Triton discovers.

Triton imports `nereid.triton.compiler` and `nereid.triton.driver` because of
this package's entry point. Nothing here may fail at import: that would break
`import triton` for everybody.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0


def activate(target: str = "") -> None:
    """Makes `target` ("cpu", "vulkan:1", "" for the best) Triton's device.

    From here on, whatever other drivers are installed. An error says why the
    target cannot be had.
    """
    from triton.runtime import driver

    from .driver import NereidDriver

    driver.set_active(NereidDriver(target))
