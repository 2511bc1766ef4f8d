# share_test.py - many processes on one cold cache, with a collector and a
# removal of the whole directory beside them.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import contextlib
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

PROCESSES = 16
KEYS = 8
ROUNDS = 40
TIME_LIMIT = 100  # seconds for a round, which only a hang takes


def remove(directory):
    # It may complain that the others fill the directory meanwhile.
    subprocess.run(["rm", "-rf", directory], stderr=subprocess.DEVNULL)


def remove_at_once(directory):
    """Takes every entry at most once, however slow this machine is; rm may take
    entries that were made again while it was running."""
    with contextlib.suppress(FileNotFoundError):
        directory.rename(directory.parent / "removed")


def play(driver, root, number, removals):
    """One round on a directory of its own; the list of complaints."""
    directory, log = root / f"{number}" / "cache", root / f"{number}" / "log"
    directory.parent.mkdir()
    collector = subprocess.Popen([driver, "keep-collecting", directory])
    sharers = [subprocess.Popen([driver, "share", directory, str(KEYS), log])
               for _ in range(PROCESSES)]
    complaints = []
    try:
        deadline = time.monotonic() + TIME_LIMIT
        while not log.exists() and time.monotonic() < deadline:
            time.sleep(0.001)  # until the first one computes
        for _ in range(removals):
            time.sleep(random.uniform(0, 0.12 / removals))
            remove_at_once(directory) if removals == 1 else remove(directory)
        codes = [sharer.wait(max(1, deadline - time.monotonic()))
                 for sharer in sharers]
        complaints += [f"round {number}: a process ends with {code}"
                       for code in codes if code]
    except subprocess.TimeoutExpired:
        complaints.append(f"round {number}: a process hangs")
    finally:
        for process in [collector, *sharers]:
            process.kill()
            process.wait()
    counts = collections.Counter(log.read_text().splitlines())
    if len(counts) != KEYS:
        complaints.append(f"round {number}: {len(counts)} keys of {KEYS}")
    # One removal costs one more computation of each.
    if removals <= 1:
        complaints += [f"round {number}: {key} was computed {count} times"
                       for key, count in counts.items()
                       if count > removals + 1]
    return complaints, counts


def main():
    driver = sys.argv[1]
    root = pathlib.Path(tempfile.mkdtemp(prefix="nereid-cache-"))
    seed = random.randrange(1 << 32)
    random.seed(seed)
    complaints, most = [], 0
    for number in range(ROUNDS):
        # None; then mostly one; then so many that only the results count.
        removals = 0 if number < 5 else 1 if number < ROUNDS - 5 else 20
        found, counts = play(driver, root, number, removals)
        complaints += found
        if removals == 1:
            most = max(most, *counts.values())
    shutil.rmtree(root, ignore_errors=True)
    print(f"seed {seed}; at most {most} computations of a key with a removal")
    for text in complaints:
        print(f"error: {text}")
    sys.exit(1 if complaints else 0)


main()
