//! A finding of two tasks that nothing orders: both are saved, and put beside each other in a session.

use super::beside::{Beside, Touch, Toucher};
use super::replays::Replays;
use super::saved::Saved;
use crate::fix::runs::Runs;
use events::{Frame, Site};
use report::Document;
use report::model::{Access, Described};
use std::collections::HashMap;

/// Launches of a kernel among which the one with the finding is looked for.
const LAUNCHES: u64 = 3;

/// Returns two tasks of a run that show a finding, if there are such.
pub(super) fn find(
    saves: &mut Saves<'_>,
    replays: &mut Replays,
    document: &Document,
    finding: &Described,
) -> Option<Saved> {
    let kernel = |access: &Access| {
        access.block?;
        document.kernels.iter().find(|kernel| kernel.name == access.kernel)
    };
    let [first, second] = &finding.accesses;
    let (first, second) = if kernel(first).is_some() { (first, second) } else { (second, first) };
    let own = kernel(first)?;
    for at in 0..own.launches.min(LAUNCHES) {
        let Some(saved) = saves.launch(&own.mangled, at) else { continue };
        let Some(other) = kernel(second) else {
            let both = Saved { beside: Some(Beside::Touch(touch(second, finding)?)), ..saved };
            if replays.begin(&both) {
                return Some(both);
            }
            continue;
        };
        for beside in 0..other.launches.min(LAUNCHES) {
            if own.mangled == other.mangled && beside <= at {
                continue;
            }
            let Some(other) = saves.launch(&other.mangled, beside) else { continue };
            let found = arrangements(&saved, &other).into_iter().find(|both| replays.begin(both));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Returns the ways in which two launches can run at the same time. Each has the memory of one of them.
fn arrangements(one: &Saved, other: &Saved) -> Vec<Saved> {
    let waits = |saved: &Saved| saved.launch.texts.iter().any(|text| text.contains("griddepcontrol"));
    let programmatic = waits(one) || waits(other);
    vec![one.with_launch(other, programmatic), other.with_launch(one, programmatic)]
}

/// Returns an access that is not of a kernel; `None` if a session has no such access.
fn touch(access: &Access, finding: &Described) -> Option<Touch> {
    let is_host = access.who.starts_with("host thread") || access.who == "the host";
    let kind = match access.kernel.as_str() {
        _ if is_host => Toucher::Host,
        api if api.contains("Free") || api.contains("Alloc") => return None,
        api if api.contains("emset") || access.who.contains("memset") => Toucher::Fill,
        _ => Toucher::Copy,
    };
    let address = finding.memory.base?.checked_add_signed(access.offset)?;
    let frame = Frame {
        file: access.file.clone(),
        line: access.line,
        column: access.column,
        function: access.function.clone(),
    };
    let site = Site { function: access.function.clone(), frames: vec![frame], ..Site::default() };
    let api = if is_host { String::new() } else { access.kernel.clone() };
    let write = access.kind.contains("write");
    Some(Touch { kind, api, site, address, bytes: access.size.max(1).into(), write })
}

/// Launches of a program, saved one at a time.
pub(super) struct Saves<'r> {
    runs: &'r Runs,
    /// Options of each run.
    words: Vec<String>,
    known: HashMap<(String, u64), Option<Saved>>,
}

impl<'r> Saves<'r> {
    pub(super) fn new(runs: &'r Runs, words: &[&str]) -> Saves<'r> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Saves { runs, words, known: HashMap::new() }
    }

    /// Returns a launch of a kernel, by its number from 0.
    pub(super) fn launch(&mut self, kernel: &str, number: u64) -> Option<Saved> {
        let key = (kernel.to_owned(), number);
        if !self.known.contains_key(&key) {
            let saved = self.run(kernel, number).map(|(_, saved)| saved);
            self.known.insert(key.clone(), saved);
        }
        self.known.get(&key).cloned().flatten()
    }

    /// Runs the program, of which only one launch is checked, and returns the report and that launch.
    pub(super) fn run(&mut self, kernel: &str, number: u64) -> Option<(Document, Saved)> {
        let file = self.runs.folder().join("finding.launch");
        let _ = std::fs::remove_file(&file);
        let (name, number) = (format!("kne={kernel}"), number.to_string());
        let path = file.to_string_lossy();
        let chosen = ["--kernel-name", &name, "--launch-skip", &number, "--launch-count", "1"];
        let mut words = chosen.to_vec();
        words.extend(["--save-launch", &path]);
        words.extend(self.words.iter().map(String::as_str));
        let document = self.runs.with(&words).ok()?;
        let saved = Saved::read(&file).ok()?;
        let _ = std::fs::remove_file(&file);
        Some((document, saved))
    }
}
