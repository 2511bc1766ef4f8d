"""Where FlagGems is told about the vendor: its modules, as soon as each has been
imported. None of its files is changed.

FlagGems finds its vendor when it is imported, from a central list and a directory
of its own, and has no interface for others. What is replaced differs between its
releases; whatever is missing is an error that names the release.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import importlib.abc
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import plugin
from .plugin import Facts
from .torch_device import TorchDevice

SUPPORTED = "5.0 to 5.4"
_PACKAGE = "flag_gems"
_VENDOR_DIR = pathlib.Path(__file__).parent / "vendor"
_VARIABLES = ("GEMS_VENDOR", "FLAGGEMS_VENDOR", "GEMS_BACKEND", "FLAGGEMS_BACKEND")


def install() -> Adapter:
    """Registers the adapter; FlagGems must not have been imported yet."""
    if _PACKAGE in sys.modules:
        raise ImportError(
            "flag_gems was imported before nereid.flag_gems, and has chosen its vendor; "
            "import nereid.flag_gems first"
        )
    if _folder() is None:
        raise ImportError("flag_gems is not installed: pip install flag_gems")
    adapter = Adapter()
    sys.meta_path.insert(0, adapter)
    return adapter


class Adapter(importlib.abc.MetaPathFinder):
    """Finds FlagGems' modules as Python does, and completes some of them."""

    def __init__(self) -> None:
        # Each step with the module after which it is done, by the names that
        # 5.0 and later releases have for it.
        steps: tuple[tuple[Callable[[ModuleType], None], tuple[str, ...]], ...] = (
            (self._add_vendor, ("runtime.common",)),
            (self._set_backend, ("runtime.backend",)),
            (self._detect, ("runtime.backend.device", "runtime.backend.device_finder")),
            (self._check, ("runtime",)),
        )
        self._steps: dict[str, Callable[[ModuleType], None]] = {}
        for step, names in steps:
            if not any(map(_exists, names)):
                raise _mismatch(f"it has no module {' or '.join(names)}")
            self._steps.update({f"{_PACKAGE}.{name}": step for name in names})

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        step = self._steps.get(name)
        if step is None:
            return None
        others = (it for it in sys.meta_path if it is not self)
        found = (it.find_spec(name, path, target) for it in others)
        spec = next((it for it in found if it is not None), None)
        if spec is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                step(module)

            spec.loader.exec_module = exec_module
        return spec

    # --------------------------------------------------------------- the device

    @functools.cached_property
    def _utils(self) -> Any:
        """The devices of the Nereid driver, which becomes Triton's active one."""
        from triton.runtime import driver

        from ..triton import activate

        if not getattr(getattr(driver.active, "utils", None), "is_nereid", False):
            activate()
        return driver.active.utils

    @functools.cached_property
    def _torch_device(self) -> Any:
        from ..triton.driver import torch_device

        return torch_device(self._utils.current_device())

    @functools.cached_property
    def facts(self) -> Facts:
        found = plugin.read(self._utils, self._torch_device, _own_vendors())
        for variable in _VARIABLES:
            chosen = os.environ.get(variable, found.vendor).lower()
            if chosen != found.vendor:
                raise RuntimeError(
                    f"{variable} is {chosen}, but Nereid's device is of FlagGems' vendor "
                    f"{found.vendor}: unset {variable}, or do not import nereid.flag_gems"
                )
        return found

    @property
    def _is_new(self) -> bool:
        """Whether FlagGems has no directory for this vendor."""
        return self.facts.vendor not in _own_vendors()

    @functools.cached_property
    def _device_module(self) -> Any:
        """What FlagGems uses as `torch.<device>`."""
        import torch

        module = getattr(torch, self.facts.device, None)
        if module is None:
            raise RuntimeError(
                f"torch has no module torch.{self.facts.device}, which FlagGems uses"
            )
        return TorchDevice(module, self._utils) if self._is_new else module

    # ---------------------------------------------------------------- the steps

    def _add_vendor(self, common: ModuleType) -> None:
        """A member of the enumeration of all vendors."""
        vendors = _required(common, "vendors")
        name = self.facts.vendor.upper()
        if name in vendors.__members__:
            return
        member = object.__new__(vendors)
        member._name_ = name
        member._value_ = max((it.value for it in vendors), default=-1) + 1
        member._sort_order_ = len(vendors)
        setattr(vendors, name, member)
        vendors._member_names_.append(name)
        vendors._member_map_[name] = member
        vendors._value2member_map_[member.value] = member
        if vendors.get_all_vendors().get(self.facts.vendor) is not member:
            raise _mismatch("flag_gems.runtime.common.vendors cannot be extended")

    def _set_backend(self, backend: ModuleType) -> None:
        """The vendor's module, `torch.<device>`, and the tables of configurations."""
        facts = self.facts
        # The driver has published it: FlagGems falls back to another one otherwise.
        importlib.import_module(f"triton.language.extra.{facts.language}.libdevice")
        if not self._is_new:
            return
        backend_utils = _required(backend, "backend_utils")
        sys.modules[facts.module] = _vendor_module(facts, _describe(facts, backend_utils))
        state = getattr(backend, "_state", backend)
        _required(state, "torch_device_object")
        state.torch_device_object = self._device_module
        torch_backend = f"torch.backends.{facts.device}"
        if importlib.util.find_spec(torch_backend) is None:
            sys.modules[torch_backend] = ModuleType(torch_backend)
        read = _required(backend, "get_tune_config")

        @functools.wraps(read)
        def get_tune_config(vendor_name: str | None = None) -> Any:
            # All are the generic ones, which FlagGems takes where a vendor has none.
            return {} if vendor_name == facts.vendor else read(vendor_name)

        backend.get_tune_config = get_tune_config

    def _detect(self, module: ModuleType) -> None:
        """The vendor, without the programs by which FlagGems looks for one."""
        detector, facts = _required(module, "DeviceDetector"), self.facts
        _required(detector, "get_vendor")
        detector.get_vendor = lambda self, name=None: module.backend.get_vendor_info(
            name or facts.vendor
        )
        if not self._is_new:
            return
        member = module.vendors.get_all_vendors()[facts.vendor]
        for name, is_supported in facts.types.items():
            # 5.0 lists vendors; later releases ask the vendor's description.
            lacking = getattr(module, f"UNSUPPORT_{_flag_gems_type(name).upper()}", None)
            if lacking is not None and not is_supported:
                lacking.append(member)

    def _check(self, runtime: ModuleType) -> None:
        """That FlagGems has taken all of it."""
        device = _required(runtime, "device")
        found = device.vendor_name, device.name, device.dispatch_key
        expected = self.facts.vendor, self.facts.device, self.facts.dispatch_key
        if found != expected:
            raise _mismatch(f"its vendor, device and key are {found}, expected {expected}")
        if _required(runtime, "torch_device_fn") is not self._device_module:
            raise _mismatch("flag_gems.runtime.torch_device_fn is not the vendor's device")


# ------------------------------------------------------------------- FlagGems


def _folder() -> pathlib.Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    return pathlib.Path(spec.origin).parent if spec and spec.origin else None


def _exists(module: str) -> bool:
    path = _folder() / module.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def _version() -> str:
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return "of an unknown version"


def _mismatch(what: str) -> RuntimeError:
    return RuntimeError(
        f"flag_gems {_version()} in {_folder()} does not fit nereid.flag_gems, which "
        f"supports {SUPPORTED}: {what}"
    )


def _required(owner: Any, name: str) -> Any:
    if not hasattr(owner, name):
        raise _mismatch(f"{getattr(owner, '__name__', owner)} has no {name}")
    return getattr(owner, name)


@functools.lru_cache(maxsize=None)
def _own_vendors() -> dict[str, str]:
    """The vendors with a directory in FlagGems, and the torch device of each. Read
    from the text: importing a vendor may change torch."""
    found = {}
    for file in (_folder() / "runtime/backend").glob("_*/__init__.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and "Vendor" in getattr(node.func, "id", ""):
                given = {it.arg: it.value for it in node.keywords}
                name, device = given.get("vendor_name"), given.get("device_name")
                if isinstance(name, ast.Constant) and isinstance(device, ast.Constant):
                    found[name.value] = device.value
    return found


def _flag_gems_type(name: str) -> str:
    """FlagGems' words: "fp64", "bf16", "int64"."""
    return re.sub("^i", "int", re.sub("^f", "fp", name))


def _describe(facts: Facts, backend_utils: ModuleType) -> Any:
    """FlagGems' description of a vendor, with the fields that this release has."""
    names = ("VendorDescriptor", "VendorInfoBase")
    kinds = (getattr(backend_utils, it) for it in names if hasattr(backend_utils, it))
    kind = next(kinds, None)
    if not dataclasses.is_dataclass(kind):
        raise _mismatch(f"{backend_utils.__name__} has no dataclass {' or '.join(names)}")
    values = {
        "vendor_name": facts.vendor,
        "device_name": facts.device,
        "device_query_cmd": facts.query_command,
        "dispatch_key": facts.dispatch_key,
        "triton_extra_name": facts.language,
    }
    for name, is_supported in facts.types.items():
        values[f"{_flag_gems_type(name)}_enabled"] = is_supported
    fields = {it.name: it for it in dataclasses.fields(kind)}
    for name, it in fields.items():
        has_default = it.default is not dataclasses.MISSING
        if not has_default and it.default_factory is dataclasses.MISSING and name not in values:
            raise _mismatch(f"a vendor's {name} is new")
    for name in tuple(values)[:5]:
        if name not in fields:
            raise _mismatch(f"{kind.__name__} has no {name}")
    return kind(**{name: value for name, value in values.items() if name in fields})


def _vendor_module(facts: Facts, description: Any) -> ModuleType:
    """The vendor's directory, under the name by which FlagGems imports it."""
    spec = importlib.util.spec_from_file_location(
        facts.module,
        _VENDOR_DIR / "__init__.py",
        submodule_search_locations=[str(_VENDOR_DIR)],
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.vendor_info = description
    module.CUSTOMIZED_UNUSED_OPS = unused_operators() if facts.device != "cuda" else ()
    return module


def unused_operators() -> tuple[str, ...]:
    """FlagGems' functions that cannot work on tensors that are not CUDA's."""
    lines = (_VENDOR_DIR / "unused_ops.txt").read_text(encoding="utf-8").splitlines()
    return tuple(it.split()[0] for it in lines if it.strip() and not it.startswith("#"))
