//! The two tables: when an access cannot race (Table III) and when it does (Table IV).

use super::Widths;
use super::entry::{Entry, Flags};
use super::locks::Bloom;
pub use crate::lens::operation::Operation;

/// The access that is being judged.
#[derive(Clone, Copy, Debug)]
pub struct Current {
    pub operation: Operation,
    /// It writes nothing; an atomic may be a load, too.
    pub load: bool,
    pub block: u32,
    pub warp: u8,
    /// The lane, and whether its warp has diverged, where that is asked (§VI).
    pub thread: u8,
    pub has_diverged: bool,
    /// The global release counter, and whether this is a release (§VI).
    pub release: u32,
    pub releases: bool,
    pub barrier: u32,
    pub dev_fence: u32,
    pub blk_fence: u32,
    /// Volatile, atomic, or any other strong operation.
    pub strong: bool,
    pub locks: Bloom,
}

impl Current {
    /// Another accessor than the entry names: another warp, or another thread of one that has diverged.
    pub fn is_other(&self, md: &Entry) -> bool {
        let threads = self.has_diverged && md.flags.has(Flags::HAS_DIVERGED);
        md.block != self.block || md.warp != self.warp || threads && md.thread != self.thread
    }
}

/// The fence file's entry for the warp that the metadata names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fences {
    pub dev: u32,
    pub blk: u32,
}

/// Rows of Table III.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trivial {
    Initialization,
    ProgramOrder,
    Barrier,
}

/// Rows of Table IV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    MissingBlockFence,
    MissingDeviceFence,
    NotStrong,
    ScopedAtomic,
    MissingLockOnLoad,
    MissingLockOnStore,
}

impl Row {
    pub const fn text(self) -> &'static str {
        match self {
            Row::MissingBlockFence => "ScoRD Table IV (a): missing block fence",
            Row::MissingDeviceFence => "ScoRD Table IV (b): missing device fence",
            Row::NotStrong => "ScoRD Table IV (c): not strong access",
            Row::ScopedAtomic => "ScoRD Table IV (d): scoped atomic",
            Row::MissingLockOnLoad => "ScoRD Table IV (e): missing common lock on load",
            Row::MissingLockOnStore => "ScoRD Table IV (f): missing common lock on store",
        }
    }
}

/// Table III.
pub fn preliminary(md: &Entry, current: &Current) -> Option<Trivial> {
    let same_block = md.block == current.block;
    let blk_shared = md.flags.has(Flags::BLK_SHARED);
    let dev_shared = md.flags.has(Flags::DEV_SHARED);
    if md.flags.is_initial() {
        Some(Trivial::Initialization)
    } else if !current.is_other(md) && !blk_shared && !dev_shared {
        Some(Trivial::ProgramOrder)
    } else if same_block && md.barrier != current.barrier && !dev_shared {
        Some(Trivial::Barrier)
    } else {
        None
    }
}

/// Why [`preliminary`] and [`race`] let an access pass.
pub fn acquittal(md: &Entry, current: &Current, acquired: bool) -> &'static str {
    let atomics = current.operation.is_atomic() && md.flags.has(Flags::IS_ATOM);
    match preliminary(md, current) {
        Some(Trivial::Initialization) => "the first access that the metadata know of (Table III a)",
        Some(Trivial::ProgramOrder) => "both by one warp, its unit (Table III b)",
        Some(Trivial::Barrier) => "a barrier of the block lies between (Table III c)",
        None if atomics => "atomics whose scope covers both blocks (Table IV d)",
        None if !md.flags.has(Flags::MODIFIED) => "no write since (Table IV, Modified)",
        None if acquired => "acquired from a release by the earlier warp (§VI)",
        None if !md.locks.is_empty() => {
            "a lock in common, and the earlier warp has fenced (Table IV a, b, e, f)"
        }
        None => "the earlier warp has fenced since, which is enough (Table IV a, b)",
    }
}

/// Table IV, read together with its text: the first row that holds.
///
/// The text adds to the table that (a) needs another warp, that a load of an unmodified
/// location needs no check at all, that for a store `Modified` is ignored, and that two
/// atomics can race by row (d) only. `acquired`: the access has acquired from a release that the
/// earlier warp made since (§VI); as row (c) is about what fences order, it does not ask then.
pub fn race(
    md: &Entry,
    current: &Current,
    last: Fences,
    widths: &Widths,
    strong_accesses: bool,
    acquired: bool,
) -> Option<Row> {
    let load = current.load;
    let same_block = md.block == current.block;
    let block_atomic = md.flags.has(Flags::IS_ATOM) && md.flags.has(Flags::BLOCK_SCOPE);
    if current.operation.is_atomic() && md.flags.has(Flags::IS_ATOM) {
        return (block_atomic && !same_block).then_some(Row::ScopedAtomic);
    }
    if load && !md.flags.has(Flags::MODIFIED) {
        return None;
    }
    let other = current.is_other(md);
    let no_dev_fence = md.dev_fence == last.dev && !acquired;
    if same_block && other && no_dev_fence && md.blk_fence == last.blk {
        return Some(Row::MissingBlockFence);
    }
    if !same_block && block_atomic {
        // Before (b), which would call the wrong scope a missing fence.
        return Some(Row::ScopedAtomic);
    }
    if !same_block && no_dev_fence {
        return Some(Row::MissingDeviceFence);
    }
    if strong_accesses && other && !acquired && !(md.flags.has(Flags::STRONG) && current.strong) {
        return Some(Row::NotStrong);
    }
    let locked = !md.locks.is_empty() || !current.locks.is_empty();
    if locked && !md.locks.intersects(current.locks, same_block, widths) {
        return Some(if load { Row::MissingLockOnLoad } else { Row::MissingLockOnStore });
    }
    None
}
