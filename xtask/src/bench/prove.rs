//! Measures the answers of `warprace prove`, and their time: kernels of `tests/prove`, or of any programs and
//! PTX in folders.
//!
//! PTX is asked about for all launches. A program, or the source of one, is run once, and asked about for the launches that
//! it made. Kernels are timed one by one, each by a process of its own, which reads its file, too. What
//! is known of them comes from their names or from what fixtures say, and is set beside the answers.

use super::known::{ANSWERS, Truth, directive};
use super::{cuda, hosted, machine};
use crate::page;
use crate::shell::{self, Outcome, root, target};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask bench prove [--host [--volatile weak]] [FOLDER...|--samples DIR|--runs DIR [--args FILE]] [--only TEXT] [--timeout SECONDS] [--minutes N] [--warprace PROGRAM] [--write]";

/// Asked about where no folder is named.
const OWN: &str = "tests/prove";

/// Folders of fixtures that `--write` tells about besides.
const FIXTURES: [&str; 5] = [
    "tests/ui/missing-barrier",
    "tests/ui/same-instruction",
    "tests/ui/inter-block",
    "tests/ui/divergent-warp",
    "tests/gwcp",
];

/// `--write` puts its tables into this page, between these lines.
const PAGE: &str = "docs/results/prove.md";
const BEGIN: &str = "<!-- cargo xtask bench prove --write -->\n";
const BEGIN_HOST: &str = "<!-- cargo xtask bench prove --host --write -->\n";
const END: &str = "<!-- end -->\n";

/// Seconds that a program may run for its launches.
const RUN_LIMIT: &str = "60";

#[derive(Default)]
struct Wanted<'a> {
    folders: Vec<&'a str>,
    /// Only files whose paths contain it.
    only: Option<&'a str>,
    /// For one kernel, in seconds.
    timeout: &'a str,
    write: bool,
    /// From the host code alone.
    host: bool,
    /// The law of `volatile` that is applied, whatever a fixture asks for.
    volatile: Option<&'a str>,
    /// A checkout of cuda-samples.
    samples: Option<&'a str>,
    /// A folder of built programs to run, and their file of arguments.
    runs: Option<&'a str>,
    args: Option<&'a str>,
    /// After so many minutes no further program is asked about.
    minutes: Option<u64>,
    /// Instead of a release build.
    warprace: Option<&'a str>,
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let mut wanted = Wanted { timeout: "20", ..Wanted::default() };
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        let mut value = || args.next().copied().ok_or_else(|| format!("`{arg}` needs a value; {USAGE}"));
        match arg {
            "--only" => wanted.only = Some(value()?),
            "--timeout" => wanted.timeout = value()?,
            "--write" => wanted.write = true,
            "--host" => wanted.host = true,
            "--volatile" => wanted.volatile = Some(value()?),
            "--samples" => wanted.samples = Some(value()?),
            "--runs" => wanted.runs = Some(value()?),
            "--args" => wanted.args = Some(value()?),
            "--minutes" => {
                let n = value()?;
                let n = n.parse().map_err(|_| format!("`{n}` is no number of minutes; {USAGE}"))?;
                wanted.minutes = Some(n);
            }
            "--warprace" => wanted.warprace = Some(value()?),
            _ if arg.starts_with('-') => return Err(format!("there is no option `{arg}`; {USAGE}")),
            folder => wanted.folders.push(folder),
        }
    }
    if wanted.timeout.parse::<u32>().is_err() {
        return Err(format!("`{}` is no number of seconds; {USAGE}", wanted.timeout));
    }
    let alone = [wanted.samples, wanted.runs].iter().flatten().count();
    if alone > 1 || alone == 1 && (wanted.write || wanted.host || !wanted.folders.is_empty()) {
        return Err(format!("`--samples` and `--runs` are about nothing else; {USAGE}"));
    }
    if wanted.args.is_some() && wanted.runs.is_none() {
        return Err(format!("`--args` is for `--runs` alone; {USAGE}"));
    }
    if wanted.volatile.is_some() && !wanted.host {
        return Err(format!("`--volatile` is for `--host` alone; {USAGE}"));
    }
    if wanted.minutes.is_some() && !wanted.host && alone == 0 {
        return Err(format!("`--minutes` is for `--host`, `--samples` and `--runs`; {USAGE}"));
    }
    if wanted.write && (wanted.only.is_some() || wanted.volatile.is_some() || !wanted.folders.is_empty()) {
        return Err(format!(
            "`--write` keeps the tables of what is measured by default: name nothing; {USAGE}"
        ));
    }
    Ok(wanted)
}

pub(super) fn run(args: &[&str]) -> Outcome {
    let wanted = parse(args)?;
    let warprace = match wanted.warprace {
        Some(program) => std::path::absolute(program).map_err(|e| format!("{program}: {e}"))?,
        None => shell::build_release()?,
    };
    let until = wanted.minutes.map(|n| Instant::now() + Duration::from_secs(60 * n));
    if let Some(samples) = wanted.samples {
        let folder = std::path::absolute(samples).map_err(|e| format!("{samples}: {e}"))?;
        let told = super::samples::run(&warprace, &folder, wanted.only, wanted.timeout, until)?;
        println!("\n{told}");
        return Ok(());
    }
    if let Some(folder) = wanted.runs {
        let told = by_runs(&warprace, &wanted, folder, until)?;
        println!("\n{told}");
        return Ok(());
    }
    if wanted.host {
        let told = by_host_code(&warprace, &wanted, until)?;
        println!("\n{told}");
        return match wanted.write {
            true => write(BEGIN_HOST, &format!("{}.\n\n{told}\n", machine())),
            false => Ok(()),
        };
    }
    let mut sets: Vec<(String, Vec<PathBuf>)> = Vec::new();
    match wanted.folders.as_slice() {
        [] => sets.push((OWN.to_owned(), vec![root().join(OWN)])),
        named => sets.extend(named.iter().map(|f| ((*f).to_owned(), vec![PathBuf::from(f)]))),
    }
    if wanted.write {
        let folders = FIXTURES.map(|f| root().join(f)).to_vec();
        sets.push((FIXTURES.join(", "), folders));
    }
    let mut text = String::new();
    for (name, folders) in sets {
        let mut files = Vec::new();
        for folder in &folders {
            find(folder, &mut files)?;
        }
        files.retain(|f| wanted.only.is_none_or(|text| f.to_string_lossy().contains(text)));
        if files.is_empty() {
            return Err(format!("there is neither a program nor PTX in {name}"));
        }
        let mut set = Set::default();
        for file in &files {
            set.ask(&warprace, file, &wanted)?;
        }
        let told = set.told(&name);
        print!("{told}");
        text.push_str(&told);
    }
    match wanted.write {
        true => write(BEGIN, &format!("{}; a process for each kernel.\n\n{text}", machine())),
        false => Ok(()),
    }
}

/// Built programs, by their launches in a run.
fn by_runs(warprace: &Path, wanted: &Wanted<'_>, folder: &str, until: Option<Instant>) -> Outcome<String> {
    let absolute = |name: &str| std::path::absolute(name).map_err(|e| format!("{name}: {e}"));
    let folder = absolute(folder)?;
    let mut files = Vec::new();
    find(&folder, &mut files)?;
    let (only, timeout) = (wanted.only, wanted.timeout);
    let args = wanted.args.map(absolute).transpose()?;
    super::ran::run(&super::ran::How { warprace, folder, args, only, timeout, until }, files)
}

/// The sources of programs, by what their host code says.
fn by_host_code(warprace: &Path, wanted: &Wanted<'_>, until: Option<Instant>) -> Outcome<String> {
    let mut files = Vec::new();
    match wanted.folders.as_slice() {
        [] => hosted::ALL.iter().try_for_each(|f| find(&root().join(f), &mut files))?,
        // Each is compiled where it is.
        named => named
            .iter()
            .try_for_each(|f| find(&std::path::absolute(f).map_err(|e| format!("{f}: {e}"))?, &mut files))?,
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "cu"));
    files.retain(|f| wanted.only.is_none_or(|text| f.to_string_lossy().contains(text)));
    match files.is_empty() {
        true => Err("there is no source of a program".to_owned()),
        false => hosted::run(warprace, &files, (wanted.timeout, wanted.volatile), until),
    }
}

/// Puts the tables into their page, behind that line.
fn write(begin: &str, tables: &str) -> Outcome {
    let file = root().join(PAGE);
    let at = |e: std::io::Error| format!("{}: {e}", file.display());
    let old = std::fs::read_to_string(&file).map_err(at)?;
    let (before, rest) =
        old.split_once(begin).ok_or_else(|| format!("{PAGE} has no line `{}`", begin.trim_end()))?;
    let (_, after) =
        rest.split_once(END).ok_or_else(|| format!("{PAGE} has no line `{}`", END.trim_end()))?;
    std::fs::write(&file, format!("{before}{begin}\n{}{END}{after}", page::wrapped(tables))).map_err(at)
}

/// PTX, sources of programs and programs in a folder and those below it. PTX stands for the source beside it.
fn find(folder: &Path, into: &mut Vec<PathBuf>) -> Outcome {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            find(&path, into)?;
        } else if extension == "ptx" || extension == "cu" && is_program(&path) || is_elf(&path) {
            into.push(path);
        }
    }
    Ok(())
}

fn is_program(source: &Path) -> bool {
    !source.with_extension("ptx").exists()
        && std::fs::read_to_string(source).is_ok_and(|text| text.contains("int main("))
}

/// A file that starts like an executable, and may be run.
fn is_elf(path: &Path) -> bool {
    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;
    let mut start = [0; 4];
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        && std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut start)).is_ok()
        && start == *b"\x7fELF"
        && path.extension().is_none_or(|e| e != "so" && e != "o")
}

/// The answers about the files of some folders.
#[derive(Default)]
struct Set {
    /// For each answer, its times and kernels.
    kernels: BTreeMap<usize, Vec<(Duration, String)>>,
    /// Kernels of which the truth is known by their names, and programs of which it is known otherwise.
    known: BTreeMap<(&'static str, Truth), [usize; 3]>,
    /// Files that nothing could be asked about.
    failed: Vec<String>,
}

impl Set {
    fn ask(&mut self, warprace: &Path, file: &Path, wanted: &Wanted<'_>) -> Outcome {
        let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        let text = match file.extension().is_some_and(|e| e == "cu") {
            true => std::fs::read_to_string(file).map_err(|e| format!("cannot read {shown}: {e}"))?,
            false => String::new(),
        };
        let asked = prepare(warprace, file, &shown, &text).and_then(|(file, facts)| {
            let question = Question { warprace, file: &file, facts: facts.as_deref(), wanted };
            question.all()
        });
        let answers = match asked {
            Ok(answers) => answers,
            Err(why) => {
                let said = why.lines().find(|l| l.contains("error")).or_else(|| why.trim().lines().last());
                let line = format!("{shown}: {}", said.unwrap_or_default());
                eprintln!("{line}");
                self.failed.push(line);
                return Ok(());
            }
        };
        let mut worst = 0;
        for (kernel, answer, time) in answers {
            println!("{} {:.3} s {shown}: {kernel}", ANSWERS[answer], time.as_secs_f64());
            if let Some(truth) = Truth::by_name(&kernel) {
                self.known.entry(("kernels", truth)).or_default()[answer] += 1;
            }
            // A race outweighs a doubt.
            worst = if worst == 1 || answer == 1 { 1 } else { worst.max(answer) };
            self.kernels.entry(answer).or_default().push((time, format!("`{kernel}` of {shown}")));
        }
        let said = text.lines().find_map(|line| match line.trim().strip_prefix("//@ lens-ptx:")?.trim() {
            "race" => Some(Truth::Racy),
            "clean" => Some(Truth::Clean),
            _ => None,
        });
        if let Some(truth) = said.or_else(|| Truth::by_name(shown.rsplit('/').next().unwrap_or_default())) {
            self.known.entry(("programs", truth)).or_default()[worst] += 1;
        }
        Ok(())
    }

    fn told(&self, name: &str) -> String {
        let mut text = format!("### {name}\n\n| answer | kernels | median, ms | longest, ms | which |\n");
        text.push_str("|---|---|---|---|---|\n");
        let mut row = |answer: &str, mut times: Vec<&(Duration, String)>| {
            times.sort();
            let ms = |t: Duration| format!("{:.0}", t.as_secs_f64() * 1e3);
            if let (Some((median, _)), Some((longest, which))) = (times.get(times.len() / 2), times.last()) {
                let n = times.len();
                let _ = writeln!(text, "| {answer} | {n} | {} | {} | {which} |", ms(*median), ms(*longest));
            }
        };
        for (answer, times) in &self.kernels {
            row(ANSWERS[*answer], times.iter().collect());
        }
        row("all", self.kernels.values().flatten().collect());
        if !self.known.is_empty() {
            text.push_str("\n| known | proved | race | unknown |\n|---|---|---|---|\n");
        }
        for ((what, truth), [proved, race, unknown]) in &self.known {
            let all = proved + race + unknown;
            let truth = if *truth == Truth::Clean { "clean" } else { "racy" };
            let _ = writeln!(text, "| {all} {truth} {what} | {proved} | {race} | {unknown} |");
        }
        if !self.failed.is_empty() {
            let _ = writeln!(text, "\nNothing could be asked about {} files:\n", self.failed.len());
            for line in &self.failed {
                let _ = writeln!(text, "* {line}");
            }
        }
        text.push('\n');
        text
    }
}

/// The file to ask about, and the launches of a program.
fn prepare(warprace: &Path, file: &Path, shown: &str, text: &str) -> Outcome<(PathBuf, Option<PathBuf>)> {
    if file.extension().is_some_and(|e| e == "ptx") {
        return Ok((file.to_owned(), None));
    }
    let out = target().join("bench/prove");
    shell::make_dir(&out)?;
    let name = shown.trim_matches('/').replace('/', "_");
    let program = match file.extension().is_some_and(|e| e == "cu") {
        true => compile(file, text, &out.join(name.trim_end_matches(".cu")))?,
        false => file.to_owned(),
    };
    let facts = out.join(format!("{name}.facts"));
    let _ = std::fs::remove_file(&facts);
    let mut run = Command::new("timeout");
    run.args(["--kill-after=5", RUN_LIMIT]).arg(warprace).args(["run", "--quiet", "--no-detect", "--facts"]);
    run.arg(&facts).arg("--").arg(&program).args(directive(text, "args")).current_dir(&out);
    let done = output(&mut run)?;
    match std::fs::metadata(&facts).is_ok_and(|m| m.len() > 0) {
        true => Ok((program, Some(facts))),
        false => Err(format!("no launch was written: {}", String::from_utf8_lossy(&done.stderr))),
    }
}

/// Compiles a program as fixtures are, unless a newer one is there.
fn compile(source: &Path, text: &str, program: &Path) -> Outcome<PathBuf> {
    let changed = |p: &Path| p.metadata().and_then(|m| m.modified()).ok();
    if changed(program).is_some_and(|t| changed(source).is_some_and(|s| s <= t)) {
        return Ok(program.to_owned());
    }
    let flags = directive(text, "nvcc");
    let mut nvcc = cuda::ensure()?.nvcc();
    nvcc.arg("-lineinfo");
    for (flag, unless) in [("-std=c++17", &["-std"][..]), ("-arch=sm_90", &["-arch", "-gencode"])] {
        if !flags.iter().any(|f| unless.iter().any(|u| f.starts_with(u))) {
            nvcc.arg(flag);
        }
    }
    let aux = directive(text, "aux").into_iter().map(|a| source.with_file_name(a));
    // Written beside and renamed, so that an interrupted compilation leaves nothing that looks complete.
    let partial = PathBuf::from(format!("{}.partial", program.display()));
    let done = output(nvcc.args(flags).arg(source).args(aux).arg("-o").arg(&partial))?;
    if !done.status.success() {
        return Err(format!("nvcc failed: {}", String::from_utf8_lossy(&done.stderr)));
    }
    std::fs::rename(&partial, program).map_err(|e| format!("cannot write {}: {e}", program.display()))?;
    Ok(program.to_owned())
}

fn output(command: &mut Command) -> Outcome<Output> {
    command.output().map_err(|e| format!("cannot run {}: {e}", command.get_program().to_string_lossy()))
}

struct Question<'a> {
    warprace: &'a Path,
    file: &'a Path,
    facts: Option<&'a Path>,
    wanted: &'a Wanted<'a>,
}

/// A kernel, an index into [`ANSWERS`], and the time of the process.
type Answer = (String, usize, Duration);

impl Question<'_> {
    /// About each kernel alone. A first process says which there are; of a single one it is the answer.
    fn all(&self) -> Outcome<Vec<Answer>> {
        let all = self.once(None)?;
        if all.len() == 1 {
            return Ok(all);
        }
        let mut answers = Vec::new();
        for (kernel, ..) in &all {
            answers.extend(self.once(Some(kernel))?.into_iter().filter(|(k, ..)| k == kernel));
        }
        match answers.len() == all.len() {
            true => Ok(answers),
            false => Err(format!("{} of {} kernels could be asked about alone", answers.len(), all.len())),
        }
    }

    fn once(&self, kernel: Option<&str>) -> Outcome<Vec<Answer>> {
        let json = target().join(format!("prove-{}.json", std::process::id()));
        let mut prove = Command::new(self.warprace);
        prove.args(["prove", "--no-proof-cache", "--any-launch"]);
        prove.args(["--timeout", self.wanted.timeout, "--json"]).arg(&json);
        if let Some(facts) = self.facts {
            prove.arg("--facts").arg(facts);
        }
        if let Some(kernel) = kernel {
            prove.arg("--kernel-name").arg(format!("kne={kernel}"));
        }
        let start = Instant::now();
        let done = output(prove.arg(self.file))?;
        let time = start.elapsed();
        let document: Option<Value> =
            std::fs::read(&json).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let _ = std::fs::remove_file(&json);
        let proofs = document.as_ref().and_then(|d| d["proofs"].as_array()).filter(|p| !p.is_empty());
        let failed = || String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        let Some(proofs) = proofs else { return Err(failed()) };
        let answer = |p: &Value| {
            let answer = ANSWERS.iter().position(|a| p["verdict"] == **a)?;
            Some((p["kernel"].as_str()?.to_owned(), answer, time))
        };
        proofs.iter().map(answer).collect::<Option<_>>().ok_or_else(|| "not a list of proofs".to_owned())
    }
}
