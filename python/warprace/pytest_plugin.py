"""``pytest --warprace``: tests on the virtual GPU, the programs of ``warprace.toml`` as tests, and a fixture to run programs."""

import os
import pathlib

import pytest

import warprace as package
from warprace import pytest_suite

try:
    import tomllib
except ImportError:  # Python 3.10 and older
    tomllib = None


def pytest_addoption(parser):
    group = parser.getgroup("warprace")
    group.addoption("--warprace", action="store_true", help="run tests and the programs of warprace.toml under warprace")
    group.addoption("--warprace-options", default="", help="more options of `warprace run`, in one word")


def pytest_configure(config):
    if pytest_suite.is_inner():
        config.pluginmanager.register(pytest_suite.Inner(config), "warprace-inner")
    elif config.getoption("--warprace") and not config.getoption("collectonly"):
        config.pluginmanager.register(pytest_suite.Outer(config), "warprace-outer")


class Raced(Exception):
    """A program did not come out clean."""


def _judge(report):
    if report.code != 0:
        raise Raced(f"{report.text}\n{report.verdict} (exit code {report.code})")
    return report


class _Runner:
    def __init__(self, options):
        self._options = options

    def run(self, command, *options, **settings):
        """Runs a program; the test fails unless it succeeds and is clean."""
        return _judge(self.report(command, *options, **settings))

    def report(self, command, *options, **settings):
        """Runs a program and returns its report, whatever it says."""
        return package.run(command, *self._options, *options, **settings)


@pytest.fixture(name="warprace")
def _warprace(request):
    return _Runner(request.config.getoption("--warprace-options").split())


def pytest_collect_file(file_path, parent):
    if file_path.name == "warprace.toml" and parent.config.getoption("--warprace") and not pytest_suite.is_inner():
        return Project.from_parent(parent, path=file_path)
    return None


class Project(pytest.File):
    """A ``warprace.toml``."""

    def collect(self):
        if tomllib is None:
            raise pytest.UsageError("--warprace needs Python 3.11 or newer")
        with open(self.path, "rb") as file:
            project = tomllib.load(file)
        for program in project.get("program", []):
            yield Program.from_parent(self, name=program["name"], program=program, project=project)


class Program(pytest.Item):
    """One of its programs."""

    def __init__(self, *, program, project, **kwargs):
        super().__init__(**kwargs)
        self.program, self.project = program, project

    def runtest(self):
        folder = pathlib.Path(self.path).parent
        directory = folder / self.program.get("directory", "")
        options = ["--suppressions", str(self.path), *self.project.get("options", []), *self.program.get("options", [])]
        options += self.config.getoption("--warprace-options").split()
        stdin = self.program.get("stdin")
        report = package.run(
            self.program["command"],
            *options,
            cwd=directory,
            env={**os.environ, **self.program.get("env", {})},
            input=(directory / stdin).read_text() if stdin else None,
            timeout=self.program.get("timeout"),
        )
        self.add_report_section("call", "program", report.output)
        _judge(report)

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, Raced):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, f"warprace: {self.name}"
