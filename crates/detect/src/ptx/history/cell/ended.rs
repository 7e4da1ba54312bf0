//! A location forgets the clocks that threads have released there when their blocks [end](crate::ptx::launch::Launch::ended).

use super::{Cell, Head};
use crate::ptx::access::entry::Bytes;
use crate::ptx::order::sc_fences::MANY;

/// Threads with release operations on a location, from which on those of ended blocks are forgotten.
const OWN: usize = 8;

impl Cell {
    /// Drops what threads of ended blocks have released here, as far as no other block acquires it.
    pub(crate) fn forget_ended(&mut self, bytes: Bytes, has_ended: impl Fn(u32) -> bool) {
        let Head { released, own, written, overwritten, read, .. } = self.head(bytes);
        released.forget_ended(&has_ended);
        for fences in [written, overwritten, read] {
            if fences.origins() > MANY {
                fences.forget(&has_ended);
            }
        }
        if own.len() > OWN && own.len() == own.capacity() {
            // Threads that have released are known by one of them.
            let mut first = true;
            own.retain(|who, _| std::mem::take(&mut first) || !has_ended(who.block));
        }
    }
}
