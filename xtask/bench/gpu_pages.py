#!/usr/bin/env python3
"""Tables of docs/results/papers/gpu.md, from what xtask/bench/gpu_suites.py has measured.

    gpu_pages.py SUITES.json ENGINE ...     kernel time over native by program, and the races found by the first engine
    gpu_pages.py --parts SUITES.json ENGINE    where the time of a program goes, by suite
    gpu_pages.py --memory SUITES.json ENGINE ...    memory of the GPU beyond the program's
"""

import json
import math
import statistics
import sys


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio(row, engine):
    alone, under = row.get("alone"), row.get(engine)
    return under["kernels"] / alone["kernels"] if alone and under and alone["kernels"] and under["kernels"] else None


def spread(values):
    if not values:
        return "–"
    return f"{statistics.median(values):.2f}x, {mean(values):.2f}x, {max(values):.1f}x ({len(values)})"


def of_suite(rows):
    """The rows by what stands before the first hyphen of their names, which names the suite."""
    out = {}
    for name, row in rows.items():
        out.setdefault(name.split("-")[0].split(" ")[0], {})[name] = row
    return out


def times(rows, engines):
    rows = {name: row for name, row in rows.items() if row.get("alone")}
    titles = " | ".join(f"`{engine}`" for engine in engines)
    print(f"| median, geometric mean, most (programs) | {titles} |" + "\n|---" + "|---" * len(engines) + "|")
    both = {"all": rows, **of_suite(rows)}
    for suite, of in both.items():
        told = [spread([r for r in (ratio(row, engine) for row in of.values()) if r]) for engine in engines]
        print(f"| {suite} | " + " | ".join(told) + " |")
    print(f"\n| program | kernels, ms | launches | {titles} | proved | races |\n|---|---|---|" + "---|" * len(engines) + "---|---|")
    for name, row in rows.items():
        alone, first = row["alone"], row.get(engines[0]) or {}
        told = [f"{r:.2f}x" if r else "–" for r in (ratio(row, engine) for engine in engines)]
        kernels = f"{alone['kernels']:.3f}" if alone["kernels"] else "–"
        found = [first.get("proved", "–"), len(first["races"]) if "races" in first else "–"]
        print(f"| {name} | {kernels} | {alone['count']} | " + " | ".join([*told, *map(str, found)]) + " |")


def parts(rows, engine):
    """Shares of a first run: the program, assembling, checks in kernels, and the rest."""
    print("| suite (programs) | first run, s | program | assembling | checks | start and rest |\n|---|---|---|---|---|---|")
    for suite, of in {"all": rows, **of_suite(rows)}.items():
        shares, wholes = [], []
        for row in of.values():
            first, alone, later = row.get("first", {}).get(engine), row.get("alone"), row.get(engine)
            if not (first and alone and later and ratio(row, engine)):
                continue
            checks = max(0, later["kernels"] - alone["kernels"]) / 1e3
            assembling = max(0, first - later["whole"])
            known = [alone["whole"], assembling, checks]
            shares.append([part / first for part in (*known, max(0, first - sum(known)))])
            wholes.append(first)
        if shares:
            told = [f"{100 * statistics.mean(column):.0f} %" for column in zip(*shares)]
            print(f"| {suite} ({len(shares)}) | {statistics.mean(wholes):.2f} | " + " | ".join(told) + " |")


def memory(rows, engines):
    print("| program | alone, MiB | " + " | ".join(f"`{engine}`" for engine in engines) + " |\n|---|---" + "|---" * len(engines) + "|")
    for name, row in rows.items():
        took = row.get("memory", {})
        more = ["–" if None in (took.get(e), took.get("alone")) else f"{took[e] - took['alone']:+d}" for e in engines]
        print(f"| {name} | {took.get('alone', '–')} | " + " | ".join(more) + " |")


def main():
    kind, words = (sys.argv[1], sys.argv[2:]) if sys.argv[1].startswith("--") else ("--times", sys.argv[1:])
    with open(words[0]) as file:
        rows = json.load(file)["rows"]
    engines = words[1:] or ["guard"]
    {"--times": times, "--parts": lambda rows, engines: parts(rows, engines[0]), "--memory": memory}[kind](rows, engines)


if __name__ == "__main__":
    main()
