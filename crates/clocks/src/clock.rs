//! What is known of all blocks.

use crate::{BlockClock, Tick};
use std::sync::Arc;

/// A vector clock over the threads of a launch. Blocks it knows nothing of are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Sorted by block.
    blocks: Vec<(u32, BlockClock)>,
}

impl Clock {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All blocks it knows of, in order.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &BlockClock)> {
        self.blocks.iter().map(|(block, clock)| (*block, clock))
    }

    pub fn block(&self, block: u32) -> Option<&BlockClock> {
        self.blocks.binary_search_by_key(&block, |e| e.0).ok().map(|i| &self.blocks[i].1)
    }

    pub fn block_mut(&mut self, block: u32) -> &mut BlockClock {
        let i = match self.blocks.binary_search_by_key(&block, |e| e.0) {
            Ok(i) => i,
            Err(i) => {
                self.blocks.insert(i, (block, BlockClock::default()));
                i
            }
        };
        &mut self.blocks[i].1
    }

    /// The tick up to which `thread` of `block` is known.
    pub fn thread(&self, block: u32, thread: u32) -> Tick {
        self.block(block).map_or(0, |b| b.thread(thread))
    }

    /// Becomes the least clock that knows what either knew.
    pub fn join(&mut self, other: &Clock) {
        if self.blocks.is_empty() {
            self.blocks.clone_from(&other.blocks);
            return;
        }
        if other.blocks.len() <= 4 {
            for (block, clock) in &other.blocks {
                self.block_mut(*block).join(clock);
            }
            return;
        }
        let mine = std::mem::take(&mut self.blocks);
        self.blocks.reserve(mine.len().max(other.blocks.len()));
        let mut theirs = other.blocks.iter().peekable();
        for (block, mut clock) in mine {
            while let Some(entry) = theirs.next_if(|e| e.0 < block) {
                self.blocks.push(entry.clone());
            }
            if let Some(entry) = theirs.next_if(|e| e.0 == block) {
                clock.join(&entry.1);
            }
            self.blocks.push((block, clock));
        }
        self.blocks.extend(theirs.cloned());
    }

    /// Does it know all that `other` knows?
    pub fn covers(&self, other: &Clock) -> bool {
        other.blocks.len() <= self.blocks.len()
            && other.blocks.iter().all(|(block, theirs)| {
                self.block(*block).map_or(*theirs == BlockClock::default(), |mine| mine.covers(theirs))
            })
    }

    /// Bytes on the heap, about.
    pub fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<(u32, BlockClock)>()
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
