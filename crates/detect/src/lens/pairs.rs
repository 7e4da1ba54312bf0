//! Findings, one for each pair of sites, class and kind of memory.

use events::finding::SyncNote;
use events::{Class, Evidence, Finding, Level, Side, SiteId, Space};
use rustc_hash::FxHashMap;

type Key = (Option<SiteId>, Option<SiteId>, Class, bool, bool);

/// Collects the races of one lens.
pub struct Pairs {
    lens: &'static str,
    index: FxHashMap<Key, usize>,
    list: Vec<Finding>,
}

impl Pairs {
    pub fn new(lens: &'static str) -> Self {
        Pairs { lens, index: FxHashMap::default(), list: Vec::new() }
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
        let (a, b) = (sides[0].site, sides[1].site);
        let key = (a.min(b), a.max(b), class, matches!(space, Space::Shared(_)), predicted);
        if let Some(&at) = self.index.get(&key) {
            self.list[at].count += 1;
            return;
        }
        self.index.insert(key, self.list.len());
        self.list.push(Finding {
            lens: self.lens.to_owned(),
            level: Level::Race,
            class,
            evidence: if predicted { Evidence::Predicted } else { Evidence::Observed },
            space,
            sides,
            notes: notes(),
            count: 1,
        });
    }

    /// Everything recorded since the last call.
    pub fn take(&mut self) -> Vec<Finding> {
        self.index.clear();
        std::mem::take(&mut self.list)
    }
}
