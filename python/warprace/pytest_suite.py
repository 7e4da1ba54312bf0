"""``pytest --warprace`` for the tests of a Python package: each file's tests run under ``warprace run``, in a process of their own.

pytest itself runs twice. The process that the user started collects the tests and shows their outcomes. For each file it starts pytest
under ``warprace run`` with the same arguments; there this plugin keeps the tests that are wanted and writes their outcomes to a file.
If the run of a file has a race, each of its tests is run again on its own, so that the race is the failure of the test that has it.
"""

import json
import os
import re
import sys
import tempfile

import pytest

import warprace as package

# A JSON file with the tests that are wanted: set for the pytest that runs under ``warprace run``.
WANTED = "WARPRACE_PYTEST"

# ``warprace run`` ends so if races were found.
RACES = 66

# So begins the reason of a run in which no kernel was launched.
IDLE = "no kernel was launched"


def is_inner():
    """Whether this process runs under ``warprace run`` for another pytest."""
    return WANTED in os.environ


class Inner:
    """Runs the wanted tests only, and writes each phase's outcome as a line of JSON."""

    def __init__(self, config):
        self.config = config
        with open(os.environ[WANTED], encoding="utf-8") as file:
            wanted = json.load(file)
        self.tests = set(wanted["tests"])
        self.results = open(wanted["results"], "a", encoding="utf-8")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid in self.tests]

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        print(json.dumps(data), file=self.results, flush=True)


class Outer:
    """Shows the outcomes of tests that run under ``warprace run``."""

    def __init__(self, config):
        self.config = config
        self.options = config.getoption("--warprace-options").split()
        self.phases = {}
        self.unchecked = {}
        self.checked = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if not runs_here(item):
            return None
        if item.nodeid not in self.phases:
            tests = [one.nodeid for one in item.session.items if one.path == item.path and runs_here(one)]
            self.run_file(tests)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.phases[item.nodeid]:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def run_file(self, tests):
        """Runs a file's tests in one process; those of a file with a race on their own, too."""
        report, phases = self.run(tests)
        raced = report.code == RACES
        if raced and len(tests) > 1:
            raced = False
            for test in tests:
                alone, its_phases = self.run([test])
                phases[test] = its_phases[test]
                if alone.code == RACES:
                    raced = True
                    fail(phases[test], test, alone.text)
            if not raced:
                text = f"{report.text}\nThe tests of this file have the race together, and none of them alone."
                fail(phases[tests[-1]], tests[-1], text)
        elif raced:
            fail(phases[tests[0]], tests[0], report.text)
        for reason in report.document.get("inconclusive", []):
            if not reason.startswith(IDLE):
                self.unchecked.setdefault(reason, tests[0].split("::")[0])
        self.checked += len(tests)
        self.phases.update(phases)

    def run(self, tests):
        """Runs tests under ``warprace run``: the report, and the phases of each test."""
        with tempfile.TemporaryDirectory(prefix="warprace-") as folder:
            wanted, results = os.path.join(folder, "wanted.json"), os.path.join(folder, "results")
            with open(wanted, "w", encoding="utf-8") as file:
                json.dump({"tests": tests, "results": results}, file)
            given = self.config.invocation_params
            report = package.run(
                [sys.executable, "-m", "pytest", *given.args, "-p", "no:cacheprovider"],
                *self.options,
                cwd=given.dir,
                env={**os.environ, WANTED: wanted},
            )
            phases = {test: [] for test in tests}
            if os.path.exists(results):
                with open(results, encoding="utf-8") as file:
                    for line in file:
                        self.add(phases, json.loads(line))
        for test, found in phases.items():
            if not any(phase.when == "teardown" for phase in found):
                text = f"{report.output}\n{report.text}\nThe process ended before this test did."
                fail(found, test, text)
        return report, phases

    def add(self, phases, data):
        phase = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        if phase is not None and phase.nodeid in phases:
            phases[phase.nodeid].append(phase)

    def pytest_terminal_summary(self, terminalreporter):
        if self.checked:
            terminalreporter.section("warprace")
            terminalreporter.line(f"{self.checked} tests ran on the virtual GPU")
        for reason, file in self.unchecked.items():
            terminalreporter.line(f"inconclusive: {file}: {reason}", yellow=True)


def fail(phases, test, text):
    """Makes a test's phases those of a failed test."""
    # The line of the report that repeats the run is for this program's user, not for the inner pytest.
    again = rf'= replay: pytest --warprace --warprace-options="\1" "{test}"'
    text = re.sub(r"= replay: warprace run (.*?) -- .*", lambda found: found.expand(again), text)
    call = next((phase for phase in phases if phase.when == "call"), None)
    if call is not None and call.outcome != "passed":
        call.sections.append(("warprace", text))
    elif call is not None:
        call.outcome, call.longrepr = "failed", text
    else:
        location = (test.split("::")[0], None, test.split("::", 1)[-1])
        phases.append(pytest.TestReport(test, location, {}, "failed", text, "call"))


def runs_here(item):
    """Whether a test is to run under ``warprace run``: functions that do not start programs by the fixture themselves."""
    return isinstance(item, pytest.Function) and "warprace" not in item.fixturenames
