//! What is known of all blocks.

use crate::{BlockClock, Tick};
use smallvec::SmallVec;
use std::sync::Arc;

/// Blocks of one chunk: the unit in which clocks share and copy.
const CHUNK: u32 = 16;

/// What is known of the neighbouring blocks of one chunk, sorted.
type Chunk = SmallVec<[(u32, BlockClock); 1]>;

/// A vector clock over the threads of a launch. Blocks it knows nothing of are absent.
///
/// Clocks that came from each other share what they have in common: a copy that learns of one block
/// copies that block's chunk. A lock that thousands of threads take in turn stays affordable by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// By number (block / [`CHUNK`]), sorted; none is empty.
    chunks: Vec<(u32, Arc<Chunk>)>,
}

fn find(chunk: &Chunk, block: u32) -> Option<&BlockClock> {
    chunk.binary_search_by_key(&block, |e| e.0).ok().map(|i| &chunk[i].1)
}

fn find_mut(chunk: &mut Chunk, block: u32) -> &mut BlockClock {
    let i = match chunk.binary_search_by_key(&block, |e| e.0) {
        Ok(i) => i,
        Err(i) => {
            chunk.insert(i, (block, BlockClock::default()));
            i
        }
    };
    &mut chunk[i].1
}

fn chunk_covers(mine: &Arc<Chunk>, theirs: &Arc<Chunk>) -> bool {
    Arc::ptr_eq(mine, theirs)
        || theirs.iter().all(|(block, theirs)| {
            find(mine, *block).map_or(*theirs == BlockClock::default(), |mine| mine.covers(theirs))
        })
}

impl Clock {
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// All blocks it knows of, in order.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &BlockClock)> {
        self.chunks.iter().flat_map(|(_, chunk)| chunk.iter().map(|(block, clock)| (*block, clock)))
    }

    pub fn block(&self, block: u32) -> Option<&BlockClock> {
        let i = self.chunks.binary_search_by_key(&(block / CHUNK), |e| e.0).ok()?;
        find(&self.chunks[i].1, block)
    }

    pub fn block_mut(&mut self, block: u32) -> &mut BlockClock {
        let number = block / CHUNK;
        let i = match self.chunks.binary_search_by_key(&number, |e| e.0) {
            Ok(i) => i,
            Err(i) => {
                self.chunks.insert(i, (number, Arc::default()));
                i
            }
        };
        find_mut(Arc::make_mut(&mut self.chunks[i].1), block)
    }

    /// The tick up to which `thread` of `block` is known.
    pub fn thread(&self, block: u32, thread: u32) -> Tick {
        self.block(block).map_or(0, |b| b.thread(thread))
    }

    /// Becomes the least clock that knows what either knew.
    pub fn join(&mut self, other: &Clock) {
        if self.chunks.is_empty() {
            self.chunks.clone_from(&other.chunks);
            return;
        }
        let known = self.chunks.len();
        let mut at = 0;
        for (number, theirs) in &other.chunks {
            at += self.chunks[at..known].partition_point(|e| e.0 < *number);
            match self.chunks[at..known].first_mut() {
                Some((n, mine)) if n == number => {
                    if chunk_covers(mine, theirs) {
                        continue;
                    }
                    if chunk_covers(theirs, mine) {
                        *mine = Arc::clone(theirs);
                        continue;
                    }
                    let mine = Arc::make_mut(mine);
                    for (block, clock) in theirs.iter() {
                        find_mut(mine, *block).join(clock);
                    }
                }
                _ => self.chunks.push((*number, Arc::clone(theirs))),
            }
        }
        if self.chunks.len() > known {
            self.chunks.sort_by_key(|e| e.0);
        }
    }

    /// Does it know all that `other` knows?
    pub fn covers(&self, other: &Clock) -> bool {
        let mut rest = self.chunks.as_slice();
        other.chunks.iter().all(|(number, theirs)| {
            rest = &rest[rest.partition_point(|e| e.0 < *number)..];
            match rest.first() {
                Some((n, mine)) if n == number => chunk_covers(mine, theirs),
                _ => theirs.iter().all(|(_, clock)| *clock == BlockClock::default()),
            }
        })
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

    /// Are both the same object? Then they are equal.
    pub fn same(&self, other: &Shared) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
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
            Some(mine) if Arc::ptr_eq(mine, theirs) || mine.covers(theirs) => {}
            Some(mine) if theirs.covers(mine) => *mine = theirs.clone(),
            Some(mine) => Arc::make_mut(mine).join(theirs),
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
    /// In three chunks, and where keys of other kinds are.
    const BLOCKS: [u32; 6] = [0, 3, 16, 40, 1 << 31, u32::MAX];

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

    #[test]
    fn a_copy_that_learns_of_one_block_shares_the_others() {
        let mut first = Clock::default();
        for block in 0..64 {
            first.block_mut(block).raise_all(1);
        }
        let mut second = first.clone();
        second.block_mut(20).raise_all(2);
        let shared = first.chunks.iter().zip(&second.chunks).filter(|(a, b)| Arc::ptr_eq(&a.1, &b.1));
        assert_eq!(shared.count(), 3);
        first.join(&second);
        assert!(first.chunks.iter().zip(&second.chunks).all(|(a, b)| Arc::ptr_eq(&a.1, &b.1)));
    }
}
