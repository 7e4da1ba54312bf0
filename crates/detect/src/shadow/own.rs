//! Pages of shadow state that one worker has to itself.

use super::places::Places;
use super::pool::Pool;
use std::sync::Arc;

/// As [`Table`](super::Table), without locks, and found by one look in most cases.
#[derive(Debug)]
pub(crate) struct Own<T> {
    /// In the order in which they were added.
    pages: Vec<Held<T>>,
    /// Places in `pages` by a hash of the number, or the first free place behind it; at most half of it is in use.
    index: Vec<u32>,
    /// The same of pages from number `first` on, one after the other, and [`NONE`] for those that are not there: what a
    /// program allocates is near each other as a rule.
    near: Vec<u32>,
    first: u64,
    /// The first and the last of the addresses that were looked at together last.
    looked: (u64, u64),
    pool: Arc<Pool<T>>,
}

/// A page, in a line of the processor's cache.
#[derive(Debug)]
#[repr(C, align(64))]
struct Held<T> {
    number: u64,
    /// `None` once it was given up.
    page: Option<Box<T>>,
    /// Unknown from when somebody may change the page.
    places: Places,
}

/// In the index: nothing.
const NONE: u32 = u32::MAX;
/// Places of the first index.
const FIRST: usize = 16;
/// Pages near each other at most: those of 256 MiB.
const NEAR: u64 = 1 << 16;

impl<T> Own<T> {
    pub(super) fn new(pool: Arc<Pool<T>>) -> Self {
        Own { pages: Vec::new(), index: Vec::new(), near: Vec::new(), first: 0, looked: (0, 0), pool }
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Which of the pages it is, for [`Own::at`].
    #[inline(always)]
    pub(crate) fn place(&self, number: u64) -> Option<u32> {
        match self.near.get(number.wrapping_sub(self.first) as usize) {
            Some(&place) => (place != NONE).then_some(place),
            None => far(&self.index, &self.pages, number),
        }
    }

    #[inline(always)]
    pub(crate) fn at(&mut self, place: u32) -> Option<&mut Option<Box<T>>> {
        self.pages.get_mut(place as usize).map(|held| {
            held.places.forget();
            &mut held.page
        })
    }

    /// Are these the addresses, by the first and the last of them, at which somebody looked just before? From now on they are.
    #[inline(always)]
    pub(crate) fn looks_again(&mut self, looked: (u64, u64)) -> bool {
        std::mem::replace(&mut self.looked, looked) == looked
    }

    /// The pages, for who looks at many of them.
    #[inline(always)]
    pub(crate) fn all(&mut self) -> All<'_, T> {
        All { near: &self.near, first: self.first, index: &self.index, pages: &mut self.pages }
    }

    #[inline(always)]
    pub(crate) fn look(&self, place: u32) -> Option<&T> {
        self.pages.get(place as usize)?.page.as_deref()
    }

    pub(super) fn pages(&mut self) -> impl Iterator<Item = (u64, &mut Option<Box<T>>)> {
        self.pages.iter_mut().map(|held| {
            held.places.forget();
            (held.number, &mut held.page)
        })
    }

    pub(super) fn into_pages(self) -> impl Iterator<Item = (u64, Option<Box<T>>)> {
        self.pages.into_iter().map(|held| (held.number, held.page))
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
                self.enter(self.pages[place].number, place as u32);
            }
        }
        self.enter(number, self.pages.len() as u32);
        let page = self.pool.take();
        self.pages.push(Held { number, page: Some(page), places: Places::UNKNOWN });
        let last = self.pages.len() - 1;
        match self.near.get_mut(number.wrapping_sub(self.first) as usize) {
            Some(place) => *place = last as u32,
            None => self.widen(number),
        }
        &mut self.pages[last].page
    }

    /// Has the pages that are near reach to `number`, and at least twice as far as before, if they are not too many then.
    fn widen(&mut self, number: u64) {
        let len = self.near.len() as u64;
        let (first, len) = if len == 0 {
            (number, FIRST as u64)
        } else if number < self.first {
            let before = (self.first - number).max(len.min(self.first));
            (self.first - before, before.saturating_add(len))
        } else {
            (
                self.first,
                (number - self.first).saturating_add(1).checked_next_power_of_two().unwrap_or(u64::MAX),
            )
        };
        if len > NEAR {
            return;
        }
        (self.first, self.near) = (first, vec![NONE; len as usize]);
        for (held, place) in self.pages.iter().zip(0..) {
            if let Some(near) = self.near.get_mut(held.number.wrapping_sub(first) as usize) {
                *near = place;
            }
        }
    }

    fn enter(&mut self, number: u64, place: u32) {
        let mut at = start(&self.index, number);
        while self.index[at] != NONE {
            at = (at + 1) & (self.index.len() - 1);
        }
        self.index[at] = place;
    }
}

/// Where a number's place in the index is, if it is free.
#[inline(always)]
fn start(index: &[u32], number: u64) -> usize {
    let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    hash as usize & index.len().wrapping_sub(1)
}

/// As [`Own::place`], of a page that is not near the others.
#[inline(never)]
fn far<T>(index: &[u32], pages: &[Held<T>], number: u64) -> Option<u32> {
    let mut at = start(index, number);
    loop {
        let place = *index.get(at)?;
        if place == NONE {
            return None;
        }
        if pages.get(place as usize).is_some_and(|held| held.number == number) {
            return Some(place);
        }
        at = (at + 1) & (index.len() - 1);
    }
}

/// The pages as they are, with what is needed to find them at hand: whatever is written to a page, it need not be looked up again.
pub(crate) struct All<'a, T> {
    near: &'a [u32],
    first: u64,
    index: &'a [u32],
    pages: &'a mut [Held<T>],
}

impl<T> All<'_, T> {
    /// Which of the pages an address is in, [`NONE`] if in none.
    #[inline(always)]
    pub(crate) fn place(&self, address: u64) -> u32 {
        let number = address >> 12;
        match self.near.get(number.wrapping_sub(self.first) as usize) {
            Some(&place) => place,
            None => far(self.index, self.pages, number).unwrap_or(NONE),
        }
    }

    /// Where a page has its numbers, which `look` says if it is not known.
    #[inline(always)]
    pub(crate) fn places(
        &mut self,
        place: u32,
        look: impl FnOnce(&mut T) -> Option<Places>,
    ) -> Option<&mut Places> {
        let held = self.pages.get_mut(place as usize)?;
        if !held.places.is_known() {
            held.places = look(held.page.as_deref_mut()?)?;
        }
        Some(&mut held.places)
    }

    /// The same, where it is known: else it has no parts.
    #[inline(always)]
    pub(crate) fn known(&mut self, place: u32) -> Option<&mut Places> {
        self.pages.get_mut(place as usize).map(|held| &mut held.places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages are found, and no others, wherever they lie and in whatever order they came.
    #[test]
    fn near_and_far_pages_are_found() {
        let mut random = crate::random::below(1);
        for round in 0..40 {
            let mut own = Own::<u64>::new(Arc::default());
            let mut known = std::collections::BTreeSet::new();
            let base = [0, 3, 1 << 20, u64::MAX >> 12][round % 4];
            for _ in 0..300 {
                let far = [0, 0, 0, 1 << 15, 1 << 17, 1 << 40][random(6) as usize];
                let number = base.saturating_sub(random(1 << (round % 12))).saturating_add(random(200) + far);
                **own.page_mut(number, || true).unwrap().as_mut().unwrap() = number;
                known.insert(number);
            }
            for &number in &known {
                let found = own.place(number).and_then(|place| own.look(place));
                assert_eq!(found, Some(&number), "{round}");
                for other in [number.wrapping_sub(1), number.wrapping_add(1), number ^ 1 << 16] {
                    assert_eq!(own.place(other).is_some(), known.contains(&other), "{round} {other}");
                }
            }
        }
    }
}
