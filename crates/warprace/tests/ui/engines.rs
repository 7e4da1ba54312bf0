//! Runs other engines on every fixture. No clean fixture is reported, and each has its output on hardware;
//! for racy ones only marked lines are reported. A fixture's `engine-` lines state what an engine finds, or
//! is known to miss.

use crate::check::{lines, run, unlike_hardware};
use crate::fixture::{ENGINES, Expected, Fixture, Seen};
use crate::sample::Sampled;
use crate::setup::Setup;
use report::Verdict;
use report::model::Described;
use std::path::Path;

/// Options that require engine `virtual`, or that determine the timing on which these engines depend.
const ITS_OWN: [&str; 6] = ["--lens", "--explore", "--predict", "--replay", "--schedule", "--seed"];

/// Both engines in the same kernels. They find what `guard` finds alone; the findings of `collide` depend on
/// timing, which `guard` changes.
const TOGETHER: &str = "guard,collide";

/// Schedules under which both may find races that they miss under the usual one.
const OTHER_ORDERS: [&str; 4] = ["round-robin/3", "round-robin/5", "round-robin/11", "converged-first"];

/// Returns whether other engines run on a fixture.
pub(crate) fn are_run(fixture: &Fixture) -> bool {
    !fixture.run.iter().any(|option| ITS_OWN.contains(&option.as_str()))
}

pub(crate) fn engines(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<(), String> {
    if !are_run(fixture) {
        return Ok(());
    }
    let together = Sampled::Together.chooses(setup, fixture).then_some(TOGETHER);
    for engine in ENGINES.into_iter().chain(together) {
        let done = run(setup, fixture, program, &["--engine".to_owned(), engine.to_owned()])?;
        let document = &done.document;
        if let Some(invented) = document.races.iter().find(|race| !marked(fixture, race)) {
            let at: Vec<u32> = invented.accesses.iter().map(|access| access.line).collect();
            return Err(format!("  engine `{engine}` invents: {} {at:?}\n", invented.title));
        }
        if let Some(wrong) = document.races.iter().find(|race| misnamed(fixture, race)) {
            let class = wrong.class.name();
            return Err(format!("  engine `{engine}` calls a race of asynchronous operations {class}\n"));
        }
        if fixture.expected == Expected::Clean {
            let wrong = unlike_hardware(setup, fixture, &done);
            let own = fixture.exit.unwrap_or(0);
            if !wrong.is_empty() || document.program.exit_code != Some(own) {
                let code = document.program.exit_code;
                return Err(format!("  under engine `{engine}` it ends with {code:?}\n{wrong}"));
            }
        }
        // The timing differs for each architecture's code.
        let usual = setup.arch(fixture).is_none_or(|arch| arch == crate::arch::usual(fixture));
        let alone = if engine == TOGETHER { "guard" } else { engine };
        let expected = match fixture.engines.get(alone).filter(|_| usual) {
            Some(Seen::Race) => Verdict::Race,
            Some(Seen::Nothing) if engine == alone => Verdict::Unseen,
            _ => continue,
        };
        // For some races the order of accesses decides whether `guard` can find them, and the delays of
        // `collide` change that order.
        let elsewhere = || {
            OTHER_ORDERS.iter().any(|order| {
                let options = ["--engine", engine, "--schedule", order].map(str::to_owned);
                let found = run(setup, fixture, program, &options);
                found.is_ok_and(|done| {
                    done.document.verdict == expected
                        && done.document.races.iter().all(|race| marked(fixture, race))
                })
            })
        };
        if document.verdict != expected && !(engine == TOGETHER && elsewhere()) {
            let verdict = document.verdict;
            return Err(format!("  engine `{engine}` says {verdict:?}, and should say {expected:?}\n"));
        }
    }
    Ok(())
}

/// Classes of asynchronous operations, which `guard` tells from others.
const ASYNCHRONOUS: [&str; 2] = ["async-copy", "proxy"];

/// Returns whether a finding of `guard` has another class than the race of its lines, which asynchronous operations have.
fn misnamed(fixture: &Fixture, found: &Described) -> bool {
    let Some(both) = lines(fixture, found) else { return false };
    let named = |race: &&crate::fixture::Race| race.lines == both && !race.classes.is_empty();
    let of_operations = |class: &String| ASYNCHRONOUS.contains(&class.as_str());
    let mut races = fixture.races.iter().filter(named).peekable();
    races.peek().is_some()
        && races.all(|race| {
            race.classes.iter().all(of_operations)
                && !race.classes.iter().any(|class| class == found.class.name())
        })
}

/// Returns whether both sides are on the lines of one race. Some findings have an unknown side.
fn marked(fixture: &Fixture, found: &Described) -> bool {
    let both = lines(fixture, found);
    let known: Vec<u32> = found.accesses.iter().map(|access| access.line).filter(|line| *line > 0).collect();
    fixture.races.iter().any(|race| match (both, &known[..]) {
        (Some(both), _) => race.lines == both,
        (None, [one]) => race.lines.0 == *one || race.lines.1 == *one,
        (None, _) => false,
    })
}
