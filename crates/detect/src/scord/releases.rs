//! §VI: the release counter, the release file, and whom each warp has synchronised with.
//!
//! Every release operation increments a global counter; the release file holds its value at each
//! warp's last release, as the fence file holds fences. An entry holds the counter as it was at
//! the access: if the file says more, the accessor has released since. That counts for a warp that has
//! *acquired* from the releaser.
//!
//! By the letter ([`Releases::File`]) an acquire looks at the entry of what it reads: if its bit says
//! that it was used in a release, the acquiring warp notes the warp that the entry names. Nothing
//! follows from whom that one has noted. [`Releases::Transitive`] adds what the memory model that
//! the paper assumes (HRF-relaxed-indirect, §II-C) promises: synchronisation composes, with other
//! releases and with barriers, and an acquire may be a read followed by a fence.

use super::Releases;
use super::widths::WarpSlot;
use rustc_hash::FxHashMap;

/// A set of warps, as runs of blocks with the same warp index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Warps(Vec<(u64, u64)>);

fn number(slot: WarpSlot) -> u64 {
    u64::from(slot.warp) << 32 | u64::from(slot.block)
}

impl Warps {
    fn contains(&self, slot: WarpSlot) -> bool {
        let n = number(slot);
        let after = self.0.partition_point(|&(first, _)| first <= n);
        after > 0 && self.0[after - 1].1 >= n
    }

    fn insert(&mut self, slot: WarpSlot) {
        let n = number(slot);
        let at = self.0.partition_point(|&(_, last)| last.saturating_add(1) < n);
        match self.0.get_mut(at) {
            Some(run) if run.0 <= n.saturating_add(1) => {
                *run = (run.0.min(n), run.1.max(n));
                if let Some(&next) = self.0.get(at + 1)
                    && next.0 <= self.0[at].1.saturating_add(1)
                {
                    self.0[at].1 = self.0[at].1.max(next.1);
                    self.0.remove(at + 1);
                }
            }
            _ => self.0.insert(at, (n, n)),
        }
    }

    fn join(&mut self, other: &Warps) {
        if other.0.is_empty() || *self == *other {
            return;
        }
        let mut all: Vec<(u64, u64)> = self.0.iter().chain(&other.0).copied().collect();
        all.sort_unstable();
        self.0.clear();
        for (first, last) in all {
            match self.0.last_mut() {
                Some(run) if first <= run.1.saturating_add(1) => run.1 = run.1.max(last),
                _ => self.0.push((first, last)),
            }
        }
    }
}

/// The counter at a warp's last release, by scope.
#[derive(Clone, Copy, Debug, Default)]
struct Released {
    dev: u32,
    blk: u32,
}

/// The last release by any warp of a block, for what its other warps did before a barrier.
#[derive(Clone, Copy, Debug, Default)]
struct BlockReleased {
    counter: u32,
    barrier: u32,
}

/// Whom a warp has acquired from.
#[derive(Default)]
struct Known {
    warps: Warps,
    /// Releases that strong reads without an acquire have seen, for a later fence: of device scope, and of the
    /// own block.
    seen: [Warps; 2],
}

#[derive(Default)]
struct BlockKnown {
    /// Knowledge of all of the block's warps, by a barrier.
    common: Warps,
    warps: FxHashMap<u8, Known>,
}

/// The meaning of the releases to a location.
#[derive(Default)]
struct Published {
    /// Releases of device scope.
    device: Warps,
    /// All releases by warps of a block.
    blocks: FxHashMap<u32, Warps>,
}

/// The effect of a write on the releases before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// A store: a thread that reads it has not seen them.
    Over,
    /// A read-modify-write hands them on.
    Onto,
}

pub struct ReleaseFile {
    transitive: bool,
    counter: u32,
    warps: FxHashMap<WarpSlot, Released>,
    released: FxHashMap<u32, BlockReleased>,
    known: FxHashMap<u32, BlockKnown>,
    published: FxHashMap<u64, Published>,
}

impl ReleaseFile {
    pub fn new(releases: Releases) -> Self {
        ReleaseFile {
            transitive: releases == Releases::Transitive,
            counter: 0,
            warps: FxHashMap::default(),
            released: FxHashMap::default(),
            known: FxHashMap::default(),
            published: FxHashMap::default(),
        }
    }

    /// The global counter.
    pub fn counter(&self) -> u32 {
        self.counter
    }

    /// A release, told before the operation's own access is recorded. `barrier`: as the block's
    /// identifier reads now.
    pub fn release(&mut self, slot: WarpSlot, block_scope: bool, barrier: u32) {
        self.counter += 1;
        let released = self.warps.entry(slot).or_default();
        if block_scope {
            released.blk = self.counter;
        } else {
            released.dev = self.counter;
        }
        if self.transitive {
            self.released.insert(slot.block, BlockReleased { counter: self.counter, barrier });
        }
    }

    /// The write of a release to `address`, `warps_per_block` of which share what barriers told.
    pub fn publish(
        &mut self,
        slot: WarpSlot,
        address: u64,
        block_scope: bool,
        write: Write,
        warps_per_block: u8,
        met: bool,
    ) {
        if !self.transitive {
            return;
        }
        let mut set = Warps::default();
        set.insert(slot);
        if met {
            (0..warps_per_block).for_each(|warp| set.insert(WarpSlot { warp, ..slot }));
        }
        if let Some(block) = self.known.get(&slot.block) {
            set.join(&block.common);
            if let Some(own) = block.warps.get(&slot.warp) {
                set.join(&own.warps);
            }
        }
        let published = self.published.entry(address).or_default();
        if write == Write::Over {
            *published = Published::default();
        }
        published.blocks.entry(slot.block).or_default().join(&set);
        if !block_scope {
            published.device.join(&set);
        }
    }

    /// A write to `address` that releases nothing.
    pub fn overwrite(&mut self, address: u64) {
        if !self.published.is_empty() {
            self.published.remove(&address);
        }
    }

    /// Returns whether there is anything to acquire.
    pub fn is_idle(&self) -> bool {
        self.published.is_empty()
    }

    /// A strong read of `address`, which a fence may make an acquire.
    pub fn read(&mut self, slot: WarpSlot, address: u64) {
        let Some(published) = self.published.get(&address) else { return };
        let known = self.known.entry(slot.block).or_default().warps.entry(slot.warp).or_default();
        known.seen[0].join(&published.device);
        if let Some(own) = published.blocks.get(&slot.block) {
            known.seen[1].join(own);
        }
    }

    /// An acquire from `address`.
    pub fn acquire(&mut self, slot: WarpSlot, address: u64, block_scope: bool) {
        let Some(published) = self.published.get(&address) else { return };
        let known = self.known.entry(slot.block).or_default().warps.entry(slot.warp).or_default();
        if !block_scope {
            known.warps.join(&published.device);
        }
        if let Some(own) = published.blocks.get(&slot.block) {
            known.warps.join(own);
        }
    }

    /// A fence: what the warp has read before, it has acquired.
    pub fn fence(&mut self, slot: WarpSlot, block_scope: bool) {
        let Some(block) = self.known.get_mut(&slot.block) else { return };
        let Some(known) = block.warps.get_mut(&slot.warp) else { return };
        let [device, own] = std::mem::take(&mut known.seen);
        known.warps.join(&own);
        if block_scope {
            known.seen[0] = device;
        } else {
            known.warps.join(&device);
        }
    }

    /// To the letter: the entry that an acquire has read names `releaser`.
    pub fn note(&mut self, slot: WarpSlot, releaser: WarpSlot) {
        let known = self.known.entry(slot.block).or_default().warps.entry(slot.warp).or_default();
        known.warps.insert(releaser);
    }

    pub fn barrier(&mut self, block: u32) {
        if !self.transitive {
            return;
        }
        if let Some(known) = self.known.get_mut(&block) {
            for own in known.warps.values_mut() {
                known.common.join(&std::mem::take(&mut own.warps));
            }
        }
    }

    pub fn block_end(&mut self, block: u32) {
        self.known.remove(&block);
    }

    /// Returns whether `later` has acquired from `earlier`, and `earlier` released since its access, when the
    /// counter read `release` and its block's barrier `barrier`.
    pub fn orders(&self, earlier: WarpSlot, release: u32, barrier: u32, later: WarpSlot) -> bool {
        if self.counter == 0 {
            return false;
        }
        let Some(block) = self.known.get(&later.block) else { return false };
        let knows = |w: &Warps| w.contains(earlier);
        if !knows(&block.common) && !block.warps.get(&later.warp).is_some_and(|own| knows(&own.warps)) {
            return false;
        }
        let file = self.warps.get(&earlier).copied().unwrap_or_default();
        // If synchronisation composes, scopes have been compared at each step.
        let own =
            if earlier.block == later.block || self.transitive { file.dev.max(file.blk) } else { file.dev };
        let others = self.released.get(&earlier.block).copied().unwrap_or_default();
        own > release || others.counter > release && others.barrier != barrier
    }

    pub fn bytes(&self) -> u64 {
        let runs: usize = self.known.values().map(|b| b.common.0.len() + b.warps.len()).sum();
        let published: usize = self.published.values().map(|p| p.device.0.len() + p.blocks.len()).sum();
        (self.warps.len() * 16 + (runs + published) * 24) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(block: u32, warp: u8) -> WarpSlot {
        WarpSlot { block, warp }
    }

    #[test]
    fn a_set_of_warps_is_kept_as_runs() {
        let mut set = Warps::default();
        for block in [5, 3, 4, 9, 0] {
            set.insert(slot(block, 0));
        }
        set.insert(slot(4, 1));
        assert_eq!(set.0.len(), 4, "{set:?}");
        for (block, warp, held) in [(3, 0, true), (5, 0, true), (6, 0, false), (4, 1, true), (3, 1, false)] {
            assert_eq!(set.contains(slot(block, warp)), held, "block {block} warp {warp}");
        }
        let mut other = Warps::default();
        (6..9).for_each(|block| other.insert(slot(block, 0)));
        set.join(&other);
        assert_eq!(set.0.len(), 3, "{set:?}");
        assert!(set.contains(slot(7, 0)));
    }

    #[test]
    fn acquiring_composes_only_if_asked_to() {
        for (releases, composed) in [(Releases::File, false), (Releases::Transitive, true)] {
            let mut file = ReleaseFile::new(releases);
            let (a, b, c) = (slot(0, 0), slot(1, 0), slot(2, 0));
            for (from, to, at) in [(a, b, 0x10), (b, c, 0x20)] {
                file.release(from, false, 0);
                file.publish(from, at, false, Write::Over, 1, false);
                if releases == Releases::File { file.note(to, from) } else { file.acquire(to, at, false) }
            }
            assert!(file.orders(a, 0, 0, b) && file.orders(b, 1, 0, c));
            assert_eq!(file.orders(a, 0, 0, c), composed);
            assert!(!file.orders(a, 1, 0, b), "no release since an access after the release");
        }
    }
}
