//! The data of a launch, by pages: words of four bytes until a byte is accessed by itself.

use super::barriers::Place;
use super::word::Word;
use crate::lens::slab::Slab;
use crate::lens::witness::Witness;
use events::Space;
use rustc_hash::FxHashMap;

/// A datum: its word, and whom to name in a report.
#[derive(Clone, Copy)]
pub(super) struct Datum {
    pub(super) word: Word,
    pub(super) last: Witness,
    /// The last access by another thread than `last`'s, and the last store or atomic.
    pub(super) other: Witness,
    pub(super) writer: Witness,
}

impl Datum {
    pub(super) const INIT: Datum =
        Datum { word: Word::INIT, last: Witness::NOBODY, other: Witness::NOBODY, writer: Witness::NOBODY };
}

/// Bytes that a page describes.
pub(super) const PAGE: u64 = 1 << PAGE_SHIFT;
pub(super) const PAGE_SHIFT: u32 = 10;

pub(super) enum Page {
    /// Their places in the slab.
    Words(u32),
    Bytes(Box<[Datum]>),
}

/// All data of a launch.
pub(super) struct Pages {
    pub(super) global: FxHashMap<u64, Page>,
    pub(super) shared: FxHashMap<u32, FxHashMap<u64, Page>>,
    pub(super) words: Slab<Datum>,
}

impl Default for Pages {
    fn default() -> Self {
        Pages {
            global: FxHashMap::default(),
            shared: FxHashMap::default(),
            words: Slab::new(PAGE as usize / 4),
        }
    }
}

impl Page {
    /// Bytes of a datum, and the data.
    pub(super) fn data<'a>(&'a mut self, words: &'a mut Slab<Datum>) -> (u64, &'a mut [Datum]) {
        match self {
            Page::Words(at) => (4, words.page_mut(*at)),
            Page::Bytes(data) => (1, data),
        }
    }
}

impl Pages {
    /// The data of a page. With `bytes`, each byte is followed for itself from now on.
    pub(super) fn data(&mut self, (space, number): Place, bytes: bool) -> (u64, &mut [Datum]) {
        let pages = match space {
            Space::Global => &mut self.global,
            Space::Shared(block) | Space::Tensor(block) => self.shared.entry(block.0).or_default(),
        };
        let page = pages.entry(number).or_insert_with(|| Page::Words(self.words.take(|| Datum::INIT)));
        if bytes && let Page::Words(at) = *page {
            *page = Page::Bytes(self.words.page(at).iter().flat_map(|word| [*word; 4]).collect());
            self.words.give_back(at);
        }
        page.data(&mut self.words)
    }

    pub(super) fn block_end(&mut self, block: u32) {
        for (_, page) in self.shared.remove(&block).into_iter().flatten() {
            if let Page::Words(at) = page {
                self.words.give_back(at);
            }
        }
    }

    /// Forgets everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        let shared = self.shared.drain().flat_map(|(_, pages)| pages);
        for (_, page) in self.global.drain().chain(shared) {
            if let Page::Words(at) = page {
                self.words.give_back(at);
            }
        }
    }

    pub(super) fn forget(&mut self, range: std::ops::Range<u64>) {
        for (&number, page) in &mut self.global {
            let start = number * PAGE;
            if start >= range.end || start + PAGE <= range.start {
                continue;
            }
            let (step, data) = page.data(&mut self.words);
            for (at, datum) in (0..).zip(data) {
                if range.contains(&(start + at * step)) {
                    *datum = Datum::INIT;
                }
            }
        }
    }
}
