#!/usr/bin/env python3
# compare_flaggems.py - the configurations of FlagGems' vendors, converted, beside
# what its own loader makes of them.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Compares counts and values for every vendor and architecture.

  compare_flaggems.py IMPORT_FLAGGEMS TUNE_VALUES CHECKOUT

The loader runs with a `triton.Config` that only remembers what it was given.
Ends with 77, the code of a skipped test, where no checkout is named.
"""

import collections
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings

import yaml


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1,
                 maxnreg=None, num_ldmatrixes=0, pre_hook=None):
        del pre_hook
        self.constants = dict(kwargs)
        self.options = {"num_warps": num_warps, "num_stages": num_stages,
                        "num_ctas": num_ctas, "maxnreg": maxnreg,
                        "num_ldmatrixes": num_ldmatrixes}


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def from_file(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


class Arch:
    """backend.BackendArchEvent for a device of one family, or of none."""

    def __init__(self, folder, configs):
        self.has_arch = folder is not None
        self.current_arch_path = str(folder)
        self.arch = folder.name if folder else None
        self.autotune_configs = configs
        self.heuristics_configs = None


class FlagGems:
    def __init__(self, checkout):
        self.runtime = checkout / "src/flag_gems/runtime"
        self.is_old = (self.runtime / "configloader.py").exists()

    def loader(self, vendor, family):
        """The loader's object for a vendor's device."""
        for name in [n for n in sys.modules if n.startswith("flag_gems")]:
            del sys.modules[name]
        module("triton", Config=Config)
        package = module("flag_gems.runtime")
        package.__path__ = [str(self.runtime)]
        utils = from_file("flag_gems.runtime.backend_utils",
                          self.runtime / "backend/backend_utils.py")
        own = utils.get_tune_config(file_path=str(family)) if family else None
        package.backend = backend = module(
            "flag_gems.runtime.backend",
            get_tune_config=lambda name: utils.get_tune_config(name),
            get_heuristic_config=lambda name: {},
            get_expand_config=getattr(utils, "get_expand_config", None),
            BackendArchEvent=lambda: Arch(family, own))
        backend.__path__ = []
        device = module("flag_gems.runtime.backend.device",
                        DeviceDetector=lambda: types.SimpleNamespace(
                            vendor_name=vendor))
        sys.modules["flag_gems.runtime.backend.device_finder"] = device
        module("flag_gems.runtime.dispatcher", op_dispatcher=types.SimpleNamespace(
            is_dispatch_configs=False))
        utils.__file__ = str(self.runtime / "backend/backend_utils.py")
        if not self.is_old:
            package.common = from_file("flag_gems.runtime.common",
                                       self.runtime / "common.py")
            source = from_file("flag_gems.runtime.configs_loader",
                               self.runtime / "configs_loader.py")
            return source.TunedConfigLoader()
        source = from_file("flag_gems.runtime.configloader",
                           self.runtime / "configloader.py")
        # This release hands its defaults out by reference, so that the options
        # of one configuration become those of the next.
        given = {}

        class Loader(source.ConfigLoader):
            _instance = None

            @property
            def triton_config_default(self):
                return dict(given)

            @triton_config_default.setter
            def triton_config_default(self, value):
                given.clear()
                given.update(value)

            # Nor does it read generators in a list of several elements.
            def get_tuned_config(self, name):
                elements = self.vendor_primitive_yaml_config[name]
                if len(elements) > 1 and any("gen" in e for e in elements):
                    configs = []
                    for element in elements:
                        configs += self.one(name, element)
                    return configs
                return super().get_tuned_config(name)

            def one(self, name, element):
                whole = self.vendor_primitive_yaml_config[name]
                self.vendor_primitive_yaml_config[name] = [element]
                try:
                    return super().get_tuned_config(name)
                finally:
                    self.vendor_primitive_yaml_config[name] = whole

        return Loader()


DEFAULTS = {"num_warps": 4, "num_stages": 2, "num_ctas": 1, "maxnreg": None,
            "num_ldmatrixes": 0}


def text(constants, options):
    # The kind of a value counts: true is not 1.
    return json.dumps([sorted(constants.items()),
                       sorted({**DEFAULTS, **options}.items())])


def counted(configs):
    return collections.Counter(
        text(config.constants, config.options) for config in configs)


def converted(list_, defaults=None):
    return collections.Counter(
        text(config["constants"], {**(defaults or {}), **config["options"]})
        for config in list_)


class Comparison:
    def __init__(self):
        self.problems = []
        self.counts = collections.Counter()

    def equal(self, what, kind, want, got):
        self.counts[kind] += sum(want.values())
        self.counts[kind + " operators"] += 1
        if want == got:
            return
        self.problems.append(
            f"{what}: {kind}: FlagGems has {sum(want.values())} configurations, "
            f"the pack {sum(got.values())}\n  only FlagGems: "
            f"{list((want - got).elements())[:2]}\n  only the pack: "
            f"{list((got - want).elements())[:2]}")

    def usual(self, where, loader, own, operators):
        for op in own:
            want = loader.get_tuned_config(op)
            self.equal(f"{where}: {op}", "usual", counted(want),
                       converted(operators.get(op, {}).get("usual", [])))
        for op, found in operators.items():
            if op not in own and found["usual"]:
                self.problems.append(f"{where}: {op} is only in the pack")

    def expanded(self, where, loader, folder, operators):
        if not hasattr(loader, "ops_get_configs"):
            return
        for path in sorted(folder.glob("*_expand.yaml")):
            for op in yaml.safe_load(path.read_text(encoding="utf-8")):
                names = [name for name, spec in
                         loader.expand_config_registry.items()
                         if spec["yaml_op_name"] == op]
                if op in names:  # others use the same space for another kernel
                    names = [op]
                if not names:
                    self.counts["expanded without a kernel"] += 1
                    continue
                try:
                    want = loader.ops_get_configs(names[0], yaml_path=str(path))
                except KeyError as missing:
                    print(f"{where}: {op}: FlagGems' loader fails: no {missing}")
                    self.counts["expanded that FlagGems cannot build"] += 1
                    continue
                self.equal(f"{where}: {op}", "expanded", counted(want),
                           converted(operators.get(op, {}).get("expanded", [])))

    def tables(self, where, folder, operators):
        for name, op in (("fused_moe_config.yaml", "fused_moe"),
                         ("w8a8_block_fp8_matmul_hopper.yaml",
                          "w8a8_block_fp8_matmul"),
                         ("fp8_w8a8-128-128.yaml", "w8a8_block_fp8_matmul")):
            for path in (folder / name, folder / "utils/configs" / name):
                if path.exists():
                    self.table(f"{where}: {name}", path, operators.get(op))

    def table(self, what, path, found):
        devices = yaml.safe_load(path.read_text(encoding="utf-8"))
        fallback = devices.pop("_FALLBACK", {})
        tables = found["tables"] if found else []
        if len(tables) != 1 or tables[0]["fallback"] != fallback:
            self.problems.append(f"{what}: {len(tables)} tables, or another "
                                 "fallback")
            return
        want, got = collections.Counter(), collections.Counter()
        for device, keys in devices.items():
            for key, rows in keys.items():
                for by, row in rows.items():
                    want[f"{device} {key} {int(by)} {row}"] += 1
        for device, keys in tables[0]["devices"].items():
            for key, rows in keys.items():
                for by, row in rows.items():
                    values = [*row["constants"].values()]
                    options = row["options"]
                    # By name: M, N and K of the block, then the group.
                    order = {"M": 0, "N": 1, "K": 2}
                    named = sorted(
                        row["constants"].items(),
                        key=lambda item: 3 if "GROUP" in item[0]
                        else order[item[0][-1]])
                    values = [value for _, value in named]
                    values += [options["num_warps"], options["num_stages"]]
                    got[f"{device} {key} {by} {values}"] += 1
        self.equal(what, "rows", want, got)


def values_of(tool, folder, options):
    path = folder / "tune_configs.yaml"
    if not path.exists():
        return {}, []
    line = subprocess.run([tool], input="\t".join([str(path), *options]) + "\n",
                          text=True, check=True, stdout=subprocess.PIPE).stdout
    found = json.loads(line)
    return found.get("operators", {}), found["problems"]


def main():
    if len(sys.argv) != 4:
        print("skipped: NEREID_FLAGGEMS names no checkout of FlagGems")
        return 77
    script, tool, checkout = sys.argv[1:]
    checkout = pathlib.Path(checkout)
    warnings.simplefilter("ignore")
    source = FlagGems(checkout)
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as folder:
        packs = pathlib.Path(folder) / "packs"
        subprocess.run([sys.executable, script, checkout, packs], check=True)
        for vendor in sorted(packs.iterdir()):
            own = source.runtime / "backend" / f"_{vendor.name}"
            facts = yaml.safe_load((vendor / "vendor.yaml").read_text("utf-8"))
            options = facts.get("options", {})
            places = [(vendor, own, None)] + [
                (family, own / family.name, own / family.name)
                for family in sorted((vendor / "arch").glob("*"))]
            for pack, folder_, family in places:
                where = str(pack.relative_to(packs))
                operators, problems = values_of(tool, pack, options)
                comparison.problems += problems
                if vendor.name == "common":
                    comparison.tables(where, checkout / "src/flag_gems", operators)
                    continue
                loader = source.loader(vendor.name, family)
                path = folder_ / "tune_configs.yaml"
                listed = yaml.safe_load(path.read_text("utf-8")) \
                    if path.exists() else {}
                comparison.usual(where, loader, listed or {}, operators)
                comparison.expanded(where, loader, folder_, operators)
                comparison.tables(where, folder_, operators)
                comparison.counts["places"] += 1
            comparison.counts["packs"] += 1
    for problem in comparison.problems[:30]:
        print(problem)
    print(", ".join(f"{count} {what}" for what, count in
                    sorted(comparison.counts.items())))
    print(f"{len(comparison.problems)} problems")
    return 1 if comparison.problems else 0


if __name__ == "__main__":
    sys.exit(main())
