# remote_client.py - what tests of the remote cache share: a process whose cache
# has a server behind it, and servers' answers.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import sys
import tempfile
import time

from fake_redis import FakeRedis

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from driver import Driver

DRIVER, HELPER = sys.argv[1:3]
SHORT = 50      # ms: for servers that do not answer anyway
FOREVER = 3600 * 1000  # ms: a pause that does not end
LARGEST = 64 << 20


class Client(Driver):
    """A process with a directory of its own."""

    def __init__(self, url, pause=FOREVER, helper=HELPER):
        self.root = tempfile.TemporaryDirectory(prefix="nereid-remote-")
        super().__init__([DRIVER, helper, url, self.root.name + "/cache", str(pause)])

    def stat(self):
        return json.loads(self("stat"))

    def warnings(self):
        return json.loads(self("warnings"))

    def helpers(self):
        """Other children clean up after them."""
        return self.children(HELPER)

    def end(self):
        code = super().end()
        self.root.cleanup()
        return code


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def contains(text, part):
    assert part in text, f"no {part!r} in {text!r}"


def until(condition):
    while not condition():  # ctest has the limit
        time.sleep(0.01)


def entry_of(server):
    """The bytes of the entry "x", as a client stores them."""
    client = Client(server.url())
    client("put", "x")
    equal(client("flush"), "flushed")
    equal(client.end(), 0)
    (value,) = server.values.values()
    return value


def sending(data, cut=False):
    def act(connection, _=None):
        connection.sendall(data)
        if cut:
            raise FakeRedis.Cut
    return act


def is_left_alone(client):
    """From now on no lookup waits."""
    before = client.stat()
    for i in range(20):
        equal(client("compute", f"after {i}"),
              "computed: no entry; the remote cache is not used for now")
    after = client.stat()
    equal(after["failures"], before["failures"])
    equal(after["skipped"], before["skipped"] + 20)


def run_case(functions):
    """Runs the one of `functions`, by name, that the command line asks for."""
    functions["case_" + sys.argv[3]]()
