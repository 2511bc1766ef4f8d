"""Tunes on the machines of a Ray cluster: `nereid tune run --ray ADDRESS`.

The tool runs this text with a Python that has ray. The calls are on stdin, one in
each line. The argument is a JSON object: `address`, `tool`, `store`, `words`
(arguments of `tune run`), `budget` in seconds, or 0, and `resumes`.

Each machine runs one task at a time, or one for each of its GPUs: two at once would
disturb each other's times. Results are added to the store as they come. The tasks of
a machine that is gone go to another one.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import collections
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

ATTEMPTS = 3  # of a task whose machine is gone
FAILURES = 2  # of a machine, until it is not used any more
PATIENCE = 60  # seconds without any machine
BATCH = 4  # tasks that a machine gets at once, at most


class Failure(Exception):
    """What the user is told."""


def run_tasks(tool, tasks, words, known):
    """On a machine of the cluster: runs tasks with the tool there. Gives its exit
    status, the results as `nereid tune import` reads them, and the end of its
    messages. `known` are results that it need not measure again."""
    import ctypes
    import signal

    def end_with_this_process():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    tool = os.environ.get("NEREID_TOOL") or tool
    with tempfile.TemporaryDirectory(prefix="nereid-sweep-") as folder:
        file, store = f"{folder}/tasks.jsonl", f"{folder}/tuned.db"
        with open(file, "w") as out:
            out.writelines(task + "\n" for task in tasks)
        if known:
            command = [tool, "tune", "import", "-", "--store", store]
            subprocess.run(command, input=known, stdout=subprocess.DEVNULL, check=True)
            words = [*words, "--resume"]
        done = subprocess.run(
            [tool, "tune", "run", "--tasks", file, "--store", store, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=end_with_this_process,
        )
        results = b""
        if os.path.exists(store):
            results = subprocess.run(
                [tool, "tune", "export", "--store", store], stdout=subprocess.PIPE, check=True
            ).stdout
        return done.returncode, results, done.stderr.decode(errors="replace")[-2000:]


class Sweep:
    def __init__(self, settings, lines, ray):
        self.ray = ray
        self.tool = settings["tool"]
        self.store = ["--store", settings["store"]] if settings["store"] else []
        self.words = settings["words"]
        budget = settings["budget"]
        self.deadline = time.monotonic() + budget if budget else None
        self.known = ray.put(self.call("export") if settings["resumes"] else b"")
        self.waiting = collections.deque((0, line) for line in lines if line.strip())
        self.total = len(self.waiting)
        self.done = self.lost = 0
        self.running = {}  # by Ray's reference: (node, [(attempts, task)])
        self.failures = collections.Counter()  # by node

    def call(self, *words, **options):
        done = subprocess.run(
            [self.tool, "tune", *words, *self.store], stdout=subprocess.PIPE, **options
        )
        if done.returncode:
            raise Failure(f"'tune {words[0]}' failed, with code {done.returncode}")
        return done.stdout

    def slots(self):
        """Machines that can take tasks: (node, how many, GPUs of a task)."""
        for node in self.ray.nodes():
            has = node["Resources"]
            if not node["Alive"] or has.get("CPU", 0) < 1:
                continue
            if self.failures[node["NodeID"]] < FAILURES:
                gpus = int(has.get("GPU", 0))
                yield node, max(gpus, 1), min(gpus, 1)

    def words_now(self):
        if self.deadline is None:
            return self.words
        return [*self.words, "--budget", f"{max(self.deadline - time.monotonic(), 1):.0f}s"]

    def submit(self):
        """Gives tasks to machines that have none; whether there is a machine."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        machines = list(self.slots())
        batch = max(1, min(BATCH, self.total // (4 * max(1, sum(n for _, n, _ in machines)))))
        for node, count, gpus in machines:
            busy = sum(on == node["NodeID"] for on, _ in self.running.values())
            for _ in range(count - busy):
                if not self.waiting:
                    return True
                tasks = [self.waiting.popleft() for _ in range(min(batch, len(self.waiting)))]
                where = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                remote = self.ray.remote(run_tasks).options(
                    num_cpus=1, num_gpus=gpus, max_retries=0, scheduling_strategy=where
                )
                texts = [text for _, text in tasks]
                reference = remote.remote(
                    self.tool, texts, self.words_now(), self.known
                )
                self.running[reference] = node["NodeID"], tasks
        return bool(machines)

    def finish(self, reference):
        node, tasks = self.running.pop(reference)
        try:
            code, results, errors = self.ray.get(reference)
        except self.ray.exceptions.RayError as error:
            self.failures[node] += 1
            reason = str(error).strip().splitlines()
            say(f"machine {node[:8]}: {reason[-1] if reason else type(error).__name__}")
            for attempts, text in tasks:
                if attempts + 1 < ATTEMPTS:
                    self.waiting.append((attempts + 1, text))
                else:
                    self.lost += 1
            return
        if results:
            self.call("import", "-", input=results)
        if code:
            say(f"machine {node[:8]}: 'tune run' ended with code {code}")
            sys.stderr.write(errors)
            self.lost += len(tasks)
        else:
            self.done += len(tasks)
        say(f"{self.done} of {self.total} tasks")

    def run(self):
        alone_since = None
        while self.waiting or self.running:
            if self.deadline is not None and time.monotonic() > self.deadline:
                say(f"the time is up: {len(self.waiting)} tasks are left for another run")
                self.waiting.clear()
            has_machines = self.submit() if self.waiting else True
            if not self.running:
                if not self.waiting:
                    break
                now = time.monotonic()
                alone_since = now if alone_since is None or has_machines else alone_since
                if now - alone_since > PATIENCE:
                    raise Failure(
                        f"no machine of the cluster can run {len(self.waiting)} of the tasks"
                    )
                time.sleep(1)  # machines may join
                continue
            alone_since = None
            ready, _ = self.ray.wait(list(self.running), timeout=2)
            for reference in ready:
                self.finish(reference)
        if self.lost:
            raise Failure(f"{self.lost} of {self.total} tasks failed")


def check_address(address):
    """Ray itself tries for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        return  # "auto", "ray://..."
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except OSError as error:
        raise Failure(f"there is no Ray cluster at {address}: {error}") from error


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    settings = json.loads(sys.argv[1])
    lines = sys.stdin.read().splitlines()
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise Failure(
            f"{sys.executable} cannot import ray ({error}): set NEREID_RAY_PYTHON to a "
            "Python with it, which 'pip install ray' makes"
        ) from error
    check_address(settings["address"])
    try:
        ray.init(address=settings["address"], log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise Failure(f"there is no Ray cluster at {settings['address']}: {error}") from error
    try:
        Sweep(settings, lines, ray).run()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    try:
        main()
    except Failure as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
