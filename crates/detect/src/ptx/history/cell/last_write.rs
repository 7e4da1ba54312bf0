//! The last write of a location.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Entry, witness};
use clocks::Tick;
use events::LaneMask;

/// The last write of a location, as far as moral strength and order to it matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) block: u32,
    pub(super) tick: Tick,
    pub(super) warp: u16,
    pub(super) lanes: LaneMask,
    pub(super) class: AccessClass,
}

impl Last {
    pub(super) fn of(entry: &Entry, lanes: LaneMask) -> Last {
        let Entry { block, tick, warp, class, .. } = *entry;
        Last { block, tick, warp: witness(warp), lanes, class }
    }
}
