#!/usr/bin/env python3
"""What `warprace run --gpu` costs on public programs, and what `collide` finds in them run after run.

    WARPRACE_BIN=target/release/warprace python3 xtask/bench/gpu_suites.py FOLDER [--list FILE] [--engine ENGINE ...] [--times N]
                                         [--rounds N] [--racecheck SECONDS] [--parts times,races]
                                         [--seconds N] [--before BINARY] [--at-once N] [--memory]
                                         [--alone SECONDS] [--limit SECONDS] [--out FOLDER] [PART]

Needs an NVIDIA GPU, a CUDA toolkit and gcc, no Rust. FOLDER has builds of public programs (docs/results/gpu-suites.md says how to
build them). Lines of the list are `PROGRAM [@dir=FOLDER] [@stdin=FILE] ARGS`; the folder in which the program runs is relative to
FOLDER, and the file of its standard input to that folder. Without a list each executable runs without arguments.

* Time: alone and under each engine a program runs N rounds (2), after a first one, with the assembling in it, of which the
  whole time is kept. Kernel time is the sum of the kernels' times by CUPTI (xtask/bench/gpu/kernel_time.c), in all runs alike.
  Rows are told by the best round. An engine may have options behind it: `--engine "guard --prune-after never"`.
* With `--memory` each program runs once more alone and under each engine; the most memory of the GPU is told that was in use
  beyond what was before. Nothing else may run on the GPU then.
* Races: `collide:fastest` and `collide:balanced` run each program N times (5); a race is the two statements (`id` in
  the JSON report), and is told with how many of the runs had it.
* With `--before`, each engine is timed with another build of warprace, too, right behind the first: as `before ENGINE`.
* Of each engine the launches are counted that were proved free of races and ran without checks, and the races that it has found.
* With `--racecheck`, compute-sanitizer's racecheck runs each program once, for so many seconds at most; whole time.

All kernels are loaded at once, so that none is assembled while others are timed, unless CUDA_MODULE_LOADING says otherwise.

Several GPUs (all, or those of CUDA_VISIBLE_DEVICES) share the programs: of those that are timed, each GPU runs one at a time, or
as many as `--at-once` says (kernels of programs that meet on the GPU take longer; most of a process is the start of CUDA). With `--parts each` a
program's first runs and its times follow each other, beside those of other programs.
"""

import argparse
import json
import math
import os
import queue
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENGINES = ["guard", "collide:fastest", "collide:balanced", "collide:sampled"]
BEFORE = "before "
HUNTERS = ["collide:fastest", "collide:balanced"]
# Races found, checks incomplete, and what racecheck says of hazards.
ENDINGS = (0, 66, 67)
# A program that takes longer alone is left out, unless `--alone` says otherwise.
ALONE_LIMIT = 6
LIMIT = 25
# Seconds after which a process that has ended has given its memory back.
SETTLED = 0.3


class Program(list):
    """A command, the folder in which it runs, and the file of its standard input."""

    def __init__(self, command, folder, stdin="/dev/null"):
        super().__init__(command)
        self.folder, self.stdin = folder, stdin

    def by(self, *tool):
        return Program([*tool, *self], self.folder, self.stdin)


class Bench:
    def __init__(self, args):
        self.args = args
        self.warprace = os.environ.get("WARPRACE_BIN", str(HERE.parents[1] / "target/release/warprace"))
        self.before = args.before
        self.until = time.monotonic() + args.seconds
        self.scratch = tempfile.mkdtemp()
        self.timer = kernel_timer(self.scratch)
        given = os.environ.get("CUDA_VISIBLE_DEVICES")
        self.gpus = given.split(",") if given else [str(i) for i in range(max(1, len(gpus())))]
        self.rows = {}
        self.assembled = set()
        self.lock = threading.Lock()

    def late(self):
        return time.monotonic() > self.until

    def under(self, engine, program, report=None):
        told = ["--json", report] if report else []
        name, *more = engine.removeprefix(BEFORE).split()
        options = ["--gpu", "--engine", name, *more, "--timeout", str(self.args.limit), "--quiet", *told]
        warprace = self.before if engine.startswith(BEFORE) else self.warprace
        return program.by(warprace, "run", *options, "--")

    def once(self, command, gpu, limit, timed=True):
        """Seconds of the whole, milliseconds of kernels (None without CUPTI), kernels, exit status; None if it does not end."""
        environment = {"CUDA_MODULE_LOADING": "EAGER", **os.environ, "CUDA_VISIBLE_DEVICES": gpu}
        times = None
        if timed and self.timer:
            times = tempfile.NamedTemporaryFile(dir=self.scratch, suffix=".times", delete=False).name
            environment.update(KERNEL_TIME=times, CUDA_INJECTION64_PATH=str(self.timer))
        begun = time.monotonic()
        nothing = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with open(command.stdin) as stdin:
            running = subprocess.Popen(command, cwd=command.folder, env=environment, start_new_session=True, stdin=stdin, **nothing)
        try:
            running.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            return None
        whole = time.monotonic() - begun
        told = [list(map(int, line.split())) for line in open(times)] if times else []
        if times:
            os.unlink(times)
        if not told:
            return whole, None, 0, running.returncode
        return whole, sum(t for _, t in told) / 1e6, sum(n for n, _ in told), running.returncode

    def best(self, command, gpu, statuses, runs=()):
        runs = list(runs)
        while len(runs) < self.args.rounds:
            ran = self.once(command, gpu, self.args.limit)
            if not ran:
                return None
            if ran[3] not in statuses:
                return None
            runs.append(ran)
        kernels = [run[1] for run in runs if run[1]]
        return {"whole": min(run[0] for run in runs), "kernels": min(kernels) if kernels else None, "count": runs[0][2]}

    def everywhere(self, work, programs, at_once=1):
        """Does the work for each program, on all GPUs, so many programs of a GPU at a time."""
        waiting = queue.SimpleQueue()
        for program in programs:
            waiting.put(program)

        def take(gpu):
            while not self.late():
                try:
                    program = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    work(program, gpu)
                except OSError as error:
                    self.row(program)["left out"] = str(error)
                self.save()

        takers = [threading.Thread(target=take, args=(gpu,)) for gpu in self.gpus for _ in range(at_once)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        print(f"{self.args.seconds - (self.until - time.monotonic()):.0f} s: {work.__name__}", file=sys.stderr, flush=True)

    def assemble(self, program, gpu):
        """The first run of each. What is assembled by one engine is there for the same one with other options."""
        first = self.row(program).setdefault("first", {})
        for engine in self.args.engines:
            ran = self.once(self.under(engine, program), gpu, self.args.limit)
            first[engine] = ran and ran[0]

    def each(self, program, gpu):
        """The first runs of a program that has had none, and its times."""
        with self.lock:
            is_new = program[0] not in self.assembled
            self.assembled.add(program[0])
        if is_new:
            self.assemble(program, gpu)
        self.times(program, gpu)

    def times(self, program, gpu):
        row = self.row(program)
        ran = self.once(program, gpu, self.args.alone)
        if not ran or ran[3] < 0 or ran[3] > 125:
            row["left out"] = "takes too long alone" if not ran else f"ends with {ran[3]} alone"
            return
        statuses = (*ENDINGS, ran[3])
        row["alone"] = self.best(program, gpu, statuses, [ran])
        for engine in self.args.engines:
            if not self.late():
                report = tempfile.NamedTemporaryFile(dir=self.scratch, suffix=".json", delete=False).name
                row[engine] = self.best(self.under(engine, program, report), gpu, statuses)
                if row[engine]:
                    row[engine].update(shares(report))
                os.unlink(report)

    def races(self, program, gpu):
        """Runs the program so many times by each engine that looks for changes of values."""
        row = self.row(program)
        row["races"], row["ended"] = {}, {}
        for engine in HUNTERS:
            with ThreadPoolExecutor(self.args.times) as pool:
                found = list(pool.map(lambda _: self.hunt(program, engine, gpu), range(self.args.times)))
            seen = {}
            for race in (race for races in found for race in races or []):
                new = {"class": race["class"], "space": race.get("space"), "at": sides(race), "runs": 0}
                seen.setdefault(race["id"], new)["runs"] += 1
            row["races"][engine] = list(seen.values())
            row["ended"][engine] = sum(races is not None for races in found)

    def hunt(self, program, engine, gpu):
        """The races of one run; None if it brought no report."""
        if self.late():
            return None
        report = tempfile.NamedTemporaryFile(dir=self.scratch, suffix=".json", delete=False).name
        self.once(self.under(engine, program, report), gpu, self.args.limit + 5, timed=False)
        try:
            with open(report) as text:
                return json.load(text)["races"]
        except (OSError, ValueError, KeyError):
            return None
        finally:
            os.unlink(report)

    def memory(self, program, gpu):
        """The most MiB of the GPU that a run takes, alone and under each engine."""
        took = self.row(program).setdefault("memory", {})
        for name in ["alone", *self.args.engines]:
            time.sleep(SETTLED)
            watching = in_use(gpu)
            before = int(watching.stdout.readline())
            ran = self.once(program if name == "alone" else self.under(name, program), gpu, self.args.limit, timed=False)
            watching.terminate()
            most = max(map(int, watching.stdout.read().split()), default=before)
            took[name] = most - before if ran else None

    def racecheck(self, program, gpu):
        alone = self.once(program, gpu, self.args.alone, timed=False)
        if alone:
            ran = self.once(program.by("compute-sanitizer", "--tool", "racecheck"), gpu, self.args.racecheck, timed=False)
            self.row(program)["racecheck"] = {"alone": alone[0], "whole": ran and ran[0]}

    def row(self, program):
        with self.lock:
            name = os.path.relpath(program[0], self.args.folder)
            return self.rows.setdefault(" ".join([name, *program[1:]]), {})

    def save(self):
        with self.lock:
            (self.args.out / "suites.json").write_text(json.dumps({"gpu": gpus(), "cupti": bool(self.timer), "rows": self.rows}, indent=1) + "\n")


def shares(report):
    """What a report says of proofs, and the races in it."""
    try:
        with open(report) as text:
            said = json.load(text)
    except (OSError, ValueError):
        return {}
    counted = {name: said["summary"].get(name, 0) for name in ("launches", "checked", "proved")}
    return {**counted, "races": sorted(race["id"] for race in said["races"]), "verdict": said["verdict"]}


def sides(race):
    return [f"{side.get('file')}:{side.get('line')}" for side in race["accesses"]]


def in_use(gpu):
    """MiB of a GPU in use, again and again, from a process that is to be ended."""
    query = ["nvidia-smi", "-i", gpu, "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "10"]
    return subprocess.Popen(query, stdout=subprocess.PIPE, text=True)


def gpus():
    smi = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(smi, capture_output=True, text=True).stdout.strip().splitlines()
    except FileNotFoundError:
        sys.exit("there is no nvidia-smi: this needs a machine with an NVIDIA GPU")


def kernel_timer(scratch):
    """The library that times kernels, compiled; None, and why on stderr, if this machine has no CUPTI."""
    roots = [Path("/usr/local/cuda/extras/CUPTI"), *(Path(p) / "nvidia/cu13" for p in sys.path)]
    for root in roots:
        headers, library = root / "include", next((f for f in root.glob("lib*/libcupti.so*")), None)
        if library and (headers / "cupti.h").exists():
            out = f"{scratch}/kernel_time.so"
            cuda = ["-I/usr/local/cuda/include"]
            command = ["gcc", "-O2", "-shared", "-fPIC", f"-I{headers}", *cuda, str(HERE / "gpu/kernel_time.c"), "-o", out, str(library),
                       f"-Wl,-rpath,{library.parent}"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                return out
            print(done.stderr[-500:], file=sys.stderr)
    print("there is no CUPTI here: only whole programs are timed", file=sys.stderr)
    return None


def programs(args):
    found = []
    if args.list:
        for line in args.list.read_text().splitlines():
            name, *words = shlex.split(line, comments=True) or [None]
            settings = dict(word[1:].split("=", 1) for word in words if word.startswith("@"))
            command = [str(args.folder / name), *(word for word in words if not word.startswith("@"))] if name else []
            if command:
                folder = args.folder / settings.get("dir", ".")
                found.append(Program(command, folder, folder / settings.get("stdin", "/dev/null")))
    else:
        found = [Program([str(p)], args.folder) for p in sorted(args.folder.iterdir()) if p.is_file()]
    return [p for p in found if args.part in p[0] and os.access(p[0], os.X_OK)]


def spread(ratios):
    if not ratios:
        return "-"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{statistics.median(ratios):.2f}x, {mean:.2f}x, {max(ratios):.1f}x ({len(ratios)})"


def ratios(rows, engine, what, least=0):
    told = []
    for row in rows.values():
        alone, under = row.get("alone"), row.get(engine)
        if alone and under and alone[what] and under[what] and alone[what] >= least:
            told.append(under[what] / alone[what])
    return told


def page(rows, args):
    print("| median, geometric mean, most (programs) | " + " | ".join(args.engines) + " |")
    print("|---" * (1 + len(args.engines)) + "|")
    for title, what, least in ("kernels", "kernels", 0), ("kernels of 1 ms and more", "kernels", 1), ("whole program", "whole", 0):
        print(f"| {title} | " + " | ".join(spread(ratios(rows, engine, what, least)) for engine in args.engines) + " |")
    checked = [row["racecheck"] for row in rows.values() if row.get("racecheck")]
    ended = [check["whole"] / check["alone"] for check in checked if check["whole"]]
    if checked:
        print(f"\nracecheck, whole program: {spread(ended)}; {len(checked) - len(ended)} of {len(checked)} did not end in {args.racecheck:g} s")
    for engine in HUNTERS:
        found = [(name, race) for name, row in rows.items() for race in row.get("races", {}).get(engine, [])]
        often = ", ".join(f"{n}/{args.times}: {sum(1 for _, r in found if r['runs'] == n)}" for n in range(1, args.times + 1))
        print(f"\n`{engine}`: {len(found)} races in {len({name for name, _ in found})} programs ({often})\n")
        for name, race in found:
            print(f"* {name}: {race['class']}, {race['space']}, {' and '.join(race['at'])}, {race['runs']} of {args.times}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--list", type=Path)
    parser.add_argument("--engine", action="append", dest="engines")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--racecheck", type=float, metavar="SECONDS")
    parser.add_argument("--parts", default="assemble,times,races")
    parser.add_argument("--seconds", type=int, default=1 << 30)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--limit", type=int, default=LIMIT, metavar="SECONDS")
    parser.add_argument("--alone", type=float, default=ALONE_LIMIT, metavar="SECONDS")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--out", type=Path, default=Path("."))
    args = parser.parse_args()
    if args.racecheck and not shutil.which("compute-sanitizer"):
        sys.exit("compute-sanitizer is not on the path: it comes with the CUDA toolkit")
    args.folder = args.folder.resolve()
    args.engines = args.engines or list(ENGINES)
    if args.before:
        args.engines = [name for engine in args.engines for name in (engine, BEFORE + engine)]
    bench = Bench(args)
    wanted = programs(args)
    if "assemble" in args.parts:
        bench.everywhere(bench.assemble, wanted, at_once=max(1, (os.cpu_count() or 4) // 2 // len(bench.gpus)))
    if "each" in args.parts:
        bench.everywhere(bench.each, wanted, at_once=args.at_once)
    if "times" in args.parts:
        bench.everywhere(bench.times, wanted, at_once=args.at_once)
    if "races" in args.parts:
        bench.everywhere(bench.races, wanted, at_once=2)
    if args.memory:
        bench.everywhere(bench.memory, wanted)
    if args.racecheck:
        bench.everywhere(bench.racecheck, wanted, at_once=args.at_once)
    bench.save()
    print(f"{', '.join(gpus())}, {time.strftime('%Y-%m-%d')}; {len(wanted)} programs, best of {args.rounds}\n")
    page(bench.rows, args)
    for name, row in bench.rows.items():
        if row.get("left out"):
            print(f"{name} {row['left out']}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
