"""A run of scripts/bench as one HTML page that needs no network: the ratio of each
row, the roofline with the measured limits, and the table.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import html
import math

import profiles
import reasons
import run as data

STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 1080px;
  padding: 0 1em; color: #222; background: #fff }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
td, th { padding: 1px 8px; text-align: right; white-space: nowrap }
td:first-child, th:first-child { text-align: left }
tr:nth-child(even) td { background: #f5f6f8 }
.low { color: #b3261e; font-weight: 600 } .mid { color: #8a6100 } .good { color: #1b6e3c }
svg { max-width: 100%; height: auto } svg text { font-size: 11px; fill: #333 }
.scroll { overflow-x: auto } .words { white-space: normal; text-align: left }
"""

# Fills of the same three classes, and of the peers.
FILLS = {"low": "#b3261e", "mid": "#c98a00", "good": "#2a8f54"}
PEER = "#8b93a3"


def text(value):
    return html.escape(str(value))


def kind(value, goal):
    """How a ratio is shown: below the floor, below the goal, or at it."""
    return "low" if value < data.FLOOR else "mid" if value < goal else "good"


def label(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text(words)}</text>'


def line(x1, y1, x2, y2, stroke, width=1.0):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{stroke}" stroke-width="{width}"/>'
    )


def dot(x, y, radius, fill, title):
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}">'
        f"<title>{text(title)}</title></circle>"
    )


def svg(width, height, parts):
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img">{"".join(parts)}</svg>'
    )


def ratios(run):
    """A line a row: this ratio as a bar from 1, its spread, its goal, the peers."""
    rated = [row for row in run["rows"] if data.ratio(row)]
    left, width, step = 320, 1040, 17
    low, high = -3.0, 3.0  # powers of two

    def place(value):
        power = min(high, max(low, math.log2(value)))
        return left + (power - low) / (high - low) * (width - left - 20)

    height = step * len(rated) + 40
    parts = []
    for power in range(int(low), int(high) + 1):
        x = place(2.0**power)
        parts.append(line(x, 20, x, height - 16, "#222" if power == 0 else "#dde"))
        parts.append(label(x, 14, f"{2.0**power:g}", "middle"))
    for number, row in enumerate(rated):
        y = 30 + step * number
        value, best = data.ratio(row), data.best_peer(row)
        fill = FILLS[kind(value, row["goal"])]
        one, here = place(1), place(value)
        title = f"{row['name']}: {value:.2f} of {best}, goal {row['goal']:g}"
        parts.append(label(left - 8, y + 4, row["name"], "end"))
        parts.append(
            f'<rect x="{min(one, here):.1f}" y="{y - 5}" height="10" '
            f'width="{abs(here - one):.1f}" fill="{fill}"><title>{text(title)}</title></rect>'
        )
        least, most = data.spread(row)
        parts.append(line(place(least), y, place(most), y, "#222"))
        parts.append(line(place(row["goal"]), y - 6, place(row["goal"]), y + 6, "#36c", 2))
        fastest = data.seconds(row, best)
        for peer in row["samples"]:
            if peer not in ("nereid", best):
                mine = fastest / data.seconds(row, peer)
                parts.append(dot(place(mine), y, 2.5, PEER, f"{peer}: {mine:.2f} of {best}"))
    return svg(width, height, parts)


def roofline(run):
    limits = run.get("limits")
    points = [
        row
        for row in run["rows"]
        if row["flops"] and row["bytes"] and data.seconds(row, "nereid")
    ]
    if not limits or not points:
        return ""
    left, right, top, bottom = 60, 1020, 20, 430
    places = [math.log2(row["flops"] / row["bytes"]) for row in points]
    low_x, high_x = math.floor(min(places)) - 1, math.ceil(max(places)) + 1
    peak = max(limits["fma_gflops"], limits.get("bf16_gflops", 0))
    rates = [row["flops"] / data.seconds(row, "nereid") / 1e9 for row in points]
    high_y = math.ceil(math.log2(max(peak, *rates))) + 1
    low_y = math.floor(math.log2(min(rates))) - 1

    def x_of(power):
        return left + (power - low_x) / (high_x - low_x) * (right - left)

    def y_of(rate):
        power = min(high_y, max(low_y, math.log2(rate)))
        return bottom - (power - low_y) / (high_y - low_y) * (bottom - top)

    parts = []
    for power in range(low_x, high_x + 1, 2):
        parts.append(line(x_of(power), top, x_of(power), bottom, "#eef"))
        parts.append(label(x_of(power), bottom + 15, f"{2.0**power:g}", "middle"))
    for power in range(low_y, high_y + 1, 2):
        y = y_of(2.0**power)
        parts.append(line(left, y, right, y, "#eef"))
        parts.append(label(left - 6, y + 4, f"{2.0**power:g}", "end"))
    parts.append(label(right, bottom + 30, "floating-point operations a byte", "end"))
    parts.append(label(left, 12, "GFLOP/s"))
    for key in ("fma_gflops", "bf16_gflops"):
        if key in limits:
            y = y_of(limits[key])
            parts.append(line(left, y, right, y, "#555", 1.5))
            parts.append(label(right, y - 4, f"{data.NAMES[key]} {limits[key]:.0f}", "end"))
    for key in ("l1_gbs", "l2_gbs", "l3_gbs", "memory_gbs"):
        # From the left edge, or from where it leaves the bottom, up to the peak.
        start = max(low_x, low_y - math.log2(limits[key]))
        end = min(high_x, math.log2(peak / limits[key]))
        if start < end:
            first, last = (limits[key] * 2.0**power for power in (start, end))
            parts.append(line(x_of(start), y_of(first), x_of(end), y_of(last), "#99a"))
            words = f"{data.NAMES[key]} {limits[key]:.0f} GB/s"
            parts.append(label(x_of(start) + 4, y_of(first) - 6, words))
    for row, power, rate in zip(points, places, rates):
        value = data.ratio(row)
        fill = FILLS[kind(value, row["goal"])] if value else PEER
        title = f"{row['name']}: {rate:.1f} GFLOP/s {data.of_limit(row, limits)}"
        parts.append(dot(x_of(power), y_of(rate), 4, fill, title))
    return svg(1040, 470, parts)


def cell(value, form="{:.1f}"):
    return f"<td>{form.format(value) if value is not None else ''}</td>"


def table(run):
    peers = list(run["peers"])
    head = ["row", "unit", "nereid", *peers, "ratio", "rounds", "best", "goal", "of limit", "noise"]
    lines = ["<tr>" + "".join(f"<th>{text(word)}</th>" for word in head) + "</tr>"]
    for row in run["rows"]:
        value = data.ratio(row)
        cells = [f"<td>{text(row['name'])}</td><td>{row['unit']}</td>"]
        cells += [cell(data.rate(row, name)) for name in ("nereid", *peers)]
        if value:
            least, most = data.spread(row)
            cells.append(f'<td class="{kind(value, row["goal"])}">{value:.2f}</td>')
            cells.append(f"<td>{least:.2f} to {most:.2f}</td><td>{data.best_peer(row)}</td>")
        else:
            cells.append(f"<td></td><td></td><td>{text(row['failures'].get('nereid', ''))}</td>")
        cells.append(cell(row["goal"], "{:g}"))
        cells.append(f"<td>{text(data.of_limit(row, run.get('limits')))}</td>")
        cells.append(cell(data.noise_of(row, run), "{:.2f}"))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


def groups(run):
    head = ["rows", "count", "geometric mean", f"below {data.FLOOR}", "below the goal"]
    lines = ["<tr>" + "".join(f"<th>{word}</th>" for word in head) + "</tr>"]
    for name, count, mean, low, missed in data.summary(run):
        lines.append(
            f"<tr><td>{text(name)}</td><td>{count}</td><td>{mean:.2f}</td>"
            f"<td>{low}</td><td>{missed}</td></tr>"
        )
    return f"<table>{''.join(lines)}</table>"


def missed(run):
    head = ["row", "ratio", "goal", "of limit", "where the time goes", "why"]
    lines = ["<tr>" + "".join(f"<th>{word}</th>" for word in head) + "</tr>"]
    for row in data.missed(run):
        value = data.ratio(row)
        cells = [
            f"<td>{text(row['name'])}</td>",
            f'<td class="{kind(value, row["goal"])}">{value:.2f}</td>',
            cell(row["goal"], "{:g}"),
            f"<td>{text(data.of_limit(row, run.get('limits')))}</td>",
            f'<td class="words">{text(profiles.words(row.get("profile", [])))}</td>',
            f'<td class="words">{text(reasons.of(row, run))}</td>',
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>" if len(lines) > 1 else ""


def comparison(old, new):
    lines = ["<tr><th>row</th><th>then</th><th>now</th><th>change</th></tr>"]
    for name, before, now, beyond in data.compare(old, new):
        change = now / before
        shown = "low" if change < 1 else "good"
        mark = f' class="{shown}"' if beyond else ""
        lines.append(
            f"<tr><td>{text(name)}</td><td>{before:.2f}</td><td>{now:.2f}</td>"
            f"<td{mark}>{change:.2f}</td></tr>"
        )
    return f"<table>{''.join(lines)}</table>"


def page(run, old=None):
    machine = run["machine"]
    peers = ", ".join(f"{name} {version}" for name, version in run["peers"].items())
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        f"<title>Nereid beside its peers</title><style>{STYLE}</style></head><body>",
        "<h1>Nereid beside its peers</h1>",
        f"<p>{text(machine['cpu'])}, {machine['cores']} cores; {run['threads']} threads; "
        f"{text(run['date'])}; commit {text(run['commit'])}. Peers: {text(peers)}.</p>",
        f"<p>Medians of {run['rounds']} rounds in which all take turns. A ratio above 1 is "
        "faster than the best peer. Noise: how many times slower than at its best the "
        "machine was around a row.</p>",
        groups(run),
        "<h2>Ratio to the best peer</h2>",
        "<p>Bars from 1; black: least and largest of the rounds; blue: the goal; "
        "grey: the other peers.</p>",
        ratios(run),
    ]
    roof = roofline(run)
    if roof:
        parts += ["<h2>Roofline</h2><p>With limits measured before the run.</p>", roof]
    below = missed(run)
    if below:
        parts += ["<h2>Rows that miss their goal</h2>", below]
    if old:
        parts += [
            f"<h2>Beside the run of {text(old['date'])}, commit {text(old['commit'])}</h2>",
            "<p>Coloured where no two rounds of the runs overlap.</p>",
            comparison(old, run),
        ]
    parts += ["<h2>Rows</h2>", table(run), "</body></html>\n"]
    return "".join(parts)
