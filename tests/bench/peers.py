"""Nereid's cpu plugin compared with other frameworks on this machine, in one run.

    scripts/bench [--threads N] [--only softmax,attention] [--peers torch,jax]
                  [--no-peers] [--rounds N] [--budget SECONDS] [--json FILE]
                  [--html FILE] [--compare FILE] [--load FILE] [--list] [--profile]

All take turns in several rounds; a figure is the median of the rounds, each of
which is the median of warm calls, into a given output where the peer can. GB/s
count each input and output once. Figures are comparable within one run, not
between runs: --compare compares ratios.
"""

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import contest
import page
import peer_functions
import profiles
import reasons
import rows as table
import run as data

DEFAULT_CACHE = 32 << 20
# A clock that ticks 250 times a second gives 500 samples of a thread.
PROFILE_SECONDS = 2
# What an operation writes, for the rows that read and write.
READ_ONLY = ("sum", "max", "argmax", "crossentropy", "histogram", "topk", "channelsum")


def available(name):
    """Whether a module can be imported; its parents are, it is not."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def installed(wanted):
    """The peers of `wanted` that can be imported, and the others."""
    here = [p for p in wanted if all(map(available, peer_functions.NEEDS[p]))]
    return here, [peer for peer in wanted if peer not in here]


def version_of(peer):
    package = {"inductor": "torch", "iree": "iree-base-compiler"}.get(peer, peer)
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def machine():
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0))}


def commit():
    words = ["git", "-C", str(table.kernels.ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def described(row, samples, failures, calibrations, cache):
    """A row of the run as JSON holds it."""
    return {
        "name": row.name,
        "group": row.group,
        "dtype": row.dtype,
        "unit": row.unit,
        "bytes": row.bytes,
        "flops": row.flops,
        "work": row.work,
        "by_flops": row.by_flops,
        "writes": row.op not in READ_ONLY,
        "goal": row.goal(cache),
        "samples": samples,
        "failures": failures,
        "calibrations": calibrations,
    }


def header(peers):
    line = f"{'case':<40}{'nereid':>10}" + "".join(f"{peer:>10}" for peer in peers)
    return f"{line}  unit     ratio" if peers else f"{line}  unit"


def line_of(row, run):
    """A line of the table."""

    def cell(name):
        value = data.rate(row, name)
        return f"{value:>10.1f}" if value else f"{'-':>10}"

    line = f"{row['name']:<40}{cell('nereid')}"
    line += "".join(map(cell, run["peers"])) + f"  {row['unit']:<8}"
    value = data.ratio(row)
    if value:
        least, most = data.spread(row)
        line += f" {value:.2f} of {data.best_peer(row)} ({least:.2f} to {most:.2f})"
    share = data.of_limit(row, run.get("limits"))
    if share:
        line += f", {share}"
    noise = data.noise_of(row, run)
    if noise and noise > data.NOISY:
        line += f", noise {noise:.1f}"
    return line.rstrip()


def print_summary(run):
    found = data.summary(run)
    if found:
        print(f"\n{'rows':<16}{'count':>6}{'mean':>7}{f'< {data.FLOOR}':>8}{'< goal':>8}")
    for name, count, mean, low, missed in found:
        print(f"{name:<16}{count:>6}{mean:>7.2f}{low:>8}{missed:>8}")
    low = data.below_floor(run)
    if low:
        print(f"\nbelow {data.FLOOR}: " + ", ".join(f"{name} {value:.2f}" for value, name in low))
    noises = sorted(filter(None, (data.noise_of(row, run) for row in run["rows"])))
    if noises:
        noisy = sum(noise > data.NOISY for noise in noises)
        print(
            f"\nnoise of neighbours: median {noises[len(noises) // 2]:.2f}, most {noises[-1]:.2f}; "
            f"{noisy} of {len(noises)} rows above {data.NOISY}"
        )


def print_missed(run):
    """The rows that miss their goal: by how much, where their time goes, and why."""
    missed = data.missed(run)
    if missed:
        print("\nrows that miss their goal:")
    for row in missed:
        limit = data.of_limit(row, run.get("limits"))
        text = f"{row['name']:<40}{data.ratio(row):.2f} of {data.best_peer(row)}, goal {row['goal']:g}"
        print(f"{text}, {limit}" if limit else text)
        if row.get("profile"):
            print(f"    {profiles.words(row['profile'])}")
        why = reasons.of(row, run)
        if why:
            print(f"    {why}")


def print_comparison(old, new):
    print(f"\nratio to the best peer of both runs, {old['commit']} and {new['commit']}:")
    for name, before, now, beyond in data.compare(old, new):
        mark = " *" if beyond else ""
        print(f"{name:<40}{before:>7.2f}{now:>7.2f}{now / before:>7.2f}{mark}")
    print("*: no round of one run is within the other's")


def measured(options, parser):
    if not contest.TOOL.exists():
        sys.exit(f"missing: {contest.TOOL}; scripts/quickstart builds it")
    wanted = [] if options.no_peers else options.peers.split(",")
    unknown = [peer for peer in wanted if peer not in peer_functions.NEEDS]
    if unknown:
        parser.error(
            f"unknown peer '{unknown[0]}', expected {', '.join(peer_functions.NEEDS)}"
        )
    chosen = table.selected(list(table.all_rows()), options.only)
    if not chosen:
        parser.error(f"no row contains '{','.join(options.only)}'; --list shows them")
    peers, absent = installed(wanted)
    here = machine()
    contest.pin(options.threads)
    limits = contest.limits(options.threads, 3.0)
    run = {
        "version": data.VERSION,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "machine": here,
        "threads": options.threads,
        "rounds": options.rounds,
        "peers": {peer: version_of(peer) for peer in peers},
        "limits": limits,
        "rows": [],
    }
    print(f"threads: {options.threads}; medians of {options.rounds} rounds")
    if absent:
        print(f"peers that are not installed: {', '.join(absent)}; scripts/bench --setup installs them")
    if not limits:
        print(f"limits are not known: {contest.LIMITS} is built with the tests")
    print(header(peers), flush=True)
    cache = limits["l3_bytes"] if limits else DEFAULT_CACHE
    processes = [contest.Peer(peer, options.threads) for peer in peers]
    try:
        with tempfile.TemporaryDirectory() as scratch:
            before = calibrated(options)
            for row in chosen:
                samples, failures = contest.measure(row, processes, options, Path(scratch))
                after = calibrated(options)
                run["rows"].append(described(row, samples, failures, before + after, cache))
                before = after
                print(line_of(run["rows"][-1], run), flush=True)
                for name, why in failures.items():
                    print(f"{name}: {row.name}: {why}", file=sys.stderr)
            if options.profile:
                profile_missed(run, chosen, options, Path(scratch))
    except KeyboardInterrupt:
        print("interrupted; what was measured follows", file=sys.stderr)
    finally:
        for process in processes:
            process.close()
    return run


def profile_missed(run, chosen, options, scratch):
    """Adds to each row that misses its goal where its time goes."""
    by_name = {row.name: row for row in chosen}
    for row in data.missed(run):
        mine = contest.Nereid(by_name[row["name"]], options.threads, scratch)
        row["profile"] = profiles.shares(mine.profile(PROFILE_SECONDS), mine.source())


def calibrated(options):
    """The state of the machine between two rows."""
    found = contest.limits(options.threads, 0.1)
    return [found] if found else []


def load(path):
    try:
        run = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}")
    if not isinstance(run, dict) or run.get("version") != data.VERSION:
        sys.exit(f"{path}: not a run of scripts/bench --json, version {data.VERSION}")
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="groups, or parts of names, comma-separated")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=0.6, help="seconds of each figure")
    parser.add_argument("--peers", default=",".join(peer_functions.NEEDS))
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument(
        "--profile", action="store_true", help="show where the time of rows goes that miss their goal"
    )
    parser.add_argument("--list", action="store_true", help="print the rows")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the run there")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page there")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="an earlier run, as JSON")
    parser.add_argument("--load", type=Path, metavar="FILE", help="show this run, measure nothing")
    options = parser.parse_args()
    options.only = [word for word in options.only.split(",") if word]
    if options.threads < 1 or options.rounds < 1 or options.budget <= 0:
        parser.error("--threads, --rounds and --budget must be positive")
    if options.list:
        for row in table.selected(table.all_rows(), options.only):
            print(f"{row.group:<16}{row.name}")
        return
    old = load(options.compare) if options.compare else None
    if options.load:
        run = load(options.load)
        print(header(list(run["peers"])))
        for row in run["rows"]:
            print(line_of(row, run))
    else:
        run = measured(options, parser)
    print_summary(run)
    print_missed(run)
    if old:
        print_comparison(old, run)
    if options.json:
        options.json.write_text(json.dumps(run, indent=1) + "\n")
    if options.html:
        options.html.write_text(page.page(run, old))


if __name__ == "__main__":
    main()
