//! `cargo xtask corpus DIR`: many programs, one table.

use crate::measure::{Job, Measured, run as measure};
use crate::shell::{self, Outcome};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const USAGE: &str =
    "usage: cargo xtask corpus DIR [--timeout SECONDS] [--only TEXT] [--args FILE] [-- WARPRACE OPTIONS]

Runs every CUDA program under DIR in its own folder. Arguments come from DIR/corpus.args (or FILE):
lines of `PROGRAM ARGS`, PROGRAM relative to DIR, `#` for comments; a program with several lines is
run several times, one without a line is run without arguments, `!PROGRAM` is left out.";

struct Options<'a> {
    dir: &'a Path,
    limit: Duration,
    only: Option<&'a str>,
    args_file: PathBuf,
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
        "| program | exit | verdict | races | hazards | launches | thread instructions | seconds | note |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for program in &programs {
        let name = program.strip_prefix(options.dir).unwrap_or(program).to_string_lossy().into_owned();
        if options.only.is_some_and(|text| !name.contains(text)) || side.get(&name).is_some_and(|s| s.skip) {
            continue;
        }
        let none = vec![Vec::new()];
        for args in side.get(&name).map_or(&none, |s| &s.runs) {
            let program = program.canonicalize().map_err(|e| format!("{}: {e}", program.display()))?;
            let measured = measure(&Job {
                warprace: &warprace,
                options: &options.warprace,
                program: &program,
                args,
                folder: program.parent().unwrap_or(Path::new("/")),
                limit: options.limit,
            })?;
            let verdict = verdict(&measured);
            println!("{}", row(&name, args, &measured, &verdict));
            *verdicts.entry(verdict).or_default() += 1;
        }
    }
    let sums: Vec<String> = verdicts.iter().map(|(v, n)| format!("{n} {v}")).collect();
    println!("\n{}", sums.join(", "));
    Ok(())
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Options<'a>> {
    let (ours, warprace) = match args.iter().position(|a| *a == "--") {
        Some(at) => (&args[..at], &args[at + 1..]),
        None => (args, &[][..]),
    };
    let mut dir = None;
    let mut limit = 300;
    let (mut only, mut args_file) = (None, None);
    let mut words = ours.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| format!("{word} needs a value\n\n{USAGE}"));
        match *word {
            "--timeout" => limit = value()?.parse().map_err(|_| "--timeout needs a number of seconds")?,
            "--only" => only = Some(value()?),
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
        warprace: warprace.iter().map(|w| (*w).to_owned()).collect(),
    })
}

/// What the side file says about a program.
#[derive(Debug, Default, PartialEq)]
struct Side {
    skip: bool,
    /// The arguments of each run.
    runs: Vec<Vec<String>>,
}

fn arguments(text: &str) -> Outcome<BTreeMap<String, Side>> {
    let mut out: BTreeMap<String, Side> = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let mut words = split(line).map_err(|e| format!("corpus.args, line {}: {e}", n + 1))?;
        if words.is_empty() {
            continue;
        }
        let program = words.remove(0);
        match program.strip_prefix('!') {
            Some(left_out) => out.entry(left_out.to_owned()).or_default().skip = true,
            None => out.entry(program).or_default().runs.push(words),
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

fn row(name: &str, args: &[String], m: &Measured, verdict: &str) -> String {
    let list = |field: &str| m.report[field].as_array().map_or(0, Vec::len);
    let program = match m.report["program"]["signal"].as_i64() {
        Some(signal) => format!("signal {signal}"),
        None => m.report["program"]["exit_code"]
            .as_i64()
            .or(m.exit_code.map(i64::from))
            .map_or("-".into(), |c| c.to_string()),
    };
    let mut out = String::new();
    let shown = if args.is_empty() { name.to_owned() } else { format!("{name} {}", args.join(" ")) };
    let _ = write!(
        out,
        "| {shown} | {program} | {verdict} | {} | {} | {} | {} | {:.2} | {} |",
        list("races"),
        list("hazards"),
        m.number("launches"),
        m.number("thread_instructions"),
        m.wall.as_secs_f64(),
        note(m).replace('|', "/")
    );
    out
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
        assert_eq!(side["a/b"].runs, [vec!["-n", "3", "two words"], vec![""]]);
        assert!(side["c"].skip);
        assert_eq!(side["d"].runs, [Vec::<String>::new()]);
        assert!(arguments("x 'open").unwrap_err().contains("line 1"));
    }
}
