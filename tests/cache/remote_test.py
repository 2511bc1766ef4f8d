# remote_test.py - a cache with a server behind it: what it looks up and stores.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib

from fake_redis import FakeRedis
from remote_client import (
    HELPER, LARGEST, Client, contains, entry_of, equal, run_case, sending,
    until)


def case_shares():
    server = FakeRedis()
    first, second = Client(server.url()), Client(server.url())
    equal(first("compute", "x"), "computed: no entry; no remote entry")
    equal(first("flush"), "flushed")
    equal(second("compute", "x"), "hit")
    # It is in the directory now: the server is not asked again.
    gets = len([c for c in server.commands if c[0] == b"GET"])
    equal(second("get", "x"), "hit")
    equal(len([c for c in server.commands if c[0] == b"GET"]), gets)
    local = list(pathlib.Path(second.root.name).rglob("*.entry"))
    equal([path.read_bytes() for path in local], list(server.values.values()))
    (key,) = server.values
    equal(key, b"nereid/1/" + local[0].stem.encode())
    equal(second.stat(), {"hits": 1, "misses": 0, "damaged": 0, "failures": 0,
                          "skipped": 0, "stored": 0, "dropped": 0})
    equal(first.stat()["stored"], 1)
    equal(first.warnings() + second.warnings(), [])
    equal([first.end(), second.end()], [0, 0])


def case_looks_up_without_computing():
    server = FakeRedis()
    entry_of(server)
    client = Client(server.url())
    equal(client("get", "x"), "hit")
    equal(client("get", "y"), "miss: no entry; no remote entry")
    equal(client.end(), 0)


def case_replaces():
    # What a request compiles again replaces the server's entry.
    server = FakeRedis()
    entry_of(server)
    (key,) = server.values
    server.values[key] = b"old"
    client = Client(server.url())
    client("put", "x")
    client("flush")
    assert server.values[key] != b"old"
    equal(client.end(), 0)


def case_large_entries():
    server = FakeRedis()
    first, second = Client(server.url()), Client(server.url())
    for client in first, second:
        client("size", 20_000_000)
    first("compute", "x")
    first("flush")
    equal(second("compute", "x"), "hit")
    # One that is too large is not sent.
    first("size", LARGEST)
    contains(first("compute", "y"), "computed: ")
    first("flush")
    equal(first.stat()["dropped"], 1)
    equal(len(server.values), 1)
    equal([first.end(), second.end()], [0, 0])


def case_stores_when_the_program_ends():
    # Within a second, which may be too short for a busy machine: once is enough.
    server = FakeRedis()
    while len(server.values) < 2:
        client = Client(server.url())
        client("compute", "x")  # the connection is there
        client("flush")
        client("put", "y")
        equal(client.end(), 0)


def case_reconnects():
    """A connection that the server ended while it was idle is no failure."""
    server = FakeRedis()
    client = Client(server.url())
    for name in "xyz":
        client("compute", name)
        equal(client("flush"), "flushed")
        client("clear")
        server.disconnect()
    for name in "xyz":
        equal(client("compute", name), "hit")
        client("clear")
        server.disconnect()
    equal(client.stat()["failures"], 0)
    equal(client.warnings(), [])
    equal(client.end(), 0)


def case_password_and_database():
    password = "p:@/ %é".encode() + b"\xff"
    server = FakeRedis(password=password)
    encoded = "".join(f"%{byte:02x}" for byte in password)
    client = Client(server.url(login=f"me:{encoded}@", database="/3"))
    equal(client("compute", "x"), "computed: no entry; no remote entry")
    equal(server.commands[:2], [[b"AUTH", b"me", password],
                                [b"SELECT", b"3"]])
    # Everybody can read the arguments of a process.
    for pid in [client.process.pid, *client.helpers()][1:]:
        arguments = pathlib.Path(f"/proc/{pid}/cmdline")
        until(arguments.read_bytes)  # one that is being started has none
        equal(arguments.read_bytes().rstrip(b"\0"), HELPER.encode())
    equal(client.end(), 0)

    client = Client(server.url(login=":wrong@"))
    contains(client("compute", "x"), "the remote cache does not answer")
    contains(client.warnings()[0],
             "the server refuses the password: WRONGPASS")
    assert "wrong@" not in client.warnings()[0]
    equal(client.end(), 0)

    client = Client(server.url(login=f":{encoded}@", database="/4"))
    contains(client("compute", "x"), "the remote cache does not answer")
    contains(client.warnings()[0], "the server refuses the database: ERR DB")
    equal(client.end(), 0)


def case_store_fails():
    server = FakeRedis(on_put=sending(b"-OOM command not allowed\r\n"))
    client = Client(server.url())
    client("compute", "x")
    equal(client("flush"), "flushed")
    contains(client.warnings()[0],
             "the server refuses to store: OOM command not allowed")
    # Lookups go on; nothing more is sent.
    equal(client("compute", "y"), "computed: no entry; no remote entry")
    equal(client("flush"), "flushed")
    stat = client.stat()
    equal([stat["dropped"], stat["stored"], stat["misses"]], [2, 0, 2])
    equal(len(client.warnings()), 1)
    equal(client.end(), 0)


def case_store_never_waits():
    """A server that does not read delays no computation and no end."""
    server = FakeRedis()
    server.on_put = lambda _: server.wait()
    client = Client(server.url())
    client("size", 1_000_000)
    for i in range(200):  # more than may be queued
        contains(client("compute", i), "computed: ")
    stat = client.stat()
    assert 40 <= stat["dropped"] <= 80, stat  # 128 MiB are queued
    equal(stat["stored"], 0)
    equal(client.end(), 0)  # it would wait for an hour
    server.close()


def case_forks():
    server = FakeRedis()
    client = Client(server.url())
    client("compute", "x")
    client("flush")
    client("clear")
    equal(client("fork", "x"), "hit")
    equal(client("compute", "x"), "hit")  # the child put it there
    client("clear")
    equal(client("compute", "x"), "hit")
    equal(client.end(), 0)


if __name__ == "__main__":
    run_case(globals())
