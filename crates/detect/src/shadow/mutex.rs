//! Locks that are held for a moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A worker that panics leaves at worst an access that is not remembered.
pub(crate) fn lock<T>(page: &Mutex<T>) -> MutexGuard<'_, T> {
    page.lock().unwrap_or_else(PoisonError::into_inner)
}
