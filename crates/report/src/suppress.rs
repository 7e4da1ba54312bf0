//! Findings that the user has decided to live with: they are counted, stored in the JSON document, and no
//! part of the verdict.
//!
//! Three things suppress: a comment in the source ([`annotation`]), an entry of a suppressions file
//! ([`Entry`]), and the report of an earlier run ([`Baseline`]). All that match are counted, so that an entry
//! that no longer matches anything is reported; the first, in this order, is named beside the finding.

pub mod annotation;
mod entry;
mod generate;

pub use entry::Entry;
pub use generate::generate;

use crate::model::Document;
pub use crate::model::suppressed::{By, Compared, Origin, Suppressed, Use};
use crate::source::Sources;
use annotation::Annotations;
use events::Level;
use std::collections::BTreeSet;

/// The suppressions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suppressions {
    /// Each with the file that it was read from, and its number there, from 1.
    pub entries: Vec<(Origin, Entry)>,
    pub baseline: Option<Baseline>,
    /// Whether comments in the source are read.
    pub annotations: bool,
}

/// The findings of an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// As it was named.
    pub file: String,
    pub ids: BTreeSet<String>,
}

impl Baseline {
    /// All findings of an earlier document; those that were suppressed then, too.
    pub fn new(file: String, document: &Document) -> Self {
        let suppressed = document.suppressed.iter().map(|s| &s.finding);
        let all = document.findings().chain(suppressed);
        Baseline { file, ids: all.map(|f| f.id.clone()).filter(|id| !id.is_empty()).collect() }
    }
}

impl Suppressions {
    /// Moves what is suppressed out of the document's findings, and judges it again.
    pub fn apply(&self, document: &mut Document, sources: &Sources) {
        let mut annotations = Annotations::new(sources);
        let mut hits = vec![0; self.entries.len()];
        let mut met = BTreeSet::new();
        let mut known = 0;
        for level in [Level::Race, Level::Hazard, Level::UnseenLaunch] {
            let list = match level {
                Level::Race => &mut document.races,
                Level::Hazard => &mut document.hazards,
                Level::UnseenLaunch => &mut document.unseen_launches,
            };
            for finding in std::mem::take(list) {
                let entries: Vec<usize> = (0..self.entries.len())
                    .filter(|&i| self.entries[i].1.matches(&finding, sources))
                    .collect();
                entries.iter().for_each(|&i| hits[i] += 1);
                let baseline = self.baseline.as_ref().filter(|b| b.ids.contains(&finding.id));
                if baseline.is_some() {
                    met.insert(finding.id.clone());
                    known += 1;
                }
                let annotated = self.annotations.then(|| annotations.of(&finding)).flatten();
                let entry = entries.first().map(|&i| By::Entry {
                    origin: self.entries[i].0.clone(),
                    reason: self.entries[i].1.reason.clone(),
                });
                let baseline = baseline.map(|b| By::Baseline { file: b.file.clone() });
                match annotated.or(entry).or(baseline) {
                    Some(by) => document.suppressed.push(Suppressed { level, by, finding }),
                    None => list.push(finding),
                }
            }
        }
        document.warnings.append(&mut annotations.warnings);
        let used = self.entries.iter().zip(hits).map(|((origin, entry), hits)| Use {
            origin: origin.clone(),
            text: entry.text(),
            hits,
        });
        document.suppressions.extend(used);
        document.baseline = self.baseline.as_ref().map(|b| Compared {
            file: b.file.clone(),
            known,
            new: document.findings().count() as u64,
            gone: (b.ids.len() - met.len()) as u64,
        });
        document.verdict = document.judged();
    }
}
