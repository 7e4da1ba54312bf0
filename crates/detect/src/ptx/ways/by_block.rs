//! A value for each block that runs.

use rustc_hash::FxHashMap;
use std::cell::Cell;

/// A `T` for each of some blocks. One is mostly asked for that was asked for last: then its number is not looked up.
#[derive(Debug)]
pub(crate) struct ByBlock<T> {
    places: FxHashMap<u32, u32>,
    /// None where a block has ended, until another one begins.
    all: Vec<Option<T>>,
    free: Vec<u32>,
    /// A block, and its place, which is [`NONE`] if it has none.
    last: Cell<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl<T> Default for ByBlock<T> {
    fn default() -> Self {
        ByBlock {
            places: FxHashMap::default(),
            all: Vec::new(),
            free: Vec::new(),
            last: Cell::new((0, NONE)),
        }
    }
}

impl<T> ByBlock<T> {
    #[inline(always)]
    fn place(&self, block: u32) -> usize {
        let (last, place) = self.last.get();
        if last == block { place as usize } else { self.find(block) }
    }

    fn find(&self, block: u32) -> usize {
        let place = self.places.get(&block).copied().unwrap_or(NONE);
        self.last.set((block, place));
        place as usize
    }

    #[inline(always)]
    pub(crate) fn get(&self, block: u32) -> Option<&T> {
        self.all.get(self.place(block))?.as_ref()
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, block: u32) -> Option<&mut T> {
        let place = self.place(block);
        self.all.get_mut(place)?.as_mut()
    }

    /// The block's, which is made if there is none.
    #[inline(always)]
    pub(crate) fn get_or(&mut self, block: u32, make: impl FnOnce() -> T) -> &mut T {
        let mut place = self.place(block);
        if place == NONE as usize {
            place = self.add(block);
        }
        self.all[place].get_or_insert_with(make)
    }

    #[cold]
    fn add(&mut self, block: u32) -> usize {
        let place = self.free.pop().unwrap_or_else(|| {
            self.all.push(None);
            self.all.len() as u32 - 1
        });
        self.places.insert(block, place);
        self.last.set((block, place));
        place as usize
    }

    pub(crate) fn remove(&mut self, block: u32) -> Option<T> {
        let place = self.places.remove(&block)?;
        self.last.set((block, NONE));
        self.free.push(place);
        self.all[place as usize].take()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.all.iter().flatten()
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = u32> {
        self.places.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Blocks that come, go and come again have what a map would have for them.
    #[test]
    fn each_block_has_its_own() {
        let mut random = crate::random::below(1);
        let (mut kept, mut map) = (ByBlock::default(), BTreeMap::new());
        for step in 0..20_000u64 {
            let block = random(9) as u32;
            match random(5) {
                0 => assert_eq!(kept.remove(block), map.remove(&block)),
                1 => {
                    assert_eq!(*kept.get_or(block, || step), *map.entry(block).or_insert(step));
                }
                2 => {
                    let (one, other) = (kept.get_mut(block), map.get_mut(&block));
                    assert_eq!(one, other);
                    if let (Some(one), Some(other)) = (one, other) {
                        (*one, *other) = (step, step);
                    }
                }
                _ => assert_eq!(kept.get(block), map.get(&block)),
            }
            assert_eq!((kept.is_empty(), kept.values().count()), (map.is_empty(), map.len()));
            let mut blocks: Vec<u32> = kept.blocks().collect();
            blocks.sort_unstable();
            assert!(blocks.iter().eq(map.keys()));
        }
    }
}
