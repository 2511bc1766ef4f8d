#!/usr/bin/env python3
"""Checks scripts/bench: help, figures, missing parts, and what it makes of times.

usage: check_tables.py ROOT BUILD_DIR

SPDX-FileCopyrightText: the Nereid authors
SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

import contest
import page
import peers
import profiles
import reasons
import row_words
import rows
import run as data

ROWS = [
    r"create host, .* 3 directories, .* first launch done +[\d.]+ ms",
    r"1 000 plugins in one directory: preflight and report +[\d.]+ ms",
    r"compile vector_add, block 65536 +[\d.]+ ms  [\d.]+ of block 1024",
    r"compile softmax, block 65536 +[\d.]+ ms  [\d.]+ of block 1024",
    r"compile layer_norm, block 65536 +[\d.]+ ms  [\d.]+ of block 1024",
    r"launch, 5 arguments: host above the plugin's slot +-?[\d.]+ ns",
    r"launch, 20 arguments: host above the plugin's slot +-?[\d.]+ ns",
    r"parallel region of 2 threads, warm: above half of [\d.]+ us +-?[\d.]+ us",
]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def check_help(root):
    shown = run(root / "scripts/bench", "--help").stdout
    scripts = ("figures.py", "peers.py", "compile_corpus.py", "pack.py")
    texts = [(root / "tests/bench" / name).read_text() for name in scripts]
    texts.append((root / "scripts/bench").read_text())
    hidden = {"--build", "--help"}
    options = set(re.findall(r'add_argument\("(--[a-z-]+)"', "".join(texts)))
    options |= set(re.findall(r"^ +(--[a-z]+)\b.*\)$", texts[-1], re.M))
    assert {"--figures", "--corpus", "--threads", "--target"} <= options, options
    for option in options - hidden:
        assert option in shown, f"{option} is not in\n{shown}"


def check_figures(root, build):
    figures = [sys.executable, root / "tests/bench/figures.py"]
    done = run(*figures, "--budget", "0.01", "--build", build)
    for row in ROWS:
        assert re.search(f"^{row}", done.stdout, re.M), (row, done)

    with tempfile.TemporaryDirectory() as empty:
        done = run(*figures, "--build", empty)
    assert done.returncode == 1 and "bench/first_launch" in done.stderr, done
    assert "-DNEREID_BUILD_TESTS=ON" in done.stderr, done


def row_of(name, nereid, goal=1.0, state=(100, 50, 20), **peers_samples):
    """A row of a run; `state` is what the calibration around it found."""
    keys = ("fma_gflops", "l2_gbs", "memory_gbs")
    return {
        "name": name,
        "group": name.split()[0],
        "dtype": "float32",
        "unit": "GB/s",
        "bytes": 8 << 20,
        "flops": 4 << 20,
        "work": 8 << 20,
        "by_flops": False,
        "writes": True,
        "goal": goal,
        "samples": {"nereid": nereid, **peers_samples},
        "failures": {},
        "calibrations": [dict(zip(keys, state))],
    }


def check_profiles():
    """Rows below their goal, with where their time goes and why."""
    run = run_of(row_of("b 1", [2.0, 2.0], goal=1.5, torch=[1.0, 1.5]), row_of("b 2", [1.0]))
    source = ["", "    %1 = math.exp %0 : tensor<8xf32>", '    %2, %3 = "tt.reduce"(%1) ({']
    places = [
        ("kernel", "softmax.cpu", 2, 50),
        ("kernel", "softmax.cpu", 3, 20),
        ("kernel", "softmax.cpu", 0, 10),
        ("kernel", "dot.f32", 2, 10),
        ("cpu.so", "nereid::cpu::Pool::run(int)", 0, 8),
        ("libc.so.6", "", 0, 2),
    ]
    keys = ("object", "function", "line", "samples")
    places = [{"file": "ttir", **dict(zip(keys, place))} for place in places]
    found = profiles.shares({"places": places}, source)
    expected = "50% math.exp (line 2), 20% tt.reduce (line 3), 10% the kernel's own loops, "
    assert profiles.words(found) == expected + "10% dot.f32, 8% nereid::cpu::Pool::run", found

    below = data.missed(run)
    assert [row["name"] for row in below] == ["b 1"], below
    below[0]["profile"] = found
    known = reasons.Reason(("b 1",), "because", threads=(1, 2), vendor="nobody's")
    here = {**run, "machine": {"cpu": "nobody's processor", "cores": 1}}
    assert known.holds(below[0], here) and not known.holds(below[0], run)
    assert not known.holds(below[0], {**here, "threads": 3})
    names = [row.name for row in rows.all_rows()]
    for reason in reasons.REASONS:
        assert all(any(part in name for name in names) for part in reason.rows), reason
    assert "50% math.exp (line 2)" in page.page(run)


def run_of(*found, commit="new"):
    limits = {
        "threads": 1, "l1_bytes": 1 << 15, "l2_bytes": 1 << 20, "l3_bytes": 1 << 25,
        "fma_gflops": 100, "l1_gbs": 400, "l2_gbs": 200, "l3_gbs": 80,
        "memory_gbs": 20, "add_gbs": 20, "stream_gbs": 25,
    }  # fmt: skip
    return {
        "version": data.VERSION,
        "date": "2000-01-01",
        "commit": commit,
        "machine": {"cpu": "<a & b>", "cores": 2},
        "threads": 1,
        "rounds": 3,
        "peers": {"torch": "1", "jax": "2"},
        "limits": limits,
        "rows": list(found),
    }


def near(a, b):
    return abs(a - b) < 1e-9


def check_rows():
    """Every row has its kernel, work, arguments that fit and a goal."""
    found = list(rows.all_rows())
    assert len({row.name for row in found}) == len(found)
    assert {row.group for row in found} == set(rows.GOALS)
    with tempfile.TemporaryDirectory() as scratch:
        for row in found:
            path, manifest = row.load()
            words = row_words.words(manifest, path.parent, Path(scratch))
            assert row.work > 0 and len(words) == len(manifest["args"]), row
            assert all(size > 0 for size in manifest["grid"]), row
            # The kernel's own count of the work, where the sizes are its own.
            if not row.changes and "work" in manifest:
                kind = "flops" if row.by_flops else "bytes"
                assert manifest["work"][kind] == row.work, row
        ends = row_words._ends(Path(scratch), 128, 3).read_bytes()
    assert len(ends) % 64 == 12 and ends[-12:] == bytes([128, 0, 0, 0, 0, 1, 0, 0, 128, 1, 0, 0])
    names = [row.name for row in rows.selected(found, ["layer norm", "add 1024"])]
    assert "add 1024" in names and "layernorm 128x256" in names and len(names) == 6, names
    small, large = (row for row in found if row.name in ("softmax 128x256", "softmax 512x32768"))
    assert (small.goal(1 << 25), large.goal(1 << 25)) == (1.5, 1.15)


def check_figures_of_a_run():
    fast = row_of("a 1", [1.0, 2.0, 9.0], torch=[4.0, 4.0, 5.0], jax=[3.0, 6.0, 6.0])
    slow = row_of("b 1", [2.0, 2.0, 2.0], goal=1.5, state=(50, 50, 20), torch=[1.0, 1.5, 1.0])
    alone = row_of("b 2", [1.0, 1.0, 1.0])
    run = run_of(fast, slow, alone)
    # Medians: 2 of nereid, 4 of torch, 6 of jax.
    assert data.best_peer(fast) == "torch" and near(data.ratio(fast), 2.0)
    assert data.spread(fast) == (5.0 / 9.0, 4.0)
    assert near(data.ratio(fast, {"jax"}), 3.0)
    assert data.ratio(alone) is None
    assert data.below_floor(run) == [(0.5, "b 1")]
    name, count, mean, low, missed = data.summary(run)[-1]
    assert (name, count, low, missed) == ("all", 2, 1, 1) and near(mean, 1.0)
    assert near(data.noise_of(fast, run), 1.0) and near(data.noise_of(slow, run), 2.0)
    # 8 MiB at 80 GB/s of the last cache, slower than 4 MiFLOP at 100 GFLOP/s.
    time, limit = data.attainable(fast, run["limits"])
    assert limit == "l3_gbs" and near(time, (8 << 20) / 80e9)
    assert data.attainable({**fast, "bytes": 1 << 30}, run["limits"])[1] == "stream_gbs"
    assert data.attainable({**fast, "flops": 1 << 30}, run["limits"])[1] == "fma_gflops"
    line = peers.line_of(slow, run)
    assert "0.50 of torch (0.50 to 0.75)" in line and "noise 2.0" in line, line


def check_processors():
    """Threads of one core share it only if no core is left."""
    siblings = {0: "0,4", 1: "1,5", 4: "0,4", 5: "1,5", 7: "7"}
    assert contest.spread(siblings, 3) == {0, 1, 7}
    assert contest.spread(siblings, 4) == {0, 1, 4, 7}


def check_comparison():
    """Ratios of two runs, to the best of the peers that both have."""
    before = run_of(
        row_of("a 1", [2.0, 2.0], torch=[2.0, 2.2]),
        row_of("b 1", [2.0, 2.0], torch=[2.0, 3.0]),
        row_of("c 1", [1.0, 1.0], torch=[1.0, 1.0]),
        commit="old",
    )
    now = run_of(
        # A peer that was not there before is the best now; it does not count.
        row_of("a 1", [1.0, 1.0], torch=[2.0, 2.2], jax=[0.5, 0.5]),
        row_of("b 1", [2.0, 2.0], torch=[2.4, 2.4]),
        row_of("d 1", [1.0, 1.0], torch=[1.0, 1.0]),
    )
    first, second = data.compare(before, now)
    assert first[0] == "a 1" and near(first[2] / first[1], 2.0) and first[3], first
    assert second[0] == "b 1" and not second[3], second
    return before, now


def check_page(before, now):
    text = page.page(now, before)
    drawings = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(drawings) == 2, len(drawings)
    for drawing in drawings:
        xml.etree.ElementTree.fromstring(drawing)
    assert "&lt;a &amp; b&gt;" in text
    assert not re.search(r"https?:|<script|<link|src=", text), "the page needs the network"


def check_kept_runs(before, now):
    with tempfile.TemporaryDirectory() as folder:
        old, new, drawn = (Path(folder, name) for name in ("old.json", "new.json", "page.html"))
        old.write_text(json.dumps(before))
        new.write_text(json.dumps(now))
        script = [sys.executable, peers.__file__]
        done = run(*script, "--load", new, "--compare", old, "--html", drawn)
        assert done.returncode == 0 and re.search(r"^a 1 +1\.05 +2\.10 +2\.00 \*$", done.stdout, re.M), done
        assert drawn.read_text().startswith("<!DOCTYPE html>")
        new.write_text(json.dumps({**now, "version": 0}))
        done = run(*script, "--load", new)
        assert done.returncode == 1 and "not a run of scripts/bench --json" in done.stderr, done
        done = run(*script, "--only", "no such row", "--no-peers")
        missing = not contest.TOOL.exists()
        assert missing or done.returncode == 2 and "no row contains" in done.stderr, done


def state_of(process):
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def check_peers():
    """A peer is stopped between questions, and what goes wrong is an answer."""
    peers.peer_functions.NEEDS["absent"] = ("json", "no_such.module")
    peers.peer_functions.NEEDS["here"] = ("json", "os.path")
    assert peers.installed(["absent", "here"]) == (["here"], ["absent"])

    peer = contest.Peer("no such peer", 1)
    try:
        answer = peer.ask(make=["add", [8], "float32"])
        assert answer["error"].startswith("KeyError"), answer
        _, status = os.waitpid(peer.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status) and state_of(peer.process) == "T"
        assert "error" in peer.ask(make=["add", [8], "float32"])
        os.kill(peer.process.pid, signal.SIGKILL)
        try:
            peer.ask(time=0.1)
            raise AssertionError("a peer that was killed answered")
        except contest.Gone as error:
            assert "process ended" in str(error) or "Broken pipe" in str(error), error
        # The next row starts it again.
        assert "error" in peer.ask(make=["add", [8], "float32"])
    finally:
        peer.close()


def main():
    root, build = map(Path, sys.argv[1:])
    check_help(root)
    check_rows()
    check_figures_of_a_run()
    check_processors()
    check_profiles()
    runs = check_comparison()
    check_page(*runs)
    check_kept_runs(*runs)
    check_peers()
    check_figures(root, build)


if __name__ == "__main__":
    main()
