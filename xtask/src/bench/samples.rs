//! Measures the answers of `warprace prove` about NVIDIA's cuda-samples from their host code alone: `bench
//! prove --samples DIR`, where `DIR` is a checkout that the user has.
//!
//! Each program that a `CMakeLists.txt` there makes of CUDA sources gets a compilation database, which `prove
//! -p` is asked about. Nothing is run, and nothing is written into the checkout. The compilers' output is
//! stored, so that only the first run takes as long as they do; two programs are asked about at a time.
//! Programs whose sources do not compile (for want of a library or a system) are left out by name.

use super::asked::{self, Answered, Compilers};
use super::kept;
use crate::shell::{self, Outcome, target};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Not of this kind: device code by other compilers, and samples for other systems.
const LEFT_OUT: [&str; 2] = ["7_libNVVM", "8_Platform_Specific"];

/// Programs at a time.
const AT_A_TIME: usize = 2;

/// A program of a sample.
struct Program {
    name: String,
    folder: PathBuf,
    sources: Vec<String>,
}

pub(super) fn run(
    warprace: &Path,
    samples: &Path,
    only: Option<&str>,
    timeout: &str,
    until: Option<Instant>,
) -> Outcome<String> {
    let mut lists = Vec::new();
    find(&samples.join("Samples"), &mut lists)?;
    let mut programs = Vec::new();
    for list in &lists {
        let text =
            std::fs::read_to_string(list).map_err(|e| format!("cannot read {}: {e}", list.display()))?;
        let folder = list.parent().map(Path::to_owned).unwrap_or_default();
        let found = executables(&text).into_iter();
        programs.extend(found.map(|(name, sources)| Program { name, folder: folder.clone(), sources }));
    }
    programs.retain(|p| only.is_none_or(|text| p.name.contains(text)));
    if programs.is_empty() {
        return Err(format!(
            "there is no program in {}: is it a checkout of cuda-samples?",
            samples.display()
        ));
    }
    let compilers = Compilers::kept()?;
    let table = Mutex::new(Table::default());
    asked::each(&programs, AT_A_TIME, |program| {
        if until.is_some_and(|until| Instant::now() > until) {
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.left_out.push(format!("{}: there was no time for it", program.name));
            return;
        }
        let answered = ask(warprace, &compilers, samples, program, timeout);
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        match answered {
            Ok(answered) => table.add(&program.name, answered),
            Err(why) => {
                println!("left out: {}: {why}", program.name);
                table.left_out.push(format!("{}: {why}", program.name));
            }
        }
    });
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner).told())
}

fn find(folder: &Path, into: &mut Vec<PathBuf>) -> Outcome {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if path.is_dir() && !LEFT_OUT.contains(&name) {
            find(&path, into)?;
        } else if name == "CMakeLists.txt" {
            into.push(path);
        }
    }
    Ok(())
}

/// `add_executable(NAME SOURCE...)` with CUDA among the sources.
fn executables(text: &str) -> Vec<(String, Vec<String>)> {
    let lines: Vec<&str> = text.lines().map(|l| l.split('#').next().unwrap_or_default()).collect();
    let text = lines.join("\n");
    let calls = text.split("add_executable(").skip(1).filter_map(|rest| rest.split(')').next());
    calls
        .filter_map(|call| {
            let mut words = call.split_whitespace().map(str::to_owned);
            let name = words.next()?;
            let is_source = |w: &String| [".cu", ".cpp", ".cc", ".c"].iter().any(|e| w.ends_with(e));
            let sources: Vec<String> = words.filter(is_source).collect();
            sources.iter().any(|s| s.ends_with(".cu")).then_some((name, sources))
        })
        .collect()
}

fn ask(
    warprace: &Path,
    compilers: &Compilers,
    samples: &Path,
    program: &Program,
    timeout: &str,
) -> Outcome<Answered> {
    let folder = target().join("bench/prove/samples").join(&program.name);
    shell::make_dir(&folder)?;
    let common = format!("-I{}", samples.join("Common").display());
    let entry = |source: &String| {
        let words = [
            &compilers.nvcc.display().to_string(),
            "-std=c++17",
            "-arch=compute_90",
            "--extended-lambda",
            "-w",
            &common,
            "-I.",
            "-Iinc",
            "-lineinfo",
            "-c",
            source,
        ];
        json!({"directory": program.folder, "file": source, "arguments": words})
    };
    let entries: Vec<Value> = program.sources.iter().map(entry).collect();
    let about = kept::state(&[&program.folder, &samples.join("Common")])?;
    asked::ask(warprace, compilers, &folder, &Value::from(entries), &about, &["--timeout", timeout])
}

#[derive(Default)]
struct Table {
    proved: usize,
    races: Vec<String>,
    /// Numbers of unknown kernels by reason.
    unknown: BTreeMap<String, usize>,
    /// Per program.
    walls: Vec<(Duration, String)>,
    memory: u64,
    left_out: Vec<String>,
}

impl Table {
    fn add(&mut self, name: &str, answered: Answered) {
        for proof in &answered.proofs {
            let kernel = proof["kernel"].as_str().unwrap_or_default();
            let verdict = proof["verdict"].as_str().unwrap_or_default();
            let why = proof["doubts"][0]["why"].as_str().unwrap_or_default();
            match verdict {
                "proved" => self.proved += 1,
                "race" => self.races.push(format!("`{kernel}` of {name}")),
                _ => *self.unknown.entry(reason(why)).or_default() += 1,
            }
            println!("{verdict}: {name}: {kernel}{}{why}", if why.is_empty() { "" } else { ": " });
        }
        self.walls.push((answered.wall, name.to_owned()));
        self.memory = self.memory.max(answered.memory);
    }

    fn told(mut self) -> String {
        let unknown: usize = self.unknown.values().sum();
        let all = self.proved + self.races.len() + unknown;
        let share = 100.0 * self.proved as f64 / all.max(1) as f64;
        let mut text = String::from("### cuda-samples, from host code alone\n\n");
        let _ = writeln!(
            text,
            "| programs | kernels that they launch | proved | race | unknown |\n|---|---|---|---|---|"
        );
        let (programs, races) = (self.walls.len(), self.races.len());
        let _ =
            writeln!(text, "| {programs} | {all} | {} ({share:.0} %) | {races} | {unknown} |\n", self.proved);
        self.walls.sort();
        self.races.sort();
        self.left_out.sort();
        if let (Some((median, _)), Some((longest, which))) = (self.walls.get(programs / 2), self.walls.last())
        {
            let (median, longest) = (median.as_secs_f64(), longest.as_secs_f64());
            let _ = writeln!(
                text,
                "A program took {median:.1} s (median; {longest:.0} s at most, {which}), compilers included if what they \
                 wrote was not kept, and the prover at most {} MiB.\n",
                self.memory >> 10
            );
        }
        let _ = writeln!(text, "| unknown because | kernels |\n|---|---|");
        let mut reasons: Vec<_> = self.unknown.into_iter().collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        for (why, n) in reasons {
            let _ = writeln!(text, "| {why} | {n} |");
        }
        for race in &self.races {
            let _ = writeln!(text, "\n* race: {race}");
        }
        if !self.left_out.is_empty() {
            let _ = writeln!(text, "\n{} programs were left out:\n", self.left_out.len());
        }
        for line in &self.left_out {
            let _ = writeln!(text, "* {line}");
        }
        text
    }
}

/// A reason without what is of one launch or one kernel.
pub(super) fn reason(why: &str) -> String {
    let launch =
        why.strip_prefix("launch ").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let shape = launch.and_then(|rest| rest.trim_start().strip_prefix("<<<"));
    let why = match shape.and_then(|rest| rest.split_once(">>>: ")) {
        Some((_, rest)) => rest,
        None => why,
    };
    let mut text = String::new();
    for c in why.chars() {
        match c {
            '0'..='9' if text.ends_with("argN") => {}
            '0'..='9' if text.ends_with("arg") => text.push('N'),
            _ => text.push(c),
        }
    }
    match text.split_once("it calls `") {
        Some(_) => "it calls a function that is not followed".to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_reasons_are_read() {
        let text = "# add_executable(no no.cu)\nadd_executable(a a.cu\n  b.cpp ${H} c.h) # more\nadd_executable(b b.cpp)";
        assert_eq!(executables(text), [("a".to_owned(), vec!["a.cu".to_owned(), "b.cpp".to_owned()])]);
        assert_eq!(reason("launch <<<64, 256>>>: the value of arg12 decides"), "the value of argN decides");
        assert_eq!(reason("launch 12 <<<(2, 2), 8>>>: `a` decides"), "`a` decides");
        assert_eq!(reason("it calls `_Z1fv`, and …"), "it calls a function that is not followed");
    }
}
