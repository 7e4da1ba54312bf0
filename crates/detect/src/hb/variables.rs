//! Knowledge that a variable's releases have published, by scope.

use clocks::compressed::{Seen, Shape, VectorClock};
use rustc_hash::FxHashMap;

/// A clock for device scope and one for each block that released in block scope.
///
/// Two operations overlap in scope if one of them has device scope or both are of one block;
/// only then does the second learn what the first published.
#[derive(Clone, Debug, Default)]
pub struct Scoped<C> {
    device: C,
    blocks: FxHashMap<u32, C>,
}

impl<C: VectorClock> Scoped<C> {
    pub fn join(&mut self, shape: &Shape, block: u32, block_scope: bool, clock: &C) {
        let own = if block_scope { self.blocks.entry(block).or_default() } else { &mut self.device };
        own.join(shape, clock);
    }

    pub fn join_into(&self, shape: &Shape, block: u32, block_scope: bool, clock: &mut C) {
        clock.join(shape, &self.device);
        if !block_scope {
            for published in self.blocks.values() {
                clock.join(shape, published);
            }
        } else if let Some(published) = self.blocks.get(&block) {
            clock.join(shape, published);
        }
    }

    pub fn bytes(&self, seen: &mut Seen) -> u64 {
        self.device.bytes(seen) + self.blocks.values().map(|c| c.bytes(seen)).sum::<u64>()
    }
}
