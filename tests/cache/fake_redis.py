# fake_redis.py - a server that speaks enough of Redis's protocol to be a
# remote cache, and misbehaves as a test tells it to.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import socket
import threading

WAIT = 3600  # seconds; longer than any test


class FakeRedis:
    """Serves each connection on a thread of its own.

    on_get(connection, value) and on_put(connection) replace the answers to GET
    and SET; they may raise Cut to close the connection. What a client sends is
    in `commands`; `values` is what is stored.
    """

    class Cut(Exception):
        pass

    def __init__(self, on_get=None, on_put=None, on_accept=None,
                 password=None):
        self.on_get, self.on_put = on_get, on_put
        self.on_accept, self.password = on_accept, password
        self.values, self.commands = {}, []
        self.connections = 0
        self.over = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, timeout_ms=60000, login="", database=""):
        return (f"redis://{login}127.0.0.1:{self.port}{database}"
                f"?timeout_ms={timeout_ms}")

    def close(self):
        self.over.set()
        # Closing alone would let a thread that waits in accept() go on.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.disconnect()

    def disconnect(self):
        """Ends every connection, as a server does with idle ones."""
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def wait(self):
        self.over.wait(WAIT)
        raise self.Cut

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.open.append(connection)
            threading.Thread(target=self.serve, args=[connection],
                             daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                if self.on_accept:
                    self.on_accept(connection)
                file = connection.makefile("rb")
                while words := self.read(file):
                    self.answer(connection, words)
            except (self.Cut, OSError, ValueError):
                pass

    @staticmethod
    def read(file):
        head = file.readline()
        if not head:
            return None
        words = []
        for _ in range(int(head[1:])):
            size = int(file.readline()[1:])
            words.append(file.read(size + 2)[:-2])
        return words

    def answer(self, connection, words):
        self.commands.append(words)
        name = words[0]
        if name == b"AUTH":
            isRight = words[-1] == self.password
            connection.sendall(b"+OK\r\n" if isRight
                               else b"-WRONGPASS invalid password\r\n")
        elif name == b"SELECT":
            connection.sendall(b"+OK\r\n" if words[1] == b"3"
                               else b"-ERR DB index is out of range\r\n")
        elif name == b"GET":
            value = self.values.get(words[1])
            if self.on_get:
                self.on_get(connection, value)
            else:
                connection.sendall(bulk(value))
        elif name == b"SET":
            if self.on_put:
                self.on_put(connection)
            else:
                self.values[words[1]] = words[2]
                connection.sendall(b"+OK\r\n")
        else:
            connection.sendall(b"-ERR unknown command\r\n")


def bulk(value):
    if value is None:
        return b"$-1\r\n"
    return b"$%d\r\n%b\r\n" % (len(value), value)
