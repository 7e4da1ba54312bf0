//! Records which stores the loads of an execution have read.
//!
//! The memory of a launch mixes numbers that decide where threads go with numbers that decide nothing: a flag
//! beside sums. If the same stores are made at the same addresses in the same order, each load reads the
//! values of the same stores, so only stores whose values a deciding load has read matter.

use events::{Access, SiteId, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// For each load or atomic (function and instruction), the stores that it has read in one execution.
pub(crate) type Flows = FxHashMap<(usize, usize), BTreeSet<(usize, usize)>>;

/// Granularity in bytes; adjacent stores within it count as read too.
const GRAIN: u64 = 4;
/// Limits the tracked locations.
const MOST: usize = 1 << 21;

#[derive(Debug, Default)]
pub(crate) struct ReadRecorder {
    /// The stores to each location so far.
    writers: FxHashMap<(Space, u64), Vec<SiteId>>,
    read: FxHashMap<SiteId, FxHashSet<SiteId>>,
    full: bool,
}

impl ReadRecorder {
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

    /// Returns the stores of each load; `None` if there were too many to track.
    pub(crate) fn read(&self) -> Option<FxHashMap<SiteId, FxHashSet<SiteId>>> {
        (!self.full).then(|| self.read.clone())
    }
}
