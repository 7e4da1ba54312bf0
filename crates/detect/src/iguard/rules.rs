//! Table 2: when an access cannot race (P1–P6) and when it does (R1–R5).

use super::Shared;
use super::Widths;
use super::entry::{Accessor, Entry};
use super::locks::common;
pub use crate::lens::operation::Operation;
use events::LaneMask;

/// The access that is being judged.
#[derive(Clone, Copy, Debug)]
pub struct Current {
    /// Read-modify-writes are stores that are also atomic.
    pub operation: Operation,
    /// It writes nothing; an atomic may be a load, too.
    pub load: bool,
    /// The thread, and what its counters read now.
    pub who: Accessor,
    /// Lanes that execute the instruction together.
    pub active: LaneMask,
    pub locks: u64,
    /// Warps of each block of the launch; a block is a warp's index divided by it.
    pub warps_per_block: u32,
}

impl Current {
    fn same_block(&self, other: &Accessor) -> bool {
        self.who.warp() / self.warps_per_block == other.warp() / self.warps_per_block
    }

    fn is_atomic(&self) -> bool {
        self.operation.is_atomic()
    }
}

/// Fence counters of the thread that the metadata name, as they read now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fences {
    pub dev: u32,
    pub blk: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safe {
    P1,
    P2,
    P3,
    P4,
    P5,
    P6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Race {
    R1,
    R2,
    R3,
    R4,
    R5,
}

impl Race {
    /// With the abbreviation of Table 4.
    pub const fn text(self) -> &'static str {
        match self {
            Race::R1 => "iGUARD Table 2 R1 (AS): scoped-atomic race",
            Race::R2 => "iGUARD Table 2 R2 (ITS): intra-warp race",
            Race::R3 => "iGUARD Table 2 R3 (BR): intra-block race",
            Race::R4 => "iGUARD Table 2 R4 (DR): inter-block race",
            Race::R5 => "iGUARD Table 2 R5 (IL): missing lock race",
        }
    }
}

/// Why [`preliminary`] and [`race`] let an access pass.
pub fn acquittal(mm: &Entry, current: &Current, shared: Shared) -> &'static str {
    match preliminary(mm, current, shared) {
        Some(Safe::P1) => "the first access that the metadata know of (P1)",
        Some(Safe::P2) => "no write since (P2)",
        Some(Safe::P3) => "both by one thread (P3)",
        Some(Safe::P4) => "lanes of one warp in lockstep, or behind a warp barrier (P4)",
        Some(Safe::P5) => "a barrier of the block lies between (P5)",
        Some(Safe::P6) => "atomics whose scope covers both blocks (P6)",
        None if mm.locks != 0 => "a lock in common, and the earlier thread has fenced (R2 to R5)",
        None => "the earlier thread has fenced since, which is enough (R2 to R4)",
    }
}

/// The accessor to compare with: the last writer for loads, the last accessor for the rest.
pub fn metadata<'a>(mm: &'a Entry, current: &Current) -> &'a Accessor {
    if current.load { &mm.writer } else { &mm.accessor }
}

/// P1 to P6.
pub fn preliminary(mm: &Entry, current: &Current, flags: Shared) -> Option<Safe> {
    let md = metadata(mm, current);
    let load = current.load;
    let shared = mm.dev_shared || mm.blk_shared;
    let same_warp = md.warp() == current.who.warp();
    let same_block = current.same_block(md);
    if !mm.valid {
        Some(Safe::P1)
    } else if !mm.modified && load {
        Some(Safe::P2)
    } else if (!shared || load && flags == Shared::SinceStore) && current.who.thread == md.thread {
        Some(Safe::P3)
    } else if !shared
        && same_warp
        && (md.warp_barrier != current.who.warp_barrier || current.active >> md.lane() & 1 != 0)
    {
        Some(Safe::P4)
    } else if !mm.dev_shared && same_block && md.barrier != current.who.barrier {
        Some(Safe::P5)
    } else if mm.atomic && current.is_atomic() && (same_block || !mm.block_scope) {
        Some(Safe::P6)
    } else {
        None
    }
}

/// R1 to R5, in order.
pub fn race(mm: &Entry, current: &Current, sm: Fences, widths: &Widths) -> Option<Race> {
    let md = metadata(mm, current);
    let no_dev_fence = md.dev_fence == sm.dev;
    let no_fence = no_dev_fence && md.blk_fence == sm.blk;
    let same_block = current.same_block(md);
    if mm.atomic && mm.block_scope && !current.same_block(&mm.writer) {
        Some(Race::R1)
    } else if md.warp() == current.who.warp() && no_fence && !mm.dev_shared && !mm.blk_shared {
        Some(Race::R2)
    } else if same_block && no_fence && !mm.dev_shared {
        Some(Race::R3)
    } else if !same_block && no_dev_fence {
        Some(Race::R4)
    } else if (mm.locks != 0 || current.locks != 0) && !common(mm.locks, current.locks, widths) {
        Some(Race::R5)
    } else {
        None
    }
}

/// The entry after the access. `sm` are the last accessor's fence counters, as they read now.
pub fn update(mm: &Entry, current: &Current, sm: Fences, flags: Shared) -> Entry {
    let mut next = Entry { valid: true, locks: current.locks, accessor: current.who, ..*mm };
    let block_scope = current.operation == Operation::Atomic { block_scope: true };
    if !current.load {
        next.modified = true;
        next.writer = current.who;
    }
    // The mark that a load with a scope leaves on a location lasts until something is stored there.
    if !current.load || !mm.modified && current.is_atomic() {
        next.atomic = current.is_atomic();
        next.block_scope = block_scope;
    }
    if !current.load && flags == Shared::SinceStore {
        next.blk_shared = false;
        next.dev_shared = false;
        return next;
    }
    let last = &mm.accessor;
    if !mm.valid || last.thread == current.who.thread {
        return next;
    }
    if !current.same_block(last) {
        next.dev_shared = true;
    } else if flags == Shared::Ever {
        next.blk_shared |= last.warp() != current.who.warp();
    } else if last.barrier != current.who.barrier {
        next.blk_shared = false;
    } else if last.warp() != current.who.warp() {
        next.blk_shared |= last.dev_fence == sm.dev && last.blk_fence == sm.blk;
    }
    next
}
