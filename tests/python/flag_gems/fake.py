"""A small package with the parts of FlagGems that the adapter replaces, as release
5.0 and the later ones arrange them: `write(folder, "5.0")`.

Like FlagGems it chooses the vendor when it is imported, from an enumeration and
directories, runs programs that list devices, reads configurations from YAML's
place (here Python), and asks torch.<device> for everything.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import textwrap

_INIT = """
    from flag_gems import runtime
    vendor_name = runtime.device.vendor_name
    device = runtime.device.name
"""

_COMMON = """
    from enum import Enum

    class vendors(Enum):
        NVIDIA = 0
        OTHER = 1

        @classmethod
        def get_all_vendors(cls):
            return {member.name.lower(): member for member in cls}
"""

_RUNTIME = """
    from . import backend, common
    from .backend.{finder} import DeviceDetector
    from .{loader} import {Loader}

    config_loader = {Loader}()
    device = DeviceDetector()
    backend.set_torch_backend_device_fn(device.vendor_name)
    torch_device_fn = backend.gen_torch_device_object()
"""

_BACKEND_UTILS = """
    from dataclasses import dataclass

    @dataclass
    class {Description}:
        vendor_name: str
        device_name: str
        device_query_cmd: str
        dispatch_key: str = None
        triton_extra_name: str = None
        {capabilities}
"""

_BACKEND = """
    import importlib
    import os
    import sys
    from ..common import vendors
    from . import backend_utils

    {state}

    def get_vendor_module(name):
        sys.path.append(os.path.dirname(os.path.abspath(__file__)))
        return importlib.import_module("_" + name)

    def get_vendor_info(name):
        return get_vendor_module(name).vendor_info

    def set_torch_backend_device_fn(name):
        importlib.import_module("torch.backends." + get_vendor_info(name).device_name)

    def gen_torch_device_object(name=None):
        import torch
        if {holder}.torch_device_object is None:
            {holder}.torch_device_object = getattr(torch, get_vendor_info(name).device_name)
        return {holder}.torch_device_object

    def get_heuristic_config(name):
        module = importlib.import_module("_" + name + ".heuristics_config_utils")
        return module.HEURISTICS_CONFIGS

    def get_tune_config(name=None):
        get_vendor_info(name)
        module = importlib.import_module("_" + name + ".tune_configs")
        return module.CONFIGURATIONS

    def get_libdevice(name):
        language = get_vendor_info(name).triton_extra_name
        return importlib.import_module("triton.language.extra." + language + ".libdevice")
"""

_FINDER = """
    from .. import backend
    from ..common import vendors

    {lists}

    class DeviceDetector:
        def __init__(self):
            self.info = self.get_vendor()
            self.vendor_name = self.info.vendor_name
            self.name = self.info.device_name
            self.vendor = vendors.get_all_vendors()[self.vendor_name]
            self.dispatch_key = self.info.dispatch_key or self.name.upper()
            self.device_count = backend.gen_torch_device_object(
                self.vendor_name
            ).device_count()
            self.support_fp64 = {fp64}

        def get_vendor(self, vendor_name=None):
            raise RuntimeError("No device were detected on your machine !")
"""

_LOADER = """
    import triton
    from . import backend
    from .backend.{finder} import DeviceDetector

    class {Loader}:
        def __init__(self):
            name = DeviceDetector().vendor_name
            self.vendor = backend.get_tune_config(name)
            self.default = backend.get_tune_config("nvidia")
            self.heuristics = backend.get_heuristic_config(name)

        def get_tuned_config(self, op_name):
            configs = self.vendor.get(op_name) or self.default[op_name]
            return [
                triton.Config(dict(meta), num_warps=warps, num_stages=stages)
                for meta, warps, stages in configs
            ]
"""

_NVIDIA = """
    from backend_utils import {Description}
    vendor_info = {Description}(
        vendor_name="nvidia", device_name="cuda", device_query_cmd="nvidia-smi"
    )
"""

_HEURISTICS = """
    import torch

    def tile(args):
        device = torch.cuda.current_device()
        units = torch.cuda.get_device_properties(device).multi_processor_count
        return args["N"] // units

    HEURISTICS_CONFIGS = {"sum": {"TILE": tile}}
"""

_TUNE = """
    CONFIGURATIONS = {
        "mm": [({"BLOCK": block}, warps, stages)
               for block in (16, 32) for warps in (4, 8) for stages in (1, 2, 3)]
    }
"""

_OLD = {
    "finder": "device",
    "loader": "configloader",
    "Loader": "ConfigLoader",
    "Description": "VendorInfoBase",
    "capabilities": "",
    "state": "torch_device_object = None",
    "holder": "sys.modules[__name__]",
    "lists": "UNSUPPORT_FP64 = []\n    UNSUPPORT_BF16 = []\n    UNSUPPORT_INT64 = []",
    "fp64": "self.vendor not in UNSUPPORT_FP64",
}
_NEW = {
    "finder": "device_finder",
    "loader": "configs_loader",
    "Loader": "TunedConfigLoader",
    "Description": "VendorDescriptor",
    "capabilities": "fp64_enabled: bool = True\n        bf16_enabled: bool = True",
    "state": "class State:\n        torch_device_object = None\n\n    _state = State()",
    "holder": "_state",
    "lists": "",
    "fp64": "self.info.fp64_enabled",
}
LAYOUTS = {"5.0": _OLD, "5.4": _NEW}


def write(folder, layout):
    """Writes the package below `folder`."""
    words = LAYOUTS[layout]
    backend = "runtime/backend/"
    files = {
        "__init__.py": _INIT,
        "runtime/__init__.py": _RUNTIME,
        "runtime/common.py": _COMMON,
        f"runtime/{words['loader']}.py": _LOADER,
        f"{backend}__init__.py": _BACKEND,
        f"{backend}backend_utils.py": _BACKEND_UTILS,
        f"{backend}{words['finder']}.py": _FINDER,
        f"{backend}_nvidia/__init__.py": _NVIDIA,
    }
    texts = {}
    for name, text in files.items():
        for word, value in words.items():
            text = text.replace(f"{{{word}}}", value)
        texts[name] = textwrap.dedent(text)
    texts[f"{backend}_nvidia/heuristics_config_utils.py"] = textwrap.dedent(_HEURISTICS)
    texts[f"{backend}_nvidia/tune_configs.py"] = textwrap.dedent(_TUNE)
    package = folder / "flag_gems"
    for name, text in texts.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    info = folder / f"flag_gems-{layout}.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: flag_gems\nVersion: {layout}.9\n")
    return package
