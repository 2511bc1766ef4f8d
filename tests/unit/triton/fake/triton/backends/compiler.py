# The types of targets and backends.
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class GPUTarget:
    backend: str
    arch: object
    warp_size: int


class Language(Enum):
    TRITON = 0


class BaseBackend:
    def __init__(self, target):
        self.target = target
