//! Finds programs of a CMake build folder: the tests that ctest lists, and CUDA executables that no test
//! runs.
//!
//! Sources: cmake-file-api(7), object kind "codemodel" version 2; ctest(1), `--show-only=json-v1`.

use super::{Found, keeps_lines, read, without_lines};
use crate::project::Program;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of CMake's replies, and the file that requests them.
const REPLY: &str = ".cmake/api/v1/reply";
const QUERY: &str = ".cmake/api/v1/query/client-warprace";

pub(super) fn discover(folder: &Path, build: bool) -> Result<Found, String> {
    let cache = std::fs::read_to_string(folder.join("CMakeCache.txt"))
        .map_err(|e| format!("cannot read `{}/CMakeCache.txt`: {e}", folder.display()))?;
    let cached = |name: &str, or: &str| {
        let line = cache.lines().find_map(|line| line.strip_prefix(name)?.split_once('='));
        line.map_or(or, |(_, value)| value).to_owned()
    };
    let cmake = cached("CMAKE_COMMAND:", "cmake");
    let query = folder.join(QUERY);
    std::fs::create_dir_all(&query)
        .and_then(|()| std::fs::write(query.join("codemodel-v2"), ""))
        .map_err(|e| format!("cannot ask CMake in `{}`: {e}", folder.display()))?;
    if build || model(folder).is_err() {
        call(&cmake, &[folder.as_os_str()], folder)?;
    }
    if build {
        call(&cmake, &["--build".as_ref(), folder.as_os_str()], folder)?;
    }
    let targets = targets(folder)?;
    let mut programs = tests(&cached("CMAKE_CTEST_COMMAND:", "ctest"), folder, &targets)?;
    let mut bare = Vec::new();
    for target in &targets {
        if !target.keeps_lines {
            bare.push(target.name.clone());
        }
        if !programs.iter().any(|program| program.command.iter().any(|word| target.is(word))) {
            programs.push(Program {
                name: target.name.clone(),
                command: vec![target.path.display().to_string()],
                ..Program::default()
            });
        }
    }
    match programs.is_empty() {
        true => Err(format!("CMake knows no executable with CUDA sources in `{}`", folder.display())),
        false => Ok(Found { programs, notes: without_lines(&bare).into_iter().collect() }),
    }
}

/// Runs CMake with its output on stderr, since the standard output is for reports.
fn call(cmake: &str, args: &[&std::ffi::OsStr], folder: &Path) -> Result<(), String> {
    let shown = format!("{cmake} {}", args.join(" ".as_ref()).to_string_lossy());
    let output = std::io::stderr().as_fd().try_clone_to_owned().map_or(Stdio::null(), Stdio::from);
    let _ = std::io::stderr().flush();
    match Command::new(cmake).args(args).current_dir(folder).stdout(output).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status}): nothing was run")),
        Err(e) => Err(format!("cannot run `{shown}`: {e}")),
    }
}

/// An executable with kernels.
#[derive(Debug)]
struct Target {
    name: String,
    path: PathBuf,
    keeps_lines: bool,
}

impl Target {
    /// Returns whether a word of a command is the path of this target.
    fn is(&self, word: &str) -> bool {
        Path::new(word) == self.path
    }
}

/// Returns the newest index of replies.
fn index(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder.join(REPLY)).ok()?;
    let names = files.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let newest = names.filter(|name| name.starts_with("index-") && name.ends_with(".json")).max()?;
    Some(folder.join(REPLY).join(newest))
}

/// The file API's description of a target.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Described {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    artifacts: Vec<Artifact>,
    #[serde(default)]
    compile_groups: Vec<Group>,
    #[serde(default)]
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Artifact {
    path: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    language: String,
    #[serde(default)]
    compile_command_fragments: Vec<Fragment>,
}

#[derive(Debug, Deserialize)]
struct Fragment {
    fragment: String,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    id: String,
}

/// Returns CMake's newest reply to the request.
fn model(folder: &Path) -> Result<Value, String> {
    let index = index(folder).ok_or_else(|| {
        format!("CMake did not answer in `{}` (it must be 3.14 or newer)", folder.display())
    })?;
    let index: Value = read(&index)?;
    let model = &index["reply"]["client-warprace"]["codemodel-v2"]["jsonFile"];
    let model = model.as_str().ok_or("CMake did not tell its targets: it must be 3.14 or newer")?;
    read(&folder.join(REPLY).join(model))
}

/// Returns the executables that have CUDA sources or depend on a target that has.
fn targets(folder: &Path) -> Result<Vec<Target>, String> {
    let model = model(folder)?;
    let mut all: BTreeMap<String, Described> = BTreeMap::new();
    let mut order = Vec::new();
    // A generator with several configurations uses the first one.
    for target in model["configurations"][0]["targets"].as_array().into_iter().flatten() {
        let (Some(id), Some(file)) = (target["id"].as_str(), target["jsonFile"].as_str()) else { continue };
        all.insert(id.to_owned(), read(&folder.join(REPLY).join(file))?);
        order.push(id.to_owned());
    }
    let mut out = Vec::new();
    for id in order {
        let groups = cuda(&id, &all);
        let target = &all[&id];
        let Some(artifact) = target.artifacts.first().filter(|_| target.kind == "EXECUTABLE") else {
            continue;
        };
        if !groups.is_empty() {
            let words = |group: &&Group| {
                let all = group.compile_command_fragments.iter();
                keeps_lines(all.flat_map(|fragment| fragment.fragment.split_whitespace()))
            };
            out.push(Target {
                name: target.name.clone(),
                path: folder.join(&artifact.path),
                keeps_lines: groups.iter().all(words),
            });
        }
    }
    Ok(out)
}

/// Returns the CUDA sources of a target and of all targets that it depends on.
fn cuda<'a>(id: &str, all: &'a BTreeMap<String, Described>) -> Vec<&'a Group> {
    let (mut out, mut met, mut next) = (Vec::new(), BTreeSet::new(), vec![id.to_owned()]);
    while let Some(id) = next.pop() {
        let Some(target) = all.get(&id).filter(|_| met.insert(id.clone())) else { continue };
        out.extend(target.compile_groups.iter().filter(|group| group.language == "CUDA"));
        next.extend(target.dependencies.iter().map(|dependency| dependency.id.clone()));
    }
    out
}

/// Returns the tests that run one of the targets, with their arguments, folders and variables.
fn tests(ctest: &str, folder: &Path, targets: &[Target]) -> Result<Vec<Program>, String> {
    let listed = Command::new(ctest).arg("--show-only=json-v1").current_dir(folder).output();
    let listed = listed.map_err(|e| format!("cannot run `{ctest}`: {e}"))?;
    // Some versions of ctest print no JSON if there are no tests.
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap_or_default();
    let mut out = Vec::new();
    for test in listed["tests"].as_array().into_iter().flatten() {
        let words = |value: &Value| -> Vec<String> {
            value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|word| Some(word.as_str()?.to_owned()))
                .collect()
        };
        let command = words(&test["command"]);
        let property = |name: &str| {
            let all = test["properties"].as_array()?;
            all.iter().find(|property| property["name"] == name).map(|property| &property["value"])
        };
        let known = command.iter().any(|word| targets.iter().any(|target| target.is(word)));
        let own =
            property("LABELS").is_some_and(|labels| words(labels).iter().any(|label| label == "warprace"));
        if !known || own || property("DISABLED").is_some_and(|value| value == true) {
            continue;
        }
        let env = property("ENVIRONMENT").map(words).unwrap_or_default();
        out.push(Program {
            name: test["name"].as_str().unwrap_or_default().to_owned(),
            command,
            directory: property("WORKING_DIRECTORY").and_then(Value::as_str).unwrap_or_default().into(),
            env: env
                .iter()
                .filter_map(|pair| pair.split_once('='))
                .map(|(a, b)| (a.into(), b.into()))
                .collect(),
            timeout: property("TIMEOUT").and_then(Value::as_f64).map(|seconds| seconds.ceil() as u64),
            ..Program::default()
        });
    }
    Ok(out)
}
