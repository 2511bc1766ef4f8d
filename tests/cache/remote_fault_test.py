# remote_fault_test.py - a cache with a server behind it that lies, cuts or
# refuses: each is a miss, and an entry is repaired.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from fake_redis import FakeRedis
from remote_client import (
    LARGEST, Client, contains, entry_of, equal, run_case, sending, until)


def damaged(change, reason):
    server = FakeRedis()
    value = entry_of(server)
    (key,) = server.values
    server.values[key] = change(value)
    client = Client(server.url())
    text = client("compute", "x")
    contains(text, "computed: no entry; the remote entry is damaged: ")
    contains(text, reason)
    equal(client.stat()["damaged"], 1)
    equal(client.stat()["failures"], 0)
    equal(client.warnings(), [])
    equal(client("flush"), "flushed")
    equal(server.values[key], value)  # it is repaired
    equal(client.end(), 0)


def case_flipped_bit():
    def flip(at):
        def change(value):
            changed = bytearray(value)
            changed[at] ^= 4
            return bytes(changed)
        return change
    damaged(flip(0), "digest does not match")
    damaged(flip(30_000), "digest does not match")
    damaged(flip(-1), "digest does not match")


def case_cut_entry():
    damaged(lambda value: value[:-1], "does not end in a record")
    damaged(lambda value: value[1:], "digest does not match")
    damaged(lambda value: b"", "0 bytes, expected at least 96")


def case_another_entry():
    other = FakeRedis()
    client = Client(other.url())
    client("put", "y")
    client("flush")
    client.end()
    (value,) = other.values.values()
    damaged(lambda _: value, "it is the entry ")


def case_too_large_entry():
    damaged(lambda value: value + bytes(LARGEST), "expected at most")


def case_wrong_type():
    server = FakeRedis(on_get=lambda connection, _: connection.sendall(
        b"-WRONGTYPE Operation against a key\r\n"))
    client = Client(server.url())
    contains(client("compute", "x"), "the key does not hold a string")
    contains(client("compute", "y"), "the key does not hold a string")
    equal(client.stat()["damaged"], 2)
    equal(client.end(), 0)


def failing(on_get, problem, timeout_ms=60000):
    """One lookup fails; then the server is left alone."""
    server = FakeRedis(on_get=on_get)
    entry_of(server)
    client = Client(server.url(timeout_ms))
    contains(client("compute", "x"),
             "computed: no entry; the remote cache does not answer")
    stat = client.stat()
    equal([stat["failures"], stat["hits"]], [1, 0])
    for i in range(5):
        equal(client("compute", i),
              "computed: no entry; the remote cache is not used for now")
    equal(client.stat()["skipped"], 5)
    until(client.warnings)
    (warning,) = client.warnings()
    contains(warning, f"the remote cache redis://127.0.0.1:{server.port}/0 is "
                      "not used for now: ")
    contains(warning, problem)
    client("flush")
    equal(len(client.warnings()), 1)
    equal(client.end(), 0)
    server.close()


def case_not_redis():
    failing(sending(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
            "does not answer like a Redis server")
    failing(sending(b"*1\r\n$1\r\nx\r\n"), "does not answer like a Redis")
    failing(sending(b"+OK\r\n"), "does not answer like a Redis server")
    failing(sending(b":1\r\n"), "does not answer like a Redis server")
    failing(sending(b"$x\r\n"), "the size of a value is not a number")
    failing(sending(b"$-2\r\n"), "the size of a value is not a number")
    failing(sending(b"$3\r\nabcdef\r\n"), "longer than its size says")
    failing(sending(b"$3\r\nabc\r\n$3\r\nabc\r\n"), "bytes follow the reply")
    failing(sending(b"-" + b"x" * 5000), "longer than 1024 bytes")


def case_refuses():
    failing(sending(b"-LOADING Redis is loading\r\n"),
            "the server refuses to read: LOADING Redis is loading")
    failing(sending(b"-\x1b[31m\xff evil\r\n"),
            "the server refuses to read: ?[31m? evil")


def case_cuts():
    failing(sending(b"", cut=True), "it closed the connection")
    failing(sending(b"$5", cut=True), "closed the connection within an answer")
    failing(sending(b"$500000\r\nabc", cut=True),
            "closed the connection within an answer")


def case_claims_too_much():
    """A size without the bytes is neither believed nor waited for."""
    server = FakeRedis(on_get=sending(b"$99999999999999\r\n"))
    client = Client(server.url())
    contains(client("compute", "x"), "a value of 99999999999999 bytes")
    contains(client("compute", "y"), "a value of 99999999999999 bytes")
    equal(client.stat()["damaged"], 2)
    equal(client.end(), 0)
    failing(sending(b"$" + b"9" * 30 + b"\r\n"), "is not a number")


if __name__ == "__main__":
    run_case(globals())
