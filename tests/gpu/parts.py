#!/usr/bin/env python3
"""Checks on this machine's GPU that kernels get their checks when they are first used, and functions of other files theirs.

    WARPRACE_BIN=target/release/warprace python3 tests/gpu/parts.py

Needs an NVIDIA GPU and a CUDA toolkit, no Rust. parts.cu has 115 kernels, of which it uses a few in every way that there is:
it must write what it writes alone, and no kernel may run without checks. separate.cu and separate_function.cu are a program
of two files: the race between them must be found at both lines, and the clean variant not be reported. Times are told, first
with an empty cache folder and then with a full one; also those of short programs of xtask/bench/gpu, whose means are the last line.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
from libraries import WARPRACE, marked, sides  # noqa: E402


SHORT = FOLDER.parents[1] / "xtask/bench/gpu"
PROGRAMS = ["bfs", "hashtable", "reduce", "saxpy", "scan", "softmax"]


def built(out, name, *flags, sources=(), folder=FOLDER):
    program = Path(out) / name
    files = [str(folder / f"{source}.cu") for source in sources or [name]]
    command = ["nvcc", "-lineinfo", "-std=c++17", "-arch=sm_90", *files, "-o", str(program), *flags]
    subprocess.run(command, check=True)
    return program


def timed(command, out):
    environment = {**os.environ, "XDG_CACHE_HOME": str(Path(out) / "cache")}
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    return done, time.monotonic() - begun


def checked(out, engine, program, *args):
    """The report, and the seconds and output of a run."""
    report = Path(out) / "report.json"
    command = [WARPRACE, "run", "--gpu", "--engine", engine, "--json", str(report), "--quiet", "--", str(program), *args]
    done, seconds = timed(command, out)
    said = json.loads(report.read_text())
    report.unlink()
    return said, seconds, done.stdout


def uses(out, bad):
    program = built(out, "parts")
    for mode in "few", "ways":
        alone, seconds = timed([str(program), mode], out)
        told = [f"{mode}: alone {seconds:.2f} s"]
        for engine in "guard", "guard", "collide", "guard,collide:balanced,capture":
            said, seconds, output = checked(out, engine, program, mode)
            told.append(f"{engine} {seconds:.2f} s")
            if output != alone.stdout or not output.startswith("right, no error"):
                bad.append(f"{mode} {engine}: wrote {output!r}")
            if said["races"] or said["hazards"] or said["inconclusive"]:
                bad.append(f"{mode} {engine}: {sides(said['races'])}, {sides(said['hazards'])}, {said['inconclusive']}")
        print(", ".join(told))


def shares_functions(out, bad):
    program = built(out, "separate", "-rdc=true", sources=["separate", "separate_function"])
    lines = [marked(FOLDER / "separate.cu")["write"], marked(FOLDER / "separate_function.cu")["read"]]
    for mode, expected in ("racy", [sorted(lines)]), ("clean", []):
        for engine in "guard", "guard,collide:balanced":
            said, seconds, output = checked(out, engine, program, mode)
            print(f"separate {mode}, {engine}: {seconds:.2f} s")
            if sides(said["races"]) != expected or said["hazards"] or said["inconclusive"]:
                bad.append(f"separate {mode} {engine}: {sides(said['races'])}, {said['inconclusive']}")


def takes(out, bad):
    """Times of whole programs: alone, with checks that are to be assembled, and with those of the cache."""
    ratios = []
    for name in PROGRAMS:
        program = built(out, name, folder=SHORT)
        alone = min(timed([str(program)], out)[1] for _ in range(3))
        runs = [checked(out, "guard", program) for _ in range(4)]
        bad += [f"{name}: {said['inconclusive']}" for said, *_ in runs if said["inconclusive"] or said["races"]]
        first, *later = [seconds for _, seconds, _ in runs]
        ratios.append((first / alone, min(later) / alone))
        print(f"{name}: alone {alone:.2f} s, guard {first:.2f} s, later {min(later):.2f} s")
    first, later = (math.exp(sum(map(math.log, each)) / len(ratios)) for each in zip(*ratios))
    print(f"{len(ratios)} short programs, geometric means: first {first:.2f}x, later {later:.2f}x")


def main():
    bad = []
    with tempfile.TemporaryDirectory() as out:
        uses(out, bad)
        shares_functions(out, bad)
        takes(out, bad)
    print("\n".join(bad) or "as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
