//! Locations that very many threads touch in the same way: counters, histograms, tables.

use super::cell::{Bytes, Entry};
use super::class::AccessClass;
use super::knowledge::ALL_WARPS;
use events::Scope;
use rustc_hash::FxHashMap;

/// Reads and strong operations, one entry for each block. An entry that stands for several warps
/// says [`ALL_WARPS`]; whether a thread that knows some of the block knows all of them is not known then.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    pub(crate) groups: Vec<Group>,
}

/// Accesses that are alike in all but who made them.
#[derive(Debug)]
pub(crate) struct Group {
    class: AccessClass,
    pub(crate) bytes: Bytes,
    pub(crate) blocks: FxHashMap<u32, Entry>,
}

fn merges(entry: &Entry) -> bool {
    !entry.class.asynchronous() && (entry.class.strong() || !entry.class.writes())
}

impl Crowd {
    fn group(&mut self, entry: &Entry) -> Option<&mut Group> {
        self.groups.iter_mut().find(|g| g.bytes == entry.bytes && g.class.rank() == entry.class.rank())
    }

    /// Adds the entry to its block's, if there is a group for it.
    pub(crate) fn merge(&mut self, entry: &Entry) -> bool {
        if !merges(entry) {
            return false;
        }
        let Some(group) = self.group(entry) else { return false };
        group.add(entry);
        true
    }

    /// Takes over an entry if it is one to merge.
    pub(crate) fn take(&mut self, entry: &Entry) -> bool {
        if !merges(entry) {
            return false;
        }
        if self.group(entry).is_none() {
            let blocks = FxHashMap::default();
            self.groups.push(Group { class: entry.class, bytes: entry.bytes, blocks });
        }
        self.merge(entry)
    }

    /// The entries that may race with `new`: none of a group all of which is morally strong to it.
    pub(crate) fn conflicts<'a>(&'a self, new: &'a Entry) -> impl Iterator<Item = &'a Entry> {
        let wide = |class: AccessClass| class.scope().is_some_and(|s| s >= Scope::Gpu);
        let strong = move |group: &&Group| {
            wide(group.class)
                && wide(new.class)
                && group.bytes == new.bytes
                && group.class.other_proxy() == new.class.other_proxy()
        };
        self.groups.iter().filter(move |g| !strong(g)).flat_map(|g| g.blocks.values())
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Entry) -> bool) {
        for group in &mut self.groups {
            group.blocks.retain(|_, entry| keep(entry));
        }
    }
}

impl Group {
    fn add(&mut self, entry: &Entry) {
        let Some(kept) = self.blocks.get_mut(&entry.block) else {
            self.blocks.insert(entry.block, *entry);
            return;
        };
        // The later one of the same lanes stands for the earlier one.
        let same = (kept.warp, kept.lanes) == (entry.warp, entry.lanes);
        let merged = Entry { tick: kept.tick.max(entry.tick), ..*entry };
        *kept = if same { merged } else { Entry { warp: ALL_WARPS, lanes: u32::MAX, ..merged } };
    }
}

/// Do two others of the same kind stand for this access? Whoever is unordered with it is unordered with
/// one of the two then: they are of two other blocks, or of two other warps of the block and not
/// earlier. Holds where only whole barriers and their own warp order threads.
pub(crate) fn implied(entries: &[Entry], entry: &Entry, but: usize) -> bool {
    let stands = |other: &Entry| {
        other.class.rank() == entry.class.rank()
            && other.bytes == entry.bytes
            && other.warp != ALL_WARPS
            && (other.block != entry.block || other.tick >= entry.tick)
            && (other.block, other.warp) != (entry.block, entry.warp)
    };
    let mut others = entries.iter().enumerate().filter(|&(j, e)| j != but && stands(e)).map(|(_, e)| e);
    merges(entry)
        && others.next().is_some_and(|first| {
            others.any(|second| {
                second.block != first.block
                    || (second.block == entry.block
                        && first.block == entry.block
                        && second.warp != first.warp)
            })
        })
}

/// Drops accesses that others stand for.
pub(crate) fn drop_implied(entries: &mut Vec<Entry>) {
    let mut i = 0;
    while i < entries.len() {
        let entry = entries[i];
        if implied(entries, &entry, i) {
            entries.remove(i);
        } else {
            i += 1;
        }
    }
}
