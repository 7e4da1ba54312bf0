//! Explores programs that wait at libcu++'s barriers, latches, semaphores and atomics: polling threads must
//! yield to others under every kind of schedule, so that twenty schedules end in time.

use crate::check::run;
use crate::fixture::{Expected, Fixture};
use crate::setup::Setup;
use report::Verdict;
use std::path::Path;

const WAITS: [&str; 5] = ["<cuda/barrier>", "<cuda/latch>", "<cuda/semaphore>", ".wait(", "cuda::pipeline"];

/// Runs twenty schedules within a fixture's time limit of one minute.
pub(crate) fn explored(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<(), String> {
    let chosen = fixture.run.iter().any(|option| option.starts_with("--"));
    let wanted = match fixture.expected {
        Expected::Clean => Verdict::Clean,
        Expected::Race => Verdict::Race,
        Expected::Hazard => return Ok(()),
    };
    if chosen || !WAITS.iter().any(|word| fixture.text.contains(word)) {
        return Ok(());
    }
    let done = run(setup, fixture, program, &["--explore".to_owned(), "20".to_owned()])?;
    if done.document.verdict == wanted {
        return Ok(());
    }
    Err(format!("  `--explore 20` says {:?}: {:?}\n", done.document.verdict, done.document.inconclusive))
}
