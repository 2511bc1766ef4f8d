# nereid_worker.py - the worker's side of the protocol in docs/workers.md, with
# Python's standard library alone.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Serves requests that arrive as frames on file descriptor 3.

    nereid_worker.serve({"worker": "mine"}, answer)

`answer(header, blobs, event)` returns the header and the blobs of the answer;
`event(header)` sends something ahead of it. A Refusal becomes an error of that
request, and so does any other exception.
"""

import binascii
import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import threading
import traceback

MAGIC = b"nereidWK"
VERSION = 1
HELLO, REQUEST, ANSWER, EVENT = 1, 2, 3, 4
_HEAD = struct.Struct("<8sIIQQQI")
_SOCKET = 3


class Refusal(Exception):
    """An error of the request. `status` is a name of nereid_status_name()."""

    def __init__(self, status, message, file="", line=0, column=0, notes=()):
        super().__init__(message)
        self.status = status
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.notes = list(notes)


def encode(kind, number, header, blobs=None):
    """One frame as bytes; `blobs` maps names to bytes."""
    blobs = blobs or {}
    if blobs:
        header = {**header, "blobs": [[n, len(b)] for n, b in blobs.items()]}
    text = json.dumps(header).encode()
    body = b"".join(blobs.values())
    head = _HEAD.pack(MAGIC, VERSION, kind, number, len(text), len(body),
                      binascii.crc32(body, binascii.crc32(text)))
    return head + struct.pack("<I", binascii.crc32(head)) + text + body


def _receive(connection, size):
    """`size` bytes; None if the other side has closed the socket."""
    parts = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def receive(connection):
    """(kind, number, header, blobs); None at the end of the stream."""
    head = _receive(connection, _HEAD.size + 4)
    if head is None:
        return None
    magic, version, kind, number, header_size, body_size, digest = \
        _HEAD.unpack(head[:-4])
    if magic != MAGIC or version != VERSION:
        raise ValueError(f"not a frame of version {VERSION}: {head[:12]!r}")
    if struct.unpack("<I", head[-4:])[0] != binascii.crc32(head[:-4]):
        raise ValueError("the head of the frame does not match its digest")
    payload = _receive(connection, header_size + body_size)
    if payload is None:
        return None
    if binascii.crc32(payload) != digest:
        raise ValueError("the frame does not match its digest")
    header = json.loads(payload[:header_size])
    blobs, at = {}, header_size
    for name, size in header.pop("blobs", []):
        blobs[name] = payload[at:at + size]
        at += size
    return kind, number, header, blobs


def end_with_parent(connection):
    """Ends this process when its parent does, even in the middle of work."""
    PR_SET_PDEATHSIG = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # not Linux: the thread below does it

    def watch():
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP)
        poll.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def error_of(exception):
    """The `error` of an answer."""
    if isinstance(exception, Refusal):
        diagnostics = [{"severity": "error", "message": exception.message,
                        "file": exception.file, "line": exception.line,
                        "column": exception.column}]
        diagnostics += [{"severity": "note", "message": note}
                        for note in exception.notes]
        return {"status": exception.status, "diagnostics": diagnostics}
    if isinstance(exception, MemoryError):
        return {"status": "out-of-resources", "diagnostics": [
            {"severity": "error", "message": "the worker is out of memory"}]}
    last = traceback.extract_tb(exception.__traceback__)[-1:]
    where = [f"raised in {frame.filename}:{frame.lineno}" for frame in last]
    text = str(exception).strip() or "no reason given"
    return {"status": "internal", "diagnostics": [
        {"severity": "error", "message": f"{type(exception).__name__}: {text}"},
        *({"severity": "note", "message": note} for note in where)]}


def serve(hello, answer):
    """Answers requests until the socket is closed."""
    connection = socket.socket(fileno=_SOCKET)
    os.set_inheritable(_SOCKET, False)
    end_with_parent(connection)
    connection.sendall(encode(HELLO, 0, hello))
    while (request := receive(connection)) is not None:
        _, number, header, blobs = request
        try:
            reply, out = answer(
                header, blobs, lambda event, number=number:
                connection.sendall(encode(EVENT, number, event)))
        except Exception as exception:  # any: it concerns this request alone
            reply, out = {"error": error_of(exception)}, {}
        # What was printed comes before the answer.
        sys.stdout.flush()
        sys.stderr.flush()
        connection.sendall(encode(ANSWER, number, reply, out))
