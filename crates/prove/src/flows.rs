//! Whose stores the loads of an execution have read.
//!
//! Memory of one launch holds numbers that decide where threads go beside numbers that decide nothing: a flag beside sums. Where the
//! same stores are made at the same addresses in the same order, each load reads what the same stores have left, so that
//! only those matter whose numbers a load that decides has read.

use events::{Access, SiteId, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// By load or atomic, function and instruction: whose stores it has read in one execution.
pub(crate) type Flows = FxHashMap<(usize, usize), BTreeSet<(usize, usize)>>;

/// Bytes that are told apart; what is stored beside counts as read, too.
const GRAIN: u64 = 4;
/// Places that are followed.
const MOST: usize = 1 << 21;

#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// By place: who has written there so far.
    writers: FxHashMap<(Space, u64), Vec<SiteId>>,
    read: FxHashMap<SiteId, FxHashSet<SiteId>>,
    full: bool,
}

impl Moved {
    pub(crate) fn access(&mut self, access: &Access<'_>) {
        if self.full {
            return;
        }
        let bytes = u64::from(access.size) * u64::from(access.elements);
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 == 1) {
            let start = access.addresses[lane];
            let last = start.saturating_add(bytes.max(1) - 1);
            for grain in start / GRAIN..=last / GRAIN {
                let key = (access.space, grain);
                if access.kind.reads()
                    && let Some(from) = self.writers.get(&key)
                {
                    self.read.entry(access.site).or_default().extend(from);
                }
                if access.kind.writes() {
                    let all = self.writers.entry(key).or_default();
                    if !all.contains(&access.site) {
                        all.push(access.site);
                    }
                }
            }
            if self.writers.len() > MOST {
                self.full = true;
                return;
            }
        }
    }

    /// By load: the stores; `None` if there were too many to follow.
    pub(crate) fn read(&self) -> Option<FxHashMap<SiteId, FxHashSet<SiteId>>> {
        (!self.full).then(|| self.read.clone())
    }
}
