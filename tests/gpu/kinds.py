#!/usr/bin/env python3
"""Checks what an engine says of each kind of race between launches that kinds.cu has.

    WARPRACE_BIN=target/release/warprace python3 tests/gpu/kinds.py [--engine session] [--virtual] [--record FILE]

Needs an NVIDIA GPU and a CUDA toolkit (nvcc on the PATH), no Rust. Each mode must be a race whose sides lie on the lines
that are marked with it, and no race with `--fixed`. With `--virtual` the program runs on the virtual GPU, without a GPU.
With `--record` what was reported is written to a file.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "ui"))
from record_gpu import capture  # noqa: E402

WARPRACE = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))


def marked(source):
    """The marked lines of each mode."""
    out = {}
    for n, line in enumerate(source.read_text().splitlines(), 1):
        if m := re.search(r"; // ([a-z0-9 -]+)$", line):
            for mode in m[1].split():
                out.setdefault(mode, set()).add(n)
    return out


def wrong(said, lines):
    """What is wrong with a report; `lines` is empty for a program without a race."""
    sides = [(Path(a["file"]).name, a["line"]) for race in said["races"] for a in race["accesses"]]
    if not lines:
        return sides or said["inconclusive"]
    beside = [side for side in sides if side not in {("kinds.cu", line) for line in lines}]
    return beside or (not sides and [f"not found: {said['inconclusive']}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="session")
    parser.add_argument("--virtual", action="store_true")
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    source, record, bad = FOLDER / "kinds.cu", {"date": time.strftime("%Y-%m-%d"), "engine": args.engine}, 0
    with tempfile.TemporaryDirectory() as out:
        program, report = Path(out) / "kinds", Path(out) / "report.json"
        command = ["nvcc", "-g", "-lineinfo", "-std=c++17", "-arch=sm_90", str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        for mode, lines in sorted(marked(source).items()):
            for fixed in ([], ["--fixed"]):
                where = [] if args.virtual else ["--gpu", "--engine", args.engine]
                command = [WARPRACE, "run", *where, "--json", str(report), "--quiet", "--", str(program), mode, *fixed]
                report.unlink(missing_ok=True)
                status, _, errors = capture(command, 60)
                if not report.exists():
                    raise SystemExit(f"{mode}: no report, status {status}: {errors[-300:]}")
                said = json.loads(report.read_text())
                problems = wrong(said, set() if fixed else lines)
                bad += bool(problems)
                name = " ".join([mode, *fixed])
                record[name] = {"verdict": said["verdict"], "races": len(said["races"]), "problems": problems or []}
                print(f"{name}: {said['verdict']}", *(problems or []), flush=True)
    if args.record:
        args.record.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
