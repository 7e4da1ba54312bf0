//! Pages of shadow state over an address space.

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Pages that are found by their number: those of a block's shared memory, which begins at zero.
const LOW: u64 = 64;

/// One `T` for every 4 KiB of an address space, made when first touched.
#[derive(Debug)]
pub(crate) struct Pages<T> {
    low: Vec<Option<Box<T>>>,
    pages: FxHashMap<u64, Box<T>>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages { low: Vec::new(), pages: FxHashMap::default() }
    }
}

impl<T: Default> Pages<T> {
    /// The page, made if it is new and `may` says so.
    #[inline]
    pub(crate) fn page_if(&mut self, number: u64, may: impl FnOnce() -> bool) -> Option<&mut T> {
        if number >= LOW {
            return match self.pages.entry(number) {
                Entry::Occupied(entry) => Some(entry.into_mut()),
                Entry::Vacant(entry) => may().then(|| &mut **entry.insert(Box::default())),
            };
        }
        let place = number as usize;
        if self.low.get(place).is_none_or(Option::is_none) {
            if !may() {
                return None;
            }
            if self.low.len() <= place {
                self.low.resize_with(place + 1, || None);
            }
            self.low[place] = Some(Box::default());
        }
        self.low[place].as_deref_mut()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        let low = (0..).zip(&mut self.low).filter_map(|(n, page)| Some((n, page.as_deref_mut()?)));
        low.chain(self.pages.iter_mut().map(|(&n, p)| (n, &mut **p)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let low = (0..).zip(&self.low).filter_map(|(n, page)| Some((n, page.as_deref()?)));
        low.chain(self.pages.iter().map(|(&n, p)| (n, &**p)))
    }
}
