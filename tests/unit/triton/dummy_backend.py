# dummy_backend.py - a vendor's backend in Python: its images record launches
# on the `extension` device.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import struct
from dataclasses import dataclass

from triton.backends.compiler import BaseBackend


@dataclass(frozen=True)
class DummyOptions:
    num_warps: int = 1
    # what the dummy adds to everything
    bias: int = 0


def image_of(name, types, warps):
    """The format of plugins/extension/image.h."""
    sizes = {"i32": 4, "i64": 8, "f32": 4}
    body, end, arguments = b"", 0, b""
    for type_ in types:
        size = 8 if type_.startswith("*") else sizes[type_]
        end = (end + size - 1) // size * size
        arguments += struct.pack("<II", end, len(type_)) + type_.encode()
        end += size
    body = struct.pack("<IIIII", 0, warps, (end + 7) // 8 * 8, len(types),
                       len(name)) + name.encode() + arguments
    digest = 2166136261
    for byte in body:
        digest = (digest ^ byte) * 16777619 & 0xFFFFFFFF
    return b"nereidx1" + struct.pack("<II", 16 + len(body), digest) + body


class DummyBackend(BaseBackend):
    @staticmethod
    def supports_target(target):
        return target.backend == "extension"

    def hash(self):
        return "dummy-1"

    def parse_options(self, options):
        return DummyOptions(**options)

    def get_codegen_implementation(self, options):
        return {}

    def get_module_map(self):
        return {}

    def load_dialects(self, context):
        pass

    def add_stages(self, stages, options, language):
        # Stages of its own, with a text and with bytes between them.
        def words(module, metadata):
            name = module.get_entry_func_name()
            metadata["name"] = name
            metadata["types"] = module.get_function_signature(
                module.get_function(name))
            return "words without an end"

        def raw(text, metadata):
            assert text == "words without an end", repr(text)
            return b"\xff\n\0"

        def image(data, metadata):
            assert data == b"\xff\n\0", repr(data)
            return image_of(metadata["name"], metadata["types"],
                            options.num_warps)

        stages["ttir"] = lambda module, metadata: module
        stages["words"] = words
        stages["raw"] = raw
        stages["dummy"] = image


class NamelessBackend(DummyBackend):
    """Does not name the kernel."""

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda module, metadata: module
        stages["dummy"] = lambda module, metadata: b"image"


class ObjectBackend(DummyBackend):
    """A stage returns what no other process can be given."""

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda module, metadata: module
        stages["graph"] = lambda module, metadata: {"nodes": []}
        stages["dummy"] = lambda graph, metadata: b"image"
