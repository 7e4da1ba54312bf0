//! Pages of shadow state that several workers share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const BUCKETS: usize = 1024;
/// Buckets that are made together: a small launch uses few.
const GROUP: usize = 32;
/// Pages that are found together.
const REGION: usize = 32;

/// One `T`, behind a lock of its own, for every 4 KiB of an address space, made when first touched; `None` once it was
/// given up. Finding one takes no lock and writes nothing, so that workers on neighbouring pages do not disturb each other.
#[derive(Debug)]
pub(crate) struct Table<T> {
    groups: [Group<T>; BUCKETS / GROUP],
}

/// Neighbouring buckets.
type Group<T> = OnceLock<Box<[Link<T>; GROUP]>>;

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
        Table { groups: [const { OnceLock::new() }; BUCKETS / GROUP] }
    }
}

impl<T> Table<T> {
    /// What one takes but for its regions, at most.
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

    /// As [`Table::page_if`] for who has the table to itself, and without locks.
    #[inline]
    pub(crate) fn page_mut(
        &mut self,
        number: u64,
        may: impl FnOnce() -> bool,
    ) -> Option<&mut Option<Box<T>>> {
        let page = &mut self.region_mut(number / REGION as u64)?.pages[number as usize % REGION];
        if page.get().is_none() && may() {
            page.get_or_init(|| Mutex::new(Some(Box::default())));
        }
        Some(page.get_mut()?.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    #[inline]
    fn region_mut(&mut self, number: u64) -> Option<&mut Region<T>> {
        let group = &mut self.groups[number as usize / GROUP % (BUCKETS / GROUP)];
        group.get_or_init(empty);
        let mut link = &mut group.get_mut()?[number as usize % GROUP];
        loop {
            link.get_or_init(|| Box::new(Region::new(number)));
            let region = link.get_mut()?;
            if region.number == number {
                return Some(region);
            }
            link = &mut region.next;
        }
    }

    fn region(&self, number: u64) -> &Region<T> {
        // Neighbours take turns: one array's regions fall into different buckets.
        let group = &self.groups[number as usize / GROUP % (BUCKETS / GROUP)];
        let mut link = &group.get_or_init(empty)[number as usize % GROUP];
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
        let buckets = self.groups.iter().filter_map(OnceLock::get).flat_map(|group| group.iter());
        let regions = buckets.flat_map(|first| {
            std::iter::successors(first.get(), |region| region.next.get()).map(|region| &**region)
        });
        regions.flat_map(move |region| {
            let pages = region.pages.iter().zip(region.number * REGION as u64..);
            let pages = pages.filter(move |(_, number)| number % parts as u64 == part as u64);
            pages.filter_map(|(page, number)| Some((number, page.get()?)))
        })
    }
}

fn empty<T>() -> Box<[Link<T>; GROUP]> {
    Box::new([const { OnceLock::new() }; GROUP])
}

impl<T> Region<T> {
    fn new(number: u64) -> Self {
        Region { number, pages: [const { OnceLock::new() }; REGION], next: Link::new() }
    }
}

/// A table that its first worker has to itself until there is a second one.
#[derive(Debug)]
pub(crate) struct Store<T> {
    own: Mutex<Option<Table<T>>>,
    shared: OnceLock<Table<T>>,
}

/// A [`Store`]'s table: with nobody else in it, or with its pages to be locked one by one.
pub(crate) enum Opened<'a, T> {
    Own(MutexGuard<'a, Option<Table<T>>>),
    Shared(&'a Table<T>),
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Store { own: Mutex::new(Some(Table::default())), shared: OnceLock::new() }
    }
}

impl<T> Store<T> {
    pub(crate) fn open(&self) -> Opened<'_, T> {
        if let Some(table) = self.shared.get() {
            return Opened::Shared(table);
        }
        let own = lock(&self.own);
        match self.shared.get() {
            Some(table) => Opened::Shared(table),
            None => Opened::Own(own),
        }
    }

    /// From now on several workers use it.
    pub(crate) fn share(&self) {
        let mut own = lock(&self.own);
        if let Some(table) = own.take() {
            self.shared.get_or_init(|| table);
        }
    }
}

impl<T> Opened<'_, T> {
    /// The table, whose pages have locks.
    pub(crate) fn table(&self) -> Option<&Table<T>> {
        match self {
            Opened::Own(table) => table.as_ref(),
            Opened::Shared(table) => Some(table),
        }
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
    fn a_second_worker_finds_what_the_first_one_left() {
        let store = Store::<u64>::default();
        for number in [3, 1027, 1 << 30, 3 + (1024 << 5)] {
            let Opened::Own(mut table) = store.open() else { panic!() };
            let table = table.as_mut().unwrap();
            **table.page_mut(number, || true).unwrap().as_mut().unwrap() += number;
            assert!(table.page_mut(number + 1, || false).is_none());
        }
        store.share();
        store.share();
        let Opened::Shared(table) = store.open() else { panic!() };
        assert_eq!(table.iter().count(), 4);
        assert_eq!(lock(table.existing(1027).unwrap()).as_deref(), Some(&1027));
    }

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
