# redis_test.py - caches that share their entries through a real Redis server.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import concurrent.futures
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from remote_client import Client, contains, equal, run_case

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE
PROCESSES = 16
KEYS = 8


class Redis:
    """A server in a temporary directory, on a port of its own."""

    def __init__(self, *settings):
        self.program = shutil.which("redis-server")
        if not self.program:
            print("skipped: redis-server is not installed")
            sys.exit(SKIPPED)
        self.settings = settings
        self.root = tempfile.TemporaryDirectory(prefix="nereid-redis-")
        for _ in range(20):  # another program may take the port meanwhile
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
            if self.start():
                return
        raise AssertionError("redis-server does not start")

    def start(self):
        # It ends with this test, however that ends.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", self.program, "--port",
             str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--appendonly", "no", "--dir", self.root.name, *self.settings], stdout=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                self.ask("PING")
                return True
            except ConnectionError:
                time.sleep(0.01)
        return False

    def stop(self):
        self.process.kill()
        self.process.wait()

    def ask(self, *words):
        """The first line of the answer to a command."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(" ".join(words).encode() + b"\r\n")
            line = connection.makefile("rb").readline().decode().strip()
            if not line:
                raise ConnectionError
            return line

    def url(self, login="", database=""):
        return (f"redis://{login}localhost:{self.port}{database}"
                "?timeout_ms=60000")


def case_shares():
    redis = Redis("--requirepass", "secret word")
    url = redis.url(login=":secret%20word@", database="/3")
    first, second = Client(url), Client(url)
    equal(first("compute", "x"), "computed: no entry; no remote entry")
    first("size", 10_000_000)
    equal(first("compute", "y"), "computed: no entry; no remote entry")
    equal(first("flush"), "flushed")
    equal(second("compute", "x"), "hit")
    second("size", 10_000_000)
    equal(second("compute", "y"), "hit")
    wrong = Client(redis.url(login=":secret@"))
    contains(wrong("compute", "x"), "the remote cache does not answer")
    contains(wrong.warnings()[0], "the server refuses the password: WRONGPASS")
    none = Client(redis.url())
    contains(none("compute", "x"), "the remote cache does not answer")
    contains(none.warnings()[0], "the server refuses to read: NOAUTH")
    equal([each.end() for each in (first, second, wrong, none)], [0] * 4)
    redis.stop()


def case_restarts():
    redis = Redis()
    client = Client(redis.url(), pause=1)
    client("compute", "x")
    client("flush")
    redis.stop()
    equal(client("compute", "y"),
          "computed: no entry; the remote cache does not answer")
    assert redis.start()
    # It forgot everything; the pause of 1 ms is over.
    client("clear")
    equal(client("compute", "x"), "computed: no entry; no remote entry")
    client("flush")
    client("clear")
    equal(client("compute", "x"), "hit")
    equal(client.end(), 0)
    redis.stop()


def case_full():
    redis = Redis("--maxmemory", "3mb", "--maxmemory-policy", "noeviction")
    client = Client(redis.url())
    client("size", 2_000_000)
    for name in "xyz":
        contains(client("compute", name), "computed: ")
        client("flush")
    assert client.stat()["dropped"] >= 1
    contains(client.warnings()[0], "the server refuses to store: OOM")
    equal(client.end(), 0)
    redis.stop()


def case_poisoned():
    redis = Redis()
    client = Client(redis.url())
    client("compute", "x")
    client("flush")
    with socket.create_connection(("127.0.0.1", redis.port)) as connection:
        connection.sendall(b"KEYS nereid/*\r\n")
        file = connection.makefile("rb")
        file.readline(), file.readline()
        key = file.readline().decode().strip()
    for poison, reason in (
            (["SET", key, "nonsense"], "8 bytes, expected at least 96"),
            (["APPEND", key, "x"], "does not end in a record"),
            (["SETRANGE", key, "5", "abc"], "digest does not match"),
            (["RPUSH", key, "x"], "the key does not hold a string")):
        if poison[0] == "RPUSH":
            redis.ask("DEL", key)
        redis.ask(*poison)
        client("clear")
        contains(client("compute", "x"), reason)
        client("flush")
        client("clear")
        equal(client("compute", "x"), "hit")  # it was repaired
    equal(client.warnings(), [])
    equal(client.end(), 0)
    redis.stop()


def case_sixteen_processes():
    """Each has a directory of its own, like a machine."""
    redis = Redis()

    clients = [Client(redis.url()) for _ in range(PROCESSES)]

    def compute(number):
        client = clients[number]
        found = [client("compute", (i + number) % KEYS) for i in range(KEYS)]
        equal(client("flush"), "flushed")
        return found

    def hits(number):
        clients[number]("clear")
        return compute(number)

    def end(number):
        stat, warnings = clients[number].stat(), clients[number].warnings()
        equal(warnings, [])
        equal([stat[name] for name in ("damaged", "failures", "skipped",
                                       "dropped")], [0] * 4)
        equal(clients[number].end(), 0)

    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        everyone = range(PROCESSES)
        list(pool.map(compute, everyone))
        found = list(pool.map(hits, everyone))
        list(pool.map(end, everyone))
    equal(found, [["hit"] * KEYS] * PROCESSES)
    equal(redis.ask("DBSIZE"), f":{KEYS}")
    redis.stop()


run_case(globals())
