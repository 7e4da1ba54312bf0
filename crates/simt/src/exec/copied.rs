//! Asynchronous copies whose bytes [`weak::Memory`] moves.

use events::{AsyncOpId, Proxy, SiteId, Space};
use weak::{Place, ThreadId};

/// A copy whose bytes have not moved.
pub(super) struct Copied {
    pub op: AsyncOpId,
    pub issuer: ThreadId,
    pub site: SiteId,
    pub proxy: Proxy,
    pub dst: End,
    /// `None` if no byte is read.
    pub src: Option<End>,
    pub bytes: u32,
    /// Bytes read; the rest of the destination is filled with zeros.
    pub src_bytes: u32,
}

/// One end of a copy, whose whole range was checked when the copy was issued.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub host: usize,
    pub space: Space,
    pub address: u64,
}

impl End {
    /// Returns an end in global or shared memory; `None` for local memory.
    pub(super) fn of(host: *mut u8, space: Option<Space>, address: u64) -> Option<End> {
        Some(End { host: host.expose_provenance(), space: space?, address })
    }

    pub(super) fn place(&self, at: u32, bytes: u8) -> Place {
        Place { space: self.space, address: self.address + u64::from(at), bytes }
    }

    pub(super) fn host(&self, at: u32) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut::<u8>(self.host).wrapping_add(at as usize)
    }
}

/// The copy of one lane.
pub(super) struct Moved {
    pub op: AsyncOpId,
    pub proxy: Proxy,
    pub dst: Option<End>,
    pub src: Option<End>,
    pub bytes: u32,
    pub src_bytes: u32,
}
