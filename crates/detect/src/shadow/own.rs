//! Pages of shadow state that one worker has to itself.

use super::pool::Pool;
use std::sync::Arc;

/// As [`Table`](super::Table), without locks, and found by one look in most cases.
#[derive(Debug)]
pub(crate) struct Own<T> {
    /// With their numbers, in the order in which they were added; `None` once one was given up.
    pages: Vec<(u64, Option<Box<T>>)>,
    /// Places in `pages` by a hash of the number, or the first free place behind it; at most half of it is in use.
    index: Vec<u32>,
    pool: Arc<Pool<T>>,
}

/// In the index: nothing.
const NONE: u32 = u32::MAX;
/// Places of the first index.
const FIRST: usize = 16;

impl<T> Own<T> {
    pub(super) fn new(pool: Arc<Pool<T>>) -> Self {
        Own { pages: Vec::new(), index: Vec::new(), pool }
    }

    #[inline(always)]
    fn start(&self, number: u64) -> usize {
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & self.index.len().wrapping_sub(1)
    }

    /// Which of the pages it is, for [`Own::at`].
    #[inline(always)]
    pub(crate) fn place(&self, number: u64) -> Option<u32> {
        let mut at = self.start(number);
        loop {
            let place = *self.index.get(at)?;
            if place == NONE {
                return None;
            }
            if self.pages.get(place as usize).is_some_and(|page| page.0 == number) {
                return Some(place);
            }
            at = (at + 1) & (self.index.len() - 1);
        }
    }

    #[inline(always)]
    pub(crate) fn at(&mut self, place: u32) -> Option<&mut Option<Box<T>>> {
        self.pages.get_mut(place as usize).map(|page| &mut page.1)
    }

    #[inline(always)]
    pub(crate) fn look(&self, place: u32) -> Option<&T> {
        self.pages.get(place as usize)?.1.as_deref()
    }

    pub(super) fn pages(&mut self) -> impl Iterator<Item = (u64, &mut Option<Box<T>>)> {
        self.pages.iter_mut().map(|(number, page)| (*number, page))
    }

    pub(super) fn into_pages(self) -> impl Iterator<Item = (u64, Option<Box<T>>)> {
        self.pages.into_iter()
    }
}

impl<T: Default> Own<T> {
    /// The page, made if it is new and `may` says so.
    #[inline(always)]
    pub(crate) fn page_mut(
        &mut self,
        number: u64,
        may: impl FnOnce() -> bool,
    ) -> Option<&mut Option<Box<T>>> {
        match self.place(number) {
            Some(place) => self.at(place),
            None if may() => Some(self.add(number)),
            None => None,
        }
    }

    #[cold]
    fn add(&mut self, number: u64) -> &mut Option<Box<T>> {
        if self.pages.len() * 2 >= self.index.len() {
            self.index = vec![NONE; (self.index.len() * 2).max(FIRST)];
            for place in 0..self.pages.len() {
                self.enter(self.pages[place].0, place as u32);
            }
        }
        self.enter(number, self.pages.len() as u32);
        let page = self.pool.take();
        self.pages.push((number, Some(page)));
        let last = self.pages.len() - 1;
        &mut self.pages[last].1
    }

    fn enter(&mut self, number: u64, place: u32) {
        let mut at = self.start(number);
        while self.index[at] != NONE {
            at = (at + 1) & (self.index.len() - 1);
        }
        self.index[at] = place;
    }
}
