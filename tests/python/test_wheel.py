"""The wheel's layout: installed where no path of the build tree helps."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib
import shutil
import subprocess

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "host/python/nereid"


def test_installed_package_stands_alone(build, run_program, tmp_path):
    site = tmp_path / "site"
    subprocess.run(
        ["cmake", "--install", build, "--component", "wheel", "--prefix", site],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shutil.copytree(PACKAGE, site / "nereid", dirs_exist_ok=True)
    assert [path.name for path in site.iterdir()] == ["nereid"]
    shutil.copytree(next((build / "python").glob("nereid-*.dist-info")), site / "nereid.dist-info")
    variables = {"PYTHONPATH": str(site), "NEREID_PLUGIN_DIRS": None}
    done = run_program("program_add.py", **variables)
    assert done.stdout == "NereidDriver cpu\n", done.stderr
    done = run_program(
        "import nereid\n"
        "print([p.path for p in nereid.plugins() if p.loaded and p.id == 'cpu'])\n",
        **variables,
    )
    assert done.stdout == f"['{site}/nereid/lib/nereid/plugins/cpu.so']\n", done.stderr
    tool = subprocess.run([site / "nereid/bin/nereid", "version"], capture_output=True)
    assert tool.returncode == 0
