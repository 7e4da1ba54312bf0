#!/usr/bin/env python3
"""Records what real hardware says of the fixtures.

On a machine with an NVIDIA GPU and a CUDA toolkit (nvcc and compute-sanitizer on the PATH):

    python3 tests/ui/record_gpu.py tests/ui/gpu.json

Every fixture is compiled with its own flags, run as it is, and run under compute-sanitizer's racecheck.
The output, the exit status and what racecheck counts are kept, with the versions of everything involved.
Fixtures that need more devices than there are, or another architecture, say so; on a machine that has them,

    python3 tests/ui/record_gpu.py tests/ui/gpu.json multi-gpu/

adds those whose names contain the last word to the record. What is there is written every few seconds, so that an
interrupt loses little. The tests compare clean fixtures with the record;
docs/comparison.md tabulates it:

    python3 tests/ui/record_gpu.py --table tests/ui/gpu.json
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
COMPILERS = os.cpu_count() or 4
RUNNERS = 8
SECONDS = 20


def directives(text):
    found = {"nvcc": [], "aux": [], "args": [], "run": [], "output": []}
    for line in text.splitlines():
        if m := re.match(r"\s*//@\s*(\w+):\s*(.*)", line):
            if m[1] in found:
                found[m[1]] = m[2].split()
    return found


def capture(command, seconds):
    """Runs a command. After its time all that it has started is ended, too: compute-sanitizer's program has the pipes."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, cwd=FOLDER, start_new_session=True) as child:
        try:
            output, errors = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return None, "", ""
    return child.returncode, output.decode(errors="replace"), errors.decode(errors="replace")


def compiled(source, out, arch=("-arch=sm_90",), more=()):
    has = directives(source.read_text())
    name = source.relative_to(FOLDER).as_posix()
    program = Path(out) / name.replace("/", "-").replace(".cu", "")
    if program.exists():
        return name, program, has, None
    command = ["nvcc", "-lineinfo"]
    if not any(flag.startswith("-std") for flag in has["nvcc"]):
        command.append("-std=c++17")
    if not any(flag.startswith(("-arch", "-gencode")) for flag in has["nvcc"]):
        command += arch
    command += has["nvcc"] + [*more, str(source)] + [str(source.parent / aux) for aux in has["aux"]]
    status, _, errors = capture(command + ["-o", str(program)], 300)
    return name, program, has, None if status == 0 else errors[-500:]


def native(program, args):
    status, output, _ = capture([str(program), *args], SECONDS)
    return {"status": status, "stdout": output} if status is not None else {"hangs": True}


def missing(flags, capability):
    """The newest architecture that a fixture's own flags name, if this GPU (`9.0`, for example) cannot run it."""
    own = capability.replace(".", "")
    named = [m for flag in flags for m in re.findall(r"(?:sm|compute)_(\d+)([af]?)", flag)]
    can = [int(number) == int(own) if suffix else int(number) <= int(own) for number, suffix in named]
    return None if not named or any(can) else "sm_" + "".join(named[-1])


def racecheck(program, args):
    status, output, errors = capture(
        ["compute-sanitizer", "--tool", "racecheck", "--racecheck-report", "analysis", str(program), *args],
        3 * SECONDS,
    )
    if status is None:
        return {"hangs": True}
    summary = re.search(r"RACECHECK SUMMARY: .*?\((\d+) errors?, (\d+) warnings?\)", output + errors)
    if not summary:
        summary = re.search(r"RACECHECK SUMMARY: (\d+) (?:hazards?|errors?)", output + errors)
        return {"errors": int(summary[1]), "warnings": 0} if summary else {"said": (output + errors)[-300:]}
    return {"errors": int(summary[1]), "warnings": int(summary[2])}


def version(command, pattern):
    _, output, errors = capture(command, 60)
    found = re.search(pattern, output + errors)
    return found[0].strip() if found else "unknown"


def main(path, part=""):
    sources = sorted(p for p in FOLDER.glob("*/*.cu") if ".race." in p.name or ".clean." in p.name)
    sources = [p for p in sources if part in p.relative_to(FOLDER).as_posix()]
    smi = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpus = capture(smi, 60)[1].strip().splitlines()
    capability = capture(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], 60)[1].split()[0]
    record = {
        "provenance": {
            "gpu": gpus[0].split(",")[0] if gpus else "none",
            "driver": gpus[0].split(",")[1].strip() if gpus else "none",
            "nvcc": version(["nvcc", "--version"], r"V[\d.]+"),
            "compute-sanitizer": version(["compute-sanitizer", "--version"], r"Version [\d.]+.*"),
            "command": "python3 tests/ui/record_gpu.py",
        },
        "fixtures": {},
    }
    if part:
        before = json.loads(Path(path).read_text())
        if before["provenance"] != record["provenance"]:
            sys.exit(f"{path} was recorded with {before['provenance']}, this is {record['provenance']}")
        record = before
    with tempfile.TemporaryDirectory() as out:
        with ThreadPoolExecutor(COMPILERS) as pool:
            built = list(pool.map(lambda source: compiled(source, out), sources))

        def measure(item):
            name, program, has, error = item
            if error is not None:
                return name, {"does not compile": error}
            devices = [int(n) for flag, n in zip(has["run"], has["run"][1:]) if flag == "--devices"]
            if devices and devices[0] > len(gpus):
                return name, {"needs devices": devices[0]}
            if needed := missing(has["nvcc"], capability):
                return name, {"needs": needed}
            return name, {**native(program, has["args"]), "racecheck": racecheck(program, has["args"])}

        with ThreadPoolExecutor(RUNNERS) as pool:
            for done, (name, what) in enumerate(pool.map(measure, built), 1):
                record["fixtures"][name] = what
                if done % 20 == 0 or done == len(built):
                    Path(path).write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
                    print(f"{done} of {len(built)}", file=sys.stderr, flush=True)


def table(path):
    """What racecheck reports, by folder of fixtures, as a Markdown table."""
    rows = {}
    for name, what in json.loads(Path(path).read_text())["fixtures"].items():
        if "racecheck" not in what:
            continue
        row = rows.setdefault(name.split("/")[0], [0, 0, 0, 0, 0])
        found = any(what["racecheck"].get(level) for level in ("errors", "warnings"))
        if ".race." in name:
            row[0] += 1
            row[1] += what.get("status") == 0
            row[2] += found
        else:
            row[3] += 1
            row[4] += found
    print("| folder | racy | of them pass on the GPU | racecheck reports | clean | racecheck reports |")
    print("|---|---|---|---|---|---|")
    for name, row in sorted(rows.items()):
        print(f"| `{name}` | " + " | ".join(map(str, row)) + " |")
    print("| all | " + " | ".join(str(sum(column)) for column in zip(*rows.values())) + " |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        table(sys.argv[2])
    elif len(sys.argv) == 2:
        main(sys.argv[1])
    elif len(sys.argv) == 3:
        main(sys.argv[1], sys.argv[2])
    else:
        sys.exit(__doc__)
