#!/usr/bin/env python3
"""How much longer kernels and programs take under `warprace run --gpu` than alone, on this machine's GPU.

    WARPRACE_BIN=target/release/warprace python3 xtask/bench/gpu_bench.py [--rounds N] [--seconds N] [--json FILE]
                                         [--programs FOLDER]

Needs an NVIDIA GPU and a CUDA toolkit, no Rust. `cargo xtask gpu-bench` builds warprace and calls it.

The programs are those of xtask/bench and xtask/bench/gpu, and the executables in FOLDER, if one is named (which tell
nothing of their kernels: only the whole is timed). Alone and under each preset, a program runs N times (3), and once
before that the first time is thrown away, with the assembling in it. Kernel time is the programs' own, by events.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PRESETS = ["fastest", "balanced", "sampled"]
LIMIT = 60


def once(command):
    """Seconds of the whole, and milliseconds of the kernels if the program tells; None if it fails."""
    begun = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    whole = time.monotonic() - begun
    if done.returncode not in (0, 66, 67):
        return None
    told = re.search(rb"kernels: ([\d.]+) ms", done.stdout)
    return whole, float(told[1]) if told else None


def best(command, rounds):
    once(command)
    runs = [run for run in (once(command) for _ in range(rounds)) if run]
    if not runs:
        return None
    kernels = [ms for _, ms in runs if ms is not None]
    return min(whole for whole, _ in runs), min(kernels) if kernels else None


def build(source, out):
    program = Path(out) / source.stem
    command = ["nvcc", "-O3", "-std=c++17", "-lineinfo", "-arch=sm_90", str(source), "-o", str(program)]
    return program if subprocess.run(command, capture_output=True).returncode == 0 else None


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--programs", type=Path)
    args = parser.parse_args()
    deadline = time.monotonic() + args.seconds
    warprace = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))
    sources = sorted(FOLDER.glob("*.cu")) + sorted((FOLDER / "gpu").glob("*.cu"))
    smi = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu = subprocess.run(smi, capture_output=True, text=True).stdout.strip().splitlines()
    print(f"{gpu[0] if gpu else 'no GPU'}, {time.strftime('%Y-%m-%d')}; best of {args.rounds}\n")
    print("| program | kernels, ms | " + " | ".join(PRESETS) + " | whole, s | " + " | ".join(PRESETS) + " |")
    print("|---" * (4 + 2 * len(PRESETS)) + "|")
    rows, ratios = {}, {(what, preset): [] for what in (0, 1) for preset in PRESETS}
    with tempfile.TemporaryDirectory() as out:
        with ThreadPoolExecutor(os.cpu_count() or 4) as pool:
            programs = [p for p in pool.map(lambda source: build(source, out), sources) if p]
        if args.programs:
            programs += sorted(p for p in args.programs.iterdir() if os.access(p, os.X_OK) and p.is_file())
        for program in programs:
            if time.monotonic() > deadline:
                print(f"({program.name} and what follows were not measured)")
                break
            alone = best([str(program)], args.rounds)
            if not alone:
                continue
            row = {"alone": alone}
            for preset in PRESETS:
                command = [warprace, "run", "--gpu", "--engine", f"collide:{preset}", "--quiet", "--", str(program)]
                row[preset] = best(command, args.rounds)
                for what in (0, 1):
                    if row[preset] and row[preset][what] and alone[what]:
                        ratios[what, preset].append(row[preset][what] / alone[what])
            rows[program.name] = row

            def cell(preset, what):
                if not row[preset] or row[preset][what] is None:
                    return "-"
                return f"{row[preset][what] / alone[what]:.2f}x"

            kernels = f"{alone[1]:.3f}" if alone[1] else "-"
            print(f"| {program.name} | {kernels} | " + " | ".join(cell(p, 1) for p in PRESETS)
                  + f" | {alone[0]:.2f} | " + " | ".join(cell(p, 0) for p in PRESETS) + " |", flush=True)
    print("| geometric mean | | " + " | ".join(f"{mean(ratios[1, p]):.2f}x" for p in PRESETS)
          + " | | " + " | ".join(f"{mean(ratios[0, p]):.2f}x" for p in PRESETS) + " |")
    if args.json:
        args.json.write_text(json.dumps({"gpu": gpu, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
