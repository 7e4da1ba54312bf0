//! Renders the page on which engine finds which bug.

use crate::bug::Bug;
use crate::gpu::{ENGINES, Record};
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
pub(crate) fn page(rows: &[Row], record: Option<&Record>) -> String {
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
    if let Some(record) = record {
        on_gpu(&mut text, rows, record);
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

/// Adds what the engines said on a real GPU.
fn on_gpu(text: &mut String, rows: &[Row], record: &Record) {
    let [gpu, driver, date] = record.provenance();
    let _ = write!(
        text,
        "\nOn a GPU ({gpu}, driver {driver}, {date}; one run each, `cargo xtask bugs gpu`;\n\
         miniatures for two devices were not asked):\n\n\
         | engines | asked | found | seen | missed | alarms behind the fix |\n|---|---|---|---|---|---|\n"
    );
    for engine in ENGINES {
        let asked: Vec<(&Row, Answer)> =
            rows.iter().filter_map(|row| Some((row, record.answer(&row.bug, engine, "race")?))).collect();
        let count =
            |word: &str| asked.iter().filter(|(row, answer)| verdict(&row.bug, answer) == word).count();
        let fixed = rows.iter().filter_map(|row| record.answer(&row.bug, engine, "fixed"));
        let alarms = fixed.filter(|answer| !answer.races.is_empty()).count();
        let _ = writeln!(
            text,
            "| `{engine}` | {} | {} | {} | {} | {alarms} |",
            asked.len(),
            count("found"),
            count("seen"),
            count("-")
        );
    }
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
