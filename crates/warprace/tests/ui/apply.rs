//! Applies a report's advice literally: the source is changed as the report says, compiled, and run.
//!
//! Choices that the advice leaves to the reader are tried: a barrier "between the two accesses" is inserted
//! at each place between them in turn, outermost first. Advice that needs another algorithm (other elements,
//! two kernels) is checked by [`crate::twin`] only.

use crate::check::{Done, run};
use crate::fixture::Fixture;
use crate::setup::Setup;
use mend::steps;
use mend::text::Text;
use report::Verdict;
use report::advice::Way;
use report::model::{Described, Document};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// Limits how many races are fixed one after the other.
const ROUNDS: usize = 4;

/// Limits how many changes are compiled and run for one race.
const TRIES: usize = 14;

/// The result of applying advice.
pub(crate) enum Applied {
    /// These changes made the program clean.
    Clean(Vec<String>),
    /// The advice requires an understanding of the program.
    ByHand,
    /// These changes were made, and the race remains.
    Still(Vec<String>),
}

/// Changes the fixture as its report says until it is clean. `twin` is its clean twin.
pub(crate) fn apply(
    setup: &Setup,
    fixture: &Fixture,
    document: &Document,
    twin: Option<&Fixture>,
) -> Result<Applied, String> {
    let wanted = match twin.filter(|t| t.exit.is_none() && !t.output_varies) {
        Some(twin) => Some(run(setup, twin, &apart(&setup.compile(twin)?)?, &[])?.stdout),
        None => None,
    };
    let mut text = fixture.text.clone();
    let mut findings = document.races.clone();
    let (mut done, mut tried) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let Some(finding) = findings.first() else { break };
        let before = findings.len();
        let mut better = None;
        let changes = changes(&text, &finding.advice);
        for (what, changed) in changes.into_iter().take(TRIES) {
            tried.push(what.clone());
            let Ok(now) = outcome(setup, fixture, &changed) else { continue };
            let d = &now.document;
            let clean = d.verdict == Verdict::Clean;
            let right = d.program.exit_code == Some(0) && wanted.as_ref().is_none_or(|w| *w == now.stdout);
            if clean && !right {
                continue;
            }
            let mended =
                clean || d.verdict == Verdict::Race && gone(finding, &d.races) && d.races.len() <= before;
            if mended {
                better = Some((what, changed, d.races.clone()));
                break;
            }
        }
        match better {
            Some((what, changed, rest)) => {
                done.push(what);
                (text, findings) = (changed, rest);
            }
            None if tried.is_empty() => return Ok(Applied::ByHand),
            None => return Ok(Applied::Still(tried)),
        }
    }
    Ok(if findings.is_empty() { Applied::Clean(done) } else { Applied::Still(tried) })
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns all changes that the ways may mean, in their order.
fn changes(text: &str, ways: &[Way]) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let text = Text::new(text);
    for way in ways {
        let mut all = vec![(String::new(), text.clone())];
        for step in &way.steps {
            let mut next = Vec::new();
            for (said, text) in &all {
                for made in steps::changes("", text, step) {
                    let said = if said.is_empty() { made.said } else { format!("{said}; {}", made.said) };
                    next.push((said, made.text));
                }
            }
            all = next;
        }
        out.extend(all.into_iter().map(|(what, text)| (what, text.to_string())));
    }
    out
}

/// Runs the changed program under the usual schedule and, if that is clean, under two more.
fn outcome(setup: &Setup, fixture: &Fixture, text: &str) -> Result<Done, String> {
    let changed = Fixture {
        name: format!("{} as advised", fixture.name).replace(' ', "-"),
        path: setup.out.join(format!("{}-{:016x}.cu", fixture.name.replace('/', "-"), hash(text))),
        text: text.to_owned(),
        ..fixture.clone()
    };
    std::fs::create_dir_all(&setup.out).map_err(|e| e.to_string())?;
    let here = text.replace("\"../support/", &format!("\"{}/support/", setup.folder.display()));
    std::fs::write(&changed.path, here).map_err(|e| e.to_string())?;
    let program = setup.compile(&changed)?;
    let mut done = run(setup, &changed, &program, &[])?;
    for schedule in [["--schedule", "random", "--seed", "1"], ["--schedule", "round-robin/2", "--seed", "2"]]
    {
        if done.document.verdict == Verdict::Clean {
            done = run(setup, &changed, &program, &schedule.map(str::to_owned))?;
        }
    }
    // A program that is not clean is removed; a clean one need not be compiled again.
    if done.document.verdict != Verdict::Clean {
        let _ = std::fs::remove_file(&program);
    }
    let _ = std::fs::remove_file(&changed.path);
    Ok(done)
}

/// Returns whether no race of the same class remains between the same instructions. Lines are not compared,
/// since the text has changed.
fn gone(finding: &Described, races: &[Described]) -> bool {
    let key = |f: &Described| {
        let mut sides =
            f.accesses.each_ref().map(|a| (a.kind.clone(), a.instruction.clone(), a.function.clone()));
        sides.sort();
        (f.class, sides)
    };
    !races.iter().any(|race| key(race) == key(finding))
}

/// Copies the program to another name, since its own test writes files beside it at the same time.
fn apart(program: &Path) -> Result<PathBuf, String> {
    let mut name = program.as_os_str().to_owned();
    name.push("-twin");
    let copy = PathBuf::from(name);
    std::fs::copy(program, &copy).map_err(|e| format!("  {}: {e}\n", copy.display()))?;
    Ok(copy)
}
