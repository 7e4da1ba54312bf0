//! Pages of shadow state that several workers share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const BUCKETS: usize = 1024;
/// Pages that are found together.
const REGION: usize = 32;

/// One `T`, behind a lock of its own, for every 4 KiB of an address space, made when first touched; `None` once it was
/// given up. Finding one takes no lock and writes nothing, so that workers on neighbouring pages do not disturb each other.
#[derive(Debug)]
pub(crate) struct Table<T> {
    buckets: Box<[Link<T>]>,
}

/// A page, locked.
pub(crate) type Guard<'a, T> = MutexGuard<'a, Option<Box<T>>>;

/// Regions whose numbers fall into one bucket, in the order in which they were added.
type Link<T> = OnceLock<Box<Region<T>>>;

#[derive(Debug)]
struct Region<T> {
    number: u64,
    pages: [OnceLock<Mutex<Option<Box<T>>>>; REGION],
    next: Link<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { buckets: (0..BUCKETS).map(|_| Link::new()).collect() }
    }
}

impl<T> Table<T> {
    /// What an empty one takes.
    pub(crate) const BYTES: u64 = (BUCKETS * size_of::<Link<T>>()) as u64;
}

impl<T: Default> Table<T> {
    /// The page, if there is one.
    pub(crate) fn existing(&self, number: u64) -> Option<&Mutex<Option<Box<T>>>> {
        self.region(number / REGION as u64).pages[number as usize % REGION].get()
    }

    /// The page, made if it is new and `may` says so.
    pub(crate) fn page_if(&self, number: u64, may: impl FnOnce() -> bool) -> Option<Guard<'_, T>> {
        let page = &self.region(number / REGION as u64).pages[number as usize % REGION];
        let page = match page.get() {
            Some(page) => page,
            None if may() => page.get_or_init(|| Mutex::new(Some(Box::default()))),
            None => return None,
        };
        Some(lock(page))
    }

    fn region(&self, number: u64) -> &Region<T> {
        // Neighbours take turns: one array's regions fall into different buckets.
        let mut link = &self.buckets[number as usize % BUCKETS];
        loop {
            let region = link.get_or_init(|| Box::new(Region::new(number)));
            if region.number == number {
                return region;
            }
            link = &region.next;
        }
    }

    /// Every page with its number, in no order. The lock is the caller's to take.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Mutex<Option<Box<T>>>)> {
        self.part(0, 1)
    }

    /// The `part`-th of `parts` parts of [`Table::iter`]: neighbours are of different parts.
    pub(crate) fn part(
        &self,
        part: usize,
        parts: usize,
    ) -> impl Iterator<Item = (u64, &Mutex<Option<Box<T>>>)> {
        let regions = self.buckets.iter().flat_map(|first| {
            std::iter::successors(first.get(), |region| region.next.get()).map(|region| &**region)
        });
        regions.flat_map(move |region| {
            let pages = region.pages.iter().zip(region.number * REGION as u64..);
            let pages = pages.filter(move |(_, number)| number % parts as u64 == part as u64);
            pages.filter_map(|(page, number)| Some((number, page.get()?)))
        })
    }
}

impl<T> Region<T> {
    fn new(number: u64) -> Self {
        Region { number, pages: [const { OnceLock::new() }; REGION], next: Link::new() }
    }
}

/// A worker that panics leaves at worst an access that is not remembered.
pub(crate) fn lock<T>(page: &Mutex<T>) -> MutexGuard<'_, T> {
    page.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_find_each_others_pages() {
        let table = Table::<u64>::default();
        let numbers = || (0..4000u64).map(|i| i * i * 37 % (1 << 36));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in numbers() {
                        **table.page_if(number, || true).unwrap().as_mut().unwrap() += number;
                    }
                });
            }
        });
        let mut expected = std::collections::BTreeMap::<u64, u64>::new();
        for number in numbers() {
            *expected.entry(number).or_default() += 4 * number;
        }
        let halves = (0..2).flat_map(|part| table.part(part, 2)).count();
        assert_eq!(halves, expected.len());
        let all: std::collections::BTreeMap<_, _> =
            table.iter().filter_map(|(n, p)| Some((n, *lock(p).clone()?))).collect();
        assert_eq!(all, expected);
        assert!(table.page_if(1 << 40, || false).is_none());
    }
}
