//! Measures the answers of `warprace prove --facts` about the launches that programs make, beside what the exact detector
//! finds in the same launches: `bench prove --runs FOLDER [--args FILE]`.
//!
//! Each program in the folder is run once with the default lens and `--no-prune`, with the arguments of `FOLDER/corpus.args`
//! as `cargo xtask corpus` reads them, and its launches are written down. Then one process is asked about all of them. A
//! kernel with a race between two accesses of one launch is racy; one with neither a race nor a hazard is clean in the order
//! of threads that the run followed. The prover also answers for other orders, so that a race that it shows of a clean
//! kernel is listed, and only a proof of a racy one is wrong. Programs that did not run to their end, or were not checked
//! whole, are left out by name.

use super::asked;
use super::hosted::OF_OTHERS;
use super::known::{ANSWERS, Truth};
use super::samples::reason;
use crate::corpus::{self, Run, Side};
use crate::measure::{Job, run as measure};
use crate::shell::{self, Outcome, target};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The limit of a program's run, unless its line of arguments names one.
const LIMIT: Duration = Duration::from_secs(120);

/// The settings of the measurement.
pub(super) struct How<'a> {
    pub(super) warprace: &'a Path,
    pub(super) folder: PathBuf,
    /// The file of arguments, if not the folder's own.
    pub(super) args: Option<PathBuf>,
    pub(super) only: Option<&'a str>,
    /// For one kernel, in seconds.
    pub(super) timeout: &'a str,
    pub(super) until: Option<Instant>,
}

/// One run of a program, by its path in the folder.
struct Asked {
    name: String,
    program: PathBuf,
    run: Run,
}

pub(super) fn run(how: &How<'_>, mut files: Vec<PathBuf>) -> Outcome<String> {
    let args = how.args.clone().unwrap_or_else(|| how.folder.join("corpus.args"));
    let sides = match std::fs::read_to_string(&args) {
        Ok(text) => corpus::arguments(&text)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && how.args.is_none() => BTreeMap::new(),
        Err(e) => return Err(format!("cannot read {}: {e}", args.display())),
    };
    files.retain(|f| f.extension().is_none_or(|e| e != "ptx" && e != "cu"));
    let all: Vec<Asked> = files.into_iter().flat_map(|program| runs_of(how, &sides, program)).collect();
    if all.is_empty() {
        return Err(format!("there is no built program in {}", how.folder.display()));
    }
    let table = Mutex::new(Table::default());
    let at_a_time = std::thread::available_parallelism().map_or(1, usize::from);
    asked::each(&all, at_a_time, |asked| {
        let answered = match how.until.is_some_and(|until| Instant::now() > until) {
            true => Err("there was no time for it".to_owned()),
            false => ask(how, asked),
        };
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        table.add(&asked.name, answered);
    });
    Ok(table.into_inner().unwrap_or_else(PoisonError::into_inner).told(at_a_time))
}

/// The runs of a program that its lines of arguments name: one without arguments if there is no line.
fn runs_of(how: &How<'_>, sides: &BTreeMap<String, Side>, program: PathBuf) -> Vec<Asked> {
    let name = program.strip_prefix(&how.folder).unwrap_or(&program).to_string_lossy().into_owned();
    if how.only.is_some_and(|text| !name.contains(text)) {
        return Vec::new();
    }
    let runs = match sides.get(&name) {
        Some(side) if side.is_left_out() => Vec::new(),
        Some(side) => side.runs.clone(),
        None => vec![Run::default()],
    };
    runs.into_iter().map(|run| Asked { name: name.clone(), program: program.clone(), run }).collect()
}

/// Kernels by what a run has found.
#[derive(Default)]
struct Known {
    /// With a race between two accesses of one launch.
    racy: BTreeSet<String>,
    /// With a hazard and no such race: neither racy nor clean.
    hazards: BTreeSet<String>,
}

/// What a run and the prover say about the kernels of one program.
struct Answered {
    truth: Known,
    proofs: Vec<Value>,
    wall: Duration,
    memory: u64,
}

fn ask(how: &How<'_>, asked: &Asked) -> Outcome<Answered> {
    let folder = target().join("bench/prove/runs");
    shell::make_dir(&folder)?;
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let facts = folder.join(format!("{}-{n}.facts", std::process::id()));
    let answered = truth(how, asked, &facts).and_then(|truth| prove(how, asked, &facts, truth));
    let _ = std::fs::remove_file(&facts);
    answered
}

/// Runs the program: writes its launches, and returns what is found in them.
fn truth(how: &How<'_>, asked: &Asked, facts: &Path) -> Outcome<Known> {
    let mut options: Vec<String> =
        ["--quiet", "--jobs", "1", "--no-prune", "--facts"].map(str::to_owned).to_vec();
    options.push(facts.to_string_lossy().into_owned());
    options.extend(asked.run.options.iter().cloned());
    let beside = asked.program.parent().unwrap_or(Path::new("/")).to_owned();
    let measured = measure(&Job {
        under: &[],
        warprace: how.warprace,
        options: &options,
        program: &asked.program,
        args: &asked.run.args,
        folder: &asked.run.folder.as_ref().map_or(beside, |f| how.folder.join(f)),
        stdin: asked.run.stdin.as_ref().map(|f| how.folder.join(f)).as_deref(),
        limit: asked.run.limit.unwrap_or(LIMIT),
    })?;
    let report = &measured.report;
    if measured.timed_out || report.is_null() {
        return Err(format!("its run did not end in {} s", measured.wall.as_secs()));
    }
    if let Some(why) = report["inconclusive"].as_array().and_then(|all| all.first()) {
        return Err(format!("not checked whole: {}", why.as_str().unwrap_or_default()));
    }
    if let Some(error) = report["errors"].as_array().and_then(|all| all.first()) {
        return Err(format!("its run failed: {}", error["title"].as_str().unwrap_or_default()));
    }
    if measured.number("launches") == 0 {
        return Err("it launches nothing".to_owned());
    }
    Ok(known(report))
}

/// The kernels that have a finding about two accesses of one launch.
fn known(report: &Value) -> Known {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let own = |race: &Value| {
        let classes = list(&race["also"]).into_iter().chain([race.clone()]);
        let mut classes = classes.map(|one| one["class"].as_str().unwrap_or_default().to_owned());
        classes.any(|class| !OF_OTHERS.contains(&class.as_str()))
    };
    let kernels = |field: &str| -> BTreeSet<String> {
        let found = list(&report[field]).into_iter().filter(own);
        found
            .filter_map(|one| {
                let kernel = |side: usize| one["accesses"][side]["kernel"].as_str().map(str::to_owned);
                kernel(0).filter(|name| kernel(1).as_ref() == Some(name))
            })
            .collect()
    };
    let (racy, hazards) = (kernels("races"), kernels("hazards"));
    Known { hazards: hazards.difference(&racy).cloned().collect(), racy }
}

/// Asks about all of the launches.
fn prove(how: &How<'_>, asked: &Asked, facts: &Path, truth: Known) -> Outcome<Answered> {
    let report = facts.with_extension("json");
    let mut prove = Command::new(how.warprace);
    prove.args(["prove", "--timeout", how.timeout, "--json"]).arg(&report);
    prove.arg("--facts").arg(facts).arg(&asked.program);
    let watched = asked::watched(&mut prove);
    let document = std::fs::read(&report).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let _ = std::fs::remove_file(&report);
    let (wall, memory) = watched?;
    let proofs = document.as_ref().and_then(|d| d["proofs"].as_array()).cloned().unwrap_or_default();
    match proofs.is_empty() {
        true => Err("nothing could be asked about it".to_owned()),
        false => Ok(Answered { truth, proofs, wall, memory }),
    }
}

/// Numbers of kernels: proved, race, unknown.
type Counts = [usize; 3];

#[derive(Default)]
struct Table {
    /// By suite, the first folder of the path.
    known: BTreeMap<(String, Truth), Counts>,
    programs: BTreeMap<String, usize>,
    reasons: BTreeMap<(Truth, String), usize>,
    /// Per kernel of a program, in the mean.
    times: Vec<(Duration, String)>,
    memory: (u64, String),
    /// Kernels with a hazard alone.
    hazards: Vec<String>,
    wrong: Vec<String>,
    other_orders: Vec<String>,
    open: Vec<String>,
    left_out: Vec<String>,
}

impl Table {
    fn add(&mut self, name: &str, answered: Outcome<Answered>) {
        let answered = match answered {
            Ok(answered) => answered,
            Err(why) => {
                println!("left out: {name}: {why}");
                self.left_out.push(format!("`{name}`: {why}"));
                return;
            }
        };
        let suite = name.split_once('/').map_or("", |(suite, _)| suite);
        *self.programs.entry(suite.to_owned()).or_default() += 1;
        for proof in &answered.proofs {
            let kernel = proof["kernel"].as_str().unwrap_or_default();
            let answer = ANSWERS.iter().position(|a| proof["verdict"] == **a).unwrap_or(2);
            let why = proof["doubts"][0]["why"].as_str().unwrap_or_default();
            let shown = format!("`{kernel}` of {name}");
            if answered.truth.hazards.contains(kernel) {
                println!("hazard: {}: {name}: {kernel}: {why}", ANSWERS[answer]);
                self.hazards.push(shown);
                continue;
            }
            let truth = match answered.truth.racy.contains(kernel) {
                true => Truth::Racy,
                false => Truth::Clean,
            };
            println!("{truth:?}: {}: {name}: {kernel}: {why}", ANSWERS[answer]);
            self.known.entry((suite.to_owned(), truth)).or_default()[answer] += 1;
            match (truth, answer) {
                (Truth::Racy, 0) => self.wrong.push(shown),
                (Truth::Clean, 1) => self.other_orders.push(shown),
                (_, 2) => {
                    *self.reasons.entry((truth, reason(why))).or_default() += 1;
                    self.open.push(format!("{shown}: {why}"));
                }
                _ => {}
            }
        }
        let each = answered.wall / u32::try_from(answered.proofs.len()).unwrap_or(1);
        self.times.push((each, name.to_owned()));
        self.memory = std::mem::take(&mut self.memory).max((answered.memory, name.to_owned()));
    }

    fn told(mut self, at_a_time: usize) -> String {
        let mut text = String::from(
            "| suite | programs | clean kernels | proved | race | unknown | racy kernels | race | proved | unknown |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
        );
        let mut sums = [Counts::default(); 2];
        for (suite, programs) in &self.programs {
            let of = |truth| self.known.get(&(suite.clone(), truth)).copied().unwrap_or_default();
            let rows = [of(Truth::Clean), of(Truth::Racy)];
            for (sum, row) in sums.iter_mut().zip(rows) {
                sum.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
            }
            text.push_str(&row(suite, *programs, rows));
        }
        text.push_str(&row("all", self.programs.values().sum(), sums));
        self.times.sort();
        if let (Some((median, _)), Some((longest, which))) =
            (self.times.get(self.times.len() / 2), self.times.last())
        {
            let (memory, most) = (self.memory.0 >> 10, &self.memory.1);
            let _ = writeln!(
                text,
                "\nTime for a kernel (of a program in the mean, with reading its launches, {at_a_time} programs at a time): \
                 median {:.0} ms, at most {:.1} s ({which}); memory at most {memory} MiB ({most}).",
                median.as_secs_f64() * 1e3,
                longest.as_secs_f64(),
            );
        }
        let _ = writeln!(text, "\n| unknown because | clean | racy |\n|---|---|---|");
        text.push_str(&reasons(&self.reasons));
        for (title, mut lines) in [
            ("Wrong: proved, with a race in the run", self.wrong),
            ("A race in another order of threads than the run's", self.other_orders),
            ("Left out, as the run found a hazard alone", self.hazards),
            ("Unknown", self.open),
            ("Left out", self.left_out),
        ] {
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

/// A line of the table.
fn row(suite: &str, programs: usize, [clean, racy]: [Counts; 2]) -> String {
    let share = |counts: Counts, n: usize| match counts.iter().sum::<usize>() {
        0 => "0".to_owned(),
        all => format!("{n} ({:.0} %)", 100.0 * n as f64 / all as f64),
    };
    format!(
        "| {suite} | {programs} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        clean.iter().sum::<usize>(),
        share(clean, clean[0]),
        clean[1],
        clean[2],
        racy.iter().sum::<usize>(),
        share(racy, racy[1]),
        racy[0],
        racy[2]
    )
}

/// A line for each reason, the most frequent first.
fn reasons(counted: &BTreeMap<(Truth, String), usize>) -> String {
    let mut by_reason: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for ((truth, why), n) in counted {
        by_reason.entry(why).or_default()[usize::from(*truth == Truth::Racy)] += n;
    }
    let mut all: Vec<_> = by_reason.into_iter().collect();
    all.sort_by_key(|(_, [clean, racy])| std::cmp::Reverse(clean + racy));
    all.iter().map(|(why, [clean, racy])| format!("| {why} | {clean} | {racy} |\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn race(class: &str, kernels: [&str; 2], also: &[&str]) -> Value {
        let also: Vec<Value> = also.iter().map(|class| json!({"class": class})).collect();
        json!({"class": class, "accesses": kernels.map(|k| json!({"kernel": k})), "also": also})
    }

    #[test]
    fn a_kernel_is_racy_by_races_of_one_launch_alone() {
        let report = json!({"races": [
            race("missing-barrier", ["a()", "a()"], &[]),
            race("inter-kernel", ["b()", "b()"], &[]),
            race("inter-kernel", ["c()", "c()"], &["inter-block"]),
            race("inter-kernel", ["d()", "a()"], &[]),
        ], "hazards": [race("same-instruction", ["a()", "a()"], &[]), race("volatile", ["e()", "e()"], &[])]});
        let known = known(&report);
        assert_eq!(known.hazards.into_iter().collect::<Vec<_>>(), ["e()"]);
        assert_eq!(known.racy.into_iter().collect::<Vec<_>>(), ["a()", "c()"]);
    }

    #[test]
    fn a_proof_of_a_racy_kernel_is_wrong_and_a_race_of_a_clean_one_is_not() {
        let proof = |kernel: &str, verdict: &str| json!({"kernel": kernel, "verdict": verdict, "doubts": [{"why": "launch 2 <<<1, 1>>>: it is hard"}]});
        let mut table = Table::default();
        let answered = Answered {
            truth: Known {
                racy: ["bad()".to_owned(), "hard()".to_owned()].into(),
                hazards: ["odd()".to_owned()].into(),
            },
            proofs: vec![
                proof("bad()", "proved"),
                proof("good()", "race"),
                proof("hard()", "unknown"),
                proof("odd()", "unknown"),
            ],
            wall: Duration::from_millis(40),
            memory: 2048,
        };
        table.add("suite/program", Ok(answered));
        table.add("suite/other", Err("it launches nothing".into()));
        assert_eq!(table.wrong, ["`bad()` of suite/program"]);
        assert_eq!(table.other_orders, ["`good()` of suite/program"]);
        let told = table.told(1);
        for line in [
            "| suite | 1 | 1 | 0 (0 %) | 1 | 0 | 2 | 0 (0 %) | 1 | 1 |",
            "| it is hard | 0 | 1 |",
            "median 10 ms",
            "* `odd()` of suite/program",
            "memory at most 2 MiB (suite/program)",
            "* `suite/other`: it launches nothing",
        ] {
            assert!(told.contains(line), "{line}: {told}");
        }
    }
}
