//! Measures the answers of `warprace prove` about the fixtures from their host code alone: `bench prove
//! --host [FOLDER...]`.
//!
//! Each program gets a compilation database, which `prove -p` is asked about; two programs at a time. What is known of a program is
//! set beside the answers: its name says whether it is racy, and its blessed report whether the race is between accesses of one
//! launch; programs of the ScoR suite are named `race_…` and `norace_…`. Races with other launches, copies and the host are no question to the prover: of these programs it must not say *race*,
//! and whatever else it says is right.

use super::asked::{self, Answered, Compilers};
use super::known::{ANSWERS, Truth, directive};
use crate::shell::{self, Outcome, root, target};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Asked about where nothing is named.
pub(super) const ALL: [&str; 3] = ["tests/ui", "tests/gwcp", "tests/prove"];

/// Programs at a time.
const AT_A_TIME: usize = 2;

/// Classes of races that are not one launch's own.
pub(super) const OF_OTHERS: [&str; 4] = ["inter-kernel", "host-device", "memcpy-async", "multi-gpu"];

pub(super) fn run(
    warprace: &Path,
    files: &[PathBuf],
    (timeout, volatile): (&str, Option<&str>),
    until: Option<Instant>,
) -> Outcome<String> {
    let compilers = Compilers::kept()?;
    let table = Mutex::new(Table::default());
    asked::each(files, AT_A_TIME, |file| {
        if until.is_some_and(|until| Instant::now() > until) {
            table.lock().unwrap_or_else(PoisonError::into_inner).not_asked += 1;
            return;
        }
        let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        let answered = ask(warprace, &compilers, file, &shown, (timeout, volatile));
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        match answered {
            Ok((answered, _)) if answered.proofs.is_empty() => {
                println!("left out: {shown}: no kernel was asked about");
                table.left_out.push(format!("`{shown}`: no kernel was asked about"));
            }
            Ok((answered, known)) => table.add(&shown, &answered, &known),
            Err(why) => {
                // A page is of no machine.
                let why = why.replace(&format!("{}/", root().display()), "");
                println!("left out: {shown}: {why}");
                table.left_out.push(format!("`{shown}`: {why}"));
            }
        }
    });
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner).told())
}

/// The known truth about a program.
enum Known {
    /// Known for each kernel by its name.
    ByNames,
    Clean,
    /// A race between a launch's own accesses.
    Racy,
    /// Only with another launch, a copy or the host.
    RacyWithOthers,
}

impl Known {
    fn of(source: &Path, text: &str) -> Self {
        let said = text.lines().find_map(|line| line.trim().strip_prefix("//@ lens-ptx:")).map(str::trim);
        let name = source.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let truth = match said {
            Some("race") => Some(Truth::Racy),
            Some("clean") => Some(Truth::Clean),
            _ if name.starts_with("race_") => Some(Truth::Racy),
            _ if name.starts_with("norace_") => Some(Truth::Clean),
            _ => Truth::by_name(name),
        };
        match truth {
            None => Known::ByNames,
            Some(Truth::Clean) => Known::Clean,
            Some(Truth::Racy) => match std::fs::read_to_string(source.with_extension("stderr")) {
                Ok(report) if !has_own_race(&report) => Known::RacyWithOthers,
                _ => Known::Racy,
            },
        }
    }
}

/// Whether a report has a race between two accesses of one launch.
fn has_own_race(report: &str) -> bool {
    report.split("race[").skip(1).any(|race| {
        let class = race.split(']').next().unwrap_or_default();
        !OF_OTHERS.contains(&class) && race.lines().any(|line| line.trim_start().starts_with("= kernel: `"))
    })
}

/// As fixtures are compiled. Asked twice if a compiler had to run: times are the prover's.
fn ask(
    warprace: &Path,
    compilers: &Compilers,
    source: &Path,
    shown: &str,
    (timeout, volatile): (&str, Option<&str>),
) -> Outcome<(Answered, Known)> {
    let text = std::fs::read_to_string(source).map_err(|e| format!("cannot read {shown}: {e}"))?;
    let folder = target().join("bench/prove/hosted").join(shown.trim_matches('/').replace('/', "_"));
    shell::make_dir(&folder)?;
    let flags = directive(&text, "nvcc");
    let mut words = vec![compilers.nvcc.display().to_string(), "-lineinfo".to_owned(), "-w".to_owned()];
    for (flag, unless) in [("-std=c++17", &["-std"][..]), ("-arch=compute_90", &["-arch", "-gencode"])] {
        if !flags.iter().any(|f| unless.iter().any(|u| f.starts_with(u))) {
            words.push(flag.to_owned());
        }
    }
    words.extend(flags.iter().map(|f| (*f).to_owned()));
    let beside = source.parent().unwrap_or(Path::new("."));
    let aux = directive(&text, "aux").into_iter().map(|a| beside.join(a));
    let sources: Vec<PathBuf> = [source.to_owned()].into_iter().chain(aux).collect();
    let entry = |source: &PathBuf| {
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(["-c", source.to_str().unwrap_or_default()]).collect();
        json!({"directory": beside, "file": source, "arguments": words})
    };
    let entries: Vec<Value> = sources.iter().map(entry).collect();
    let about = sources.iter().map(|s| std::fs::read_to_string(s).unwrap_or_default()).collect::<String>();
    let mut options = vec!["--timeout", timeout];
    let asked_for = directive(&text, "run").windows(2).any(|w| w == ["--volatile", "weak"]).then_some("weak");
    if let Some(law) = volatile.or(asked_for) {
        options.extend(["--volatile", law]);
    }
    let once = || {
        asked::ask(
            warprace,
            compilers,
            &folder,
            &Value::from(entries.clone()),
            &super::kept::hashed(&about),
            &options,
        )
    };
    let before = compilers.results();
    let mut answered = once()?;
    if compilers.results() != before {
        answered = once()?;
    }
    Ok((answered, Known::of(source, &text)))
}

/// Numbers of kernels: proved, race, unknown.
type Counts = [usize; 3];

#[derive(Default)]
struct Table {
    kernels: Counts,
    known: BTreeMap<&'static str, Counts>,
    /// Answers that contradict the known truth, and undecided ones.
    wrong: Vec<String>,
    open: Vec<String>,
    /// Per kernel of a program, in the mean.
    times: Vec<(Duration, String)>,
    memory: u64,
    /// Kernels whose time was used up.
    ended: usize,
    /// Programs for which there was no time.
    not_asked: usize,
    left_out: Vec<String>,
}

impl Table {
    fn add(&mut self, shown: &str, answered: &Answered, known: &Known) {
        let mut worst = 0;
        for proof in &answered.proofs {
            let kernel = proof["kernel"].as_str().unwrap_or_default();
            let answer = ANSWERS.iter().position(|a| proof["verdict"] == **a).unwrap_or(2);
            let why = proof["doubts"][0]["why"].as_str().unwrap_or_default();
            println!("{}: {shown}: {kernel}{}{why}", ANSWERS[answer], if why.is_empty() { "" } else { ": " });
            self.kernels[answer] += 1;
            let all = proof["doubts"].as_array().map_or(&[][..], Vec::as_slice);
            let ended = |doubt: &Value| doubt["why"].as_str().is_some_and(|why| why.contains("its time "));
            self.ended += usize::from(answer == 2 && all.iter().any(ended));
            worst = if worst == 1 || answer == 1 { 1 } else { worst.max(answer) };
            let of = match (known, Truth::by_name(kernel)) {
                (Known::ByNames, Some(Truth::Clean)) => Some(("clean kernels", 1)),
                (Known::ByNames, Some(Truth::Racy)) => Some(("racy kernels", 0)),
                _ => None,
            };
            if let Some((of, wrong)) = of {
                self.known.entry(of).or_default()[answer] += 1;
                self.tell(answer, wrong, &format!("`{kernel}` of {shown}"), of);
            }
            if answer == 2 && !matches!(known, Known::ByNames) {
                self.open.push(format!("`{kernel}` of {shown}: {why}"));
            }
        }
        let of = match known {
            Known::ByNames => None,
            Known::Clean => Some(("clean programs", 1)),
            Known::Racy => Some(("programs with a race of one launch", 0)),
            Known::RacyWithOthers => Some(("programs with races between tasks alone", 1)),
        };
        if let Some((of, wrong)) = of {
            self.known.entry(of).or_default()[worst] += 1;
            self.tell(worst, wrong, shown, of);
        }
        let each = answered.wall / u32::try_from(answered.proofs.len().max(1)).unwrap_or(1);
        self.times.push((each, shown.to_owned()));
        self.memory = self.memory.max(answered.memory);
    }

    fn tell(&mut self, answer: usize, wrong: usize, what: &str, of: &str) {
        if answer == wrong {
            self.wrong.push(format!("{}: {what} ({of})", ANSWERS[answer]));
        }
    }

    fn told(mut self) -> String {
        let [proved, race, unknown] = self.kernels;
        let mut text = format!(
            "{} programs with {} kernels: {proved} proved, {race} with a race, {unknown} unknown ({} of them as their time was used up).\n",
            self.times.len(),
            proved + race + unknown,
            self.ended
        );
        if self.not_asked > 0 {
            let _ = writeln!(text, "For {} more programs there was no time.\n", self.not_asked);
        }
        text.push_str("\n| known | proved | race | unknown |\n|---|---|---|---|\n");
        for (of, [proved, race, unknown]) in &self.known {
            let all = proved + race + unknown;
            let share = |n: &usize| format!("{n} ({:.0} %)", 100.0 * *n as f64 / all.max(1) as f64);
            let (proved, race) = (share(proved), share(race));
            let _ = writeln!(text, "| {all} {of} | {proved} | {race} | {unknown} |");
        }
        self.times.sort();
        if let (Some((median, _)), Some((longest, which))) =
            (self.times.get(self.times.len() / 2), self.times.last())
        {
            let _ = writeln!(
                text,
                "\nTime for a kernel (of a program in the mean, without the compilers, two programs at a time): median {:.0} ms, at most \
                 {:.1} s ({which}); memory at most {} MiB.",
                median.as_secs_f64() * 1e3,
                longest.as_secs_f64(),
                self.memory >> 10
            );
        }
        for (title, mut lines) in
            [("Not as it is known", self.wrong), ("Unknown", self.open), ("Left out", self.left_out)]
        {
            lines.sort();
            if !lines.is_empty() {
                let _ = writeln!(text, "\n{title}:\n");
            }
            for line in lines {
                let _ = writeln!(text, "* {line}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_of_one_launch_are_told_from_those_with_others() {
        let own = "race[missing-barrier]: …\n   |\n   = kernel: `k(int*)`\n";
        let two = "race[inter-block]: …\n   |\n   = kernel: (1) `a()`, (2) `b()`\n";
        let copy = "race[memcpy-async]: …\n   |\n   = kernel: `k(int*)`\n";
        assert!(has_own_race(own) && has_own_race(&format!("{copy}{own}")));
        assert!(!has_own_race(two) && !has_own_race(copy) && !has_own_race(""));
    }
}
