# fault_test.py - importing results into a store is all or nothing, whatever
# happens at whichever system call, and the next process finds a sound store.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: fault_test.py NEREID killed|failing|full

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE
TIME_LIMIT = 60  # seconds for one run: a run that takes so long hangs
# Those that change files, or lead to their bytes.
CALLS = {"fallocate", "fdatasync", "fsync", "ftruncate", "openat", "pread64",
         "pwrite64", "unlink", "write"}
ERRORS = ["EIO", "ENOSPC"]

nereid, fault = sys.argv[1:]
root = pathlib.Path(tempfile.mkdtemp(prefix="nereid-tune-"))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def results(first, count):
    rows = [{"operator": "softmax", "key_exact": {"n": n}, "configuration": {"B": 1},
             "status": "ok", "median_ns": 100.0, "samples": 9, "note": "x" * 3000}
            for n in range(first, first + count)]
    return json.dumps({"format": "nereid-tuned-results", "version": 1, "results": rows})


# Some before, and enough of them to need several pages.
(root / "a.json").write_text(results(0, 5))
(root / "b.json").write_text(results(100, 20))
BEFORE, AFTER = set(range(5)), set(range(100, 120))


def tool(*words):
    return subprocess.run([nereid, "tune", *map(str, words)], timeout=TIME_LIMIT,
                          capture_output=True, text=True)


def strace(options, *words):
    return subprocess.run(["strace", "-f", "-qq", *options, *map(str, words)],
                          timeout=TIME_LIMIT, capture_output=True, text=True)


def prepare(name, is_filled):
    """A folder for a store, whose path has a fixed length."""
    folder = root / f"{name:>8}".replace(" ", "0")
    folder.mkdir()
    if is_filled:
        shutil.copy2(root / "template/tuned.db", folder)
    return folder


def importing(folder):
    return [nereid, "tune", "import", root / "b.json", "--store", folder / "tuned.db"]


def points(is_filled):
    """Each system call of an import since it first names the store."""
    folder = prepare(f"trace{int(is_filled)}", is_filled)
    log = root / f"log{int(is_filled)}"
    done = strace(["-o", log], *importing(folder))
    assert done.returncode == 0, done.stderr
    counts, found, begun = collections.Counter(), [], False
    for line in log.read_text().splitlines():
        match = re.match(r"\d+\s+(\w+)\(", line)
        if not match:
            continue
        counts[match[1]] += 1
        # Not the command line of the start.
        begun = begun or (str(folder) in line and match[1] != "execve")
        if begun and match[1] not in ("exit_group", "getrandom"):
            found.append((match[1], counts[match[1]]))
    assert len(found) > 20, "hardly a system call was seen"
    return found


def keys(folder, what, complaints):
    """The results that the next process finds."""
    if not (folder / "tuned.db").exists():
        return set()
    done = tool("list", "--json", "--store", folder / "tuned.db")
    if done.returncode or done.stderr:
        complaints.append(f"{what}: then {done.stderr or done.stdout}")
        return set()
    return {row["key_exact"]["n"] for row in json.loads(done.stdout)["results"]}


def check(folder, is_filled, what, must_have_all=False):
    """What is wrong with the store after the fault."""
    complaints = []
    before = BEFORE if is_filled else set()
    found = keys(folder, what, complaints)
    if found != before | AFTER and (must_have_all or found != before):
        complaints.append(f"{what}: {len(found)} results are left")
    again = tool("import", root / "b.json", "--store", folder / "tuned.db")
    if again.returncode or again.stderr:
        complaints.append(f"{what}: the next import says {again.stderr}")
    elif keys(folder, what, complaints) != before | AFTER:
        complaints.append(f"{what}: the next import is incomplete")
    shutil.rmtree(folder)
    return complaints


def strike(number, is_filled, point, kind):
    call, count = point
    what = f"{'filled' if is_filled else 'new'} store, {call} number {count}: {kind}"
    folder = prepare(number, is_filled)
    try:
        done = strace(["-o", os.devnull, "-e", f"trace={call}", "-e",
                       f"inject={call}:{kind}:when={count}"], *importing(folder))
        code = done.returncode
        if kind == "signal=KILL":
            if code != -signal.SIGKILL:
                return [f"{what}: not killed but {code}"]
            return check(folder, is_filled, what)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        if code < 0 or len(errors) != (code != 0):
            return [f"{what}: exit code {code}, {done.stderr}"]
        return check(folder, is_filled, what, must_have_all=code == 0)
    except subprocess.TimeoutExpired:
        return [f"{what}: hangs"]


def strikes():
    """A job for each point and fault."""
    try:
        done = strace(["-o", os.devnull], "true")
    except FileNotFoundError:
        skip("strace is not installed")
    if done.returncode:
        skip(f"strace cannot trace: {done.stderr}")
    template = prepare("template", False)
    done = tool("import", root / "a.json", "--store", template / "tuned.db")
    assert done.returncode == 0, done.stderr
    number = 0
    for is_filled in (False, True):
        for point in points(is_filled):
            kinds = ["signal=KILL"]
            if fault == "failing":
                kinds = [f"error={error}" for error in ERRORS] if point[0] in CALLS else []
            for kind in kinds:
                number += 1
                yield number, is_filled, point, kind


def full_disk():
    """A file system of 256 KiB: the import fails as a whole, then fits."""
    folder = prepare("mount", False)
    script = f"""
      mount -t tmpfs -o size=256k none {folder} || exit 99
      {nereid} tune import {root}/a.json --store {folder}/tuned.db || exit 98
      dd if=/dev/zero of={folder}/filler bs=1k count=1000 2>/dev/null
      {nereid} tune import {root}/b.json --store {folder}/tuned.db 2>{root}/errors && exit 97
      {nereid} tune list --json --store {folder}/tuned.db >{root}/during || exit 96
      rm {folder}/filler
      {nereid} tune import {root}/b.json --store {folder}/tuned.db || exit 95
      {nereid} tune list --json --store {folder}/tuned.db >{root}/after || exit 94
    """
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], timeout=TIME_LIMIT,
                          capture_output=True, text=True)
    if done.returncode in (1, 99):
        skip(f"no file system can be mounted: {done.stderr}")
    if done.returncode:
        return [f"step {done.returncode}: {done.stderr}"]
    complaints = []
    errors = (root / "errors").read_text()
    if errors != f"nereid: error: {folder}/tuned.db: no space left on device\n":
        complaints.append(f"the message is {errors}")
    for name, expected in (("during", BEFORE), ("after", BEFORE | AFTER)):
        rows = json.loads((root / name).read_text())["results"]
        if {row["key_exact"]["n"] for row in rows} != expected:
            complaints.append(f"{len(rows)} results {name} the full disk")
    return complaints


def main():
    try:
        if fault == "full":
            complaints, count = full_disk(), 1
        else:
            jobs = list(strikes())
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
                futures = [pool.submit(strike, *job) for job in jobs]
                complaints = [text for future in futures for text in future.result()]
            count = len(jobs)
        print(f"{count} runs")
        for text in complaints:
            print(f"error: {text}")
        sys.exit(1 if complaints else 0)
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
