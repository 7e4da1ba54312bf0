#!/usr/bin/env python3
"""How much longer kernels and programs take under `warprace run --gpu` than alone, on this machine's GPU.

    WARPRACE_BIN=target/release/warprace python3 xtask/bench/gpu_bench.py [--engine collide:balanced ...] [--racecheck [SECONDS]]
                                         [--memory] [--rounds N] [--seconds N] [--json FILE] [--programs FOLDER] [PART]

Needs an NVIDIA GPU and a CUDA toolkit, no Rust. `cargo xtask gpu-bench` builds warprace and calls it.

The programs are those of xtask/bench and xtask/bench/gpu (PART selects some by name), and the executables in FOLDER, if one is
named: of those that do not tell how long their kernels took only the whole is timed. Alone and under each engine, a
program runs N times (3), and once before that, several at a time, which is thrown away, with the assembling in it. With `--racecheck`,
compute-sanitizer's racecheck runs each once, too, right behind the others, for 20 seconds at most. Kernel time is the programs' own, by events;
modules are loaded when a program begins (`CUDA_MODULE_LOADING=EAGER`), not in the middle of what is measured. Of engine
`capture` the whole is up to where the program ends: launches that are checked behind that are given up. With `--memory`
each runs once more, and the most memory of the GPU that is in use beyond what was before is told.
"""

import argparse
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CAPTURE = "capture"
ENGINES = ["collide:fastest", "collide:balanced", "collide:sampled", "guard", CAPTURE]
RACECHECK = "racecheck"
LIMIT = 60
RACECHECK_LIMIT = 20
# Races found, checks incomplete, and what racecheck says of hazards.
ENDINGS = (0, 66, 67)


def once(command, limit=LIMIT):
    """Seconds of the whole, and milliseconds of the kernels if the program tells; None if it fails."""
    begun = time.monotonic()
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(command, start_new_session=True, **pipes)
    try:
        said, _ = running.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        # With the program that it has started, which would go on beside what is measured next.
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        return None
    whole = time.monotonic() - begun
    if running.returncode not in ENDINGS:
        return None
    told = re.search(rb"kernels: ([\d.]+) ms", said)
    return whole, float(told[1]) if told else None


def once_captured(command):
    """The same of engine `capture`, up to the program's end."""
    at = command.index("--") + 1
    timed = [*command[:at], "bash", "-c", 'TIMEFORMAT="whole: %R s"; time "$0"', *command[at:]]
    running = subprocess.Popen(timed, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    clock = threading.Timer(LIMIT, running.kill)
    clock.start()
    try:
        whole = next((re.search(rb"whole: ([\d.]+) s", line) for line in running.stderr if b"whole: " in line), None)
        running.send_signal(signal.SIGINT)
        told = re.search(rb"kernels: ([\d.]+) ms", running.communicate()[0])
    finally:
        clock.cancel()
    return (float(whole[1]), float(told[1]) if told else None) if whole else None


def used():
    """MiB of the GPU in use, again and again, from a process that is to be ended."""
    query = ["nvidia-smi", "-i", "0", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "10"]
    return subprocess.Popen(query, stdout=subprocess.PIPE, text=True)


def memory(command, engine):
    """The most MiB of the GPU that a run takes."""
    watching = used()
    before = int(watching.stdout.readline())
    run = once_captured if engine == CAPTURE else once
    ran = run(command)
    watching.terminate()
    return max(map(int, watching.stdout.read().split()), default=before) - before if ran else None


def best(command, rounds, run=once):
    runs = [ran for ran in (run(command) for _ in range(rounds)) if ran]
    if not runs:
        return None
    kernels = [ms for _, ms in runs if ms is not None]
    return min(whole for whole, _ in runs), min(kernels) if kernels else None


def build(source, out):
    program = Path(out) / source.stem
    command = ["nvcc", "-O3", "-std=c++17", "-lineinfo", "-arch=sm_90", str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return program
    print(f"{source.name} does not compile: {done.stderr[-300:]}", file=sys.stderr)
    return None


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def under(warprace, program, engine):
    return [warprace, "run", "--gpu", "--engine", engine, "--timeout", str(LIMIT), "--quiet", "--", str(program)]


def table(title, rows, engines, what, digits):
    """Ratios of one kind of time, `what` in a measurement."""
    print(f"\n| program | {title} | " + " | ".join(engines) + " |")
    print("|---" * (2 + len(engines)) + "|")
    ratios = {engine: [] for engine in engines}
    for name, row in rows.items():
        alone = row["alone"][what]
        if not alone:
            continue
        cells = []
        for engine in engines:
            ran = row.get(engine)
            if ran and ran[what]:
                ratios[engine].append(ran[what] / alone)
                cells.append(f"{ratios[engine][-1]:.2f}x")
            else:
                cells.append("-")
        print(f"| {name} | {alone:.{digits}f} | " + " | ".join(cells) + " |")
    print("| **geometric mean** | | " + " | ".join(f"**{mean(ratios[e]):.2f}x**" for e in engines) + " |")
    print("| most | | " + " | ".join(f"{max(ratios[e], default=float('nan')):.2f}x" for e in engines) + " |")


def megabytes(rows, engines):
    """What each took of the GPU's memory beyond what it takes alone."""
    engines = [engine for engine in engines if engine != RACECHECK]
    more = {engine: [] for engine in engines}
    for row in rows.values():
        took = row.get("memory", {})
        for engine in engines:
            if took.get("alone") is not None and took.get(engine) is not None:
                more[engine].append(took[engine] - took["alone"])
    print("\n| memory of the GPU beyond the program's, MiB | " + " | ".join(engines) + " |")
    print("|---" * (1 + len(engines)) + "|")
    for name, of in ("least", min), ("most", max):
        print(f"| {name} of {len(rows)} programs | " + " | ".join(str(of(more[e], default="-")) for e in engines) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--racecheck", type=float, nargs="?", const=RACECHECK_LIMIT, metavar="SECONDS")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("part", nargs="?", default="")
    args = parser.parse_args()
    deadline = time.monotonic() + args.seconds
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"
    warprace = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))
    engines = (args.engine or list(ENGINES)) + ([RACECHECK] if args.racecheck else [])
    sources = sorted(FOLDER.glob("*.cu")) + sorted((FOLDER / "gpu").glob("*.cu"))
    sources = [source for source in sources if args.part in source.name]
    smi = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu = subprocess.run(smi, capture_output=True, text=True).stdout.strip().splitlines()
    rows, late = {}, []
    with tempfile.TemporaryDirectory() as out:
        with ThreadPoolExecutor(os.cpu_count() or 4) as pool:
            programs = [p for p in pool.map(lambda source: build(source, out), sources) if p]
        if args.programs:
            programs += sorted(p for p in args.programs.iterdir() if os.access(p, os.X_OK) and p.is_file())
        # What is assembled is kept.
        first = [under(warprace, program, engine) for program in programs for engine in engines if engine not in (RACECHECK, CAPTURE)]
        with ThreadPoolExecutor(max(1, (os.cpu_count() or 4) // 2)) as pool:
            list(pool.map(once, first + [[str(program)] for program in programs]))
        for program in programs:
            if time.monotonic() > deadline:
                late.append(program.name)
                continue
            alone = best([str(program)], args.rounds)
            if not alone:
                print(f"{program.name} does not run alone", file=sys.stderr)
                continue
            rows[program.name] = {"alone": alone}
            for engine in engines:
                if time.monotonic() > deadline:
                    break
                if engine == RACECHECK:
                    command = ["compute-sanitizer", "--tool", "racecheck", str(program)]
                    rows[program.name][engine] = once(command, args.racecheck)
                else:
                    run = once_captured if engine == CAPTURE else once
                    rows[program.name][engine] = best(under(warprace, program, engine), args.rounds, run)
            if args.memory:
                mib = {engine: memory(under(warprace, program, engine), engine) for engine in engines if engine != RACECHECK}
                rows[program.name]["memory"] = {"alone": memory([str(program)], None), **mib}
            print(f"{program.name} {rows[program.name]}", file=sys.stderr, flush=True)
            if args.json:
                args.json.write_text(json.dumps({"gpu": gpu, "rows": rows}, indent=1) + "\n")
    if args.json:
        args.json.write_text(json.dumps({"gpu": gpu, "rows": rows}, indent=1) + "\n")
    print(f"{gpu[0] if gpu else 'no GPU'}, {time.strftime('%Y-%m-%d')}; best of {args.rounds}, racecheck once, {args.racecheck or 0:g} s at most")
    table("kernels, ms", rows, engines, 1, 3)
    table("whole, s", rows, engines, 0, 2)
    if args.memory:
        megabytes(rows, engines)
    if late:
        print(f"\nNot measured for want of time: {', '.join(late)}")


if __name__ == "__main__":
    sys.exit(main())
