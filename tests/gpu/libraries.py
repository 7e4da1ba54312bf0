#!/usr/bin/env python3
"""Checks on this machine's GPU what engine `guard` says of kernels without PTX, and that its clock does not run out.

    WARPRACE_BIN=target/release/warprace python3 tests/gpu/libraries.py [--record FILE]

Needs an NVIDIA GPU and a CUDA toolkit with cuBLAS, no Rust. cublas.cu calls cuBLAS in one stream, between kernels in
another: a missing wait must be a hazard at both marked lines, and what waits must be clean once cuBLAS is trusted.
releases.cu uses up all numbers of the clock before two kernels race: the race must be found, and nothing be left out.
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
from record_gpu import capture, version  # noqa: E402

WARPRACE = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))
# The marked lines of each mode's hazard.
MODES = {
    "before": {"fill", "product"},
    "after": {"product", "next"},
    "copy": {"product", "copy"},
    "shared": set(),
    "clean": set(),
}


def marked(source):
    lines = enumerate(source.read_text().splitlines(), 1)
    return {m[1]: n for n, line in lines if (m := re.search(r"// LINE\((\w+)\)", line))}


def built(name, out, *flags):
    program = Path(out) / name
    command = ["nvcc", "-g", "-lineinfo", "-std=c++17", "-arch=sm_90", str(FOLDER / f"{name}.cu"), "-o", str(program)]
    subprocess.run([*command, *flags], check=True)
    return program


def run(out, program, mode, *options):
    report = Path(out) / "report.json"
    command = [WARPRACE, "run", "--gpu", "--engine", "guard", *options, "--json", str(report), "--quiet", "--"]
    status, output, errors = capture([*command, str(program), mode], 120)
    try:
        said = json.loads(report.read_text())
    except (OSError, ValueError):
        raise SystemExit(f"{program.name} {mode}: no report, status {status}: {errors[-300:]}")
    report.unlink()
    return said, output


def sides(findings):
    return [sorted(side["line"] for side in finding["accesses"]) for finding in findings]


def brief(said):
    """What is recorded of a report."""
    out = {key: said[key] for key in ("verdict", "inconclusive", "limits")}
    for level in ("races", "hazards"):
        out[level] = [[[a["who"], a["kind"], a["line"]] for a in finding["accesses"]] for finding in said[level]]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    bad, record = [], {}
    lines = marked(FOLDER / "cublas.cu")
    with tempfile.TemporaryDirectory() as out:
        program = built("cublas", out, "-lcublas")
        for trust in (), ("--trust", "cublas"):
            for mode, expected in MODES.items():
                said, output = run(out, program, mode, *trust)
                name = f"cublas {mode} {' '.join(trust)}".strip()
                record[name] = brief(said)
                wanted = [sorted(lines[which] for which in expected)] if expected else []
                about = [line for line in said["limits" if trust else "inconclusive"] if line.startswith("cuBLAS: ")]
                if said["races"] or [pair for pair in sides(said["hazards"]) if pair not in wanted]:
                    bad.append(f"{name}: invented {sides(said['races'])}, {sides(said['hazards'])}")
                if wanted and wanted[0] not in sides(said["hazards"]):
                    bad.append(f"{name}: found {sides(said['hazards'])}, not {wanted}")
                if len(about) != 1 or (trust and said["inconclusive"]):
                    bad.append(f"{name}: of cuBLAS {about}, inconclusive {said['inconclusive']}")
                if "no error" not in output:
                    bad.append(f"{name}: wrote {output!r}")
        said, output = run(out, built("releases", out), "14")
        record["releases"] = brief(said)
        if said["verdict"] != "race" or said["inconclusive"]:
            bad.append(f"releases: {said['verdict']}, {said['inconclusive']}")
    smi = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = (capture(smi, 60)[1].strip().splitlines() or ["none, none"])[0].split(", ")
    nvcc = version(["nvcc", "--version"], r"V[\d.]+")
    record["provenance"] = {"gpu": gpu, "driver": driver, "nvcc": nvcc, "date": time.strftime("%Y-%m-%d")}
    if args.record:
        args.record.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    print("\n".join(bad) or "as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
