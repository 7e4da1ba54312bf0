#!/usr/bin/env python3
"""Draws what engines cost against what they find, as SVG.

    python3 xtask/bench/gpu_plot.py BENCH.json RECORD.json ... > docs/results/gpu.svg

BENCH.json is what gpu_bench.py wrote with `--json`, each RECORD.json what tests/ui/gpu_test.py wrote with `--record` of racy
fixtures; what racecheck finds tests/ui/gpu.json says. Across: times a kernel's own time, the geometric mean over programs.
Up: racy fixtures found, of those that ran.
"""

import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, TOP = 640, 360, 56, 48, 24, 24


def costs(bench):
    """The geometric mean of each engine's kernel times over those alone, of programs that told both."""
    ratios = {}
    for row in json.loads(bench.read_text())["rows"].values():
        for engine, ran in row.items():
            if engine not in ("alone", "memory") and ran and ran[1] and row["alone"][1]:
                ratios.setdefault(engine, []).append(ran[1] / row["alone"][1])
    return {engine: math.exp(sum(map(math.log, all)) / len(all)) for engine, all in ratios.items()}


def found(records):
    """How many racy fixtures each engine found, and how many ran."""
    out = {}
    for record in records:
        for engine, done in json.loads(record.read_text())["engines"].items():
            ran = [what for name, what in done.items() if ".race." in name and what.get("runs")]
            if ran:
                out[engine] = (sum(1 for what in ran if what["found"]), len(ran))
    recorded = json.loads((ROOT / "tests/ui/gpu.json").read_text())["fixtures"]
    racecheck = [what["racecheck"] for name, what in recorded.items() if ".race." in name and "racecheck" in what]
    reported = [what for what in racecheck if what.get("errors") or what.get("warnings")]
    out["racecheck"] = (len(reported), len(racecheck))
    return out


def draw(points):
    """Points: a name, its cost, and the share that it found."""
    most = 10 ** math.ceil(math.log10(max(cost for _, cost, _ in points)))
    across = lambda cost: LEFT + (WIDTH - LEFT - RIGHT) * math.log10(cost) / math.log10(most)
    up = lambda share: HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    cost = 1
    while cost <= most:
        x = across(cost)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{cost}x</text>')
        cost *= 10
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = up(share)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">kernel time over native</text>')
    out.append(f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">racy fixtures found</text>')
    for name, cost, share in points:
        x, y = across(cost), up(share)
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2563eb"/>')
        anchor, shift = ("end", -8) if x > WIDTH * 0.7 else ("start", 8)
        # Above, where the next point is in the way.
        crowded = any(0 < across(other) - x < 120 and abs(up(seen) - y) < 14 for _, other, seen in points)
        out.append(f'<text x="{x + shift:.1f}" y="{y - 8 if crowded else y + 4:.1f}" text-anchor="{anchor}">{name}</text>')
    return "\n".join([*out, "</svg>"])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, *records = map(Path, sys.argv[1:])
    took, seen = costs(bench), found(records)
    points = [(name, took[name], seen[name][0] / seen[name][1]) for name in sorted(took) if name in seen]
    for name, cost, share in points:
        print(f"{name}: {cost:.2f}x, {seen[name][0]} of {seen[name][1]}", file=sys.stderr)
    print(draw(points))


if __name__ == "__main__":
    main()
