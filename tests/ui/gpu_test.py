#!/usr/bin/env python3
"""Runs every fixture on this machine's GPU with an engine of `warprace run --gpu`.

    WARPRACE_BIN=target/release/warprace python3 tests/ui/gpu_test.py [--engine collide:balanced ...] [--repeat N]
                                         [--seconds N] [--record FILE] [PART]

Needs an NVIDIA GPU and a CUDA toolkit (nvcc on the PATH), no Rust. `cargo xtask gpu-test` builds warprace and calls it.

A clean fixture must write what it writes without warprace, end as it does, and not be reported. A racy one should be
found: an engine that samples may miss it. With `--record`, what was found is written to a file, and racy fixtures that
an earlier record of that name says were found in every repetition must be found again. PART selects fixtures by name,
`--seconds` ends the whole (what was not run by then is not judged).
"""

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from record_gpu import capture, compiled, version

FOLDER = Path(__file__).resolve().parent
RUNNERS = max(2, (os.cpu_count() or 4) - 4)
TIMEOUT = 20


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--record", type=Path)
    parser.add_argument("part", nargs="?", default="")
    return parser.parse_args()


class Judge:
    """One fixture's runs."""

    def __init__(self, warprace, deadline):
        self.warprace, self.deadline = warprace, deadline

    def run(self, item, engine, repeat):
        name, program, has, error = item
        if error is not None:
            return name, {"does not compile": error}
        if "--devices" in has["run"]:
            return name, {"needs devices": int(has["run"][has["run"].index("--devices") + 1])}
        out = {"runs": 0, "found": 0, "unchecked": [], "classes": {}, "problems": []}
        native = capture([str(program), *has["args"]], TIMEOUT) if ".clean." in name else None
        for n in range(repeat):
            if time.monotonic() > self.deadline:
                break
            report = program.with_suffix(f".{engine.replace(':', '-')}.{n}.json")
            command = [self.warprace, "run", "--gpu", "--engine", engine, "--timeout", str(TIMEOUT)]
            command += ["--json", str(report), "--quiet", "--", str(program), *has["args"]]
            status, output, errors = capture(command, 3 * TIMEOUT)
            out["runs"] += 1
            try:
                said = json.loads(report.read_text())
            except (OSError, ValueError):
                out["problems"].append(f"no report: status {status}: {errors[-300:]}")
                continue
            out["found"] += said["verdict"] == "race"
            for race in said["races"]:
                out["classes"][race["class"]] = out["classes"].get(race["class"], 0) + 1
            for reason in said["inconclusive"] + [e["title"] for e in said["errors"]]:
                if reason not in out["unchecked"]:
                    out["unchecked"].append(reason)
            if native is None:
                continue
            if said["races"]:
                out["problems"].append("false alarm: " + said["races"][0]["title"] + ": " + said["races"][0]["why"])
                out["problems"].append(json.dumps(said["races"][0]["accesses"][0]))
            if any("--timeout" in reason for reason in said["inconclusive"]):
                out["slow"] = out.get("slow", 0) + 1
                continue
            own = said["program"]["exit_code"]
            if own != native[0]:
                out["problems"].append(f"ended with {own} ({said['program']['signal']}), natively with {native[0]}")
            elif output != native[1] and not has["output"]:
                out["problems"].append(f"wrote {output[-200:]!r}, natively {native[1][-200:]!r}")
        return name, out


def main():
    args = arguments()
    started = time.monotonic()
    warprace = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))
    engines = args.engine or [f"collide:{preset}" for preset in ("fastest", "balanced", "sampled", "patient")]
    sources = sorted(p for p in FOLDER.glob("*/*.cu") if ".race." in p.name or ".clean." in p.name)
    sources = [p for p in sources if args.part in p.relative_to(FOLDER).as_posix()]
    smi = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu = (capture(smi, 60)[1].strip().splitlines() or ["none, none"])[0].split(", ")
    record = {
        "provenance": {
            "gpu": gpu[0],
            "driver": gpu[-1],
            "nvcc": version(["nvcc", "--version"], r"V[\d.]+"),
            "date": time.strftime("%Y-%m-%d"),
            "command": f"python3 tests/ui/gpu_test.py --repeat {args.repeat}",
        },
        "engines": {},
    }
    bad = 0
    with tempfile.TemporaryDirectory() as out:
        with ThreadPoolExecutor(os.cpu_count() or 4) as pool:
            built = list(pool.map(lambda source: compiled(source, out), sources))
        print(f"built {len(built)} fixtures in {time.monotonic() - started:.0f} s", flush=True)
        for engine in engines:
            begun = time.monotonic()
            judge = Judge(warprace, started + args.seconds)
            with ThreadPoolExecutor(RUNNERS) as pool:
                done = dict(pool.map(lambda item: judge.run(item, engine, args.repeat), built))
            record["engines"][engine] = done
            ran = {name: what for name, what in done.items() if what.get("runs")}
            racy = {name: what for name, what in ran.items() if ".race." in name}
            found = [name for name, what in racy.items() if what["found"]]
            always = [name for name, what in racy.items() if what["found"] == what["runs"]]
            problems = {name: what["problems"] for name, what in ran.items() if what["problems"]}
            unchecked = {name: what["unchecked"] for name, what in ran.items() if what["unchecked"]}
            print(f"{engine}: {len(ran)} of {len(done)} fixtures ran in {time.monotonic() - begun:.0f} s; "
                  f"found {len(found)} of {len(racy)} racy ones, {len(always)} each time; "
                  f"{len(ran) - len(racy)} clean ones; {len(problems)} with problems; "
                  f"{len(unchecked)} not checked in full; "
                  f"{sum(1 for what in ran.values() if what.get('slow'))} clean ones not ended in {TIMEOUT} s",
                  flush=True)
            for name, what in problems.items():
                print(f"  {name}: {what[:2]}")
            bad += sum(1 for name in problems)
            if args.record and args.record.exists():
                before = json.loads(args.record.read_text())["engines"].get(engine, {})
                for name, what in before.items():
                    sure = ".race." in name and what.get("runs") and what["found"] == what["runs"]
                    if sure and name in racy and not racy[name]["found"]:
                        print(f"  {name}: was found in each of {what['runs']} runs before, and is not now")
                        bad += 1
    if args.record:
        args.record.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
