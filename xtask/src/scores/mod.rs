//! `cargo xtask scores DIR`: what the papers' detectors report of the ScoR suite, beside the papers' numbers.
//!
//! DIR is a checkout of <https://github.com/csl-iisc/ScoR>, of which no file is in this repository. Every
//! program is built, recorded, and every lens receives the same records.

mod suite;

use crate::cuda;
use crate::page;
use crate::shell::{self, Outcome};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
pub(crate) use suite::input;
use suite::{APPLICATIONS, Application, found};

const USAGE: &str = "usage: cargo xtask scores DIR [--only TEXT] [--limit SECONDS] [--write]

DIR is a checkout of github.com/csl-iisc/ScoR. With --write the tables go to docs/results/scor-lenses.md.";

/// The page to which `--write` writes the tables.
const TABLE: &str = "docs/results/scor-lenses.md";

const APPLICATION_LENSES: [&str; 6] = [
    "scord",
    "scord:cached",
    "scord:cached,mapping=neighbours",
    "scord:published",
    "iguard",
    "iguard:published",
];
const MICRO_LENSES: [&str; 8] =
    ["scord", "scord:published", "iguard", "iguard:published", "hb", "gwcp", "hirace", "ptx"];
const GRANULARITIES: [&str; 2] = ["scord:granularity=8", "scord:granularity=16"];

/// Options of `warprace trace` for the executions of an application; the first is the default schedule.
const SCHEDULES: [&[&str]; 4] = [
    &["--schedule", "converged-first"],
    &["--schedule", "round-robin"],
    &["--schedule", "random", "--seed", "1"],
    &["--schedule", "random", "--seed", "2"],
];

type Pairs = BTreeSet<(u32, u32)>;

struct Wanted<'a> {
    dir: &'a Path,
    only: &'a str,
    limit: &'a str,
    write: bool,
}

struct Tools {
    warprace: PathBuf,
    nvcc: PathBuf,
    folder: PathBuf,
    limit: String,
}

pub(crate) fn run(args: &[&str]) -> Outcome {
    let wanted = parse(args)?;
    let (micro, applications) = (wanted.dir.join("microbenchmarks/src"), wanted.dir.join("benchmarks"));
    if !micro.is_dir() || !applications.is_dir() {
        return Err(format!("{} is no checkout of the suite; {USAGE}", wanted.dir.display()));
    }
    let folder = shell::target().join("scores");
    shell::make_dir(&folder)?;
    let nvcc = cuda::ensure()?.root.join("bin/nvcc");
    let tools = Tools { warprace: shell::build_release()?, nvcc, folder, limit: wanted.limit.to_owned() };

    let mut text = format!(
        "# The ScoR suite, by the papers' detectors\n\nMade by `cargo xtask scores DIR --write`, DIR being a checkout of \
         [ScoR](https://github.com/csl-iisc/ScoR), commit `{}`.\n[lenses.md](../lenses.md) explains the numbers.\n\n",
        suite::COMMIT
    );
    micro_benchmarks(&tools, &micro, wanted.only, &mut text)?;
    let chosen = || APPLICATIONS.iter().filter(|a| a.name.contains(wanted.only));
    let tools = &tools;
    let scores: Outcome<Vec<Score>> = std::thread::scope(|scope| {
        let work = |application: &'static Application| {
            let folder = applications.join(application.name);
            scope.spawn(move || score(tools, &folder, application))
        };
        let running: Vec<_> = chosen().map(work).collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended.map(|score| score.map_err(|_| "a thread panicked".to_owned())?).collect()
    });
    let scores: Vec<(&Application, Score)> = chosen().zip(scores?).collect();
    tabulate(&scores, &mut text);
    print!("{text}");
    if !wanted.write {
        return Ok(());
    }
    let path = shell::root().join(TABLE);
    path.parent().map_or(Ok(()), shell::make_dir)?;
    std::fs::write(&path, page::wrapped(&text)).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let mut dir = None;
    let mut wanted = Wanted { dir: Path::new(""), only: "", limit: "120", write: false };
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        let mut value = || args.next().copied().ok_or_else(|| format!("`{arg}` needs a value; {USAGE}"));
        match arg {
            "--only" => wanted.only = value()?,
            "--limit" => wanted.limit = value()?,
            "--write" => wanted.write = true,
            _ if arg.starts_with('-') || dir.is_some() => return Err(USAGE.to_owned()),
            _ => dir = Some(Path::new(arg)),
        }
    }
    if wanted.write && !wanted.only.is_empty() {
        return Err("`--write` is for all programs, not for some".to_owned());
    }
    wanted.dir = dir.ok_or(USAGE)?;
    Ok(wanted)
}

impl Tools {
    fn compile(
        &self,
        sources: &[PathBuf],
        include: &Path,
        defines: &[String],
        name: &str,
    ) -> Outcome<PathBuf> {
        let (program, built_by) = (self.folder.join(name), self.folder.join(format!("{name}.command")));
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(["-std=c++17", "-w", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90", "-o"]);
        nvcc.arg(&program).arg("-I").arg(include).args(defines).args(sources);
        // A program that the same command built before is not built again.
        let command = shell::display(&nvcc);
        if program.is_file() && std::fs::read_to_string(&built_by).is_ok_and(|text| text == command) {
            return Ok(program);
        }
        shell::step(&format!("building {name}"));
        shell::run(&mut nvcc)?;
        std::fs::write(&built_by, command)
            .map_err(|e| format!("cannot write {}: {e}", built_by.display()))?;
        Ok(program)
    }

    /// Pairs of lines of `file` that each lens reports of one execution.
    fn ask(
        &self,
        program: &Path,
        schedule: &[&str],
        input: &str,
        lenses: &[&str],
        file: &str,
    ) -> Outcome<BTreeMap<String, Pairs>> {
        let (trace, json) = (program.with_extension("trace"), program.with_extension("json"));
        let stdin = program.with_extension("in");
        std::fs::write(&stdin, input).map_err(|e| format!("cannot write {}: {e}", stdin.display()))?;
        let open =
            std::fs::File::open(&stdin).map_err(|e| format!("cannot open {}: {e}", stdin.display()))?;
        let mut record = Command::new("timeout");
        record.arg(&self.limit).arg(&self.warprace).args(["trace", "--quiet"]).args(schedule);
        record
            .arg("-o")
            .arg(&trace)
            .arg("--")
            .arg(program)
            .stdin(open)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Some write their results where they run.
        let status =
            record.current_dir(&self.folder).status().map_err(|e| format!("cannot run timeout: {e}"))?;
        if status.code() == Some(124) {
            eprintln!("    stopped after {} s; what was recorded counts", self.limit);
        }
        let _ = std::fs::remove_file(&json);
        let mut predict = Command::new(&self.warprace);
        predict.args(["predict", "--quiet", "--json"]).arg(&json).arg(&trace);
        predict.args(lenses.iter().flat_map(|lens| ["--detector", lens])).stdout(Stdio::null());
        predict.status().map_err(|e| format!("cannot run predict: {e}"))?;
        let text =
            std::fs::read_to_string(&json).map_err(|e| format!("cannot read {}: {e}", json.display()))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", json.display()))?;
        let _ = std::fs::remove_file(&trace);
        lenses
            .iter()
            .map(|&lens| {
                let document = value.get(lens).ok_or_else(|| format!("no answer of {lens}: {text}"))?;
                Ok((lens.to_owned(), pairs(document, file)))
            })
            .collect()
    }
}

/// Pairs of lines in files whose names end in `file`, the earlier access first. Predicted races are races here.
fn pairs(document: &Value, file: &str) -> Pairs {
    let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
    let mut found = Pairs::new();
    for finding in list("races").into_iter().chain(list("hazards")) {
        let line = |at: usize| {
            let access = &finding["accesses"][at];
            let own = access["file"].as_str().is_some_and(|name| name.ends_with(file));
            own.then(|| access["line"].as_u64()).flatten().map(|line| line as u32)
        };
        if let (Some(a), Some(b)) = (line(0), line(1)) {
            found.insert((a, b));
        }
    }
    found
}

fn micro_benchmarks(tools: &Tools, folder: &Path, only: &str, text: &mut String) -> Outcome {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut sources: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    sources.retain(|p| p.extension().is_some_and(|e| e == "cu") && p.to_string_lossy().contains(only));
    sources.sort();
    if sources.is_empty() {
        return Ok(());
    }
    text.push_str("## Micro-benchmarks\n\nDefault schedule. `R`: reported.\n\n| micro-benchmark |");
    MICRO_LENSES.iter().for_each(|lens| *text += &format!(" `{lens}` |"));
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(MICRO_LENSES.len()));
    let mut sums = [[0; 2]; MICRO_LENSES.len()];
    for source in sources {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = tools.compile(&[source], folder, &[], &name)?;
        let found = tools.ask(&program, &[], "", &MICRO_LENSES, ".cu")?;
        let _ = write!(text, "| `{name}` |");
        for (lens, sums) in MICRO_LENSES.iter().zip(&mut sums) {
            let reported = found.get(*lens).is_some_and(|pairs| !pairs.is_empty());
            text.push_str(if reported { " R |" } else { " – |" });
            sums[usize::from(name.starts_with("norace"))] += usize::from(reported);
        }
        text.push('\n');
    }
    text.push_str("| racy, correct ones reported |");
    sums.iter().for_each(|[racy, correct]| *text += &format!(" {racy}, {correct} |"));
    text.push_str("\n\n");
    Ok(())
}

/// The races that each lens reports of an application: in the `RACEY` build, and in the correct one.
struct Score {
    racey: BTreeMap<String, Pairs>,
    correct: BTreeMap<String, Pairs>,
}

fn score(tools: &Tools, folder: &Path, application: &Application) -> Outcome<Score> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut sources: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    // `reduction` includes its kernel.
    let linked = |p: &PathBuf| application.name != "reduction" || p.to_string_lossy().contains("_main");
    sources.retain(|p| p.extension().is_some_and(|e| e == "cu") && linked(p));
    sources.sort();
    let (blocks, threads) = (application.blocks, application.threads);
    let mut defines = vec![format!("-DNBLOCKS={blocks}"), format!("-DNTHREADS={threads}")];
    let input = suite::input(application.name);
    let mut score = Score { racey: BTreeMap::new(), correct: BTreeMap::new() };
    for racey in [false, true] {
        let name = format!("{}{}", application.name, if racey { "-racey" } else { "" });
        if racey {
            defines.push("-DRACEY".to_owned());
        }
        let program = tools.compile(&sources, folder, &defines, &name)?;
        let mut lenses = APPLICATION_LENSES.to_vec();
        if !racey {
            lenses.extend(GRANULARITIES);
        }
        let schedules = &SCHEDULES[usize::from(application.needs_another_schedule)..];
        for schedule in schedules {
            shell::step(&format!("{name}: {}", schedule.join(" ")));
            let found = tools.ask(&program, schedule, &input, &lenses, "_kernel.cu")?;
            let all = if racey { &mut score.racey } else { &mut score.correct };
            for (lens, pairs) in found {
                all.entry(lens).or_default().extend(pairs);
            }
        }
    }
    Ok(score)
}

/// Distinct pairs, smaller line first.
fn in_either_order(pairs: &Pairs) -> Vec<(u32, u32)> {
    let pairs: Pairs = pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    pairs.into_iter().collect()
}

fn tabulate(scores: &[(&Application, Score)], text: &mut String) {
    let nothing = Pairs::new();
    let of = |all: &BTreeMap<String, Pairs>, lens: &str| all.get(lens).unwrap_or(&nothing).clone();
    let head = |text: &mut String, rule: &str, lenses: &[&str]| {
        lenses.iter().for_each(|lens| *text += &format!(" `{lens}` |"));
        let _ = writeln!(text, "\n{rule}{}", "---|".repeat(lenses.len()));
    };
    text.push_str(
        "## Applications\n\nConfigured races that have a report of their own, over the executions of the `RACEY` build: a pair of \
         lines counts for one.\nThe papers: ScoRD's base design 26, with caching 25; iGUARD 31, five of them in the correct \
         `reduction`.\n\n| application | configured | papers: base, cached, iGUARD |",
    );
    head(text, "|---|---|---|", &APPLICATION_LENSES);
    let mut sums = vec![0; APPLICATION_LENSES.len() + 1];
    for (application, score) in scores {
        let [base, cached, iguard] = application.papers;
        let configured = application.races.len();
        let _ = write!(text, "| `{}` | {configured} | {base}, {cached}, {iguard} |", application.name);
        sums[0] += configured;
        for (lens, sum) in APPLICATION_LENSES.iter().zip(&mut sums[1..]) {
            let found = found(application.races, &in_either_order(&of(&score.racey, lens)));
            *sum += found;
            let _ = write!(text, " {found} |");
        }
        text.push('\n');
    }
    let _ = write!(text, "| together | {} | 26, 25, 31 |", sums[0]);
    sums[1..].iter().for_each(|sum| *text += &format!(" {sum} |"));
    text.push_str(
        "\n\n## Correct builds\n\nPairs of lines reported, in brackets lines of the later access, which is what ScoRD counts. \
         Granularities are Table VII's.\n\n| application |",
    );
    let lenses = [&APPLICATION_LENSES[..], &GRANULARITIES].concat();
    head(text, "|---|", &lenses);
    for (application, score) in scores {
        let _ = write!(text, "| `{}` |", application.name);
        for lens in &lenses {
            let pairs = of(&score.correct, lens);
            let later: BTreeSet<u32> = pairs.iter().map(|&(_, later)| later).collect();
            let _ = write!(text, " {} ({}) |", in_either_order(&pairs).len(), later.len());
        }
        text.push('\n');
    }
    text.push_str("\n## Where `RACEY` changes the source\n\n| application | change |\n|---|---|\n");
    for (application, _) in scores {
        for race in application.races {
            let _ = writeln!(text, "| `{}` | {} |", application.name, race.what);
        }
    }
}
