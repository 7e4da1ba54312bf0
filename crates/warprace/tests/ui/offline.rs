//! Records the fixture's execution and analyses the trace: two workers find the same as one, and the default
//! detector finds what it found during the run.

use crate::check::{Done, lines};
use crate::fixture::{Expected, Fixture};
use crate::sample::Sampled;
use crate::setup::Setup;
use names::lens::SERIAL;
use report::model::{Described, Document};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks the analyses. `live` is the run under the same schedule.
pub(crate) fn offline(setup: &Setup, fixture: &Fixture, program: &Path, live: &Done) -> Result<(), String> {
    // Options choose schedules, detectors and bounds that `predict` does not have.
    if !fixture.run.is_empty() {
        return lens_lines(setup, fixture, program);
    }
    let trace = recorded(setup, fixture, program)?;
    let all: Vec<&str> = std::iter::once("ptx").chain(SERIAL).collect();
    let one = analysed(setup, &trace, "1", &all)?;
    let mut wrong = unlike_lines(fixture, &one);
    if Sampled::Offline.chooses(setup, fixture) {
        wrong += &otherwise(setup, fixture, &trace, &one)?;
    }
    let recorded = one.get("ptx").map(|d| named(fixture, &d.races)).unwrap_or_default();
    let live = named(fixture, &live.document.races);
    // Traces have no host lines, so accesses and copies of the host are compared by class only.
    let classes =
        |races: &Named| -> BTreeSet<&'static str> { races.iter().map(|(class, _)| *class).collect() };
    let same = classes(&recorded) == classes(&live)
        && recorded.iter().filter(|(_, lines)| lines.is_some()).all(|race| live.contains(race));
    if !same {
        wrong += &format!("  recorded, the races are {recorded:?}; live they are {live:?}\n");
    }
    let _ = std::fs::remove_file(&trace);
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Races by class and lines.
type Named = BTreeSet<(&'static str, Option<(u32, u32)>)>;

fn named(fixture: &Fixture, races: &[Described]) -> Named {
    races.iter().map(|race| (race.class.name(), lines(fixture, race))).collect()
}

/// Compares what one worker finds with what two find, and with what one finds in three passes over memory.
fn otherwise(
    setup: &Setup,
    fixture: &Fixture,
    trace: &Path,
    one: &BTreeMap<String, Document>,
) -> Result<String, String> {
    let all: Vec<&str> = one.keys().map(String::as_str).collect();
    let two = analysed(setup, trace, "2", &all)?;
    let parts = predicted(setup, trace, "parts", &["--parts", "3", "--detector", "ptx"])?;
    let mut wrong = String::new();
    for &lens in &all {
        let found = |by: &BTreeMap<String, Document>| {
            by.get(lens).map(|d| match lens {
                // Workers of `ptx` may access a location in either order, so the earlier access of a race may differ.
                "ptx" => format!("{:?}", named(fixture, &d.races)),
                _ => serde_json::to_string(&(&d.races, &d.hazards)).unwrap_or_default(),
            })
        };
        if found(one) != found(&two) {
            wrong += &format!("  `predict --detector {lens}` finds something else with two jobs\n");
        }
    }
    // Of races of the same threads and addresses, the first that is found stands for a finding.
    let of = |d: &Document| {
        (d.verdict, named(fixture, &d.races), named(fixture, &d.hazards), d.inconclusive.clone())
    };
    if one.get("ptx").is_none_or(|whole| of(whole) != of(&parts)) {
        wrong += "  `predict` finds something else with memory in three parts\n";
    }
    Ok(wrong)
}

/// Checks the fixture's `lens-` lines only, on one trace and with one process for all lenses.
pub(crate) fn lens_lines(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<(), String> {
    let lenses: Vec<&str> = fixture.lenses.keys().copied().collect();
    if lenses.is_empty() {
        return Ok(());
    }
    let trace = recorded(setup, fixture, program)?;
    let wrong = unlike_lines(fixture, &analysed(setup, &trace, "1", &lenses)?);
    let _ = std::fs::remove_file(&trace);
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Returns the lenses whose verdict differs from their line. A predicted race counts as a race.
fn unlike_lines(fixture: &Fixture, by: &BTreeMap<String, Document>) -> String {
    let mut wrong = String::new();
    for (lens, expected) in &fixture.lenses {
        let found = by.get(*lens).map(|d| match d.races.is_empty() && d.hazards.is_empty() {
            true => Expected::Clean,
            false => Expected::Race,
        });
        if found != Some(*expected) {
            let found = found.map_or("nothing", Expected::name);
            wrong += &format!("  lens `{lens}` says {found}; its line says {}\n", expected.name());
        }
    }
    wrong
}

/// Records the program under the default schedule, whatever options the fixture has.
fn recorded(setup: &Setup, fixture: &Fixture, program: &Path) -> Result<PathBuf, String> {
    let trace = program.with_extension("trace");
    let _ = std::fs::remove_file(&trace);
    let mut record = Command::new(&setup.warprace);
    record.args(["trace", "--quiet", "-o"]).arg(&trace).arg("--").arg(program).args(&fixture.args);
    record.current_dir(&setup.workspace).output().map_err(|e| format!("  cannot record: {e}\n"))?;
    Ok(trace)
}

/// Returns each lens's report on the trace.
fn analysed(
    setup: &Setup,
    trace: &Path,
    jobs: &str,
    lenses: &[&str],
) -> Result<BTreeMap<String, Document>, String> {
    let options: Vec<&str> = lenses.iter().flat_map(|lens| ["--detector", lens]).collect();
    predicted(setup, trace, jobs, &[&["--jobs", jobs], &options[..]].concat())
}

/// Returns the document of `predict` with some options. `name` is of its file.
fn predicted<T: serde::de::DeserializeOwned>(
    setup: &Setup,
    trace: &Path,
    name: &str,
    options: &[&str],
) -> Result<T, String> {
    let json = trace.with_extension(format!("{name}.json"));
    let _ = std::fs::remove_file(&json);
    let mut command = Command::new(&setup.warprace);
    command.args(["predict", "--quiet", "--json"]).arg(&json).arg(trace);
    command.args(options).current_dir(&setup.workspace);
    let output = command.output().map_err(|e| format!("  cannot run predict: {e}\n"))?;
    let text = std::fs::read_to_string(&json)
        .map_err(|e| format!("  no JSON of predict ({e}): {}\n", String::from_utf8_lossy(&output.stderr)))?;
    let _ = std::fs::remove_file(&json);
    serde_json::from_str(&text).map_err(|e| format!("  the JSON of predict cannot be read: {e}\n"))
}
