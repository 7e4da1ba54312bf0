//! Sparse arrays over granule indices.

use super::slab::Slab;
use rustc_hash::FxHashMap;

/// Cells of one page.
pub const PAGE: usize = 1 << 10;

/// A map from granule index to `T`, absent cells reading as a fill value.
///
/// Cells come in pages of [`PAGE`]; the last page used is remembered, since
/// neighbouring lanes touch neighbouring granules.
pub struct Pages<T> {
    fill: T,
    index: FxHashMap<u64, u32>,
    pages: Slab<T>,
    last: Option<(u64, u32)>,
}

impl<T: Copy> Pages<T> {
    pub fn new(fill: T) -> Self {
        Pages { fill, index: FxHashMap::default(), pages: Slab::new(PAGE), last: None }
    }

    /// The cell of a granule, created if need be.
    pub fn cell(&mut self, granule: u64) -> &mut T {
        let page = granule / PAGE as u64;
        let slot = match self.last {
            Some((number, slot)) if number == page => slot,
            _ => {
                let (pages, fill) = (&mut self.pages, self.fill);
                let slot = *self.index.entry(page).or_insert_with(|| pages.take(|| fill));
                self.last = Some((page, slot));
                slot
            }
        };
        &mut self.pages.page_mut(slot)[(granule % PAGE as u64) as usize]
    }

    /// Resets the granules `first..=last` that exist.
    pub fn reset(&mut self, first: u64, last: u64) {
        for page in first / PAGE as u64..=last / PAGE as u64 {
            // A huge range over few pages: visit the pages, not the range.
            if (last - first) / PAGE as u64 > self.index.len() as u64 {
                return self.reset_present(first, last);
            }
            if let Some(&slot) = self.index.get(&page) {
                self.reset_page(page, slot, first, last);
            }
        }
    }

    fn reset_present(&mut self, first: u64, last: u64) {
        let present: Vec<_> = self.index.iter().map(|(&page, &slot)| (page, slot)).collect();
        for (page, slot) in present {
            self.reset_page(page, slot, first, last);
        }
    }

    fn reset_page(&mut self, page: u64, slot: u32, first: u64, last: u64) {
        let base = page * PAGE as u64;
        for (offset, cell) in (0u64..).zip(self.pages.page_mut(slot).iter_mut()) {
            if (first..=last).contains(&(base + offset)) {
                *cell = self.fill;
            }
        }
    }

    /// Resets all cells, and keeps their memory for new ones.
    pub fn clear(&mut self) {
        self.last = None;
        for (_, slot) in self.index.drain() {
            self.pages.give_back(slot);
        }
    }

    /// Cells allocated.
    pub fn cells(&self) -> u64 {
        (self.index.len() * PAGE) as u64
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.cells() * size_of::<T>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_independent_and_keep_their_values() {
        let mut pages = Pages::new(7u32);
        *pages.cell(3) = 1;
        *pages.cell(1 << 40) = 2;
        assert_eq!((*pages.cell(3), *pages.cell(1 << 40), *pages.cell(4)), (1, 2, 7));
        assert_eq!(pages.cells(), 2 * PAGE as u64);
    }

    #[test]
    fn cleared_pages_are_as_new_ones() {
        let mut pages = Pages::new(7u32);
        *pages.cell(3) = 1;
        *pages.cell(5000) = 2;
        pages.clear();
        assert_eq!(pages.cells(), 0);
        assert_eq!((*pages.cell(5000), *pages.cell(3)), (7, 7));
        assert_eq!(pages.cells(), 2 * PAGE as u64);
    }

    #[test]
    fn a_reset_covers_its_range_only() {
        let mut pages = Pages::new(0u32);
        for granule in [0, 1023, 1024, 5000] {
            *pages.cell(granule) = 9;
        }
        pages.reset(1, 1024);
        assert_eq!(
            [0, 1023, 1024, 5000].map(|g| *pages.cell(g)),
            [9, 0, 0, 9],
            "both ends of the range are inside it"
        );
        pages.reset(0, u64::MAX);
        assert_eq!(*pages.cell(5000), 0);
    }
}
