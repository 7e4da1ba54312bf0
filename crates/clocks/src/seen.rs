//! What shared parts cost is counted once.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Parts already counted by [`Clock::bytes`](crate::Clock::bytes).
#[derive(Default)]
pub struct Seen(FxHashSet<usize>);

impl Seen {
    pub(crate) fn first<T: ?Sized>(&mut self, part: &Arc<T>) -> bool {
        self.0.insert(Arc::as_ptr(part).cast::<()>() as usize)
    }
}
