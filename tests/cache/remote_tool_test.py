# remote_tool_test.py - `nereid compile` on two machines that share a server.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: remote_tool_test.py TOOL KERNEL

import os
import subprocess
import sys
import tempfile

from fake_redis import FakeRedis


def compile_with(tool, kernel, url):
    """What `nereid compile` prints on a machine of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NEREID_CACHE_DIR": cache + "/cache",
                       "NEREID_CACHE_REMOTE": url}
        found = subprocess.run(
            [tool, "compile", kernel, "--target", "extension", "-o",
             cache + "/image"], env=environment, capture_output=True,
            text=True)
        print(found.stdout, found.stderr)
        assert found.returncode == 0, found.returncode
        return found.stdout + found.stderr


def main():
    tool, kernel = sys.argv[1:]
    server = FakeRedis()
    assert "compiled by plugin" in compile_with(tool, kernel, server.url())
    assert len(server.values) == 1, server.values
    text = compile_with(tool, kernel, server.url())
    assert "compiled by plugin" not in text, text
    server.close()
    # Without the server it is compiled, and the user is told once.
    text = compile_with(tool, kernel, server.url())
    assert "compiled by plugin" in text, text
    warning = f"the remote cache redis://127.0.0.1:{server.port}/0 is not used"
    assert text.count(warning) == 1, text


main()
