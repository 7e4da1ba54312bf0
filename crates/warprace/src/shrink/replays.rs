//! Replays of a launch that was cut down.

use super::saved::Saved;
use super::tasks;
use crate::fix::runs::warprace;
use crate::folder::Folder;
use events::Class;
use report::Document;
use report::model::{Access, Described};
use std::path::Path;

/// The identity of a finding, without its threads, blocks and addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Same {
    class: Class,
    sides: [(String, String, u32, String); 2],
}

impl Same {
    /// Returns an identity that no finding has.
    pub(super) fn none() -> Same {
        Same { class: Class::MissingBarrier, sides: Default::default() }
    }

    pub(super) fn of(found: &Described) -> Same {
        let side = |a: &Access| {
            let instruction = if a.line == 0 { a.instruction.clone() } else { String::new() };
            (a.kind.clone(), a.file.clone(), a.line, instruction)
        };
        let mut sides = found.accesses.each_ref().map(side);
        sides.sort();
        Same { class: found.class, sides }
    }

    /// Returns whether a report has the finding, alone or among others of the same statements.
    pub(super) fn is_in(&self, document: &Document) -> bool {
        document.findings().any(|found| {
            let others = found.also.iter().map(|member| Described {
                class: member.class,
                accesses: member.accesses.clone(),
                ..found.clone()
            });
            std::iter::once(found.clone()).chain(others).any(|found| Same::of(&found) == *self)
        })
    }
}

pub(super) struct Replays {
    pub(super) same: Same,
    /// Options of `warprace replay`: the judgement, and the schedule.
    pub(super) options: Vec<String>,
    pub(super) schedule: Vec<String>,
    folder: Folder,
    /// The launches that were run.
    pub(super) tried: u64,
    /// Whether the whole launch fails, too.
    fails: bool,
}

/// Warp instructions that a block of a cut launch may run without progress.
const PATIENCE: &str = "20000000";

impl Replays {
    pub(super) fn new(same: Same, options: Vec<String>, schedule: Vec<String>) -> Result<Replays, String> {
        Ok(Replays { same, options, schedule, folder: Folder::new(false)?, tried: 0, fails: false })
    }

    /// Returns whether a launch has the finding.
    pub(super) fn shows(&mut self, saved: &Saved) -> bool {
        let schedule = self.schedule.clone();
        self.report(saved, &schedule).is_some_and(|document| self.has(&document))
    }

    /// Returns whether a report has the finding, and no failure that the whole launch has not.
    fn has(&self, document: &Document) -> bool {
        (self.fails || document.errors.is_empty()) && self.same.is_in(document)
    }

    /// Runs the whole launch. Returns whether it shows the finding.
    pub(super) fn begin(&mut self, saved: &Saved) -> bool {
        let schedule = self.schedule.clone();
        let document = self.report(saved, &schedule);
        self.fails = document.as_ref().is_some_and(|document| !document.errors.is_empty());
        document.is_some_and(|document| self.has(&document))
    }

    /// Replays without the schedule of the finding, if that shows it, too.
    pub(super) fn simplest_schedule(&mut self, saved: &Saved) {
        let simple: [&[&str]; 2] = [&[], &["--schedule", "round-robin/1"]];
        for words in simple {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            let shown = self.report(saved, &words).is_some_and(|document| self.has(&document));
            if shown {
                self.schedule = words;
                return;
            }
        }
    }

    fn report(&mut self, saved: &Saved, schedule: &[String]) -> Option<Document> {
        self.tried += 1;
        let file = self.folder.path().join("cut.launch");
        tasks::write(saved, &file).ok()?;
        self.of_file(&file, schedule)
    }

    pub(super) fn of_file(&self, file: &Path, schedule: &[String]) -> Option<Document> {
        let json = self.folder.path().join("cut.json");
        let _ = std::fs::remove_file(&json);
        let mut command = warprace().ok()?;
        command.args(["replay", "--quiet", "--max-instructions", PATIENCE, "--json"]).arg(&json);
        command.args(&self.options).args(schedule).arg("--").arg(file).output().ok()?;
        serde_json::from_str(&std::fs::read_to_string(&json).ok()?).ok()
    }
}
