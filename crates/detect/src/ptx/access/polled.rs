//! The last strong read of a warp: see `ways::polling`.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::touches::common;
use clocks::Tick;
use events::{Access, LaneMask, SiteId, Space};

/// A strong read of one location that raced with nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Polled {
    space: Space,
    pub(crate) address: u64,
    size: u32,
    lanes: LaneMask,
    site: SiteId,
    class: AccessClass,
    tick: Tick,
    /// See [`Cell::turn`](crate::ptx::history::cell::Cell::turn).
    pub(crate) turn: u64,
}

impl Polled {
    /// None if its lanes read at several places.
    #[inline]
    pub(crate) fn new(access: &Access<'_>, class: AccessClass, (tick, turn): (Tick, u64)) -> Option<Polled> {
        let address = common(access).filter(|_| access.elements <= 1)?;
        let (space, size, lanes, site) = (access.space, access.size, access.mask, access.site);
        Some(Polled { space, address, size, lanes, site, class, tick, turn })
    }

    /// Returns whether `access` repeats this read.
    #[inline]
    pub(crate) fn is(&self, access: &Access<'_>, class: AccessClass, tick: Tick) -> bool {
        (self.site, self.lanes, self.class, self.tick) == (access.site, access.mask, class, tick)
            && Polled::new(access, class, (tick, self.turn)).as_ref() == Some(self)
    }
}
