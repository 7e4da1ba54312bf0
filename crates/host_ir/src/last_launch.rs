//! The launch that last wrote to memory, if it is known.

use super::Concrete;
use std::rc::Rc;

/// An earlier launch, and the index of the common memory in its list.
#[derive(Clone, Debug)]
pub struct Before {
    pub kernel: Rc<str>,
    pub launch: Rc<Concrete>,
    pub memory: usize,
}

/// The last write to memory, if it was a launch in the default stream, which ends before the next launch in
/// that stream begins. It is `None` after launches in other streams, and after writes by the host.
#[derive(Clone, Debug, Default)]
pub struct Last(pub Option<Before>);

/// Two launches that differ in the previous launch only are equal, so that they are reported once: see
/// [`Last::both`].
impl PartialEq for Last {
    fn eq(&self, _: &Last) -> bool {
        true
    }
}

impl Last {
    /// Retains the launch if it is the same for both. Returns whether it was lost.
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
