# remote_helper_test.py - a remote cache whose helper process dies, hangs, is slow
# or is missing.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import signal
import tempfile
import threading

from fake_redis import FakeRedis
from remote_client import (
    HELPER, SHORT, Client, contains, equal, is_left_alone, run_case, until)


def with_helpers(server):
    """A client whose helpers run, and whose entry is in the server alone."""
    client = Client(server.url())
    client("compute", "x")
    client("flush")
    client("clear")
    helpers = client.helpers()
    equal(len(helpers), 2)  # one reads, one stores
    return client, helpers


def finds_the_entry(client):
    equal(client("compute", "x"), "hit")
    equal(client.stat()["failures"], 0)
    equal(client.end(), 0)


def case_is_killed():
    server = FakeRedis()
    client, helpers = with_helpers(server)
    for pid in helpers:
        os.kill(pid, signal.SIGKILL)
        until(lambda: pathlib.Path(f"/proc/{pid}/stat").read_text()
              .rsplit(")")[1].split()[0] == "Z")
    finds_the_entry(client)


def case_is_killed_when_asked():
    server = FakeRedis()
    client, helpers = with_helpers(server)
    for pid in helpers:
        os.kill(pid, signal.SIGSTOP)
    # After the question, or before it, where that is late: both find the entry.
    killing = threading.Timer(
        0.3, lambda: [os.kill(pid, signal.SIGKILL) for pid in helpers])
    killing.start()
    finds_the_entry(client)
    killing.join()


def case_is_missing():
    client = Client("redis://127.0.0.1?timeout_ms=60000", helper="/nowhere/x")
    contains(client("compute", "x"), "the remote cache does not answer")
    contains(client.warnings()[0], "'/nowhere/x' cannot be started")
    equal(client.end(), 0)


def case_hangs():
    with tempfile.TemporaryDirectory() as folder:
        helper = pathlib.Path(folder) / "helper"
        helper.write_text("#!/bin/sh\nexec sleep 1000\n")
        helper.chmod(0o755)
        client = Client(f"redis://127.0.0.1?timeout_ms={SHORT}",
                        helper=str(helper))
        until(lambda: client("compute", client.stat()["failures"])
              .endswith("not used for now"))
        is_left_alone(client)
        equal(client.end(), 0)


def case_starts_slowly():
    # Longer than the 10 s that a helper has at least.
    server = FakeRedis()
    with tempfile.TemporaryDirectory() as folder:
        helper = pathlib.Path(folder) / "helper"
        helper.write_text(f"#!/bin/sh\nsleep 11\nexec '{HELPER}'\n")
        helper.chmod(0o755)
        client = Client(server.url(), helper=str(helper))
        equal(client("get", "x"), "miss: no entry; no remote entry")
        equal(client.warnings(), [])
        equal(client.end(), 0)


if __name__ == "__main__":
    run_case(globals())
