# mount_test.py - a full, a read-only and a noexec file system, and a process
# with raised privileges.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: mount_test.py DRIVER full|read-only|noexec|raised

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# In a mount namespace of its own, so that nothing stays mounted.
MOUNT = """
set -e
mount -t tmpfs -o mode=0700,{options} nereid "$2"
{prepare}
set +e
for verb in {verbs}; do
  "$1" $verb "$2/cache" a
  code=$?
  [ $code = 0 ] || {{ echo "error: $verb ends with $code"; exit 1; }}
done
"""
CASES = {
    # The entry needs 50 kB.
    "full": dict(options="size=32k", prepare="", verbs="compute put get"),
    "read-only": dict(options="size=1m", prepare='mount -o remount,ro "$2"',
                      verbs="compute put get expect-no-path"),
    "read-only-filled": dict(
        options="size=1m",
        prepare='"$1" put "$2/cache" a; mount -o remount,ro "$2"',
        verbs="compute get expect-path"),
    "noexec": dict(options="size=1m,noexec", prepare="",
                   verbs="expect-no-path get compute"),
}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def in_namespace(script, *words):
    return subprocess.run(["unshare", "--user", "--map-root-user", "--mount",
                           "sh", "-c", script, "sh", *map(str, words)])


def raised(driver, root):
    """A copy that runs as another user, as a set-uid program does."""
    if os.geteuid() != 0:
        skip("only root can make a program that runs as another user")
    root.chmod(0o755)
    copy = root / "driver"
    shutil.copy(driver, copy)
    os.chown(copy, 65534, 65534)
    copy.chmod(0o4755)
    options = subprocess.run(["findmnt", "-no", "OPTIONS", "-T", root],
                             capture_output=True, text=True).stdout
    if "nosuid" in options.split(","):
        skip("the temporary directory is mounted nosuid")
    environment = {**os.environ, "XDG_CACHE_HOME": "/tmp/chosen"}
    return subprocess.run([copy, "expect-no-default"],
                          env=environment).returncode


def main():
    driver, case = sys.argv[1:]
    root = pathlib.Path(tempfile.mkdtemp(prefix="nereid-cache-"))
    try:
        if case == "raised":
            sys.exit(raised(driver, root))
        if in_namespace('mount -t tmpfs nereid "$1"', root).returncode:
            skip("mounting in a user namespace is not allowed")
        script = MOUNT.format(**CASES[case])
        sys.exit(in_namespace(script, driver, root).returncode)
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
