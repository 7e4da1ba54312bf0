"""Finds the data races of CUDA programs, on machines without a GPU.

``run(["./app", "input"])`` runs a program on the virtual GPU; the program ``warprace`` does the same from a shell.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

__all__ = ["Report", "executable", "run"]


def executable() -> str:
    """The path of the program ``warprace``: the installed one, or what the variable WARPRACE names."""
    return os.environ.get("WARPRACE") or str(pathlib.Path(__file__).parent / "bin" / "warprace")


@dataclass
class Report:
    """What a run showed."""

    code: int
    """The exit code of ``warprace run``."""
    output: str
    """What the program printed."""
    text: str
    """The report, as people read it."""
    document: dict = field(default_factory=dict)
    """The JSON document; empty if the program could not even be started."""

    @property
    def verdict(self) -> str:
        """``race``, ``hazard``, ``inconclusive`` or ``clean``; ``not run`` without a document."""
        return self.document.get("verdict", "not run")

    @property
    def races(self) -> list:
        return self.document.get("races", [])


def run(command, *options, cwd=None, env=None, input=None, timeout=None) -> Report:
    """Runs ``command``, a list of words, under ``warprace run`` with ``options``."""
    with tempfile.TemporaryDirectory(prefix="warprace-") as folder:
        path = os.path.join(folder, "report.json")
        words = [executable(), "run", "--json", path, *options, "--", *map(os.fspath, command)]
        given = {"stdin": subprocess.DEVNULL} if input is None else {"input": input}
        done = subprocess.run(
            words, cwd=cwd, env=env, timeout=timeout, capture_output=True, text=True, errors="replace", **given
        )
        document = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
    return Report(done.returncode, done.stdout, done.stderr, document)


def load_ipython_extension(ipython) -> None:
    """``%load_ext warprace``: the cell magic ``%%warprace``."""
    from warprace import magic

    magic.load(ipython)


def main() -> None:
    """The entry point of the program ``warprace``."""
    program = executable()
    os.execv(program, [program, *sys.argv[1:]])
