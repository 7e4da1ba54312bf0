//! Findings, one for each pair of sites, class and kind of memory.

use events::finding::SyncNote;
use events::{Class, Evidence, Finding, Level, Side, SiteId, Space};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

type Key = (Option<SiteId>, Option<SiteId>, Class, bool, bool);

fn key(finding: &Finding) -> Key {
    let (a, b) = (finding.sides[0].site, finding.sides[1].site);
    let shared = matches!(finding.space, Space::Shared(_));
    (a.min(b), a.max(b), finding.class, shared, finding.evidence == Evidence::Predicted)
}

/// When a finding was made, in steps of the whole execution: the same in every shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moment {
    /// The step of the report.
    pub step: u64,
    /// For what was put off, the step at which it was: reports of one step come in this order.
    pub noticed: u64,
}

/// Collects the races of one lens.
pub struct Pairs {
    lens: &'static str,
    step: u64,
    index: FxHashMap<Key, usize>,
    list: Vec<(Moment, Finding)>,
}

impl Pairs {
    pub fn new(lens: &'static str) -> Self {
        Pairs { lens, step: 0, index: FxHashMap::default(), list: Vec::new() }
    }

    /// Another event, or another granule of one. Every shard calls this for all of them, its own or
    /// not, so that findings of different shards can be put in order.
    pub fn advance(&mut self) {
        self.step += 1;
    }

    /// As many calls of [`Pairs::advance`].
    pub fn advance_by(&mut self, steps: u64) {
        self.step += steps;
    }

    pub fn step(&self) -> u64 {
        self.step
    }

    /// Records a race, `sides` in the order in which they happened. The notes are asked for
    /// only the first time that the pair of sites races in that class.
    pub fn report(
        &mut self,
        class: Class,
        predicted: bool,
        space: Space,
        sides: [Side; 2],
        notes: impl FnOnce() -> Vec<SyncNote>,
    ) {
        self.report_noticed(self.step, class, predicted, space, sides, notes);
    }

    /// [`Pairs::report`] of a race that was noticed at an earlier step.
    pub fn report_noticed(
        &mut self,
        noticed: u64,
        class: Class,
        predicted: bool,
        space: Space,
        sides: [Side; 2],
        notes: impl FnOnce() -> Vec<SyncNote>,
    ) {
        let mut finding = Finding {
            lens: String::new(),
            level: Level::Race,
            class,
            evidence: if predicted { Evidence::Predicted } else { Evidence::Observed },
            space,
            sides,
            notes: Vec::new(),
            count: 1,
        };
        let key = key(&finding);
        if let Some(&at) = self.index.get(&key) {
            self.list[at].1.count += 1;
            return;
        }
        finding.lens = self.lens.to_owned();
        finding.notes = notes();
        self.index.insert(key, self.list.len());
        self.list.push((Moment { step: self.step, noticed }, finding));
    }

    /// Everything recorded since the last call.
    pub fn take(&mut self) -> Vec<Finding> {
        self.take_dated().into_iter().map(|(_, finding)| finding).collect()
    }

    /// The same, without taking it.
    pub fn so_far(&self) -> Vec<Finding> {
        self.list.iter().map(|(_, finding)| finding.clone()).collect()
    }

    /// [`Pairs::take`], with moments.
    pub fn take_dated(&mut self) -> Vec<(Moment, Finding)> {
        self.index.clear();
        std::mem::take(&mut self.list)
    }
}

/// Returns the report of a lens without shards, from the reports of all shards.
pub fn merge(shards: impl IntoIterator<Item = Vec<(Moment, Finding)>>) -> Vec<Finding> {
    let mut all: Vec<(Moment, Finding)> = shards.into_iter().flatten().collect();
    all.sort_by_key(|(moment, _)| *moment);
    let mut index: FxHashMap<Key, usize> = FxHashMap::default();
    let mut merged: Vec<Finding> = Vec::new();
    for (_, finding) in all {
        match index.entry(key(&finding)) {
            std::collections::hash_map::Entry::Occupied(at) => merged[*at.get()].count += finding.count,
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(merged.len());
                merged.push(finding);
            }
        }
    }
    merged
}
