//! Engine `guard` on some fixtures: races are found on their lines with both sides, nothing else is, and what
//! docs/gpu.md says is missed is missed.

use crate::check::{lines, run};
use crate::fixture::Fixture;
use crate::setup::Setup;
use report::Verdict;
use std::path::Path;

/// Racy ones, and whether the engine finds them; the clean twin of each is run, too.
const GUARDED: [(&str, bool); 9] = [
    ("atomic-scope/counter", true),
    ("divergent-warp/branches", true),
    ("inter-block/stencil-in-place", true),
    ("lock-missing/unlocked-writer", true),
    ("missing-barrier/tile-load", true),
    ("missing-fence/flag-without-acquire", true),
    ("weak-vs-atomic/plain-read-of-counter", true),
    // Another release of the program hides it.
    ("lock-wrong/two-locks", false),
    // Barriers of some threads number nobody's time.
    ("missing-barrier/named-barrier-id", false),
];

pub(crate) fn guarded(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<(), String> {
    let Some((name, kind)) = fixture.name.strip_suffix(".cu").and_then(|name| name.rsplit_once('.')) else {
        return Ok(());
    };
    let Some((_, found)) = GUARDED.iter().find(|(guarded, _)| *guarded == name) else { return Ok(()) };
    let done = run(setup, fixture, program, &["--engine".to_owned(), "guard".to_owned()])?;
    let races = &done.document.races;
    let marked = |at| fixture.races.iter().any(|race| Some(race.lines) == at);
    if let Some(invented) = races.iter().find(|race| !marked(lines(fixture, race))) {
        return Err(format!("  engine `guard` invents: {} {:?}\n", invented.title, lines(fixture, invented)));
    }
    let expected = if kind == "race" && *found { Verdict::Race } else { Verdict::Unseen };
    match done.document.verdict {
        verdict if verdict == expected => Ok(()),
        verdict => Err(format!("  engine `guard` says {verdict:?}, and should say {expected:?}\n")),
    }
}
