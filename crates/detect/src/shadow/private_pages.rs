//! Pages of shadow state that one worker has to itself.

use super::lane_slots::{Held, Spots};
use super::page_arrays::Places;
use super::pool::Pool;
use super::single_arrays::{Later, Sole, Soles};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// As [`Table`](super::Table), without locks, and found by one look in most cases.
#[derive(Debug)]
pub(crate) struct Own<T> {
    /// In the order in which they were added, behind one that is none: at [`NOWHERE`].
    pages: Vec<Held<T>>,
    /// Places in `pages` of the numbers from `first` on, one after the other, and [`NOWHERE`] for those that are not there and behind
    /// the last: what a program allocates is near each other as a rule.
    near: Vec<u32>,
    /// Places of pages that were not near when they were added.
    far: FxHashMap<u64, u32>,
    first: u64,
    /// The places of the array of pages that have only one.
    soles: Soles,
    /// Changes when any of that is forgotten; of no other pages it is ever the same.
    when: u64,
    /// The first and the last of the addresses that were looked at together last.
    looked: (u64, u64),
    pool: Arc<Pool<T>>,
}

/// The place of no page, at which nothing is ever known.
const NOWHERE: u32 = 0;
/// Pages that are near at first.
const FIRST: u64 = 16;
/// Pages near each other at most: those of 256 MiB.
const NEAR: u64 = 1 << 16;

impl<T> Own<T> {
    pub(super) fn new(pool: Arc<Pool<T>>) -> Self {
        static OWNS: AtomicU64 = AtomicU64::new(0);
        let when = OWNS.fetch_add(1, Ordering::Relaxed) << 40;
        let (pages, near, far, soles) = (Vec::new(), Vec::new(), FxHashMap::default(), Soles::default());
        Own { pages, near, far, first: 0, soles, when, looked: (0, 0), pool }
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len().saturating_sub(1)
    }

    /// So many pages are near.
    #[inline(always)]
    fn reach(&self) -> u64 {
        (self.near.len() as u64).saturating_sub(1)
    }

    /// Which of the pages it is, for [`Own::at`].
    #[inline(always)]
    pub(crate) fn place(&self, number: u64) -> Option<u32> {
        let behind = number.wrapping_sub(self.first);
        if behind < self.reach() {
            return self.near.get(behind as usize).copied().filter(|&place| place != NOWHERE);
        }
        if self.far.is_empty() { None } else { self.far.get(&number).copied() }
    }

    #[inline(always)]
    pub(crate) fn at(&mut self, place: u32) -> Option<&mut Option<Box<T>>> {
        self.pages.get_mut(place as usize).map(|held| {
            if held.places.is_known() {
                held.places.forget();
                self.soles.forget(held.number.wrapping_sub(self.first));
                self.when += 1;
            }
            &mut held.page
        })
    }

    /// Returns whether these are the addresses, by the first and the last of them, at which the last caller
    /// looked, and records them.
    #[inline(always)]
    pub(crate) fn looks_again(&mut self, looked: (u64, u64)) -> bool {
        std::mem::replace(&mut self.looked, looked) == looked
    }

    /// Returns the places of the numbers of each address, and fetches those of some arrays.
    #[inline(always)]
    pub(crate) fn spots(&mut self, addresses: &[u64; 32], fetched: &[usize]) -> Option<Spots<'_, T>> {
        if self.near.is_empty() || self.pages.is_empty() {
            return None;
        }
        let (first, reach) = (self.first, self.reach());
        let mut places = [NOWHERE; 32];
        if !self.far.is_empty() {
            self.far_places(addresses, &mut places);
        } else {
            let near = self.near.as_ptr();
            for (place, &address) in places.iter_mut().zip(addresses) {
                let behind = (address >> 12).wrapping_sub(first).min(reach);
                // SAFETY: there are `reach` ones and one more.
                *place = unsafe { *near.add(behind as usize) };
            }
        }
        let pages = self.pages.as_mut_ptr();
        // SAFETY: places are those of pages, of which none is ever taken out, or `NOWHERE`, which is there since any is.
        Some(unsafe { Spots::new(addresses, (pages, &places), fetched) })
    }

    /// Finds the place of the number of each address, in a page that has `array` only, if that of one lane is
    /// known to be such.
    #[inline(always)]
    pub(super) fn find(
        &self,
        addresses: &[u64; 32],
        lane: u32,
        array: usize,
        numbers: &mut [*mut u64; 32],
    ) -> bool {
        let page = addresses[lane as usize % 32] >> 12;
        self.soles.has(page.wrapping_sub(self.first), array)
            && self.soles.find((self.first, addresses), array, numbers)
    }

    /// Finds them for later. False if the pages of some lanes are not such.
    #[inline(always)]
    pub(crate) fn later(&self, addresses: &[u64; 32], array: usize, later: &mut Later) -> bool {
        later.when = self.when;
        self.find(addresses, 0, array, &mut later.numbers) && later.is_of_all()
    }

    /// Returns the places of the numbers, unless the pages were changed since.
    #[inline(always)]
    pub(crate) fn now(&mut self, later: &Later) -> Option<Sole<'_>> {
        // SAFETY: pages are kept where they are, with the arrays that they have, until a call of `at` or `pages`;
        // both change `when` if any of these were known.
        (later.when == self.when).then(|| unsafe { Sole::new(later.numbers) })
    }

    /// Adds a page whose places are known to [`Own::later`], if it is such a page.
    pub(crate) fn settle(&mut self, number: u64) {
        let (page, pages) = (number.wrapping_sub(self.first), self.reach());
        if let Some(held) = self.place(number).and_then(|place| self.pages.get(place as usize)) {
            self.soles.know(page, pages, &held.places);
        }
    }

    /// Returns the arrays of a page.
    #[inline(always)]
    pub(crate) fn held(&mut self, number: u64) -> Option<&mut Held<T>> {
        self.place(number).and_then(|place| self.pages.get_mut(place as usize))
    }

    #[cold]
    fn far_places(&self, addresses: &[u64; 32], places: &mut [u32; 32]) {
        for (place, &address) in places.iter_mut().zip(addresses) {
            *place = self.place(address >> 12).unwrap_or(NOWHERE);
        }
    }

    #[inline(always)]
    pub(crate) fn look(&self, place: u32) -> Option<&T> {
        self.pages.get(place as usize)?.page.as_deref()
    }

    pub(super) fn pages(&mut self) -> impl Iterator<Item = (u64, &mut Option<Box<T>>)> {
        self.when += 1;
        let (soles, first) = (&mut self.soles, self.first);
        self.pages.iter_mut().skip(1).map(move |held| {
            if held.places.is_known() {
                held.places.forget();
                soles.forget(held.number.wrapping_sub(first));
            }
            (held.number, &mut held.page)
        })
    }

    pub(super) fn into_pages(self) -> impl Iterator<Item = (u64, Option<Box<T>>)> {
        self.pages.into_iter().skip(1).map(|held| (held.number, held.page))
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
        if self.pages.is_empty() {
            self.pages.push(Held { number: u64::MAX, page: None, places: Places::UNKNOWN });
        }
        let page = self.pool.take();
        if self.pages.len() == self.pages.capacity() {
            // Each step is of a size that the heap has nothing of yet.
            self.pages.reserve(self.pages.len() * 3);
        }
        self.pages.push(Held { number, page: Some(page), places: Places::UNKNOWN });
        let last = self.pages.len() - 1;
        let (behind, reach) = (number.wrapping_sub(self.first), self.reach());
        if let Some(place) = self.near.get_mut(behind as usize).filter(|_| behind < reach) {
            *place = last as u32;
        } else if !self.widens(number) {
            self.far.insert(number, last as u32);
        }
        &mut self.pages[last].page
    }

    /// Extends the pages that are near to `number`, and to at least twice as many as before. Returns false if they would be too many.
    fn widens(&mut self, number: u64) -> bool {
        let len = self.reach();
        let (first, len) = if len == 0 {
            (number, FIRST)
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
            return false;
        }
        (self.first, self.near) = (first, vec![NOWHERE; len as usize + 1]);
        self.soles = Soles::default();
        self.when += 1;
        for (held, place) in self.pages.iter().zip(0..).skip(1) {
            let behind = held.number.wrapping_sub(first);
            if behind < len {
                self.near[behind as usize] = place;
            }
        }
        true
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
            let some: Vec<u64> = known.iter().copied().filter(|number| number >> 52 == 0).collect();
            let mut any = || (some[random(some.len() as u64) as usize] + random(2)) & (u64::MAX >> 12);
            let numbers: [u64; 32] = std::array::from_fn(|_| any());
            let addresses = numbers.map(|number| (number << 12) + number % 1024 * 4);
            let mut spots = own.spots(&addresses, &[0]).unwrap();
            for (lane, number) in (0..).zip(numbers) {
                let (held, at) = spots.at(lane);
                let page = known.contains(&number).then_some(number);
                assert_eq!((held.page.as_deref().copied(), at as u64), (page, number % 1024), "{round}");
            }
        }
    }
}
