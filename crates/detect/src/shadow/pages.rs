//! Pages of shadow state over an address space.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// One `T` for every 4 KiB of an address space, made when first touched.
#[derive(Debug)]
pub(crate) struct Pages<T> {
    pages: FxHashMap<u64, Box<T>>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages { pages: FxHashMap::default() }
    }
}

impl<T: Default> Pages<T> {
    /// The page, made if it is new and `may` says so.
    pub(crate) fn page_if(&mut self, number: u64, may: impl FnOnce() -> bool) -> Option<&mut T> {
        match self.pages.entry(number) {
            Entry::Occupied(entry) => Some(entry.into_mut()),
            Entry::Vacant(entry) => may().then(|| &mut **entry.insert(Box::default())),
        }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        self.pages.iter_mut().map(|(&n, p)| (n, &mut **p))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.pages.iter().map(|(&n, p)| (n, &**p))
    }
}
