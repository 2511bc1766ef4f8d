# remote_test.py - a cache with a server behind it that lies, cuts, is slow or
# is not there: each is a miss, and most cost one wait.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from fake_redis import FakeRedis, bulk

DRIVER, HELPER = sys.argv[1:3]
SHORT = 50      # ms: for servers that do not answer anyway
FOREVER = 3600 * 1000  # ms: a pause that does not end
LARGEST = 64 << 20


class Client:
    """A driver process with a directory of its own."""

    def __init__(self, url, pause=FOREVER, helper=HELPER):
        self.root = tempfile.TemporaryDirectory(prefix="nereid-remote-")
        self.process = subprocess.Popen(
            [DRIVER, helper, url, self.root.name + "/cache", str(pause)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def stat(self):
        return json.loads(self("stat"))

    def warnings(self):
        return json.loads(self("warnings"))

    def helpers(self):
        """The process ids of the helpers; other children clean up after them."""
        pid = self.process.pid
        found = []
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                if os.readlink(f"/proc/{child}/exe") == os.path.realpath(HELPER):
                    found.append(int(child))
        return found

    def end(self):
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
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


def sending(data, cut=False):
    def act(connection, _=None):
        connection.sendall(data)
        if cut:
            raise FakeRedis.Cut
    return act


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


def is_left_alone(client):
    """From now on no lookup waits."""
    before = client.stat()
    for i in range(20):
        equal(client("compute", f"after {i}"),
              "computed: no entry; the remote cache is not used for now")
    after = client.stat()
    equal(after["failures"], before["failures"])
    equal(after["skipped"], before["skipped"] + 20)


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


def case_helper_is_killed():
    server = FakeRedis()
    client, helpers = with_helpers(server)
    for pid in helpers:
        os.kill(pid, signal.SIGKILL)
        until(lambda: pathlib.Path(f"/proc/{pid}/stat").read_text()
              .rsplit(")")[1].split()[0] == "Z")
    finds_the_entry(client)


def case_helper_is_killed_when_asked():
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


def case_helper_is_missing():
    client = Client("redis://127.0.0.1?timeout_ms=60000", helper="/nowhere/x")
    contains(client("compute", "x"), "the remote cache does not answer")
    contains(client.warnings()[0], "'/nowhere/x' cannot be started")
    equal(client.end(), 0)


def case_helper_hangs():
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


def case_helper_starts_slowly():
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


CASES = {name[5:]: function for name, function in globals().items()
         if name.startswith("case_")}

if __name__ == "__main__":
    CASES[sys.argv[3]]()
