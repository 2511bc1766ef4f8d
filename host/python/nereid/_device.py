"""One device of a plugin, which memory, streams and kernels belong to."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
from typing import Any

from . import _native


class PluginDevice:
    """A plugin that drives devices, and the number of one of them."""

    def __init__(self, backend: Any, index: int) -> None:
        self.backend = backend
        self.index = index
        info = backend.info()
        self.plugin = info["id"]
        self.is_host_cpu = info["is_host_cpu"]
        self.device_type = info["device_type"]
        self.name = f"{self.device_type}:{index}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PluginDevice):
            return NotImplemented
        return (self.plugin, self.index) == (other.plugin, other.index)

    def __hash__(self) -> int:
        return hash((self.plugin, self.index))

    @functools.cached_property
    def is_host_accessible(self) -> bool:
        facts = json.loads(self.backend.properties(self.index))
        return bool(facts.get("host_accessible", False))

    def synchronize(self, stream: int) -> None:
        self.backend.synchronize(self.index, stream)


def choose_device(target: str) -> PluginDevice:
    return PluginDevice(*_native.require().choose(target))
