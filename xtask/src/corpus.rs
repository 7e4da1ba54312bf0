//! `cargo xtask corpus DIR`: many programs, one table.

use crate::measure::{Job, Measured, run as measure};
use crate::shell::{self, Outcome};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const USAGE: &str =
    "usage: cargo xtask corpus DIR [--timeout SECONDS] [--only TEXT] [--args FILE] [--json FILE] [-- WARPRACE OPTIONS]

Runs every CUDA program under DIR and tabulates what came of it. Arguments come from DIR/corpus.args (or
FILE): lines of `PROGRAM SETTINGS ARGS`, PROGRAM relative to DIR, `#` for comments; a program with several
lines is run several times, one without a line is run without arguments, `!PROGRAM` is left out. Settings:

  @dir=FOLDER       where it runs, and finds its data (relative to DIR; default: where the program is)
  @stdin=FILE       what it reads (relative to the file of arguments)
  @timeout=SECONDS  in place of --timeout
  @expect=TEXT      its output must contain this to pass; may be given several times
  @option=OPTION    an option of `warprace run` for this program

A program passes if it exits with 0 and prints what is expected.";

struct Options<'a> {
    dir: &'a Path,
    limit: Duration,
    only: Option<&'a str>,
    args_file: PathBuf,
    json: Option<&'a str>,
    warprace: Vec<String>,
}

pub(crate) fn run(args: &[&str]) -> Outcome {
    let options = parse(args)?;
    let side = match std::fs::read_to_string(&options.args_file) {
        Ok(text) => arguments(&text)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
        Err(e) => return Err(format!("cannot read {}: {e}", options.args_file.display())),
    };
    let warprace = shell::build_release()?;
    let mut programs = Vec::new();
    find(options.dir, &mut programs)?;
    programs.sort();
    programs.retain(|p| is_cuda_program(&warprace, p));

    println!(
        "| program | passes | verdict | races | hazards | launches | thread instructions | seconds | CPU seconds | note |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut rows, mut passed) = (Vec::new(), 0);
    for program in &programs {
        let name = program.strip_prefix(options.dir).unwrap_or(program).to_string_lossy().into_owned();
        if options.only.is_some_and(|text| !name.contains(text)) || side.get(&name).is_some_and(|s| s.skip) {
            continue;
        }
        let program = program.canonicalize().map_err(|e| format!("{}: {e}", program.display()))?;
        let plain = vec![Run::default()];
        for run in side.get(&name).map_or(&plain, |s| &s.runs) {
            let folder = match &run.folder {
                Some(folder) => options.dir.join(folder),
                None => program.parent().unwrap_or(Path::new("/")).to_owned(),
            };
            let beside = options.args_file.parent().unwrap_or(Path::new(""));
            let measured = measure(&Job {
                under: &[],
                warprace: &warprace,
                options: &[&options.warprace[..], &run.options].concat(),
                program: &program,
                args: &run.args,
                folder: &folder,
                stdin: run.stdin.as_ref().map(|f| beside.join(f)).as_deref(),
                limit: run.limit.unwrap_or(options.limit),
            })?;
            let row = Row::new(&name, run, &measured);
            println!("{}", row.markdown());
            passed += usize::from(row.passes);
            *verdicts.entry(row.verdict.clone()).or_default() += 1;
            rows.push(row.json());
        }
    }
    let sums: Vec<String> = verdicts.iter().map(|(v, n)| format!("{n} {v}")).collect();
    println!("\n{passed} of {} pass; {}", rows.len(), sums.join(", "));
    if let Some(file) = options.json {
        std::fs::write(file, format!("{:#}\n", Value::from(rows)))
            .map_err(|e| format!("cannot write {file}: {e}"))?;
    }
    Ok(())
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Options<'a>> {
    let (ours, warprace) = match args.iter().position(|a| *a == "--") {
        Some(at) => (&args[..at], &args[at + 1..]),
        None => (args, &[][..]),
    };
    let mut dir = None;
    let mut limit = 300;
    let (mut only, mut args_file, mut json) = (None, None, None);
    let mut words = ours.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| format!("{word} needs a value\n\n{USAGE}"));
        match *word {
            "--timeout" => limit = value()?.parse().map_err(|_| "--timeout needs a number of seconds")?,
            "--only" => only = Some(value()?),
            "--json" => json = Some(value()?),
            "--args" => args_file = Some(PathBuf::from(value()?)),
            w if w.starts_with('-') || dir.is_some() => {
                return Err(format!("`{w}` is not expected\n\n{USAGE}"));
            }
            w => dir = Some(Path::new(w)),
        }
    }
    let dir = dir.ok_or(USAGE)?;
    Ok(Options {
        dir,
        limit: Duration::from_secs(limit),
        only,
        args_file: args_file.unwrap_or_else(|| dir.join("corpus.args")),
        json,
        warprace: warprace.iter().map(|w| (*w).to_owned()).collect(),
    })
}

/// The side file's entry for a program.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Side {
    skip: bool,
    pub(crate) runs: Vec<Run>,
}

impl Side {
    /// Returns whether the program is not to be run.
    pub(crate) fn is_left_out(&self) -> bool {
        self.skip
    }
}

/// How to run it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) args: Vec<String>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) stdin: Option<PathBuf>,
    pub(crate) limit: Option<Duration>,
    pub(crate) expect: Vec<String>,
    pub(crate) options: Vec<String>,
}

impl Run {
    fn new(words: Vec<String>) -> Result<Run, String> {
        let mut run = Run::default();
        for word in words {
            let setting = match word.strip_prefix('@') {
                Some(setting) if run.args.is_empty() => setting,
                _ => {
                    run.args.push(word);
                    continue;
                }
            };
            match setting.split_once('=') {
                Some(("dir", v)) => run.folder = Some(v.into()),
                Some(("stdin", v)) => run.stdin = Some(v.into()),
                Some(("timeout", v)) => {
                    let seconds = v.parse().map_err(|_| format!("`{v}` is no number of seconds"))?;
                    run.limit = Some(Duration::from_secs(seconds));
                }
                Some(("expect", v)) => run.expect.push(v.into()),
                Some(("option", v)) => run.options.push(v.into()),
                _ => return Err(format!("unknown setting `{word}`")),
            }
        }
        Ok(run)
    }
}

/// The programs of a file of arguments.
pub(crate) fn arguments(text: &str) -> Outcome<BTreeMap<String, Side>> {
    let mut out: BTreeMap<String, Side> = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let at = |e| format!("file of arguments, line {}: {e}", n + 1);
        let mut words = split(line).map_err(at)?;
        if words.is_empty() {
            continue;
        }
        let program = words.remove(0);
        match program.strip_prefix('!') {
            Some(left_out) => out.entry(left_out.to_owned()).or_default().skip = true,
            None => out.entry(program).or_default().runs.push(Run::new(words).map_err(at)?),
        }
    }
    Ok(out)
}

/// Words as a shell splits them, with quotes but nothing else; `#` ends the line.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    words.extend(word);
    Ok(words)
}

fn find(dir: &Path, out: &mut Vec<PathBuf>) -> Outcome {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("cannot read {}: {e}", dir.display()))?;
    for entry in entries {
        let entry = entry.map_err(|e| format!("cannot read {}: {e}", dir.display()))?;
        let path = entry.path();
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() {
            find(&path, out)?;
        } else if about.is_file() && about.permissions().mode() & 0o111 != 0 {
            out.push(path);
        }
    }
    Ok(())
}

fn is_cuda_program(warprace: &Path, path: &Path) -> bool {
    let done = Command::new(warprace).arg("inspect").arg(path).output();
    done.is_ok_and(|d| {
        let text = String::from_utf8_lossy(&d.stdout);
        d.status.success() && text.lines().next().is_some_and(|l| l.contains(": program, CUDA runtime"))
    })
}

fn verdict(m: &Measured) -> String {
    match (m.timed_out, m.report["verdict"].as_str()) {
        (true, _) => "timeout".into(),
        (false, Some(v)) => v.to_owned(),
        (false, None) => "error".into(),
    }
}

/// A line of the table.
struct Row {
    program: String,
    passes: bool,
    /// How the program ended.
    end: String,
    verdict: String,
    races: usize,
    hazards: usize,
    launches: u64,
    instructions: u64,
    wall: Duration,
    cpu: Duration,
    note: String,
}

impl Row {
    fn new(name: &str, run: &Run, m: &Measured) -> Row {
        let list = |field: &str| m.report[field].as_array().map_or(0, Vec::len);
        let code = m.report["program"]["exit_code"].as_i64().or(m.exit_code.map(i64::from));
        let end = match (m.timed_out, m.report["program"]["signal"].as_i64(), code) {
            (true, ..) => "timeout".into(),
            (_, Some(signal), _) => format!("signal {signal}"),
            (_, _, Some(code)) => format!("exit {code}"),
            _ => "unknown".into(),
        };
        let printed = run.expect.iter().all(|text| m.stdout.contains(text));
        Row {
            program: [&[name.to_owned()], &run.args[..]].concat().join(" "),
            passes: end == "exit 0" && printed,
            end: if end == "exit 0" && !printed { "wrong output".into() } else { end },
            verdict: verdict(m),
            races: list("races"),
            hazards: list("hazards"),
            launches: m.number("launches"),
            instructions: m.number("thread_instructions"),
            wall: m.wall,
            cpu: m.cpu,
            note: note(m).replace('|', "/"),
        }
    }

    fn markdown(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.1} | {} |",
            self.program,
            if self.passes { "yes" } else { &self.end },
            self.verdict,
            self.races,
            self.hazards,
            self.launches,
            self.instructions,
            self.wall.as_secs_f64(),
            self.cpu.as_secs_f64(),
            self.note
        )
    }

    fn json(&self) -> Value {
        json!({
            "program": self.program,
            "passes": self.passes,
            "end": self.end,
            "verdict": self.verdict,
            "races": self.races,
            "hazards": self.hazards,
            "launches": self.launches,
            "thread_instructions": self.instructions,
            "seconds": self.wall.as_secs_f64(),
            "cpu_seconds": self.cpu.as_secs_f64(),
            "note": self.note,
        })
    }
}

/// The first thing that speaks against a plain result.
fn note(m: &Measured) -> String {
    let first = |field: &str| m.report[field].as_array().and_then(|a| a.first().cloned());
    if let Some(reason) = first("inconclusive") {
        return reason.as_str().unwrap_or_default().to_owned();
    }
    if let Some(error) = first("errors") {
        return error["title"].as_str().unwrap_or_default().to_owned();
    }
    if m.report.is_null() {
        return m.stderr.lines().find(|l| l.contains("error")).unwrap_or_default().to_owned();
    }
    let mut classes: Vec<String> = ["races", "hazards"]
        .iter()
        .filter_map(|f| m.report[f].as_array())
        .flatten()
        .filter_map(|r| r["class"].as_str().map(str::to_owned))
        .collect();
    classes.sort();
    classes.dedup();
    classes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_file_is_read_like_a_shell() {
        let text = "# comment\na/b -n 3 'two words'\n\na/b \"\"  # again\n!c\nd\n";
        let side = arguments(text).unwrap();
        let args: Vec<_> = side["a/b"].runs.iter().map(|r| r.args.clone()).collect();
        assert_eq!(args, [vec!["-n", "3", "two words"], vec![""]]);
        assert!(side["c"].skip);
        assert_eq!(side["d"].runs, [Run::default()]);
        assert!(arguments("x 'open").unwrap_err().contains("line 1"));
    }

    #[test]
    fn settings_come_before_the_arguments() {
        let text = "p @dir=../data @stdin=in @timeout=7 '@expect=Test passed' @option=--devices=2 -n @dir=x";
        let side = arguments(text).unwrap();
        let want = Run {
            args: vec!["-n".into(), "@dir=x".into()],
            folder: Some("../data".into()),
            stdin: Some("in".into()),
            limit: Some(Duration::from_secs(7)),
            expect: vec!["Test passed".into()],
            options: vec!["--devices=2".into()],
        };
        assert_eq!(side["p"].runs, [want]);
        assert!(arguments("\np @color=red").unwrap_err().contains("line 2"));
        assert!(arguments("p @timeout=soon").unwrap_err().contains("soon"));
    }

    #[test]
    fn a_program_passes_by_its_status_and_its_output() {
        let run = Run { expect: vec!["PASSED".into()], ..Run::default() };
        let measured = |code: i32, stdout: &str| Measured {
            exit_code: Some(code),
            timed_out: false,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            report: json!({ "verdict": "clean", "program": { "exit_code": code } }),
            stdout: stdout.into(),
            stderr: String::new(),
        };
        let row = |code, stdout| Row::new("p", &run, &measured(code, stdout));
        assert!(row(0, "Test PASSED").passes);
        assert!(!row(1, "Test PASSED").passes);
        let silent = row(0, "");
        assert!(!silent.passes && silent.end == "wrong output");
        assert!(silent.markdown().starts_with("| p | wrong output | clean | 0 |"));
    }
}
