# remote_absent_test.py - a cache with a server behind it that is slow or is not
# there: most cost one wait.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import socket
import time

from fake_redis import FakeRedis, bulk
from remote_client import (
    SHORT, Client, contains, entry_of, equal, is_left_alone, run_case,
    sending, until)


def slow(act):
    """A server that takes longer than the limit."""
    server = FakeRedis()
    entry_of(server)
    server.on_get = act(server)
    client = Client(server.url(SHORT))
    # The first one may be the start of the helper, which is forgiven.
    number = 0
    while not client.warnings():
        number += 1
        contains(client("compute", number),
                 "computed: no entry; the remote cache ")
        time.sleep(0.01)
    assert client.stat()["failures"] >= 1
    is_left_alone(client)
    equal(len(client.warnings()), 1)
    equal(client.end(), 0)
    server.close()


def case_silent():
    slow(lambda server: lambda connection, _: server.wait())


def case_begins_and_stops():
    def act(server):
        def begin(connection, _):
            connection.sendall(b"$1000\r\nabc")
            server.wait()
        return begin
    slow(act)


def case_drips():
    def act(server):
        def drip(connection, _):
            for byte in bulk(bytes(100_000)):
                connection.sendall(bytes([byte]))
                if server.over.wait(0.02):
                    return
        return drip
    slow(act)


def case_accepts_nothing():
    """A port whose connections nobody accepts or answers."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = listener.getsockname()[1]
    fill = []
    for _ in range(4):  # the queue of the system is full then
        each = socket.socket()
        each.setblocking(False)
        each.connect_ex(("127.0.0.1", port))
        fill.append(each)
    client = Client(f"redis://127.0.0.1:{port}?timeout_ms={SHORT}")
    until(lambda: client("compute", client.stat()["failures"])
          .endswith("not used for now"))
    is_left_alone(client)
    equal(client.end(), 0)


def case_refused():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = Client(f"redis://127.0.0.1:{port}?timeout_ms=60000")
    equal(client("compute", "x"),
          "computed: no entry; the remote cache does not answer")
    equal(client("compute", "y"),
          "computed: no entry; the remote cache is not used for now")
    client("flush")
    equal(client.warnings(), [
        f"the remote cache redis://127.0.0.1:{port}/0 is not used for now: it "
        "cannot be reached: Connection refused"])
    equal(client.end(), 0)


def case_unknown_host():
    client = Client("redis://no-such-host.invalid?timeout_ms=60000")
    contains(client("compute", "x"), "the remote cache does not answer")
    contains(client.warnings()[0], "the name of the host is not found")
    equal(client.end(), 0)


def case_tries_again():
    """After the pause, and with a server that is there again."""
    server = FakeRedis(on_get=sending(b"-LOADING\r\n"))
    client = Client(server.url(), pause=1)
    contains(client("compute", "x"), "does not answer")
    server.on_get = None
    time.sleep(0.01)
    equal(client("compute", "y"), "computed: no entry; no remote entry")
    equal(len(client.warnings()), 1)
    equal(client.end(), 0)


if __name__ == "__main__":
    run_case(globals())
