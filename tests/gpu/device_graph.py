#!/usr/bin/env python3
"""Checks on this machine's GPU that a graph which launches itself again is followed from turn to turn.

    WARPRACE_BIN=target/release/warprace python3 tests/gpu/device_graph.py [--repeat N]

Needs an NVIDIA GPU and a CUDA toolkit, no Rust. device_graph.cu launches a graph from the device: no turn may be compared
with the turn before, which it follows. So its race, within a turn, must be found at both lines, and `--fixed` must not be
reported. Both must write what they write alone, the number of the graph's nodes included.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
from libraries import WARPRACE, marked, sides  # noqa: E402

ENGINES = "guard", "guard:unpruned"


def built(out):
    program = Path(out) / "device_graph"
    source = FOLDER / "device_graph.cu"
    command = ["nvcc", "-lineinfo", "-std=c++17", "-arch=sm_90", "-rdc=true", str(source), "-o", str(program), "-lcudadevrt"]
    subprocess.run(command, check=True)
    return program


def checked(out, engine, command):
    """The report and the output of a run."""
    report = Path(out) / "report.json"
    warprace = [WARPRACE, "run", "--gpu", "--engine", engine, "--json", str(report), "--quiet", "--"]
    done = subprocess.run([*warprace, *command], capture_output=True, text=True, timeout=120)
    said = json.loads(report.read_text())
    report.unlink()
    return said, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    lines, bad = marked(FOLDER / "device_graph.cu"), []
    both = sorted([lines["read"], lines["write"]])
    with tempfile.TemporaryDirectory() as out:
        program = built(out)
        for mode in [], ["--fixed"]:
            command = [str(program), *mode]
            alone = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
            for engine in ENGINES:
                runs = [checked(out, engine, command) for _ in range(repeat)]
                found = sum(sides(said["races"]) == [both] for said, _ in runs)
                print(f"{' '.join(mode) or 'racy'}, {engine}: the race found in {found} of {repeat} runs; {alone.strip()}")
                for said, output in runs:
                    # What the racy program computes depends on its race.
                    wrong = mode and output != alone or output.split(",")[-1] != alone.split(",")[-1]
                    if wrong or said["hazards"] or any(pair != both for pair in sides(said["races"])):
                        bad.append(f"{mode} {engine}: {sides(said['races'])}, {said['inconclusive']}, wrote {output!r}")
                if found != (0 if mode else repeat):
                    bad.append(f"{mode} {engine}: found in {found} of {repeat} runs")
    print("\n".join(bad) or "as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
