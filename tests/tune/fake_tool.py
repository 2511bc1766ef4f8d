#!/usr/bin/env python3
"""`nereid tune` for the test of sweeps: a task says what it does, a store is the list
of what was done, and where."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("tune", choices=["tune"])
parser.add_argument("action")
parser.add_argument("file", nargs="?")
parser.add_argument("--tasks", type=pathlib.Path)
parser.add_argument("--store", type=pathlib.Path)
parser.add_argument("--budget")
parser.add_argument("--resume", action="store_true")
args = parser.parse_args()
machine = os.environ.get("FAKE_MACHINE", "")


def meet(folder):
    """Waits until both machines have a task."""
    pathlib.Path(folder, machine).touch()
    while len(os.listdir(folder)) < 2:
        time.sleep(0.1)


def hold(path):
    """The first to get here names its machine and waits to be killed."""
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return
    os.write(file, machine.encode())
    while True:
        time.sleep(1)


def run(task):
    if "meet" in task:
        meet(task["meet"])
    if "hold" in task:
        hold(task["hold"])
    if "fails" in task:
        sys.exit("error: " + task["fails"])
    return {"task": task["task"], "machine": machine, "budget": args.budget}


def stored():
    return json.loads(args.store.read_text()) if args.store.exists() else []


def store(rows):
    """Of two rows of a task the first remains."""
    args.store.write_text(json.dumps(list({row["task"]: row for row in reversed(rows)}.values())))


if args.action == "run":
    known = {row["task"] for row in stored()} if args.resume else set()
    tasks = [json.loads(line) for line in args.tasks.read_text().splitlines()]
    store([*stored(), *(run(task) for task in tasks if task["task"] not in known)])
elif args.action == "export":
    print(json.dumps(stored()))
elif args.action == "import":
    store([*stored(), *json.load(sys.stdin)])
