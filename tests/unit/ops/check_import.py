#!/usr/bin/env python3
# check_import.py - scripts/import-flaggems on a small checkout.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what the script writes of a vendor made up for it.

  check_import.py IMPORT_FLAGGEMS TUNE_VALUES
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

INIT = '''
import os
from backend_utils import VendorDescriptor
os.environ["ACME_WAS_RUN"] = "1"
raise SystemExit("a vendor's code must not run")
vendor_info = VendorDescriptor(vendor_name="acme", device_name="npu",
                               device_query_cmd="acme-smi -L",
                               dispatch_key="PrivateUse1", fp64_enabled=False)
ARCH_MAP = {"3": "acme300", "gfx4x": "acme4"}
if version() == 300:
    CUSTOMIZED_UNUSED_OPS = ("copy_",)
else:
    CUSTOMIZED_UNUSED_OPS = ("add", "cos")
'''

TUNE = """
mm:
- gen: true
  param_map: {META: {BLOCK: block, EVEN: 1}, num_warps: warps}
  block: [16, 32]
  warps: [4]
  num_stages: 3
- META: {BLOCK: 64, EVEN: true}
  nstags: 2
"""

EXPAND = """
bmm:
- config:
  param_map: {META: {BLOCK_M: m, BLOCK_N: n, BLOCK_K: n}, num_warps: w,
              num_stages: w}
  m: [32, 64]
  n: [16]
  w: [2]
- strategy: {M: log}
"""


def main():
    script, tool = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        vendor = root / "checkout/src/flag_gems/runtime/backend/_acme"
        (vendor / "acme300").mkdir(parents=True)
        (vendor / "ops").mkdir()
        (vendor / "__init__.py").write_text(INIT)
        (vendor / "tune_configs.yaml").write_text(TUNE)
        (vendor / "acme300/bmm_acme_expand.yaml").write_text(EXPAND)
        (vendor / "op_black_list.yaml").write_text(
            "unsupported_operators:\n- {name: cos, reason: is slow}\n")
        done = subprocess.run(
            [sys.executable, script, root / "checkout", root / "out"], text=True,
            check=True, capture_output=True)
        assert done.stdout == "1 packs: acme\n", done.stdout
        for ignored in ("mm: 'num_stages' is not in param_map",
                        "mm: FlagGems ignores 'nstags'"):
            assert ignored in done.stderr, done.stderr
        out = root / "out/acme"
        facts = yaml.safe_load((out / "vendor.yaml").read_text())
        assert facts == {
            "vendor_name": "acme", "device_name": "npu",
            "device_query_cmd": "acme-smi -L", "targets": ["npu:*"],
            "dispatch_key": "PrivateUse1", "dtypes": {"f64": False},
            "architectures": {
                "acme300": {"match": ["*3??"], "disabled": {
                    "copy_": "FlagGems does not register it for this vendor"}},
                "acme4": {"match": ["gfx4x"]}},
            "disabled": {
                "add": "FlagGems does not register it for this vendor",
                "cos": "is slow"}}, facts
        lines = subprocess.run(
            [tool], input=f"{out}/tune_configs.yaml\n"
            f"{out}/arch/acme300/tune_configs.yaml\n", text=True, check=True,
            stdout=subprocess.PIPE).stdout.splitlines()
        usual, arch = map(json.loads, lines)
        assert usual["problems"] == arch["problems"] == [], lines
        found = [config["constants"] for config in
                 usual["operators"]["mm"]["usual"]]
        assert found == [{"BLOCK": 16, "EVEN": 1}, {"BLOCK": 32, "EVEN": 1},
                         {"BLOCK": 64, "EVEN": True}], found
        found = [config["constants"] for config in
                 arch["operators"]["bmm"]["expanded"]]
        assert found == [
            {"GROUP_M": group, "TILE_K": 16, "TILE_M": tile, "TILE_N": 16}
            for tile, group in ((32, 1), (64, 2))], found
        assert arch["operators"]["bmm"]["strategy"] == {"M": "log"}, arch
        for arguments, why in (
                ([root / "checkout", root / "out"], "is there, expected a new"),
                ([root, root / "new"], "expected a checkout of FlagGems")):
            done = subprocess.run([sys.executable, script, *arguments],
                                  text=True, check=False, capture_output=True)
            assert done.returncode == 1 and why in done.stderr, done.stderr
    print("the import is right")


if __name__ == "__main__":
    main()
