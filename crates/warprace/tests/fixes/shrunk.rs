//! What `warprace shrink` makes of the findings of the racy fixtures, built as programs of their own and run.

use crate::case::{self, Builder, Case};
use crate::{in_parallel, said, warprace, workspace};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// The shape of a launch: blocks, and threads of each.
type Shape = (u64, u64);

/// The result for one finding.
#[derive(Clone, Debug, Default)]
struct Shrunk {
    /// What the launches became; `None` if the finding was not cut down, with the reason.
    after: Option<Shape>,
    /// What is left: `launch`, `tasks` if there are two, or `program`; empty if nothing.
    form: String,
    /// Whether the stand-alone program was built and has the race; `None` if none was written, with the reason.
    alone: Option<bool>,
    why: String,
    /// The commit at which it was tried.
    commit: String,
}

/// Shrinks all findings of the racy fixtures whose names contain a word of `filter`, of all if it is empty, of those
/// that have no row yet if it is `rest`. Their rows in `docs/results/shrink.csv` are replaced, and the page is written.
pub(crate) fn all(builder: &Builder, filter: &str) {
    let record = read();
    let wanted = |name: &str| match filter {
        "rest" => !record.keys().any(|finding| fixture(finding) == name),
        words => words.split(',').any(|word| name.contains(word)),
    };
    let cases = case::cases(false, wanted);
    let record = Mutex::new(record);
    let commit = said("git", &["rev-parse", "--short=8", "HEAD"]);
    in_parallel(&cases, |case| {
        let results = of_case(builder, case);
        let mut record = record.lock().expect("no thread panics");
        record.retain(|finding, _| fixture(finding) != case.name);
        for (finding, result) in results {
            let found = match result {
                Ok(found) => Shrunk { commit: commit.clone(), ..found },
                Err(why) => Shrunk { why: line(&why), commit: commit.clone(), ..Shrunk::default() },
            };
            println!("{finding}: {} {:?}, alone {:?} {}", found.form, found.after, found.alone, found.why);
            record.insert(finding, found);
        }
        write(&record);
    });
    let record = record.into_inner().expect("no thread panics");
    let broken: Vec<&String> =
        record.iter().filter(|(_, found)| found.alone == Some(false)).map(|(name, _)| name).collect();
    assert!(broken.is_empty(), "stand-alone programs that do not race: {broken:?}");
}

/// Returns the fixture of a finding.
fn fixture(finding: &str) -> &str {
    finding.split_once(" (").map_or(finding, |(name, _)| name)
}

/// Returns the first line of a text, as a field of a table.
fn line(text: &str) -> String {
    text.lines().next().unwrap_or_default().replace(',', ";")
}

type Rows = BTreeMap<String, Shrunk>;

fn read() -> Rows {
    let text = std::fs::read_to_string(workspace().join("docs/results/shrink.csv")).unwrap_or_default();
    let row = |line: &str| {
        let fields: Vec<String> = line.splitn(7, ',').map(str::to_owned).collect();
        let [name, form, blocks, threads, alone, commit, why] = <[String; 7]>::try_from(fields).ok()?;
        let after = blocks.parse().ok().zip(threads.parse().ok());
        Some((name, Shrunk { after, form, alone: alone.parse().ok(), why, commit }))
    };
    text.lines().skip(1).filter_map(row).collect()
}

fn write(rows: &Rows) {
    let mut text = "finding,form,blocks,threads,alone,commit,why\n".to_owned();
    for (name, found) in rows {
        let (blocks, threads) =
            found.after.map_or_else(Default::default, |(b, t)| (b.to_string(), t.to_string()));
        let alone = found.alone.map_or_else(String::new, |alone| alone.to_string());
        let _ =
            writeln!(text, "{name},{},{blocks},{threads},{alone},{},{}", found.form, found.commit, found.why);
    }
    let folder = workspace().join("docs/results");
    std::fs::write(folder.join("shrink.csv"), text).expect("the record is written");
    std::fs::write(folder.join("shrink.md"), page(rows)).expect("the page is written");
}

/// Shrinks all findings of a program.
fn of_case(builder: &Builder, case: &Case) -> Vec<(String, Result<Shrunk, String>)> {
    let source = case.file(&builder.folder);
    let built = std::fs::write(&source, &case.text).map_err(|e| e.to_string());
    let program = match built.and_then(|()| builder.build(case, &source)) {
        Ok(program) => program,
        Err(why) => return vec![(case.name.clone(), Err(why))],
    };
    let count = findings(case, &program).max(1);
    let one = |n: usize| {
        let name = if count == 1 { case.name.clone() } else { format!("{} ({n})", case.name) };
        (name, shrink(builder, case, &program, n))
    };
    let out = (1..=count).map(one).collect();
    let _ = std::fs::remove_file(&program);
    out
}

/// Returns the number of findings as `shrink` counts them: of one run or, if that has none, of twenty.
fn findings(case: &Case, program: &Path) -> usize {
    let json = program.with_extension("report.json");
    let mut count = 0;
    for more in [&[][..], &["--explore", "20", "--predict"][..]] {
        let mut command = warprace();
        command.args(["run", "--quiet", "--json"]).arg(&json).args(more).args(&case.run);
        let _ = command.arg("--").arg(program).args(&case.arguments).output();
        count = self::count(&json);
        if count > 0 {
            break;
        }
    }
    count
}

fn shrink(builder: &Builder, case: &Case, program: &Path, finding: usize) -> Result<Shrunk, String> {
    let folder = program.with_extension("small");
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = warprace();
    command.args(["shrink", "--finding", &finding.to_string(), "-o"]).arg(&folder);
    if !case.run.is_empty() {
        command.arg(format!("--run={}", case.run.join(" ")));
    }
    let done = command.arg("--").arg(program).args(&case.arguments).output().expect("warprace runs");
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(said.trim().trim_start_matches("error: ").to_owned());
    }
    let after = shape(&told).ok_or_else(|| format!("no shape in: {told}"))?;
    let form = match () {
        () if folder.join("shrunk.session").exists() => "tasks",
        () if folder.join("shrunk.launch").exists() => "launch",
        () => "program",
    };
    let found = Shrunk { after: Some(after), form: form.to_owned(), ..Shrunk::default() };
    let source = folder.join("shrunk.cu");
    if !source.exists() {
        let why = told.lines().find_map(|l| l.split_once("no stand-alone program was written: "));
        let why = line(why.map_or("", |(_, why)| why));
        return Ok(Shrunk { why, ..found });
    }
    let (alone, why) = match alone(builder, case, &source, &told) {
        Ok(()) => (true, String::new()),
        Err(why) => (false, line(&why)),
    };
    let _ = std::fs::remove_dir_all(&folder);
    Ok(Shrunk { alone: Some(alone), why, ..found })
}

/// Reads `… became 1 block of 65 threads`; of several launches the most blocks and the most threads.
fn shape(told: &str) -> Option<Shape> {
    let mut out: Option<Shape> = None;
    for line in told.lines().filter(|line| line.starts_with("  launch: ")) {
        let Some((_, rest)) = line.split_once(" became ") else { return Some((0, 0)) };
        let mut numbers = rest.split(' ').filter_map(|word| word.parse().ok());
        let (blocks, threads) = (numbers.next()?, numbers.next()?);
        let (b, t) = out.unwrap_or_default();
        out = Some((b.max(blocks), t.max(threads)));
    }
    out
}

/// Builds the stand-alone program, and runs it as `shrink` says.
fn alone(builder: &Builder, case: &Case, source: &Path, told: &str) -> Result<(), String> {
    let small =
        Case { name: case.name.clone(), text: String::new(), nvcc: vec![], run: vec![], arguments: vec![] };
    let program = builder.build(&small, source)?;
    let (_, options) = told.split_once("&& warprace run").ok_or("no command")?;
    let (options, _) = options.split_once(" -- ").ok_or("no command")?;
    let json = program.with_extension("report.json");
    let mut command = warprace();
    command.args(["run", "--quiet", "--json"]).arg(&json).args(options.split_whitespace()).arg("--");
    let done = command.arg(&program).output().map_err(|e| e.to_string())?;
    match count(&json) {
        0 => Err(format!("exit code {:?}: {}", done.status.code(), String::from_utf8_lossy(&done.stderr))),
        _ => Ok(()),
    }
}

/// Returns the number of races and hazards of a report.
fn count(json: &Path) -> usize {
    let text = std::fs::read_to_string(json).ok();
    let value: Value = text.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default();
    let of = |key: &str| value[key].as_array().map_or(0, Vec::len);
    of("races") + of("hazards")
}

fn page(rows: &Rows) -> String {
    let all = rows.len();
    let is_small =
        |found: &&Shrunk| found.after.is_some_and(|(blocks, threads)| blocks <= 2 && threads <= 64);
    let small = rows.values().filter(is_small).count();
    let alone = rows.values().filter(|found| found.alone.is_some()).count();
    let race = rows.values().filter(|found| found.alone == Some(true)).count();
    let racy = case::cases(false, |_| true).len();
    let tried: BTreeSet<&str> = rows.keys().map(|finding| fixture(finding)).collect();
    let form = |form: &str| rows.values().filter(|found| found.form == form).count();
    let percent = (small * 1000 / all.max(1)) as f64 / 10.0;
    let mut commits: Vec<&str> = rows.values().map(|found| found.commit.as_str()).collect();
    commits.sort_unstable();
    commits.dedup();
    let mut out = format!(
        "# Shrinking, measured\n\n\
        `cargo xtask shrink` has `warprace shrink` cut down every finding of the racy fixtures, builds each\n\
        stand-alone program that it writes, and runs it. `cargo xtask shrink WORD` does so for the fixtures\n\
        whose names contain a word, `cargo xtask shrink rest` for those that have no result;\n\
        [shrink.csv](shrink.csv) has the last result of each finding.\n\n\
        {}, dev profile, commit {}. {} of {racy} racy fixtures were tried.\n\n\
        | findings | cut to at most 2 blocks of 64 threads | stand-alone programs | that build and race |\n\
        |---|---|---|---|\n\
        | {all} | {small} ({percent:.1} %) | {alone} | {race} |\n\n\
        {} findings became one launch, {} two tasks, {} need their program. Shapes are those of launches that\n\
        the host makes; kernels decide the shapes of those that they launch.\n\n\
        ## The rest\n",
        said("date", &["+%-d %B %Y"]),
        commits.join(", "),
        tried.len(),
        form("launch"),
        form("tasks"),
        form("program")
    );
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, found) in rows {
        let (why, line) = match (found.after, found.alone) {
            (Some((blocks, threads)), _) if blocks > 2 || threads > 64 => {
                ("More blocks or threads are left".to_owned(), format!("{name}: {blocks} of {threads}"))
            }
            (Some(_), Some(false)) => {
                (format!("The stand-alone program does not build or race ({})", found.why), name.clone())
            }
            (Some(_), None) => (format!("No stand-alone program: {}", found.why), name.clone()),
            (None, _) => (found.why.clone(), name.clone()),
            _ => continue,
        };
        groups.entry(why).or_default().push(line);
    }
    for (why, names) in groups {
        let _ = writeln!(out, "\n{} ({}):\n", why.trim_end_matches('.'), names.len());
        names.iter().for_each(|name| _ = writeln!(out, "* `{name}`"));
    }
    out
}
