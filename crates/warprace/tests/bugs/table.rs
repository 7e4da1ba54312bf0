//! The page that tells which way finds which bug.

use crate::bug::Bug;
use crate::ways::{Answer, Way};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A miniature with the answers to its two variants, in the order of [`Way::ALL`].
pub(crate) struct Row {
    pub(crate) bug: Bug,
    pub(crate) race: Vec<Answer>,
    pub(crate) fixed: Vec<Answer>,
}

/// Renders `docs/bugs.md`.
pub(crate) fn page(rows: &[Row]) -> String {
    let projects: BTreeSet<&str> = rows.iter().map(|r| r.bug.project.as_str()).collect();
    let mut text = format!(
        "# A corpus of real bugs\n\n\
         `tests/bugs` holds {} miniatures of races that {} public projects have mended. Each file is our own\n\
         program, named after the project and its issue or pull request, in two variants: `race` as it\n\
         was, `fixed` as it is now. `cargo test -p warprace --test bugs` holds `run` to all of them.\n\
         `cargo xtask bugs` asks every engine and writes this page.\n\n\
         *found*: the race of the report has the two lines that race. *seen*: a race was reported with\n\
         other lines, or with one side only. *alarm*: a race was reported behind the fix.\n\n",
        rows.len(),
        projects.len()
    );
    text += "| way | found | seen | missed | alarms behind the fix |\n|---|---|---|---|---|\n";
    for (i, way) in Way::ALL.iter().enumerate() {
        let count = |word: &str| rows.iter().filter(|r| verdict(&r.bug, &r.race[i]) == word).count();
        let alarms = rows.iter().filter(|r| !r.fixed[i].races.is_empty()).count();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {alarms} |",
            way.name(),
            count("found"),
            count("seen"),
            count("-")
        );
    }
    text += "\n`prove` is asked about the launches that the program makes: races between launches, copies and\n\
             the host are not its subject. `guard` and `collide` run on the virtual GPU here.\n\n";
    text += "| bug | what was wrong |";
    for way in Way::ALL {
        let _ = write!(text, " {} |", way.name());
    }
    text += "\n|---|---|";
    text += &"---|".repeat(Way::ALL.len());
    text.push('\n');
    for row in rows {
        let _ = write!(text, "| {} #{} | {} |", row.bug.project, row.bug.number, row.bug.summary);
        for (race, fixed) in row.race.iter().zip(&row.fixed) {
            let alarm = if fixed.races.is_empty() { "" } else { ", alarm" };
            let _ = write!(text, " {}{alarm} |", verdict(&row.bug, race));
        }
        text.push('\n');
    }
    text
}

fn verdict(bug: &Bug, answer: &Answer) -> &'static str {
    if answer.races.is_empty() {
        "-"
    } else if bug.pairs.is_subset(&answer.pairs()) {
        "found"
    } else {
        "seen"
    }
}
