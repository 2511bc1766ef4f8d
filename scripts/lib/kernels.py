"""Runs `nereid` on kernels described by manifests (tests/kernels/README.md)."""

import json
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "kernels"


def arguments(manifest, folder):
    """The manifest's arguments as `nereid run` and `nereid bench` take them."""
    words = []
    for arg in manifest["args"]:
        if arg["kind"] == "scalar":
            words.append(f"{arg['dtype']}={arg['value']}")
            continue
        shape = ",".join(str(size) for size in arg["shape"])
        if "file" in arg:
            init = "@" + str(Path(folder, arg["file"]).resolve())
        elif arg.get("fill", 0) == "random":
            init = f"random:{len(words) + 1}"
        elif arg.get("fill", 0) == 0:
            init = "zeros"
        else:
            init = f"full:{arg['fill']}"
        words.append(f"{arg['dtype']}[{shape}]={init}")
    return words


def command(tool, verb, path, *options):
    """The command for one manifest."""
    return [str(tool), verb, str(path), *options]


def shown(words):
    """A command as a user would type it from the top of the repository."""
    text = shlex.join(words)
    return text.replace(str(ROOT) + "/", "")


def run_json(words):
    """Runs a command with --json and gives what it printed. A result that is
    not as expected (exit code 1) is a report too: "matches" is false."""
    done = subprocess.run(
        words + ["--json"], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout) if done.returncode in (0, 1) else {}
    if done.returncode != 0 and "matches" not in report:
        raise RuntimeError(f"{shown(words)}\n{done.stderr.strip()}")
    return report
