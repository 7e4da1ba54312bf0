//! Pages of shadow state that several workers share.

use super::biased_lock::{Bias, BiasedLock, Turn};
use super::mutex::lock;
use super::pool::Pool;
use super::private_pages::Own;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

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
    /// The bytes that one takes without its regions, at most.
    pub(crate) const BYTES: u64 = (BUCKETS * size_of::<Link<T>>()) as u64;
}

impl<T: Default> Table<T> {
    /// The page, if there is one.
    fn existing(&self, number: u64) -> Option<&Mutex<Option<Box<T>>>> {
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

    /// Adds a page that there is not yet.
    fn add(&self, number: u64, page: Option<Box<T>>) {
        self.region(number / REGION as u64).pages[number as usize % REGION].get_or_init(|| Mutex::new(page));
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

    /// The `part`-th of `parts` parts of every page with its number, in no order. Neighbours are of different parts. The
    /// lock is the caller's to take.
    fn part(&self, part: usize, parts: usize) -> impl Iterator<Item = (u64, &Mutex<Option<Box<T>>>)> {
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

/// Pages that their first worker has to itself until there is a second one.
#[derive(Debug)]
pub(crate) struct Store<T> {
    own: BiasedLock<Option<Own<T>>>,
    shared: OnceLock<Table<T>>,
    pool: Arc<Pool<T>>,
}

/// A [`Store`]'s pages: for one worker alone, or to be locked one by one.
pub(crate) enum Opened<'a, T> {
    Own(Turn<'a, Option<Own<T>>>),
    Shared(&'a Table<T>),
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Store::new(&Arc::default())
    }
}

impl<T> Store<T> {
    pub(crate) fn new(pool: &Arc<Pool<T>>) -> Self {
        let own = Own::new(Arc::clone(pool));
        Store { own: BiasedLock::new(Some(own)), shared: OnceLock::new(), pool: Arc::clone(pool) }
    }

    pub(crate) fn open(&self) -> Opened<'_, T> {
        if let Some(table) = self.shared.get() {
            return Opened::Shared(table);
        }
        let own = self.own.turn();
        match self.shared.get() {
            Some(table) => Opened::Shared(table),
            None => Opened::Own(own),
        }
    }

    /// As [`Store::open`], for a worker that does so again and again.
    #[inline(always)]
    pub(crate) fn open_by<'a>(&'a self, bias: &'a mut Bias) -> Opened<'a, T> {
        if let Some(table) = self.shared.get() {
            return Opened::Shared(table);
        }
        let own = self.own.turn_of(bias);
        match self.shared.get() {
            Some(table) => Opened::Shared(table),
            None => Opened::Own(own),
        }
    }

    /// Calls `act` with the worker's own pages, unless another worker reaches them.
    #[inline(always)]
    pub(crate) fn with_own<R>(&self, bias: &mut Bias, act: impl FnOnce(&mut Own<T>) -> R) -> Option<R> {
        if self.shared.get().is_some() {
            return None;
        }
        // Once they are shared it has none.
        self.own.with(bias, |own| own.as_mut().map(act))
    }

    /// It will not be opened by the same worker again soon.
    #[inline]
    pub(crate) fn leave(&self, bias: &mut Bias) {
        self.own.leave(bias);
    }

    /// The pool for pages that are as new and done with.
    pub(crate) fn pool(&self) -> &Pool<T> {
        &self.pool
    }
}

impl<T: Default> Store<T> {
    /// From now on several workers use it.
    pub(crate) fn share(&self) {
        let mut own = self.own.turn();
        if let Some(own) = own.take() {
            self.shared.get_or_init(|| {
                let table = Table::default();
                own.into_pages().for_each(|(number, page)| table.add(number, page));
                table
            });
        }
    }
}

impl<T: Default> Opened<'_, T> {
    /// Every page with its number, in no order; `None` for one that was given up. Of several workers each locks one
    /// at a time.
    pub(crate) fn each(&mut self, with: impl FnMut(u64, &mut Option<Box<T>>)) {
        self.part((0, 1), with);
    }

    /// The `part`-th of `parts` parts of [`Opened::each`]: neighbours are of different parts.
    pub(crate) fn part(
        &mut self,
        (part, parts): (usize, usize),
        mut with: impl FnMut(u64, &mut Option<Box<T>>),
    ) {
        match self {
            Opened::Own(own) => {
                let pages = own.iter_mut().flat_map(Own::pages);
                let pages = pages.filter(|(number, _)| number % parts as u64 == part as u64);
                pages.for_each(|(number, page)| with(number, page));
            }
            Opened::Shared(table) => {
                table.part(part, parts).for_each(|(number, page)| with(number, &mut lock(page)));
            }
        }
    }

    /// The page, if there is one.
    pub(crate) fn existing(&mut self, number: u64, with: impl FnOnce(&mut Option<Box<T>>)) {
        match self {
            Opened::Own(own) => {
                if let Some(page) = own.as_mut().and_then(|own| own.page_mut(number, || false)) {
                    with(page);
                }
            }
            Opened::Shared(table) => {
                if let Some(page) = table.existing(number) {
                    with(&mut lock(page));
                }
            }
        }
    }
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
        let (mut sum, mut count) = (0, 0);
        store.open().each(|number, page| (sum, count) = (sum + number - **page.as_ref().unwrap(), count + 1));
        assert_eq!((sum, count), (0, 4));
        store.share();
        store.share();
        let Opened::Shared(table) = store.open() else { panic!() };
        assert_eq!(table.part(0, 1).count(), 4);
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
            table.part(0, 1).filter_map(|(n, p)| Some((n, *lock(p).clone()?))).collect();
        assert_eq!(all, expected);
        assert!(table.page_if(1 << 40, || false).is_none());
    }
}
