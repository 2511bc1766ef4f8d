# fake_worker.py - a worker that does what each request says, to test how its
# parent takes it.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import signal
import socket
import subprocess
import sys
import time

import nereid_worker

ahead = sys.argv[1] if len(sys.argv) > 1 else ""
print("a worker starts")
sys.stdout.flush()
if ahead == "exit":
    sys.exit("no compiler here")
if ahead == "hang":
    time.sleep(1000)
if ahead == "text":
    os.write(3, b"hello, world")
    time.sleep(1000)
if ahead == "version":
    frame = bytearray(nereid_worker.encode(nereid_worker.HELLO, 0, {}))
    frame[8] = 9
    os.write(3, frame)
    time.sleep(1000)

LINGER = """
import os, sys, time
names = os.listdir(".")
print(flush=True)
while os.getppid() == int(sys.argv[1]):
    time.sleep(0.0001)
for name in reversed(names):
    try:
        os.rmdir(name)
    except OSError:
        pass
"""


def answer(header, blobs, event):
    what = header.get("do", "echo")
    if what == "echo":
        return {"echo": header, "pid": os.getpid()}, blobs
    if what == "print":
        # More than a pipe holds.
        print("garbage " * 20000 + "the end")
        os.write(1, b"nereidWK not a frame\n")
        return {"pid": os.getpid()}, {}
    if what == "events":
        for i in range(3):
            event({"step": i})
        return {}, {}
    if what == "meet":
        # Until so many workers have been here.
        with open(os.path.join(header["folder"], str(os.getpid())), "w"):
            pass
        while len(os.listdir(header["folder"])) < header["count"]:
            time.sleep(0.01)
        return {"pid": os.getpid()}, {}
    if what == "crash":
        print("last words", file=sys.stderr)
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "exit":
        print("giving up")
        sys.exit(3)
    if what == "hang":
        event({})
        time.sleep(1000)
    if what == "raise":
        raise ValueError("no such thing")
    if what == "refuse":
        raise nereid_worker.Refusal("invalid-argument", "not like this",
                                    "k.py", 3, 5, ["like that"])
    if what == "memory":
        return {"size": len(bytearray(header["bytes"]))}, {}
    if what == "environment":
        return {"value": os.environ.get(header["name"]),
                "folder": os.environ["TMPDIR"]}, {}
    if what == "leave":
        with open(os.path.join(os.environ["TMPDIR"], "left"), "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "linger":
        # What it started outlives it, and removes its own folders in this one's,
        # beginning with those that the parent comes to last.
        folder = os.environ["TMPDIR"]
        for i in range(300):
            os.mkdir(os.path.join(folder, str(i)))
        started = subprocess.Popen([sys.executable, "-c", LINGER, str(os.getpid())],
                                   cwd=folder, stdout=subprocess.PIPE, start_new_session=True)
        started.stdout.readline()
        return {"folder": folder}, {}
    if what == "child":
        # It keeps the output open, and outlives the worker.
        subprocess.Popen(["sleep", "1000"])
        os._exit(4)
    # What follows breaks the protocol.
    connection = socket.socket(fileno=os.dup(3))
    frame = nereid_worker.encode(nereid_worker.ANSWER, header["number"], {},
                                 {"b": b"12345"})
    if what == "digest":
        connection.sendall(frame[:-1] + b"6")
    if what == "number":
        connection.sendall(nereid_worker.encode(nereid_worker.ANSWER, 77, {}))
    if what == "kind":
        connection.sendall(nereid_worker.encode(nereid_worker.HELLO,
                                                header["number"], {}))
    if what == "cut":
        connection.sendall(frame[:-2])
        os._exit(0)
    time.sleep(1000)


nereid_worker.serve({"worker": "fake", "pid": os.getpid()}, answer)
