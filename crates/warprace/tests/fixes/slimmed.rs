//! What `warprace slim` removes of the seeded programs, and what races without the synchronisation that it
//! keeps.

use crate::case::{Builder, Case};
use crate::mended::clean;
use crate::seeded::{self, Seeded};
use crate::{in_parallel, said, warprace, workspace};
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// The result for one program.
#[derive(Clone, Copy, Default)]
pub(crate) struct Slimmed {
    /// Seeded lines that are removed or narrowed.
    pub(crate) removed: usize,
    /// Needed lines that are not as they were.
    pub(crate) lost: usize,
    /// Mutants that race: each lacks one needed synchronisation.
    pub(crate) racing: usize,
}

/// Slims a program, and shows that the slimmed source is clean and that each mutant races.
pub(crate) fn try_one(builder: &Builder, program: &Seeded) -> Result<Slimmed, String> {
    let case = |name: String, text: &str| Case {
        name,
        text: text.to_owned(),
        nvcc: vec![],
        run: vec![],
        arguments: vec![],
    };
    let whole = case(program.name.clone(), &program.text);
    let source = whole.file(&builder.folder);
    std::fs::write(&source, &whole.text).map_err(|e| e.to_string())?;
    let built = builder.build(&whole, &source)?;
    let done = warprace()
        .args(["slim", "--apply", "--project"])
        .arg(&builder.folder)
        .arg("--")
        .arg(&built)
        .output()
        .map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let after = std::fs::read_to_string(&source).map_err(|e| e.to_string())?;
    let mut found = compare(program, &after);
    let slimmed = builder.build(&whole, &source)?;
    clean(&whole, &slimmed)?;
    let mutants = case(format!("{}-mutants", program.name), &program.mutants);
    let source = mutants.file(&builder.folder);
    std::fs::write(&source, &mutants.text).map_err(|e| e.to_string())?;
    let built = builder.build(&mutants, &source)?;
    found.racing = (1..=program.needed.len()).filter(|which| races(&built, *which)).count();
    if races(&built, 0) {
        return Err("the program without a mutation races".into());
    }
    Ok(found)
}

/// Compares the slimmed text with the program, line by line.
fn compare(program: &Seeded, after: &str) -> Slimmed {
    let mut left = after.lines().peekable();
    let mut found = Slimmed::default();
    for (i, line) in program.text.lines().enumerate() {
        let number = i as u32 + 1;
        let same = left.peek() == Some(&line);
        let seeded = program.redundant.iter().find(|(n, _)| *n == number);
        match seeded {
            Some((_, Some(narrow))) => {
                let narrowed = left.peek().is_some_and(|line| line.trim() == narrow);
                found.removed += usize::from(narrowed);
                left.next();
            }
            Some((_, None)) if !same => found.removed += 1,
            _ if same => _ = left.next(),
            _ => found.lost += usize::from(program.needed.contains(&number)),
        }
    }
    found
}

fn races(program: &Path, which: usize) -> bool {
    let mut command = warprace();
    command
        .args(["run", "--quiet", "--explore", "20", "--predict", "--"])
        .arg(program)
        .arg(which.to_string());
    command.output().is_ok_and(|done| done.status.code() == Some(66))
}

/// Tries all programs, and writes the page unless `filter` restricts them.
pub(crate) fn all(builder: &Builder, filter: &str) {
    let programs: Vec<Seeded> =
        seeded::all().into_iter().filter(|program| program.name.contains(filter)).collect();
    let results: Mutex<Vec<(usize, Result<Slimmed, String>)>> = Mutex::default();
    let numbers: Vec<usize> = (0..programs.len()).collect();
    in_parallel(&numbers, |&i| {
        let program = &programs[i];
        let result = try_one(builder, program);
        match &result {
            Ok(found) => println!(
                "{}: {} of {} seeded found, {} of {} needed lost, {} mutants race",
                program.name,
                found.removed,
                program.redundant.len(),
                found.lost,
                program.needed.len(),
                found.racing
            ),
            Err(why) => println!("{}: FAILED: {why}", program.name),
        }
        results.lock().expect("no thread panics").push((i, result));
    });
    let mut results = results.into_inner().expect("no thread panics");
    results.sort_by_key(|(i, _)| *i);
    if filter.is_empty() {
        let page = page(&programs, &results);
        std::fs::write(workspace().join("docs/results/slim.md"), page).expect("the page is written");
    }
    let bad = |(i, result): &&(usize, Result<Slimmed, String>)| match result {
        Ok(found) => found.lost > 0 || found.racing < programs[*i].needed.len(),
        Err(_) => true,
    };
    let bad: Vec<&str> = results.iter().filter(bad).map(|(i, _)| programs[*i].name.as_str()).collect();
    assert!(bad.is_empty(), "these lose what they need, or their mutants do not race: {}", bad.join(", "));
}

fn page(programs: &[Seeded], results: &[(usize, Result<Slimmed, String>)]) -> String {
    let (date, commit) = (said("date", &["+%-d %B %Y"]), said("git", &["rev-parse", "--short=8", "HEAD"]));
    let mut out = format!(
        "# Redundant synchronisation, measured\n\n\
        `cargo xtask slim` writes programs whose every synchronisation is needed, seeds more that is not,\n\
        and has `warprace slim --apply` look for it. The slimmed source is built and is clean under 20\n\
        schedules and prediction. For each needed synchronisation a mutant is built that lacks it, or has\n\
        a narrower scope: it races, and `slim` has to keep what the mutant lacks.\n\n\
        {date}, commit {commit}, dev profile.\n\n\
        | program | seeded | found | needed | removed though needed | mutants that race |\n\
        |---|---|---|---|---|---|\n"
    );
    let (mut sums, mut complete) = ([0; 5], 0);
    for (i, result) in results {
        let program = &programs[*i];
        let found = result.as_ref().copied().unwrap_or_default();
        let (seeded, needed) = (program.redundant.len(), program.needed.len());
        let row = [seeded, found.removed, needed, found.lost, found.racing];
        row.iter().zip(&mut sums).for_each(|(n, sum)| *sum += n);
        complete += usize::from(seeded == found.removed);
        let words: Vec<String> = row.iter().map(usize::to_string).collect();
        let _ = writeln!(out, "| {} | {} |", program.name, words.join(" | "));
    }
    let words: Vec<String> = sums.iter().map(usize::to_string).collect();
    let _ = writeln!(out, "| **all {}** | {} |", programs.len(), words.join(" | "));
    let _ =
        writeln!(out, "\nEverything that was seeded is found in {complete} of {} programs.", programs.len());
    out
}
