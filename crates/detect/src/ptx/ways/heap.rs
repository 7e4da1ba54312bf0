//! Device-side `malloc` and `free`.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use events::access::Warp;
use events::{Access, AccessKind, Proxy, SiteId, Space, Strength, Written};

/// Bytes that are written at a time; blocks are aligned to them.
const PIECE: u64 = 16;

impl LaunchState {
    /// Both are writes of all of the block by their thread. Memory that is freed keeps its history until it is allocated again, so
    /// that a later use that nothing orders races with the `free`.
    pub(super) fn heap(&mut self, warp: Warp, site: SiteId, lane: u8, address: u64, bytes: u64, free: bool) {
        let class = if free { AccessClass::WRITE } else { AccessClass::MALLOC };
        let mask = 1 << (lane & 31);
        for at in (address..address.saturating_add(bytes)).step_by(PIECE as usize) {
            let access = Access {
                warp,
                site,
                space: Space::Global,
                kind: AccessKind::Write,
                strength: Strength::Weak,
                proxy: Proxy::Generic,
                size: PIECE as u32,
                elements: 1,
                mask,
                addresses: &[at; 32],
                stride: None,
                stored: mask,
                values: None,
                written: Written::Unknown,
            };
            self.access_as(&access, class);
        }
    }
}
