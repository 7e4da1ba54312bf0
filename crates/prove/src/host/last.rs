//! The launch that may have written to memory last, where it is known which one that is.

use super::Concrete;
use std::rc::Rc;

/// A launch before another one, and the index of what both may touch among its memory.
#[derive(Clone, Debug)]
pub struct Before {
    pub kernel: Rc<str>,
    pub launch: Rc<Concrete>,
    pub memory: usize,
}

/// What was done to memory last, if it was a launch in the default stream, which is over before the next one there begins. Nothing is
/// known of launches in other streams, and nothing if the host has written there since.
#[derive(Clone, Debug, Default)]
pub struct Last(pub Option<Before>);

/// Launches that differ in nothing but what was launched before are told once: see [`Last::both`].
impl PartialEq for Last {
    fn eq(&self, _: &Last) -> bool {
        true
    }
}

impl Last {
    /// Known if it is the same one for both. Tells whether that is lost by it.
    pub(super) fn both(&mut self, other: &Last) -> bool {
        let same = match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(&a.launch, &b.launch) && a.memory == b.memory,
            (None, _) => return false,
            _ => false,
        };
        if !same {
            self.0 = None;
        }
        !same
    }
}
