"""Times Nereid and its peers in turns, each in a process of its own.

A peer's process serves all rows, so that it imports its modules once. While
another is timed it is stopped (SIGSTOP): its idle threads take no processor.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import contextlib
import json
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import peer_functions
import row_words
from rows import kernels

BUILD = kernels.ROOT / "build"
TOOL = BUILD / "bin/nereid"
LIMITS = BUILD / "bench/limits"

# A compiler that takes longer has hung.
PATIENCE = 600


def environment(threads):
    count = str(threads)
    found = dict(
        os.environ,
        OMP_NUM_THREADS=count,
        MKL_NUM_THREADS=count,
        OPENBLAS_NUM_THREADS=count,
        NUMBA_NUM_THREADS=count,
        JAX_PLATFORMS="cpu",
        # Do not return freed memory to the system: no peer pays for page faults.
        MALLOC_MMAP_THRESHOLD_="8589934592",
        MALLOC_TRIM_THRESHOLD_="17179869184",
    )
    # Some machines pin OpenBLAS to the kernels of an older CPU.
    found.pop("OPENBLAS_CORETYPE", None)
    return found


def spread(siblings, count):
    """`count` of the processors whose cores are siblings[processor], one of each core first."""
    met, order = {}, []
    for processor in sorted(siblings):
        core = siblings[processor]
        order.append((met.get(core, 0), processor))
        met[core] = met.get(core, 0) + 1
    return {processor for _, processor in sorted(order)[:count]}


def pin(threads):
    """Leaves this process and those it will start `threads` processors, if it has more: jax
    ignores every other limit."""
    siblings = {}
    for processor in os.sched_getaffinity(0):
        listed = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        siblings[processor] = listed.read_text() if listed.exists() else processor
    if threads < len(siblings):
        os.sched_setaffinity(0, spread(siblings, threads))


class Gone(Exception):
    """The process of a peer ended, or does not answer."""


class Peer:
    """A process that is stopped whenever it is not asked."""

    def __init__(self, name, threads):
        self.name, self.threads = name, threads
        self.process = self.errors = None

    def start(self):
        words = [sys.executable, __file__, self.name, str(self.threads)]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            words,
            env=environment(self.threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
        )

    def ask(self, **request):
        """The answer, a dictionary; raises Gone."""
        if not self.process:
            self.start()
        group, answers = self.process.pid, self.process.stdout
        try:
            os.killpg(group, signal.SIGCONT)
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([answers], [], [], PATIENCE)
            line = answers.readline() if ready else b""
            if not line:
                raise Gone(self.last_words() if ready else f"no answer in {PATIENCE} s")
            os.killpg(group, signal.SIGSTOP)
        except (OSError, Gone) as error:
            # One that ends before it reads breaks the pipe.
            reason = self.last_words() if isinstance(error, BrokenPipeError) else str(error)
            self.close()
            raise Gone(reason) from error
        return json.loads(line)

    def last_words(self):
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f"the process ended ({self.process.returncode}): {lines[-1] if lines else ''}"[:300]

    def close(self):
        if not self.process:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):  # of what was not yet written
            self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()
        self.process = None


def slice_of(function, seconds):
    """The median time of a call, over about so many seconds."""
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def serve(peer, threads):
    """The process of a peer: requests come on stdin, answers go to stdout."""
    import ctypes

    # It does not outlive the one that asks, even when stopped.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    function = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "make" in request:
                function = None
                function = peer_functions.make(peer, *request["make"], threads)
                for _ in range(2 if function else 0):
                    function()
                answer = {"made": bool(function)}
            else:
                answer = {"seconds": slice_of(function, request["time"])}
        except Exception as error:  # one row must not end the others
            text = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {text[0] if text else ''}"[:300]}
        print(json.dumps(answer), file=answers, flush=True)


class Nereid:
    """The command of a row, timed by `nereid bench`."""

    def __init__(self, row, threads, scratch):
        path, manifest = row.load()
        self.kernel = path.with_suffix(".ttir")
        self.words = [str(TOOL), "bench", str(self.kernel)]
        self.words += ["--grid", ",".join(map(str, manifest["grid"]))]
        self.words += row_words.words(manifest, path.parent, scratch)
        self.words += ["--target", "cpu", "-O", f"threads={threads}"]

    def time(self, seconds):
        words = [*self.words, "--time", str(seconds), "--warmup", str(seconds / 4)]
        return kernels.run_json(words)["device_ns"]["median"] / 1e9

    def source(self):
        """The lines of the kernel's TTIR."""
        return self.kernel.read_text().splitlines()

    def profile(self, seconds):
        """What `nereid bench --profile` found in so many seconds."""
        words = [*self.words, "-O", "debug_info=true", "--time", str(seconds), "--profile"]
        return kernels.run_json(words)["profile"]


def limits(threads, seconds):
    """What the machine can do at most, or None where it cannot be measured."""
    if not LIMITS.exists():
        return None
    words = [str(LIMITS), str(threads), str(seconds)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def measure(row, peers, options, scratch):
    """A row of the run: times of each round, and what failed."""
    failures, made = {}, []
    for peer in peers:
        try:
            answer = peer.ask(make=[row.op, row.shape, row.dtype])
        except Gone as error:
            answer = {"error": str(error)}
        if answer.get("made"):
            made.append(peer)
        elif "error" in answer:
            failures[peer.name] = answer["error"]
    samples = {"nereid": []}
    slice_seconds = options.budget / options.rounds
    try:
        ours = Nereid(row, options.threads, scratch)
        for _ in range(options.rounds):
            samples["nereid"].append(ours.time(slice_seconds))
            for peer in list(made):
                try:
                    answer = peer.ask(time=slice_seconds)
                except Gone as error:
                    answer = {"error": str(error)}
                if "error" in answer:
                    failures[peer.name] = answer["error"]
                    made.remove(peer)
                    samples.pop(peer.name, None)
                else:
                    samples.setdefault(peer.name, []).append(answer["seconds"])
    except RuntimeError as error:
        failures["nereid"] = str(error).splitlines()[-1][:300]
        samples.pop("nereid")
    return samples, failures


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
