//! The ways of running warprace on a miniature, and their answers.

use crate::bug::Bug;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Run,
    Explore,
    Predict,
    Prove,
    Guard,
    Collide,
}

impl Way {
    pub(crate) const ALL: [Way; 6] =
        [Way::Run, Way::Explore, Way::Predict, Way::Prove, Way::Guard, Way::Collide];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Run => "run",
            Way::Explore => "explore",
            Way::Predict => "predict",
            Way::Prove => "prove",
            Way::Guard => "guard",
            Way::Collide => "collide",
        }
    }

    /// Returns the options of `warprace run`; `None` for the prover, which runs no program.
    fn options(self) -> Option<&'static [&'static str]> {
        match self {
            Way::Run => Some(&[]),
            Way::Explore => Some(&["--explore", "6"]),
            Way::Predict => Some(&["--predict"]),
            Way::Prove => None,
            Way::Guard => Some(&["--engine", "guard"]),
            Way::Collide => Some(&["--engine", "collide:patient"]),
        }
    }
}

/// The content of one report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) verdict: String,
    /// Lines of the races' two sides, and their classes.
    pub(crate) races: BTreeSet<((u64, u64), String)>,
}

impl Answer {
    pub(crate) fn pairs(&self) -> BTreeSet<(u64, u64)> {
        self.races.iter().map(|(pair, _)| *pair).collect()
    }
}

/// Runs one way on a variant, `race` or `fixed`, of a miniature.
pub(crate) fn ask(warprace: &Path, program: &Path, bug: &Bug, variant: &str, way: Way) -> Answer {
    let out = program.with_file_name(format!("{}-{variant}-{}", bug.name, way.name()));
    let (json, facts) = (out.with_added_extension("json"), out.with_added_extension("facts"));
    let log = out.with_added_extension("log");
    let run = |options: &[&str]| {
        let mut command = Command::new(warprace);
        command.arg("run").args(options).args(&bug.options);
        command.args(["--jobs", "1", "--timeout", "60", "--log-file"]).arg(&log).arg("--json").arg(&json);
        command.arg("--facts").arg(&facts).arg("--").arg(program).args([&bug.name, variant]);
        command.output().expect("warprace runs");
    };
    match way.options() {
        Some(options) => run(options),
        None => {
            run(&["--no-detect"]);
            if !facts.exists() {
                return Answer { verdict: "nothing to prove".to_owned(), ..Answer::default() };
            }
            let mut command = Command::new(warprace);
            command.arg("prove").arg("--facts").arg(&facts).arg("--json").arg(&json).arg(program);
            command.output().expect("warprace runs");
        }
    }
    let text = std::fs::read_to_string(&json).unwrap_or_else(|e| panic!("{}: {e}", json.display()));
    read(&serde_json::from_str(&text).expect("a report is JSON"))
}

/// Reads a report, or what a record keeps of one.
pub(crate) fn read(report: &Value) -> Answer {
    let line = |side: &Value| side["line"].as_u64().unwrap_or(0);
    let races = report["races"].as_array().expect("a report has races");
    Answer {
        verdict: report["verdict"].as_str().unwrap_or_default().to_owned(),
        races: races
            .iter()
            .map(|race| {
                let (a, b) = (line(&race["accesses"][0]), line(&race["accesses"][1]));
                ((a.min(b), a.max(b)), race["class"].as_str().unwrap_or_default().to_owned())
            })
            .collect(),
    }
}
