//! Memory accounting over shared parts: each part counts once.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The addresses of parts that [`Clock::bytes`](crate::Clock::bytes) has already counted.
#[derive(Default)]
pub struct Seen(FxHashSet<usize>);

impl Seen {
    pub(crate) fn first<T: ?Sized>(&mut self, part: &Arc<T>) -> bool {
        self.0.insert(Arc::as_ptr(part).cast::<()>() as usize)
    }
}
