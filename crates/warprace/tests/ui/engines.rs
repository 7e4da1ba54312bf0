//! Other engines than the usual one, on fixtures that have a line for them: what they report are races on their lines with
//! both sides, and what docs/gpu.md says is missed is missed.

use crate::check::{lines, run};
use crate::fixture::{Fixture, Seen};
use crate::setup::Setup;
use report::Verdict;
use std::path::Path;

/// Only what the fixture's `engine-` lines say.
pub(crate) fn engine_lines(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<(), String> {
    for (engine, expected) in &fixture.engines {
        let done = run(setup, fixture, program, &["--engine".to_owned(), (*engine).to_owned()])?;
        let races = &done.document.races;
        let marked = |at| fixture.races.iter().any(|race| Some(race.lines) == at);
        if let Some(invented) = races.iter().find(|race| !marked(lines(fixture, race))) {
            let at = lines(fixture, invented);
            return Err(format!("  engine `{engine}` invents: {} {at:?}\n", invented.title));
        }
        let expected = match expected {
            Seen::Race => Verdict::Race,
            Seen::Nothing => Verdict::Unseen,
        };
        let verdict = done.document.verdict;
        if verdict != expected {
            return Err(format!("  engine `{engine}` says {verdict:?}, and should say {expected:?}\n"));
        }
    }
    Ok(())
}
