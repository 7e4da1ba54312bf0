//! Two builds of warprace beside each other, by instructions of the processor and by their reports, on a machine that has other
//! things to do: a count that valgrind makes is the same on every machine and in every mood of it.
//!
//! Meant for changes that must change nothing: what a redesign costs, and whether every program's report is what it was.

use super::engine::compile;
use super::programs::{geometric_mean, short};
use crate::corpus::{Run, arguments};
use crate::cuda;
use crate::measure::{Job, run as measure};
use crate::page;
use crate::same;
use crate::shell::{Outcome, has, make_dir, root, target};
use serde_json::Value;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const USAGE: &str = "usage: cargo xtask bench counts FOLDER --builds BEFORE AFTER [--builds BEFORE AFTER …] [--only TEXT] \
                     [--fixtures FOLDER] [--limit SECONDS] [--write FILE]";

/// Small programs of those that `bench programs` runs: valgrind takes thirty times as long.
const LIST: &str = "xtask/bench/counts.list";

struct Wanted<'a> {
    folder: PathBuf,
    /// Executables `warprace`, before and after a change.
    builds: Vec<[PathBuf; 2]>,
    only: Option<&'a str>,
    /// Executables whose reports are compared besides, without arguments, and not counted.
    fixtures: Vec<PathBuf>,
    limit: Duration,
    write: Option<PathBuf>,
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let mut folder = None;
    let mut wanted = Wanted {
        folder: PathBuf::new(),
        builds: Vec::new(),
        only: None,
        fixtures: Vec::new(),
        limit: Duration::from_secs(300),
        write: None,
    };
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        let mut value = || args.next().copied().ok_or_else(|| format!("`{arg}` needs a value; {USAGE}"));
        match arg {
            "--builds" => wanted.builds.push([there(value()?)?, there(value()?)?]),
            "--only" => wanted.only = Some(value()?),
            "--fixtures" => wanted.fixtures = executables(&there(value()?)?)?,
            "--limit" => {
                let seconds: u64 = value()?.parse().map_err(|_| format!("`{arg}` wants seconds; {USAGE}"))?;
                wanted.limit = Duration::from_secs(seconds);
            }
            "--write" => wanted.write = Some(value()?.into()),
            _ if arg.starts_with('-') || folder.is_some() => {
                return Err(format!("`{arg}` is not expected; {USAGE}"));
            }
            name => folder = Some(name),
        }
    }
    if wanted.builds.is_empty() {
        return Err(format!("no builds to compare; {USAGE}"));
    }
    Ok(Wanted { folder: there(folder.ok_or(USAGE)?)?, ..wanted })
}

/// Absolute, since programs run in folders of their own.
fn there(path: &str) -> Outcome<PathBuf> {
    Path::new(path).canonicalize().map_err(|e| format!("cannot read {path}: {e}"))
}

/// The executables in a folder, by name.
fn executables(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let is_one = |path: &PathBuf| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let mut found: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_one).collect();
    found.sort();
    Ok(found)
}

pub(super) fn run(args: &[&str]) -> Outcome {
    let wanted = parse(args)?;
    if !has("valgrind") {
        return Err(
            "instructions are counted by valgrind, which is not there (Debian: apt-get install valgrind)"
                .into(),
        );
    }
    let list = std::fs::read_to_string(root().join(LIST)).map_err(|e| format!("cannot read {LIST}: {e}"))?;
    let mut programs = Vec::new();
    for (program, side) in arguments(&list)? {
        let path = match program.strip_suffix(".cu") {
            Some(_) => compile(&cuda::ensure()?, "programs", &root().join(&program), &[])?,
            None => wanted.folder.join(&program),
        };
        programs.extend(side.runs.into_iter().map(|run| (short(&program), path.clone(), run)));
    }
    programs.retain(|(name, ..)| wanted.only.is_none_or(|text| name.contains(text)));
    let (mut table, mut details) = (head(), String::new());
    print!("{table}");
    for [before, after] in &wanted.builds {
        let pair = Pair { wanted: &wanted, before, after };
        let (line, detail) = pair.compare(&programs);
        print!("{line}");
        table.push_str(&line);
        details.push_str(&detail);
        // After each pair: a count takes minutes.
        if let Some(file) = &wanted.write {
            let text = format!("# Two builds beside each other, by instructions\n\n{table}\n{details}");
            std::fs::write(file, page::wrapped(&text))
                .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        }
    }
    print!("\n{details}");
    Ok(())
}

fn head() -> String {
    "| before | after | engine, after by before | most | with detector | most | reports of programs | of fixtures |\n\
     |---|---|---|---|---|---|---|---|\n"
        .to_owned()
}

/// The name of the folder that a build is in.
fn name(build: &Path) -> String {
    let folder = build.parent().and_then(Path::file_name).unwrap_or(build.as_os_str());
    folder.to_string_lossy().into_owned()
}

struct Pair<'a> {
    wanted: &'a Wanted<'a>,
    before: &'a Path,
    after: &'a Path,
}

impl Pair<'_> {
    /// A line of the table, and what there is to say of single programs.
    fn compare(&self, programs: &[(String, PathBuf, Run)]) -> (String, String) {
        let mut detail = format!("{} and {}:\n\n", name(self.before), name(self.after));
        let (mut ratios, mut same) = ([Vec::new(), Vec::new()], 0);
        for (shown, path, run) in programs {
            match self.program(path, run) {
                Ok((both, other)) => {
                    for (all, ratio) in ratios.iter_mut().zip(both) {
                        all.push(ratio);
                    }
                    same += usize::from(other.is_none());
                    let said = other.map_or("same report".to_owned(), |other| format!("report: {other}"));
                    let _ =
                        writeln!(detail, "* {shown}: {:.3}, with detector {:.3}; {said}", both[0], both[1]);
                }
                Err(why) => {
                    let _ = writeln!(detail, "* {shown}: {}", why.lines().next().unwrap_or_default());
                }
            }
        }
        let mut alike = 0;
        for fixture in &self.wanted.fixtures {
            match self.fixture(fixture) {
                Ok(None) => alike += 1,
                Ok(Some(other)) => {
                    let _ = writeln!(detail, "* {}: report: {other}", short(&fixture.to_string_lossy()));
                }
                Err(why) => {
                    let _ = writeln!(
                        detail,
                        "* {}: {}",
                        short(&fixture.to_string_lossy()),
                        why.lines().next().unwrap_or_default()
                    );
                }
            }
        }
        detail.push('\n');
        let most = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let [engine, detector] = &ratios;
        let line = format!(
            "| {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {same} of {} the same | {alike} of {} the same |\n",
            name(self.before),
            name(self.after),
            geometric_mean(engine),
            most(engine),
            geometric_mean(detector),
            most(detector),
            programs.len(),
            self.wanted.fixtures.len(),
        );
        (line, detail)
    }

    /// How many times the instructions the later build takes, without and with the detector; where its report differs.
    fn program(&self, path: &Path, run: &Run) -> Outcome<([f64; 2], Option<String>)> {
        let mut ratios = [0.0; 2];
        let mut reports = [Value::Null, Value::Null];
        for (ratio, options) in ratios.iter_mut().zip([&["--no-detect"][..], &[]]) {
            let (before, old) = self.counted(self.before, path, run, options)?;
            let (after, new) = self.counted(self.after, path, run, options)?;
            *ratio = after as f64 / before.max(1) as f64;
            reports = [old, new];
        }
        Ok((ratios, same::difference(&reports[0], &reports[1])))
    }

    /// Instructions of one run, all its processes together, and its report.
    fn counted(&self, build: &Path, path: &Path, run: &Run, options: &[&str]) -> Outcome<(u64, Value)> {
        let counts = target().join(format!("counts-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&counts);
        make_dir(&counts)?;
        let out = format!("--cachegrind-out-file={}/%p", counts.display());
        let under = [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--trace-children=yes",
            "--log-file=/dev/null",
        ];
        let under: Vec<&str> = under.into_iter().chain(["--smc-check=all-non-file", &out]).collect();
        let report = self.report(build, path, run, options, &under);
        let sum: u64 = std::fs::read_dir(&counts)
            .map_err(|e| format!("cannot read {}: {e}", counts.display()))?
            .flatten()
            .filter_map(|file| std::fs::read_to_string(file.path()).ok())
            .filter_map(|text| text.lines().last()?.strip_prefix("summary: ")?.trim().parse::<u64>().ok())
            .sum();
        let _ = std::fs::remove_dir_all(&counts);
        match report {
            Ok(_) if sum == 0 => Err(format!("valgrind counted nothing of {}", path.display())),
            report => report.map(|report| (sum, report)),
        }
    }

    fn report(
        &self,
        build: &Path,
        path: &Path,
        run: &Run,
        options: &[&str],
        under: &[&str],
    ) -> Outcome<Value> {
        let ours = [options, &["--jobs", "1", "--quiet"]].concat();
        let options: Vec<String> = ours.iter().map(|o| (*o).to_owned()).chain(run.options.clone()).collect();
        let folder = match &run.folder {
            Some(folder) => self.wanted.folder.join(folder),
            None => path.parent().unwrap_or(Path::new("/")).to_owned(),
        };
        let m = measure(&Job {
            under,
            warprace: build,
            options: &options,
            program: path,
            args: &run.args,
            folder: &folder,
            stdin: run.stdin.as_ref().map(|f| self.wanted.folder.join(f)).as_deref(),
            limit: run.limit.unwrap_or(self.wanted.limit),
        })?;
        match (m.timed_out, m.report.is_null()) {
            (true, _) => Err(format!("takes too long under {}", name(build))),
            (_, true) => {
                let said =
                    m.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing said");
                Err(format!("no report under {}: {said}", name(build)))
            }
            _ => Ok(m.report),
        }
    }

    /// Returns the difference in a fixture's report.
    fn fixture(&self, path: &Path) -> Outcome<Option<String>> {
        let run = Run::default();
        let old = self.report(self.before, path, &run, &[], &[])?;
        let new = self.report(self.after, path, &run, &[], &[])?;
        Ok(same::difference(&old, &new))
    }
}
