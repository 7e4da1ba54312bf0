//! Clues of one observer, or of all observers of a launch together.

use super::{Clues, Kept};
use crate::shadow::lock;
use std::sync::{Arc, Mutex, PoisonError};

/// The clues that one observer adds to, alone or with the other observers of its launch.
#[derive(Debug)]
pub(crate) enum Heard {
    ByAll(Arc<Mutex<Kept>>),
    /// For which it needs no lock.
    ByOne(Box<Mutex<Kept>>),
}

impl Heard {
    #[inline]
    pub(crate) fn hear<R>(&mut self, tell: impl FnOnce(&mut Clues) -> R) -> R {
        match self {
            Heard::ByAll(clues) => tell(&mut lock(clues)),
            Heard::ByOne(clues) => tell(clues.get_mut().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    pub(crate) fn all(&self) -> &Mutex<Kept> {
        match self {
            Heard::ByAll(clues) => clues,
            Heard::ByOne(clues) => clues,
        }
    }
}
