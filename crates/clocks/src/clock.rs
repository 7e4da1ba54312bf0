//! The vector clock over all threads of a launch.

pub mod fences;

use crate::seen::Seen;
use crate::tree::{Covers, Knowledge, Tree};
use crate::{BlockClock, Tick};
use fences::Fences;
use std::sync::Arc;

/// A vector clock over the threads of a launch, sparse in blocks: an absent block has time 0. Clones share
/// the parts of their block tree until one of them changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    blocks: Tree<BlockClock>,
    /// The `fence.sc` operations whose order to later ones is open; `None` if there are none.
    fences: Option<Arc<Fences>>,
}

impl Knowledge for BlockClock {
    type Context = ();

    fn is_nothing(&self) -> bool {
        *self == BlockClock::default()
    }

    fn compare(&self, other: &Self, asked: Covers) -> Covers {
        Covers { first: asked.first && self.covers(other), second: asked.second && other.covers(self) }
    }

    fn join(&mut self, other: &Self, (): &()) {
        BlockClock::join(self, other);
    }
}

impl Clock {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.fences.is_none()
    }

    /// Returns whether some block has a time above 0.
    pub fn knows_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Returns the open `fence.sc` operations that this clock carries.
    pub fn fences(&self) -> Option<&Fences> {
        self.fences.as_deref()
    }

    pub fn fences_mut(&mut self) -> &mut Fences {
        Arc::make_mut(self.fences.get_or_insert_with(Default::default))
    }

    /// Returns this clock without its fences.
    pub fn plain(&self) -> Clock {
        Clock { blocks: self.blocks.clone(), fences: None }
    }

    /// Returns whether both clocks share all parts of their block trees.
    pub(crate) fn shares_all(&self, other: &Clock) -> bool {
        self.blocks.same(&other.blocks)
    }

    fn mirrors(&self) -> bool {
        self.fences.as_ref().is_some_and(|fences| fences.mirror(self))
    }

    /// Compares two clocks in the directions that `asked` names; the answer for any other direction may be a
    /// false `false`, and so may that for `first` if `other` covers this clock.
    fn compare(&self, other: &Clock, asked: Covers) -> Covers {
        let blocks = self.blocks.compare(&other.blocks, asked);
        match (&self.fences, &other.fences) {
            (None, None) => blocks,
            (Some(_), None) => Covers { second: false, ..blocks },
            (None, Some(_)) => Covers { first: false, ..blocks },
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => blocks,
            (Some(_), Some(_)) if !(blocks.first || blocks.second) => blocks,
            // The fences knew what the clocks know.
            (Some(mine), Some(theirs))
                if mine.observed.is_empty()
                    && theirs.observed.is_empty()
                    && self.mirrors()
                    && other.mirrors() =>
            {
                blocks
            }
            (Some(mine), Some(theirs)) => mine.compare(theirs, blocks),
        }
    }

    /// Returns the clocks of all blocks with a time above 0, in ascending order of blocks.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &BlockClock)> {
        self.blocks.iter()
    }

    pub fn block(&self, block: u32) -> Option<&BlockClock> {
        self.blocks.get(block)
    }

    pub fn block_mut(&mut self, block: u32) -> &mut BlockClock {
        self.blocks.get_mut(block)
    }

    /// Returns the entry of `thread` of `block`.
    pub fn thread(&self, block: u32, thread: u32) -> Tick {
        self.block(block).map_or(0, |b| b.thread(thread))
    }

    /// Raises this clock to the least upper bound of both, including their fences.
    pub fn join(&mut self, other: &Clock) {
        let Some(theirs) = &other.fences else { return self.blocks.join(&other.blocks, &()) };
        let mirror = self.mirrors() && other.mirrors();
        self.blocks.join(&other.blocks, &());
        let Some(mine) = &mut self.fences else {
            self.fences = Some(Arc::clone(theirs));
            return;
        };
        if Arc::ptr_eq(mine, theirs) {
            return;
        }
        let mine = Arc::make_mut(mine);
        if mirror {
            // The fences' clock mirrors the thread's clock on both sides, so the joined blocks are the joined
            // fences.
            mine.before.set_device(Shared::from(Clock { blocks: self.blocks.clone(), fences: None }));
        } else {
            mine.before.join(&theirs.before);
        }
        mine.observed.join(&theirs.observed);
    }

    /// Returns the bytes on the heap that `seen` does not count yet.
    pub fn bytes(&self, seen: &mut Seen) -> usize {
        let fences = self.fences.as_ref().filter(|fences| seen.first(fences));
        let fences = fences.map(|fences| size_of::<Fences>() + 16 + fences.bytes(seen));
        self.blocks.bytes(seen, BlockClock::bytes) + fences.unwrap_or(0)
    }

    /// Returns whether this clock is at least `other` in every entry and carries all of its fences.
    pub fn covers(&self, other: &Clock) -> bool {
        self.compare(other, Covers { first: true, second: false }).first
    }
}

/// A reference-counted clock that many threads share (copy on write), or the zero clock.
#[derive(Clone, Debug, Default)]
pub struct Shared(Option<Arc<Clock>>);

impl Shared {
    pub fn get(&self) -> Option<&Clock> {
        self.0.as_deref()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether some block has a time above 0.
    pub fn knows_blocks(&self) -> bool {
        self.get().is_some_and(Clock::knows_blocks)
    }

    /// Returns the open `fence.sc` operations that this clock carries.
    pub fn fences(&self) -> Option<&Fences> {
        self.get().and_then(Clock::fences)
    }

    /// Returns whether every block's clock covers that of `other`. Ignores the fences of both.
    pub fn knows_all_of(&self, other: &Shared) -> bool {
        match (self.get(), other.get()) {
            (_, None) => true,
            (None, Some(theirs)) => !theirs.knows_blocks(),
            (Some(mine), Some(theirs)) => self.same(other) || mine.blocks.covers(&theirs.blocks),
        }
    }

    /// Returns this clock without its fences.
    pub fn plain(&self) -> Shared {
        match self.get() {
            Some(Clock { fences: None, .. }) | None => self.clone(),
            Some(clock @ Clock { fences: Some(fences), .. }) => {
                let device = fences.before.device();
                let mirror = fences.mirror(clock) && device.fences().is_none();
                if mirror { device.clone() } else { Shared::from(clock.plain()) }
            }
        }
    }

    /// Returns whether both are the same object, which implies equality.
    pub fn same(&self, other: &Shared) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Returns the bytes on the heap that `seen` does not count yet.
    pub fn bytes(&self, seen: &mut Seen) -> usize {
        match &self.0 {
            Some(clock) if seen.first(clock) => size_of::<Clock>() + 16 + clock.bytes(seen),
            _ => 0,
        }
    }

    pub fn thread(&self, block: u32, thread: u32) -> Tick {
        self.get().map_or(0, |c| c.thread(block, thread))
    }

    pub fn make_mut(&mut self) -> &mut Clock {
        Arc::make_mut(self.0.get_or_insert_with(Default::default))
    }

    pub fn join(&mut self, other: &Shared) {
        let Some(theirs) = &other.0 else { return };
        match &mut self.0 {
            None => self.0 = Some(theirs.clone()),
            Some(mine) if Arc::ptr_eq(mine, theirs) => {}
            Some(mine) => match mine.compare(theirs, Covers::BOTH) {
                // Equal clocks are shared as well: later comparisons of shared clocks return at once.
                Covers { second: true, .. } => *mine = theirs.clone(),
                Covers { first: true, .. } => {}
                _ => Arc::make_mut(mine).join(theirs),
            },
        }
    }

    /// Returns whether this clock covers `other`, including its fences.
    pub fn covers(&self, other: &Shared) -> bool {
        match (self.get(), other.get()) {
            (_, None) => true,
            (None, Some(theirs)) => theirs.is_empty(),
            (Some(mine), Some(theirs)) => self.same(other) || mine.covers(theirs),
        }
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        self.same(other) || self.get() == other.get()
    }
}

impl Eq for Shared {}

impl From<Clock> for Shared {
    fn from(clock: Clock) -> Self {
        Shared((!clock.is_empty()).then(|| Arc::new(clock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn random(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as u32
    }

    /// A clock beside its model: a plain map from each thread to its tick.
    #[derive(Clone, Default)]
    struct Both(Clock, BTreeMap<(u32, u32), Tick>);

    const THREADS: u32 = 64;
    /// Block numbers in several chunks and parts of the tree, including the extremes.
    const BLOCKS: [u32; 6] = [0, 3, 16, 400, 1 << 31, u32::MAX];

    #[test]
    fn clocks_that_share_parts_know_what_a_plain_map_knows() {
        let mut seed = 5;
        // Miri takes some ten milliseconds for each question.
        let (rounds, steps) = if cfg!(miri) { (1, 12) } else { (200, 60) };
        for _ in 0..rounds {
            let mut clocks = vec![Both::default(); 4];
            for _ in 0..steps {
                let (who, other) = (random(&mut seed) as usize % 4, random(&mut seed) as usize % 4);
                let block = BLOCKS[random(&mut seed) as usize % 6];
                let (thread, tick) = (random(&mut seed) % THREADS, random(&mut seed) % 5);
                match random(&mut seed) % 4 {
                    0 => {
                        let theirs = clocks[other].clone();
                        clocks[who].0.join(&theirs.0);
                        for (key, tick) in theirs.1 {
                            let known = clocks[who].1.entry(key).or_default();
                            *known = tick.max(*known);
                        }
                    }
                    1 => clocks[who] = clocks[other].clone(),
                    2 => {
                        clocks[who].0.block_mut(block).raise_thread(thread, tick);
                        let known = clocks[who].1.entry((block, thread)).or_default();
                        *known = tick.max(*known);
                    }
                    _ => {
                        clocks[who].0.block_mut(block).raise_warp(thread / 32, tick);
                        for thread in thread / 32 * 32..thread / 32 * 32 + 32 {
                            let known = clocks[who].1.entry((block, thread)).or_default();
                            *known = tick.max(*known);
                        }
                    }
                }
                let (mine, theirs) = (&clocks[who], &clocks[other]);
                for block in BLOCKS {
                    for thread in 0..THREADS {
                        let known = mine.1.get(&(block, thread)).copied().unwrap_or(0);
                        assert_eq!(mine.0.thread(block, thread), known, "{block} {thread}");
                    }
                }
                let covers =
                    theirs.1.iter().all(|(key, tick)| mine.1.get(key).copied().unwrap_or(0) >= *tick);
                assert_eq!(mine.0.covers(&theirs.0), covers);
                let keys: Vec<u32> = mine.0.blocks().map(|b| b.0).collect();
                assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
            }
        }
    }
}
