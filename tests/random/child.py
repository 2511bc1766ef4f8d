"""Child processes that use the device, since a kernel may crash or hang."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import multiprocessing

LIMIT = 300  # seconds for one configuration of one kernel, which only a hang takes


class Ended(Exception):
    """A child crashed or hung; the text says how."""


class Child:
    """Runs `work(connection, *arguments)`, which loads the plugins itself: many
    cannot be used after a fork, and one without them is cheap."""

    def __init__(self, work, *arguments) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()

    def receive(self):
        """What it sends next; raises Ended, and the child is gone."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            code = self.process.exitcode
            raise Ended(f"ended by signal {-code}" if code < 0 else f"ended with {code}") from None

    def answer(self, question):
        """Its answer, within the limit; raises Ended, and the child is gone."""
        try:
            self.connection.send(question)
        except BrokenPipeError:
            pass
        if self.connection.poll(LIMIT):
            return self.receive()
        raise self.hung()

    def hung(self) -> Ended:
        self.kill()
        return Ended(f"no end within {LIMIT} s")

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
