"""Runs Triton programs on Nereid plugins: the backend that Triton discovers.

Triton imports `nereid.triton.compiler` and `nereid.triton.driver` because of
this package's entry point. Nothing here may fail at import: that would break
`import triton` for everybody.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0


def activate(target: str = "") -> None:
    """Makes `target` ("cpu", "vulkan:1", "" for the best) Triton's device.

    Other installed drivers are ignored from then on. Raises an error with the
    reason if the target is not available.
    """
    from triton.runtime import driver

    from .driver import NereidDriver

    driver.set_active(NereidDriver(target))
