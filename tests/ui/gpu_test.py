#!/usr/bin/env python3
"""Runs every fixture on this machine's GPU with an engine of `warprace run --gpu`.

    WARPRACE_BIN=target/release/warprace python3 tests/ui/gpu_test.py [--engine collide:balanced ...] [--repeat N]
                                         [--times N] [--virtual] [--programs FOLDER] [--seconds N] [--record FILE]
                                         [PART]

Needs an NVIDIA GPU and a CUDA toolkit (nvcc on the PATH), no Rust. `cargo xtask gpu-test` builds warprace and calls it.
With `--virtual` no GPU is needed: the same instrumented kernels run on the virtual one, with the fixture's own options,
and what a clean fixture is to write is what tests/ui/gpu.json says that a GPU wrote. `--programs` keeps what is compiled.
With `--times` each process runs its fixture so often, as a library that is loaded anew each time (repeat.c): most of what
a run takes is the start of CUDA.

A clean fixture must write what it writes without warprace, end as it does, and not be reported. A racy one should be
found: an engine that samples may miss it. With `--record`, what was found is written to a file, and racy fixtures that
an earlier record of that name says were found in every repetition must be found again. What is said of a racy one must
lie on the lines that it marks. A table by class of bug is printed at the end. PART selects fixtures by name,
`--seconds` ends the whole (what was not run by then is not judged).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from record_gpu import capture, compiled, version

FOLDER = Path(__file__).resolve().parent
RUNNERS = max(2, len(os.sched_getaffinity(0)) - 4)
TIMEOUT = 20
# Options that go with engine `virtual` only, or choose the order that kernels need to meet.
ITS_OWN = {"--lens", "--explore", "--predict", "--replay", "--schedule", "--seed"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--virtual", action="store_true")
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--record", type=Path)
    parser.add_argument("part", nargs="?", default="")
    return parser.parse_args()


def keep(path, record, every=2, last=[0.0]):
    """Writes the record as far as it is known, at most once in `every` seconds: a run that is killed leaves it."""
    if path is None or time.monotonic() - last[0] < every:
        return
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    part.replace(path)
    last[0] = time.monotonic()


class Judge:
    """One fixture's runs."""

    def __init__(self, warprace, deadline, recorded=None, repeat=(), times=0, devices=1, capability=None):
        self.warprace, self.deadline = warprace, deadline
        # The program that runs a fixture `times` times, if one is to.
        self.repeat, self.times = repeat, times
        # What clean fixtures wrote on a GPU, if there is none here.
        self.recorded = recorded
        # GPUs of this machine.
        self.devices = devices
        # The compute capability of the first one, times ten.
        self.capability = capability

    def native(self, name, program, args):
        """How a clean fixture ends and what it writes without warprace, as far as that is known."""
        if self.recorded is None:
            status, output, _ = capture([*self.starts(1), str(program), *args], TIMEOUT)
            return status, output
        alone = self.recorded.get(name, {})
        status, output = alone.get("status"), alone.get("stdout")
        return status, output + f"\n@@ ended with {status}\n" if self.times and output is not None else output

    def starts(self, times):
        return [*self.repeat, str(times)] if self.times else []

    def command(self, engine, report, program, has):
        where = ["--jobs", "1", *has["run"]]
        if self.recorded is None:
            at = has["run"].index("--check") if "--check" in has["run"] else len(has["run"])
            where = ["--gpu", "--timeout", str(TIMEOUT), *has["run"][at:at + 2]]
        command = [self.warprace, "run", *where, "--engine", engine]
        return command + ["--json", str(report), "--quiet", "--", *self.starts(self.times), str(program), *has["args"]]

    def run(self, item, engine, repeat):
        name, program, has, error = item
        if error is not None:
            return name, {"does not compile": error}
        if self.recorded is not None and ITS_OWN & set(has["run"]):
            return name, {"needs the exact engine": has["run"]}
        needed = int(has["run"][has["run"].index("--devices") + 1]) if "--devices" in has["run"] else 1
        if needed > self.devices and self.recorded is None:
            return name, {"needs devices": needed}
        arch = re.search(r"^//@ arch: (\d+)", (FOLDER / name).read_text(), re.MULTILINE)
        if arch and self.capability and int(arch[1]) > self.capability:
            return name, {"needs compute capability": arch[1]}
        out = {"runs": 0, "found": 0, "unchecked": [], "classes": {}, "problems": []}
        native = self.native(name, program, has["args"]) if ".clean." in name else None
        for n in range(repeat):
            if time.monotonic() > self.deadline:
                break
            report = program.with_name(f"{program.name}.{engine.replace(':', '-')}.{n}.json")
            report.unlink(missing_ok=True)
            limit = min((3 + self.times) * TIMEOUT, max(1, self.deadline - time.monotonic()))
            status, output, errors = capture(self.command(engine, report, program, has), limit)
            if time.monotonic() > self.deadline:
                # It was not given its time.
                break
            out["runs"] += 1
            out["times"] = out.get("times", 0) + output.count("\n@@ ended with ") if self.times else out["runs"]
            try:
                said = json.loads(report.read_text())
            except (OSError, ValueError):
                out["problems"].append(f"no report: status {status}: {errors[-300:]}")
                continue
            # A fixture of a hazard marks no race.
            out["found"] += said["verdict"] == "race" or bool(is_hazard(name) and said["hazards"])
            for race in said["races"]:
                out["classes"][race["class"]] = out["classes"].get(race["class"], 0) + 1
            for reason in said["inconclusive"] + [e["title"] for e in said["errors"]]:
                if reason not in out["unchecked"]:
                    out["unchecked"].append(reason)
            if native is None:
                out["problems"] += [f"invented: {title}" for title in invented(name, said)]
                continue
            if said["races"]:
                out["problems"].append("false alarm: " + said["races"][0]["title"] + ": " + said["races"][0]["why"])
                out["problems"].append(json.dumps(said["races"][0]["accesses"][0]))
            if self.times and not output.count("\n@@ ended with "):
                out["problems"].append(f"did not run: {errors[-300:]}")
            if any("--timeout" in reason for reason in said["inconclusive"]):
                out["slow"] = out.get("slow", 0) + 1
                continue
            own = said["program"]["exit_code"]
            if native[0] is None and self.recorded is not None:
                continue
            if own != native[0]:
                out["problems"].append(f"ended with {own} ({said['program']['signal']}), natively with {native[0]}")
            elif output != native[1] * max(1, self.times) and not has["output"]:
                out["problems"].append(f"wrote {output[-200:]!r}, natively {native[1][-200:]!r}")
        return name, out


def is_hazard(name):
    """Whether what a racy fixture marks is a hazard and no race."""
    return "//@ lens-ptx: hazard" in (FOLDER / name).read_text()


def invented(name, said):
    """What is reported of a racy fixture beside its marked lines."""
    file = FOLDER / name
    marked = {n for n, line in enumerate(file.read_text().splitlines(), 1) if "//~" in line}
    for race in said["races"]:
        sides = [a for a in race["accesses"] if a["line"] and Path(a["file"]).name == file.name]
        if any(a["line"] not in marked for a in sides):
            yield f"{race['title']}: lines {[a['line'] for a in sides]}"


def repeater(out):
    """Builds repeat.c: the program, and what fixtures need to be its libraries."""
    toolkit = Path(shutil.which("nvcc")).resolve().parents[1]
    folder = next(p for p in (toolkit / "lib64", toolkit / "lib") if list(p.glob("libcudart.so*")))
    runtime = next(folder.glob("libcudart.so*"))
    program = Path(out) / "repeat"
    command = ["gcc", str(FOLDER / "repeat.c"), str(runtime), "-ldl", f"-Wl,-rpath,{folder}", "-o", str(program)]
    subprocess.run(command, check=True)
    flags = ["-shared", "-Xcompiler", "-fPIC", "-cudart", "shared", "-Xlinker", f"-rpath={folder},-Bsymbolic"]
    return [str(program)], flags


def table(engines):
    """How many racy fixtures of each class each engine found, in Markdown."""
    print("| class | " + " | ".join(f"`{engine}`" for engine in engines) + " |")
    print("|---|" + "---|" * len(engines))
    classes = sorted({name.split("/")[0] for done in engines.values() for name in done})
    for row in classes + ["**all**"]:
        cells = []
        for done in engines.values():
            racy = [what for name, what in done.items()
                    if ".race." in name and what.get("runs") and row in (name.split("/")[0], "**all**")]
            cells.append(f"{sum(1 for what in racy if what['found'])} of {len(racy)}")
        print(f"| {row} | " + " | ".join(cells) + " |")


def main():
    args = arguments()
    started = time.monotonic()
    warprace = os.environ.get("WARPRACE_BIN", str(FOLDER.parents[1] / "target/release/warprace"))
    engines = args.engine or [f"collide:{preset}" for preset in ("fastest", "balanced", "sampled", "patient")] + ["guard"]
    recorded = json.loads((FOLDER / "gpu.json").read_text())["fixtures"] if args.virtual else None
    sources = sorted(p for p in FOLDER.glob("*/*.cu") if ".race." in p.name or ".clean." in p.name)
    sources = [p for p in sources if args.part in p.relative_to(FOLDER).as_posix()]
    smi = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    said = "" if args.virtual else capture(smi, 60)[1].strip()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    devices = len(said.splitlines()) if visible is None else len(visible.split(","))
    gpu = (said.splitlines() or ["none, none, "])[0].split(", ")
    capability = int(gpu[2].replace(".", "")) if gpu[2:] and gpu[2][:1].isdigit() else None
    record = {
        "provenance": {
            "gpu": gpu[0],
            "driver": gpu[1],
            "nvcc": version(["nvcc", "--version"], r"V[\d.]+"),
            "date": time.strftime("%Y-%m-%d"),
            "command": f"python3 tests/ui/gpu_test.py {'--virtual ' if args.virtual else ''}--repeat {args.repeat}",
        },
        "engines": {},
    }
    bad = 0
    earlier = args.record and args.record.exists()
    before = json.loads(args.record.read_text())["engines"] if earlier else {}
    with tempfile.TemporaryDirectory() as out:
        if args.programs:
            args.programs.mkdir(parents=True, exist_ok=True)
            out = args.programs.resolve()
        # PTX alone is compiled sooner.
        arch = ["-gencode", "arch=compute_90,code=compute_90"] if args.virtual else ["-arch=sm_90"]
        repeat, flags = repeater(out) if args.times else ([], [])
        with ThreadPoolExecutor(os.cpu_count() or 4) as pool:
            built = list(pool.map(lambda source: compiled(source, out, arch, flags), sources))
        print(f"built {len(built)} fixtures in {time.monotonic() - started:.0f} s", flush=True)
        for engine in engines:
            begun = time.monotonic()
            judge = Judge(warprace, started + args.seconds, recorded, repeat, args.times, max(1, devices), capability)
            done = record["engines"][engine] = {}
            with ThreadPoolExecutor(RUNNERS) as pool:
                for name, what in pool.map(lambda item: judge.run(item, engine, args.repeat), built):
                    done[name] = what
                    keep(args.record, record)
            ran = {name: what for name, what in done.items() if what.get("runs")}
            racy = {name: what for name, what in ran.items() if ".race." in name}
            found = [name for name, what in racy.items() if what["found"]]
            always = [name for name, what in racy.items() if what["found"] == what["runs"]]
            problems = {name: what["problems"] for name, what in ran.items() if what["problems"]}
            unchecked = {name: what["unchecked"] for name, what in ran.items() if what["unchecked"]}
            print(f"{engine}: {len(ran)} of {len(done)} fixtures ran in {time.monotonic() - begun:.0f} s; "
                  f"found {len(found)} of {len(racy)} racy ones, {len(always)} each time; "
                  f"{len(ran) - len(racy)} clean ones, "
                  f"{sum(what['times'] for name, what in ran.items() if name not in racy)} times; "
                  f"{len(problems)} with problems; "
                  f"{len(unchecked)} not checked in full; "
                  f"{sum(1 for what in ran.values() if what.get('slow'))} clean ones not ended in {TIMEOUT} s",
                  flush=True)
            for name, what in problems.items():
                print(f"  {name}: {what[:2]}")
            bad += sum(1 for name in problems)
            for name, what in before.get(engine, {}).items():
                sure = ".race." in name and what.get("runs") and what["found"] == what["runs"]
                if sure and name in racy and not racy[name]["found"]:
                    print(f"  {name}: was found in each of {what['runs']} runs before, and is not now")
                    bad += 1
    table(record["engines"])
    keep(args.record, record, every=0)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
