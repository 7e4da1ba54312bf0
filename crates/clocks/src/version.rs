//! Versions of values that only grow.
//!
//! A clock that is handed from thread to thread grows by an entry at each of them. Its versions know each other by number, so
//! that the newer one is seen to cover the older one without a look at either.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a value's version, and those of versions before it. A number stands for one content; a value gets one when it
/// is first cloned. 0 is none.
#[derive(Debug, Default)]
pub(crate) struct Version {
    own: AtomicU64,
    /// Versions that this one has grown from, the newest first.
    before: [u64; 2],
}

impl Version {
    /// Begins a new version, since the value is about to grow.
    #[inline]
    pub(crate) fn grows(&mut self) {
        let own = self.own.get_mut();
        if *own != 0 {
            self.before = [*own, self.before[0]];
            *own = 0;
        }
    }

    /// Returns whether the value is known to cover one of version `other`. False may be wrong.
    #[inline]
    pub(crate) fn covers(&self, other: &Version) -> bool {
        let other = other.own.load(Ordering::Relaxed);
        other != 0 && (self.own.load(Ordering::Relaxed) == other || self.before.contains(&other))
    }
}

impl Clone for Version {
    /// Both values have the same content, and the same number from now on.
    fn clone(&self) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let mut own = self.own.load(Ordering::Relaxed);
        if own == 0 {
            let new = 1 + LAST.fetch_add(1, Ordering::Relaxed);
            let had = self.own.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed);
            own = had.map_or_else(|other| other, |_| new);
        }
        Version { own: AtomicU64::new(own), before: self.before }
    }
}
