//! Loads of constant memory, as detectors see them.
//!
//! Kernels do not write constant memory, so such a load can race only with another task: a copy to the
//! symbol. Conflicts between tasks depend on which bytes they access, not on how often, so each load
//! instruction is reported once for each element that a worker reads by it in a launch. All other loads of
//! the element skip the event.

use super::{FULL, Worker};
use crate::alu::row::Lanes;
use events::{LaneMask, Observer};
use rustc_hash::FxHashMap;

/// The logarithm of the bytes in a page, whose marks form one entry of the table.
const PAGE: u32 = 10;

/// A bit for each byte at which an element begins.
type Marks = [u64; 1 << (PAGE - 6)];

/// The elements that one instruction has read. All have one size, and are aligned to it.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The most recently used page, and the index of its marks.
    last: Option<(u64, usize)>,
    pages: FxHashMap<u64, usize>,
    marks: Vec<Marks>,
}

impl Heard {
    /// Marks an address as read; returns whether it was unread before.
    #[inline]
    fn is_news(&mut self, address: u64) -> bool {
        let page = address >> PAGE;
        let index = match self.last {
            Some((last, index)) if last == page => index,
            _ => self.find(page),
        };
        let (word, bit) = ((address >> 6) as usize % (1 << (PAGE - 6)), 1 << (address & 63));
        let word = &mut self.marks[index][word];
        let news = *word & bit == 0;
        *word |= bit;
        news
    }

    #[cold]
    fn find(&mut self, page: u64) -> usize {
        let marks = &mut self.marks;
        let index = *self.pages.entry(page).or_insert_with(|| {
            marks.push([0; 1 << (PAGE - 6)]);
            marks.len() - 1
        });
        self.last = Some((page, index));
        index
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Returns the subset of `lanes` that read an element for the first time by load number `number` of
    /// constant memory in the program.
    pub(super) fn first_reads(&mut self, number: u32, addresses: &[u64; 32], lanes: LaneMask) -> LaneMask {
        let number = number as usize;
        if self.s.constants.len() <= number {
            self.s.constants.resize_with(number + 1, Heard::default);
        }
        let heard = &mut self.s.constants[number];
        let first = addresses[0];
        if lanes == FULL && addresses.iter().fold(0, |apart, a| apart | (a ^ first)) == 0 {
            return if heard.is_news(first) { lanes } else { 0 };
        }
        let (mut news, mut last) = (0, None);
        for lane in Lanes(lanes) {
            let address = addresses[lane];
            let is_news = match last {
                Some((same, news)) if same == address => news,
                _ => heard.is_news(address),
            };
            last = Some((address, is_news));
            news |= u32::from(is_news) << lane;
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::Heard;

    #[test]
    fn each_place_is_news_once() {
        let mut heard = Heard::default();
        let places = [0x1000, 0x1004, 0x13fc, 0x1400, 0x9000, 0x1040];
        assert!(places.into_iter().all(|place| heard.is_news(place)));
        assert!(!places.into_iter().any(|place| heard.is_news(place)));
        assert!(heard.is_news(0x1008));
    }
}
