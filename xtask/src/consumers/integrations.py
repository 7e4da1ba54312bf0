"""Runs what GitHub and GitLab would run: ``integrations.py REPOSITORY FOLDER CODE BASELINE``.

The steps of the GitHub action and the script of the GitLab job are run in FOLDER, a project that has races: both must end
with CODE and leave their reports, and end with 0 if BASELINE, a JSON report in FOLDER, is given. The problem matcher of
VS Code must find what ``warprace check`` prints.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import yaml

repository, folder, code, baseline = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


def github(**given):
    """Runs the composite action as a runner does; returns its exit code, its outputs and its log."""
    action = yaml.safe_load((repository / "integrations/github/action.yml").read_text())
    inputs = {name: given.get(name, value.get("default", "")) for name, value in action["inputs"].items()}
    assert set(given) <= set(inputs), given
    outputs, log = {}, ""

    def expression(text):
        def value(match):
            words = match[1].strip().split(".")
            if words[0] == "inputs":
                return inputs[words[1]]
            assert words[0] == "steps" and words[2] == "outputs", match[0]
            return outputs[words[1]][words[3]]

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    for step in action["runs"]["steps"]:
        condition = step.get("if")
        if condition is not None:
            name = re.fullmatch(r"inputs\.(\w+) != ''", condition)
            assert name, f"this runner does not know the condition {condition}"
            if not inputs[name[1]]:
                continue
        file = folder / "github-output"
        file.write_text("")
        env = {**os.environ, "GITHUB_OUTPUT": str(file), "GITHUB_ACTIONS": "true"}
        env.update({name: expression(str(value)) for name, value in step.get("env", {}).items()})
        words = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]}[step["shell"]]
        done = subprocess.run([*words, expression(step["run"])], cwd=folder, env=env, capture_output=True, text=True)
        log += done.stdout + done.stderr
        outputs[step.get("id", "")] = dict(line.split("=", 1) for line in file.read_text().splitlines())
        if done.returncode:
            break
    named = {name: expression(output["value"]) for name, output in action.get("outputs", {}).items()}
    return done.returncode, named, log


def gitlab(**variables):
    """Runs the job's script as a runner does, and looks for what it must leave."""
    jobs = yaml.safe_load((repository / "integrations/gitlab/warprace.gitlab-ci.yml").read_text())
    job = jobs["warprace"]
    script = "set -eo pipefail\n" + "\n".join(job["script"])
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True
    )
    artifacts = job["artifacts"]
    for name in [*artifacts["paths"], artifacts["reports"]["junit"]]:
        assert (folder / name).is_file(), f"GitLab's job leaves no {name}: {done.stdout}{done.stderr}"
    xml.etree.ElementTree.parse(folder / artifacts["reports"]["junit"])
    return done.returncode, done.stdout + done.stderr


def problems(text):
    """What VS Code makes of a task's output: its patterns must match lines that follow one another."""
    tasks = (repository / "integrations/vscode/tasks.json").read_text()
    tasks = json.loads("\n".join(line for line in tasks.splitlines() if not line.lstrip().startswith("//")))
    patterns = tasks["tasks"][0]["problemMatcher"]["pattern"]
    lines, found = text.splitlines(), []
    for n in range(len(lines) - len(patterns) + 1):
        matches = [re.search(pattern["regexp"], line) for pattern, line in zip(patterns, lines[n:])]
        if all(matches):
            fields = {}
            for pattern, match in zip(patterns, matches):
                for field in ("code", "message", "file", "line", "column"):
                    if field in pattern:
                        fields[field] = match[pattern[field]]
            found.append(fields)
    return found


ended, outputs, log = github()
assert ended == code, f"the action ended with {ended}: {log}"
sarif = json.loads((folder / outputs["sarif-file"]).read_text())
found = sum(len(run["results"]) for run in sarif["runs"])
assert found > 0 and log.count("::error file=") == found, log
ended, _, log = github(baseline=baseline, folder="again")
assert ended == 0, f"with a baseline the action ended with {ended}: {log}"

ended, log = gitlab()
assert ended == code, f"GitLab's job ended with {ended}: {log}"
seen = problems(log)
assert len(seen) == found, f"VS Code would see {seen} in {log}"
for problem in seen:
    assert (folder / problem["file"]).is_file() and int(problem["line"]) > 0, problem
ended, log = gitlab(WARPRACE_BASELINE=baseline)
assert ended == 0, f"with a baseline GitLab's job ended with {ended}: {log}"
print(f"GitHub's action and GitLab's job ran; VS Code's problem matcher sees {found} problems")
