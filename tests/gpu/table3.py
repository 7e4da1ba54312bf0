#!/usr/bin/env python3
"""Which cases of tests/gpu/table3.cu engines of `warprace run --gpu` find, as a table.

    WARPRACE_BIN=target/release/warprace python3 tests/gpu/table3.py [--engine collide:balanced ...] [--repeat N] [--jobs N] [CASE ...]

Needs an NVIDIA GPU of compute capability 9.0 and a CUDA toolkit. A case that is said to be clean must not be reported.
Of all cases, or of those that are named. Eight run beside each other, or N: what several tasks do at once is found more often by a run
that has the GPU to itself.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# In the order of the paper's table.
RACY = """subwarp-shared-rw subwarp-shared-ww cp-async-global-rw cp-async-shared-rw cp-async-shared-ww bulk-store-shared-rw
bulk-store-global-rw bulk-store-ww bulk-load-shared-rw bulk-load-shared-ww bulk-load-global-rw distributed-rw distributed-ww waves-ww
kernels-rw kernels-ww upload-rw download-rw devices-rw devices-ww host-reads host-updates host-writes-ww""".split()
CLEAN = "bytes-shared-rw bytes-shared-ww bytes-global-rw bytes-global-ww".split()


def run(warprace, program, case, engine, repeat, out):
    """In how many runs a race was reported; None if the case did not run."""
    found, ran = 0, 0
    for n in range(repeat):
        report = Path(out) / f"{case}-{engine.replace(':', '-')}-{n}.json"
        command = [warprace, "run", "--gpu", "--engine", engine, "--timeout", "15", "--json", str(report), "--quiet", "--"]
        try:
            done = subprocess.run(command + [str(program), case], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
            said = json.loads(report.read_text())
        except (OSError, ValueError, subprocess.TimeoutExpired):
            continue
        if b"needs two devices" in done.stdout:
            return None
        ran += 1
        found += said["verdict"] == "race"
    return found if ran else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("case", nargs="*", choices=[[], *RACY, *CLEAN], metavar="CASE")
    args = parser.parse_args()
    racy, clean = ([case for case in cases if case in (args.case or cases)] for cases in (RACY, CLEAN))
    engines = args.engine or ["collide:fastest", "collide:balanced", "guard"]
    warprace = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))
    with tempfile.TemporaryDirectory() as out:
        program = Path(out) / "table3"
        subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-std=c++17", str(FOLDER / "table3.cu"), "-o", str(program)], check=True)
        with ThreadPoolExecutor(args.jobs) as pool:
            jobs = {(c, e): pool.submit(run, warprace, program, c, e, args.repeat, out) for c in racy + clean for e in engines}
            print("| case | | " + " | ".join(engines) + " |")
            print("|---" * (2 + len(engines)) + "|")
            for case in racy + clean:
                cells = ["not run" if jobs[case, e].result() is None else f"{jobs[case, e].result()} of {args.repeat}" for e in engines]
                print(f"| {case} | {'clean' if case in clean else 'race'} | " + " | ".join(cells) + " |", flush=True)
            for engine in engines:
                found = [case for case in racy if jobs[case, engine].result()]
                false = [case for case in clean if jobs[case, engine].result()]
                print(f"\n{engine}: {len(found)} of {len(racy)} racy cases found, {len(false)} of {len(clean)} clean ones reported")
    return any(jobs[case, engine].result() for case in clean for engine in engines)


if __name__ == "__main__":
    sys.exit(main())
