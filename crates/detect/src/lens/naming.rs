//! The design's names for what the fence-counting lenses (`scord`, `iguard`) find.
//!
//! Their rules say which fence is missing or that no lock is common; which of
//! the field's names fits follows from what else the metadata tell.

use events::Class;

/// Facts that are known beside the rule.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Exactly one of the two accesses is atomic.
    pub mixed: bool,
    /// Some lock is held by both sides, whatever its scope.
    pub same_lock: bool,
    /// Exactly one side holds locks.
    pub one_sided: bool,
    /// Both do.
    pub two_sided: bool,
    /// The earlier side has executed a block-scoped fence since.
    pub block_fence: bool,
}

/// Two accesses in one block and no fence.
pub fn same_block(c: Circumstances) -> Class {
    if c.mixed {
        Class::WeakVsAtomic
    } else if c.same_lock {
        Class::MissingFence
    } else if c.one_sided {
        Class::LockMissing
    } else if c.two_sided {
        Class::LockWrong
    } else {
        Class::MissingBarrier
    }
}

/// Two accesses in different blocks and no device-scoped fence.
pub fn other_block(c: Circumstances) -> Class {
    if c.same_lock && c.block_fence {
        Class::LockScope
    } else if c.block_fence {
        Class::FenceScope
    } else if c.mixed {
        Class::WeakVsAtomic
    } else if c.same_lock {
        Class::MissingFence
    } else if c.one_sided {
        Class::LockMissing
    } else if c.two_sided {
        Class::LockWrong
    } else {
        Class::InterBlock
    }
}

/// No lock in common.
pub fn locks(c: Circumstances) -> Class {
    if c.one_sided {
        Class::LockMissing
    } else if c.same_lock {
        Class::LockScope
    } else {
        Class::LockWrong
    }
}
