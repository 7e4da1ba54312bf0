//! Reads of shared memory that no thread of the launch has written: `--check init`.
//!
//! A block's shared memory begins undefined. A bit for each of its bytes says whether anything was written there: by a thread,
//! an atomic, an asynchronous copy, or `mbarrier.init`. Copies count from when they are issued.

use crate::ptx::access::touches::lanes;
use crate::ptx::report::sink::Sink;
use events::finding::Actor;
use events::{
    Access, AccessKind, Class, Evidence, Finding, Level, Proxy, Side, Space, Strength, Sync, ThreadId,
};
use rustc_hash::FxHashMap;

/// Bytes of an `mbarrier` object (PTX §9.7.13.15.2).
const OBJECT: u64 = 8;
/// No block has more shared memory.
const MOST: u64 = 1 << 20;

/// A bit for each byte that was written, by block.
#[derive(Debug, Default)]
pub(crate) struct Initial {
    blocks: FxHashMap<u32, Vec<u64>>,
}

impl Initial {
    pub(crate) fn access(&mut self, access: &Access<'_>, sink: &Sink) {
        let Space::Shared(owner) = access.space else { return };
        let written = self.blocks.entry(owner.0).or_default();
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        if access.kind.reads() {
            for lane in lanes(access.mask) {
                let address = access.addresses[lane];
                if !(address..address.saturating_add(bytes)).all(|byte| is_written(written, byte)) {
                    sink.add(finding(access, lane as u32));
                    break;
                }
            }
        }
        if access.kind.writes() {
            for lane in lanes(access.mask) {
                write(written, access.addresses[lane], bytes);
            }
        }
    }

    pub(crate) fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::MbarrierInit { space: Space::Shared(owner), address, .. } => {
                write(self.blocks.entry(owner.0).or_default(), address, OBJECT);
            }
            Sync::BlockEnd { block, .. } => {
                self.blocks.remove(&block.0);
            }
            _ => {}
        }
    }
}

fn is_written(written: &[u64], byte: u64) -> bool {
    byte >= MOST || written.get(byte as usize / 64).is_some_and(|bits| bits >> (byte % 64) & 1 != 0)
}

fn write(written: &mut Vec<u64>, address: u64, bytes: u64) {
    for byte in address..address.saturating_add(bytes).min(MOST) {
        let word = byte as usize / 64;
        if written.len() <= word {
            written.resize(word + 1, 0);
        }
        written[word] |= 1 << (byte % 64);
    }
}

/// The read is the second side; the first is the write that is missing.
fn finding(access: &Access<'_>, lane: u32) -> Finding {
    let side = |site, who, kind, strength, proxy| Side {
        site,
        task: access.warp.task,
        who,
        kind,
        strength,
        proxy,
        address: access.addresses[lane as usize],
        size: access.size,
    };
    let who = Actor::Thread { block: access.warp.block, thread: ThreadId::of(access.warp.warp, lane) };
    Finding {
        lens: "ptx".to_owned(),
        level: Level::Hazard,
        class: Class::UninitializedRead,
        evidence: Evidence::Observed,
        space: access.space,
        sides: [
            side(Some(access.site), Actor::Unseen, AccessKind::Write, Strength::Weak, Proxy::Generic),
            side(Some(access.site), who, access.kind, access.strength, access.proxy),
        ],
        notes: Vec::new(),
        count: 1,
    }
}
