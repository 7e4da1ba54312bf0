//! What is known of all blocks.

pub mod fences;

use crate::seen::Seen;
use crate::tree::{Covers, Knowledge, Tree};
use crate::{BlockClock, Tick};
use fences::Fences;
use std::sync::Arc;

/// A vector clock over the threads of a launch. Blocks it knows nothing of are absent. Clocks that came
/// from each other share what they have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    blocks: Tree<BlockClock>,
    /// `fence.sc` operations whose order is still open, if there are any.
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

    /// Returns whether it knows anything of any block.
    pub fn knows_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The fences that it carries.
    pub fn fences(&self) -> Option<&Fences> {
        self.fences.as_deref()
    }

    pub fn fences_mut(&mut self) -> &mut Fences {
        Arc::make_mut(self.fences.get_or_insert_with(Default::default))
    }

    /// The same knowledge of blocks without fences.
    pub fn plain(&self) -> Clock {
        Clock { blocks: self.blocks.clone(), fences: None }
    }

    /// Returns whether both have all of their knowledge of blocks in common.
    pub(crate) fn shares_all(&self, other: &Clock) -> bool {
        self.blocks.same(&other.blocks)
    }

    fn mirrors(&self) -> bool {
        self.fences.as_ref().is_some_and(|fences| fences.mirror(self))
    }

    /// Which covers the other, as far as is asked: what is not asked may come out false.
    fn compare(&self, other: &Clock, asked: Covers) -> Covers {
        let blocks = self.blocks.compare(&other.blocks, asked);
        match (&self.fences, &other.fences) {
            (None, None) => blocks,
            (Some(_), None) => Covers { second: false, ..blocks },
            (None, Some(_)) => Covers { first: false, ..blocks },
            (Some(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => blocks,
            (Some(_), Some(_)) if !(blocks.first || blocks.second) => blocks,
            (Some(mine), Some(theirs)) => mine.compare(theirs, blocks),
        }
    }

    /// All blocks it knows of, in order.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &BlockClock)> {
        self.blocks.iter()
    }

    pub fn block(&self, block: u32) -> Option<&BlockClock> {
        self.blocks.get(block)
    }

    pub fn block_mut(&mut self, block: u32) -> &mut BlockClock {
        self.blocks.get_mut(block)
    }

    /// The tick up to which `thread` of `block` is known.
    pub fn thread(&self, block: u32, thread: u32) -> Tick {
        self.block(block).map_or(0, |b| b.thread(thread))
    }

    /// Becomes the least clock that knows what either knew.
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
            // What the fences knew is what the clocks knew, and is joined already.
            mine.before.set_device(Shared::from(Clock { blocks: self.blocks.clone(), fences: None }));
        } else {
            mine.before.join(&theirs.before);
        }
        mine.observed.join(&theirs.observed);
    }

    /// Bytes on the heap, but for parts in `seen`.
    pub fn bytes(&self, seen: &mut Seen) -> usize {
        let fences = self.fences.as_ref().filter(|fences| seen.first(fences));
        let fences = fences.map(|fences| size_of::<Fences>() + 16 + fences.bytes(seen));
        self.blocks.bytes(seen, BlockClock::bytes) + fences.unwrap_or(0)
    }

    /// Returns whether it knows all that `other` knows, and carries its fences.
    pub fn covers(&self, other: &Clock) -> bool {
        self.compare(other, Covers { first: true, second: false }).first
    }
}

/// A clock that many threads hold at once, or nothing known. Changing it copies it if it is shared.
#[derive(Clone, Debug, Default)]
pub struct Shared(Option<Arc<Clock>>);

impl Shared {
    pub fn get(&self) -> Option<&Clock> {
        self.0.as_deref()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether it knows anything of any block.
    pub fn knows_blocks(&self) -> bool {
        self.get().is_some_and(Clock::knows_blocks)
    }

    /// The fences that it carries.
    pub fn fences(&self) -> Option<&Fences> {
        self.get().and_then(Clock::fences)
    }

    /// Returns whether it knows all that `other` knows, whatever fences either carries.
    pub fn knows_all_of(&self, other: &Shared) -> bool {
        match (self.get(), other.get()) {
            (_, None) => true,
            (None, Some(theirs)) => !theirs.knows_blocks(),
            (Some(mine), Some(theirs)) => self.same(other) || mine.blocks.covers(&theirs.blocks),
        }
    }

    /// The same knowledge of blocks without fences.
    pub fn plain(&self) -> Shared {
        match self.get() {
            Some(clock) if clock.fences.is_some() => Shared::from(clock.plain()),
            _ => self.clone(),
        }
    }

    /// Are both the same object? Then they are equal.
    pub fn same(&self, other: &Shared) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Bytes on the heap, but for what is in `seen`.
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
                // Of two that are equal, too: what is shared is not compared again.
                Covers { second: true, .. } => *mine = theirs.clone(),
                Covers { first: true, .. } => {}
                _ => Arc::make_mut(mine).join(theirs),
            },
        }
    }

    /// Does it know all that `other` knows?
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

    /// What a clock knows, thread by thread, beside it.
    #[derive(Clone, Default)]
    struct Both(Clock, BTreeMap<(u32, u32), Tick>);

    const THREADS: u32 = 64;
    /// In several chunks and parts, and where keys of other kinds are.
    const BLOCKS: [u32; 6] = [0, 3, 16, 400, 1 << 31, u32::MAX];

    #[test]
    fn clocks_that_share_parts_know_what_a_plain_map_knows() {
        let mut seed = 5;
        for _ in 0..200 {
            let mut clocks = vec![Both::default(); 4];
            for _ in 0..60 {
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
