//! Locations that very many threads touch in the same way: counters, histograms, tables.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::entry::{is_merged, merged, witness};
use crate::ptx::history::witnesses::{Around, Made};
use clocks::compressed::WarpIndex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Reads and strong operations, a few entries for each block: the newest of two warps, and one that stands
/// for all others and is [merged](crate::ptx::access::entry::merged). Whether a thread that knows some of the
/// block knows all of those is not known then; but a thread that is ordered with the block only by whole
/// barriers and is unordered with one of them is unordered with one of the two.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    pub(crate) groups: Vec<Group>,
}

/// Accesses that are alike in all but their threads.
#[derive(Debug)]
pub(crate) struct Group {
    class: AccessClass,
    pub(crate) bytes: Bytes,
    pub(crate) blocks: FxHashMap<u32, OfBlock>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OfBlock {
    newest: Entry,
    other: Option<Entry>,
    rest: Option<Entry>,
}

impl OfBlock {
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.newest).chain(&self.other).chain(&self.rest)
    }

    fn add(&mut self, new: &Entry) {
        // The later one of the same lanes stands for the earlier one, but for threads that have observed only that.
        let same = |e: &Entry| (e.warp, e.lanes, e.chain) == (new.warp, new.lanes, new.chain);
        let dropped = if same(&self.newest) {
            self.newest = *new;
            None
        } else if self.other.as_ref().is_some_and(same)
            || (self.other.is_none() && new.warp != self.newest.warp)
        {
            self.other = Some(*new);
            None
        } else if new.warp == self.newest.warp {
            Some(std::mem::replace(&mut self.newest, *new))
        } else {
            self.other.replace(*new)
        };
        if self.other.is_some_and(|other| other.tick > self.newest.tick)
            && let Some(other) = self.other.replace(self.newest)
        {
            self.newest = other;
        }
        if let Some(old) = dropped {
            let tick = self.rest.map_or(0, |r| r.tick).max(old.tick);
            // A thread that has not observed all of a chain races with its last one for certain.
            let last = self.rest.filter(|r| r.chain == old.chain && r.place > old.last_place());
            let (shown, place) = last.map_or((old, old.last_place()), |last| (last, last.place));
            self.rest = Some(Entry { warp: merged(witness(shown.warp)), tick, place, ..shown });
        }
    }
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

    /// Returns whether the entries like `new` have no room for another block.
    pub(crate) fn is_full_for(&mut self, new: &Entry) -> bool {
        let group = self.group(new);
        group.is_some_and(|group| {
            group.blocks.len() == group.blocks.capacity() && !group.blocks.contains_key(&new.block)
        })
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
        let strong = move |group: &&Group| {
            group.class.is_wide()
                && new.class.is_wide()
                && group.bytes == new.bytes
                && group.class.other_proxy() == new.class.other_proxy()
        };
        let meets = |g: &&Group| g.bytes & new.bytes != 0 && (g.class.writes() || new.class.writes());
        let groups = self.groups.iter().filter(meets).filter(move |g| !strong(g));
        groups.flat_map(|g| g.blocks.values().flat_map(OfBlock::entries))
    }

    /// All entries of all groups.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.groups.iter().flat_map(|g| g.blocks.values().flat_map(OfBlock::entries))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.groups.iter().map(|g| g.blocks.capacity() * (size_of::<OfBlock>() + 5)).sum()
    }

    /// Forgets blocks none of whose entries is to be kept, of groups of which some `may` be forgotten.
    pub(crate) fn retain(
        &mut self,
        may: impl Fn(AccessClass, Bytes) -> bool,
        mut keep: impl FnMut(&Entry) -> bool,
    ) {
        for group in self.groups.iter_mut().filter(|group| may(group.class, group.bytes)) {
            group.blocks.retain(|_, of| of.entries().any(&mut keep));
        }
    }
}

impl Group {
    fn add(&mut self, entry: &Entry) {
        match self.blocks.get_mut(&entry.block) {
            Some(of) => of.add(entry),
            None => {
                self.blocks.insert(entry.block, OfBlock { newest: *entry, other: None, rest: None });
            }
        }
    }
}

/// Returns whether two others of the same kind stand for this access: case 2 of [`witnesses`](crate::ptx::history::witnesses).
/// Holds where only whole barriers and their own warp order threads.
pub(crate) fn implied(entries: &[Entry], entry: &Entry, but: usize) -> bool {
    let made = |entry: &Entry| Made { block: entry.block, warp: entry.warp, tick: entry.tick };
    let mut around = Around::default();
    entries.iter().enumerate().any(|(i, other)| {
        let stands = i != but
            && other.class.rank() == entry.class.rank()
            && other.bytes == entry.bytes
            && !is_merged(other.warp)
            && made(other).may_stand_for(made(entry));
        stands && around.add(made(other), made(entry))
    })
}

/// Drops accesses that others stand for, of those that `may` be dropped.
///
/// Mostly there are none, and a cell of racing writes asks at each of them: no warp stands between the first
/// warp and the last one of two, so these are not looked for.
pub(crate) fn drop_implied(entries: &mut Vec<Entry>, may: impl Fn(&Entry) -> bool) {
    let ends = Ends::of(entries);
    let mut i = 0;
    while i < entries.len() {
        let entry = entries[i];
        if ends.are_around(&entry) && may(&entry) && implied(entries, &entry, i) {
            entries.remove(i);
        } else {
            i += 1;
        }
    }
}

/// The first and the last warp of the launch, for each kind of accesses that may stand for each other.
struct Ends(SmallVec<[End; 4]>);

struct End {
    rank: u16,
    bytes: Bytes,
    first: WarpIndex,
    last: WarpIndex,
}

impl Ends {
    fn of(entries: &[Entry]) -> Ends {
        let mut ends = Ends(SmallVec::new());
        for entry in entries {
            let (rank, bytes) = (entry.class.rank(), entry.bytes);
            let warp = WarpIndex { block: entry.block, warp: entry.warp };
            match ends.0.iter_mut().find(|end| (end.rank, end.bytes) == (rank, bytes)) {
                Some(end) => (end.first, end.last) = (end.first.min(warp), end.last.max(warp)),
                None => ends.0.push(End { rank, bytes, first: warp, last: warp }),
            }
        }
        ends
    }

    /// Returns whether one is of an earlier and one of a later warp than this access.
    fn are_around(&self, entry: &Entry) -> bool {
        let warp = WarpIndex { block: entry.block, warp: entry.warp };
        let of = |end: &&End| (end.rank, end.bytes) == (entry.class.rank(), entry.bytes);
        self.0.iter().find(of).is_some_and(|end| end.first < warp && warp < end.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{AccessKind, SiteId, Strength};

    #[test]
    fn those_that_stand_between_others_are_dropped() {
        let (mut dropped, mut kept) = (0, 0);
        for seed in 0..500u64 {
            let mut random = crate::random::below(seed);
            let blocks = 1 + random(3);
            let entry = |_| {
                let kind = [AccessKind::Read, AccessKind::Write][random(2) as usize];
                Entry {
                    block: random(blocks) as u32,
                    tick: 1 + random(3) as u32,
                    lanes: 1 << random(32),
                    site: SiteId(random(3) as u32),
                    warp: if random(6) == 0 { merged(random(4) as u16) } else { random(4) as u16 },
                    bytes: [0xf, 0xff][random(2) as usize],
                    class: AccessClass::with(kind, Strength::Weak),
                    chain: 0,
                    place: 0,
                }
            };
            let mut entries: Vec<Entry> = (0..30).map(entry).collect();
            let mut all = entries.clone();
            drop_implied(&mut entries, |entry| entry.site != SiteId(0));
            let mut i = 0;
            while i < all.len() {
                if all[i].site != SiteId(0) && implied(&all, &all[i], i) {
                    all.remove(i);
                    dropped += 1;
                } else {
                    i += 1;
                }
            }
            kept += all.len();
            assert_eq!(format!("{entries:?}"), format!("{all:?}"));
        }
        assert!(dropped > 1000 && kept > 1000, "{dropped} {kept}");
    }
}
