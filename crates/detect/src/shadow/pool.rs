//! Pages that wait for the next launch.

use super::mutex::lock;
use std::sync::Mutex;

/// Pages that are kept, at most.
const KEPT: usize = 4096;

/// Unused pages, which are as new. A launch of many pages mostly is followed by another one, and to make one
/// anew takes longer than to use it.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<Box<T>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool(Mutex::default())
    }
}

impl<T: Default> Pool<T> {
    pub(crate) fn take(&self) -> Box<T> {
        let kept = lock(&self.0).pop();
        kept.unwrap_or_default()
    }

    /// Takes a page back, which is as new.
    pub(crate) fn give_back(&self, page: Box<T>) {
        let mut kept = lock(&self.0);
        if kept.len() < KEPT {
            kept.push(page);
        }
    }
}
