//! What `warprace shrink` makes of the findings of the racy fixtures, built as programs of their own and run.

use crate::case::{self, Builder, Case};
use crate::{in_parallel, said, warprace, workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// The shape of a launch: blocks, and threads of each.
type Shape = (u64, u64);

/// The result for one finding.
#[derive(Clone, Debug)]
struct Shrunk {
    after: Shape,
    /// Whether the stand-alone program was built and has the race; `None` if none was written, with the reason.
    alone: Option<bool>,
    why: String,
}

/// Shrinks all findings of the racy fixtures whose names contain `filter`.
pub(crate) fn all(builder: &Builder, filter: &str) {
    let cases = case::cases(false, |name| name.contains(filter));
    let results: Mutex<BTreeMap<String, Result<Shrunk, String>>> = Mutex::default();
    in_parallel(&cases, |case| {
        for (finding, result) in of_case(builder, case) {
            match &result {
                Ok(found) => println!("{finding}: {:?}, alone {:?} {}", found.after, found.alone, found.why),
                Err(why) => println!("{finding}: {why}"),
            }
            results.lock().expect("no thread panics").insert(finding, result);
        }
    });
    let results = results.into_inner().expect("no thread panics");
    if filter.is_empty() {
        let page = page(&results);
        std::fs::write(workspace().join("docs/results/shrink.md"), page).expect("the page is written");
    }
    let broken: Vec<&String> = results
        .iter()
        .filter(|(_, result)| matches!(result, Ok(found) if found.alone == Some(false)))
        .map(|(name, _)| name)
        .collect();
    assert!(broken.is_empty(), "stand-alone programs that do not race: {broken:?}");
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
    let source = folder.join("shrunk.cu");
    if !source.exists() {
        let why = told.lines().find_map(|l| l.split_once("no stand-alone program was written: "));
        return Ok(Shrunk { after, alone: None, why: why.map_or("", |(_, why)| why).to_owned() });
    }
    let (alone, why) = match alone(builder, case, &source, &told) {
        Ok(()) => (true, String::new()),
        Err(why) => (false, why.lines().next().unwrap_or_default().to_owned()),
    };
    let _ = std::fs::remove_dir_all(&folder);
    Ok(Shrunk { after, alone: Some(alone), why })
}

/// Reads `… became 1 block of 65 threads`.
fn shape(told: &str) -> Option<Shape> {
    let (_, rest) = told.lines().find(|l| l.contains("  launch: "))?.split_once(" became ")?;
    let numbers: Vec<u64> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
    Some((*numbers.first()?, *numbers.get(1)?))
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

fn page(results: &BTreeMap<String, Result<Shrunk, String>>) -> String {
    let (date, commit) = (said("date", &["+%-d %B %Y"]), said("git", &["rev-parse", "--short=8", "HEAD"]));
    let all = results.len();
    let shrunk = results.values().flatten();
    let small = shrunk.clone().filter(|found| found.after.0 <= 2 && found.after.1 <= 64).count();
    let alone = shrunk.clone().filter(|found| found.alone.is_some()).count();
    let race = shrunk.clone().filter(|found| found.alone == Some(true)).count();
    let percent = |n: usize, of: usize| (n * 1000 / of.max(1)) as f64 / 10.0;
    let mut out = format!(
        "# Shrinking, measured\n\n\
        `cargo xtask shrink` has `warprace shrink` cut down every finding of the racy fixtures, builds each\n\
        stand-alone program that it writes, and runs it.\n\n\
        {date}, commit {commit}, dev profile.\n\n\
        | findings | cut to at most 2 blocks of 64 threads | stand-alone programs | that build and race |\n\
        |---|---|---|---|\n\
        | {all} | {small} ({:.1} %) | {alone} | {race} |\n\n\
        ## The rest\n",
        percent(small, all)
    );
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, result) in results {
        match result {
            Ok(found) if found.after.0 > 2 || found.after.1 > 64 => {
                let line = format!("{name}: {} of {}", found.after.0, found.after.1);
                groups.entry("More blocks or threads are needed".into()).or_default().push(line);
            }
            Ok(found) if found.alone == Some(false) => {
                let why = format!("The stand-alone program does not build or race ({})", found.why);
                groups.entry(why).or_default().push(name.clone());
            }
            Ok(_) => {}
            Err(why) => groups.entry(why.clone()).or_default().push(name.clone()),
        }
    }
    for (why, names) in groups {
        let _ = writeln!(out, "\n{} ({}):\n", why.trim_end_matches('.'), names.len());
        names.iter().for_each(|name| _ = writeln!(out, "* `{name}`"));
    }
    out
}
