//! What engines say of the corpus on a real GPU: `tests/bugs/gpu.json`, written where there is one.

use crate::bug::Bug;
use crate::ways::{self, Answer};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// The engines that are asked, as `--engine` takes them.
pub(crate) const ENGINES: [&str; 3] = ["guard", "collide:balanced", "guard,collide:balanced,capture"];

/// Answers of one GPU, by miniature, engine and variant.
pub(crate) struct Record(Value);

impl Record {
    /// Reads the record of the corpus; `None` if there is none.
    pub(crate) fn read(corpus: &Path) -> Option<Record> {
        let text = std::fs::read_to_string(corpus.join("gpu.json")).ok()?;
        Some(Record(serde_json::from_str(&text).expect("the record is JSON")))
    }

    /// Returns the GPU's name, its driver and the date of the record.
    pub(crate) fn provenance(&self) -> [&str; 3] {
        ["gpu", "driver", "date"].map(|key| self.0["provenance"][key].as_str().unwrap_or("unknown"))
    }

    /// Returns what the engine said of a variant; `None` if the GPU was not asked.
    pub(crate) fn answer(&self, bug: &Bug, engine: &str, variant: &str) -> Option<Answer> {
        let report = &self.0["bugs"][&bug.name][engine][variant];
        report.is_object().then(|| ways::read(report))
    }
}

/// Asks every engine about both variants on this machine's GPU, and writes the record.
pub(crate) fn record(warprace: &Path, corpus: &Path, cases: &[(&Bug, &Path)]) {
    let query = ["--query-gpu=name,driver_version", "--format=csv,noheader"];
    let gpu = Command::new("nvidia-smi").args(query).output().expect("there is an NVIDIA GPU");
    let gpu = String::from_utf8_lossy(&gpu.stdout).into_owned();
    let (name, driver) = gpu.lines().next().and_then(|l| l.split_once(", ")).expect("nvidia-smi lists a GPU");
    let date = Command::new("date").arg("+%Y-%m-%d").output().expect("there is `date`");
    // A miniature for several devices needs as many GPUs.
    let alone = |case: &&(&Bug, &Path)| !case.0.options.iter().any(|option| option == "--devices");
    let asked: Vec<(&Bug, &Path)> = cases.iter().filter(alone).copied().collect();
    let answers = crate::in_parallel(&asked, |(bug, program)| {
        let said = |engine: &str| {
            let of = |variant: &str| ask(warprace, program, bug, engine, variant);
            json!({ "race": of("race"), "fixed": of("fixed") })
        };
        let said: serde_json::Map<String, Value> = ENGINES.iter().map(|e| (e.to_string(), said(e))).collect();
        (bug.name.clone(), Value::Object(said))
    });
    let record = json!({
        "provenance": {
            "gpu": name, "driver": driver, "date": String::from_utf8_lossy(&date.stdout).trim(),
            "command": "cargo xtask bugs gpu",
        },
        "bugs": answers.into_iter().collect::<serde_json::Map<_, _>>(),
    });
    let text = serde_json::to_string_pretty(&record).expect("JSON is text") + "\n";
    std::fs::write(corpus.join("gpu.json"), text).expect("the record can be written");
}

/// Returns the parts of the report that [`ways::read`] reads.
fn ask(warprace: &Path, program: &Path, bug: &Bug, engine: &str, variant: &str) -> Value {
    let name = format!("{}-{variant}-gpu-{}.json", bug.name, engine.replace([':', ','], "-"));
    let json = program.with_file_name(name);
    let mut command = Command::new(warprace);
    command.args(["run", "--gpu", "--quiet", "--timeout", "60", "--engine", engine, "--json"]).arg(&json);
    command.arg("--").arg(program).args([&bug.name, variant]);
    let status = command.output().expect("warprace runs").status;
    let Ok(text) = std::fs::read_to_string(&json) else {
        return json!({ "verdict": format!("no report: {status}"), "races": [] });
    };
    let report: Value = serde_json::from_str(&text).expect("a report is JSON");
    let races = report["races"].as_array().expect("a report has races").iter();
    let line = |race: &Value, side: usize| json!({ "line": race["accesses"][side]["line"] });
    let races: Vec<Value> = races
        .map(|race| json!({ "class": race["class"], "accesses": [line(race, 0), line(race, 1)] }))
        .collect();
    json!({ "verdict": report["verdict"], "races": races })
}
