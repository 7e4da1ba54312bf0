//! The places that were last written strongly.

use super::pool::clear;
use super::{Place, Written};
use rustc_hash::FxHashMap;

/// Words of bits.
const WORDS: usize = 256;

/// Written places. Most that are asked for were not written, and the table lies far away by then: a few bits near at hand say so.
#[derive(Debug, Default)]
pub(super) struct WrittenPlaces {
    of: FxHashMap<Place, Written>,
    /// A filter, indexed by a hash of the place: false if the place is not in the table. Made by the first one.
    may: Option<Box<[u64; WORDS]>>,
}

impl WrittenPlaces {
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.of.len()
    }

    #[inline]
    pub(super) fn has(&self, at: &Place) -> bool {
        let (word, bit) = bit(at);
        self.may.as_ref().is_some_and(|may| may[word] & bit != 0) && self.of.contains_key(at)
    }

    pub(super) fn get(&self, at: &Place) -> Option<&Written> {
        self.of.get(at)
    }

    pub(super) fn insert(&mut self, at: Place, written: Written) {
        let (word, bit) = bit(&at);
        self.may.get_or_insert_with(|| Box::new([0; WORDS]))[word] |= bit;
        self.of.insert(at, written);
    }

    pub(super) fn clear(&mut self) {
        self.of.clear();
        self.may = None;
    }

    /// The same, and leaves no more room than others need.
    pub(super) fn begin_anew(&mut self) {
        clear(&mut self.of);
        self.may = None;
    }

    /// Bytes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        self.of.capacity() * size_of::<(Place, Written)>() + self.may.as_deref().map_or(0, size_of_val)
    }
}

#[inline(always)]
fn bit((_, address): &Place) -> (usize, u64) {
    let hash = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as usize;
    (hash / 64 % WORDS, 1 << (hash % 64))
}
