# remove_test.py - `nereid cache clear` and `gc` where entries cannot be removed:
# they say what is left, and fail.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: remove_test.py DRIVER TOOL read-only|locked|unreadable|refused

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NOBODY = 65534
IO_ERROR = 6


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(tool, cache, *words, user=None):
    environment = {**os.environ, "NEREID_CACHE_DIR": str(cache), "HOME": "/"}
    return subprocess.run([tool, "cache", *words], env=environment, user=user, capture_output=True, text=True)


def expect(found, code, *texts):
    print(f"{' '.join(map(str, found.args))}: {found.returncode}\n{found.stdout}{found.stderr}")
    if found.returncode != code:
        sys.exit(f"error: ends with {found.returncode}, expected {code}")
    for text in texts:
        if text not in found.stderr:
            sys.exit(f"error: expected '{text}' on stderr")


def check_removals(tool, cache, reason, user=None):
    entry = next(cache.glob("*/*.entry"))
    left = f"nereid: error: 1 item of the cache cannot be removed, {entry}: {reason}"
    for words in (["clear"], ["gc", "--limit", "1"], ["clear", "--json"]):
        expect(run(tool, cache, *words, user=user), IO_ERROR, left)
    if not entry.exists():
        sys.exit("error: the entry is gone")


def read_only(driver, tool, root):
    """A file system that is mounted read-only, in a mount namespace of its own."""
    if "REMOVE_TEST_INSIDE" in os.environ:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0700,size=1m", "nereid", root], check=True)
        subprocess.run([driver, "put", root / "cache", "a"], check=True)
        subprocess.run(["mount", "-o", "remount,ro", root], check=True)
        check_removals(tool, root / "cache", "read-only file system")
        return
    namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*namespace, "mount", "-t", "tmpfs", "nereid", root]).returncode:
        skip("mounting in a user namespace is not allowed")
    inside = {**os.environ, "REMOVE_TEST_INSIDE": str(root)}
    sys.exit(subprocess.run([*namespace, sys.executable, *sys.argv], env=inside).returncode)


def without_rights(driver, tool, root):
    """A cache of one entry, and a user whom permissions stop, unlike root."""
    cache = root / "cache"
    subprocess.run([driver, "put", cache, "a"], check=True)
    if os.geteuid() != 0:
        return cache, None
    root.chmod(0o755)
    for path in [cache, *cache.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    try:
        subprocess.run([tool, "version"], user=NOBODY, stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        skip(f"user {NOBODY} cannot run the tool, and root may remove anything: {error}")
    return cache, NOBODY


def locked(driver, tool, root):
    """A folder of entries that cannot be written."""
    cache, user = without_rights(driver, tool, root)
    next(cache.glob("??")).chmod(0o500)
    check_removals(tool, cache, "permission denied", user)


def unreadable(driver, tool, root):
    """A folder that cannot be read: what is in it stays."""
    cache, user = without_rights(driver, tool, root)
    folder = next(cache.glob("??"))
    folder.chmod(0)
    left = f"nereid: error: 1 item of the cache cannot be removed, {folder}: permission denied"
    expect(run(tool, cache, "clear", user=user), IO_ERROR, left)
    left = f"nereid: error: a folder of the cache cannot be read, {folder}: permission denied"
    expect(run(tool, cache, "verify", user=user), IO_ERROR, left)


def refused(driver, tool, root):
    """A directory that is not used must not count as an empty one."""
    cache = root / "cache"
    subprocess.run([driver, "put", cache, "a"], check=True)
    cache.chmod(0o770)
    for words in (["clear"], ["gc"], ["verify"]):
        found = run(tool, cache, *words)
        if found.returncode == 0:
            sys.exit(f"error: {words} ends with 0")
        expect(found, found.returncode, f"nereid: error: the cache cannot be used: {cache}: others can write it")


def main():
    driver, tool, case = sys.argv[1:]
    cases = {"read-only": read_only, "locked": locked, "unreadable": unreadable, "refused": refused}
    if "REMOVE_TEST_INSIDE" in os.environ:
        return read_only(driver, tool, pathlib.Path(os.environ["REMOVE_TEST_INSIDE"]))
    root = pathlib.Path(tempfile.mkdtemp(prefix="nereid-cache-"))
    try:
        cases[case](driver, tool, root)
    finally:
        for path in root.rglob("??"):
            path.chmod(0o700)
        shutil.rmtree(root, ignore_errors=True)


main()
