//! The meaning of an access for the tables of `scord` and `iguard`, and what it does for locks.

use super::granularity::is_block;
use events::{Access, AccessKind, AtomicOp, Scope, Sem, Strength};
use names::lens::scord::Relaxed;

/// The row of the tables for the access. Failed compare-and-swaps are atomics, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Load,
    Store,
    Atomic { block_scope: bool },
}

impl Operation {
    /// `synchronising` says whether loads and stores that acquire or release are atomics of their scope.
    pub fn of(access: &Access<'_>, relaxed: Relaxed, synchronising: bool) -> Operation {
        match (access.kind, access.strength) {
            (AccessKind::Atomic { .. }, Strength::Strong { scope, .. }) => {
                Operation::Atomic { block_scope: is_block(scope) }
            }
            (AccessKind::Atomic { .. }, _) => Operation::Atomic { block_scope: false },
            (_, Strength::Strong { sem, scope })
                if relaxed == Relaxed::Atomic || synchronising && sem != Sem::Relaxed =>
            {
                Operation::Atomic { block_scope: is_block(scope) }
            }
            (kind, _) if kind.writes() => Operation::Store,
            _ => Operation::Load,
        }
    }

    pub fn is_atomic(self) -> bool {
        matches!(self, Operation::Atomic { .. })
    }
}

/// The operation's own semantics: the scope at which it releases before its access, and that at which
/// it acquires after it.
pub fn semantics(access: &Access<'_>) -> (Option<Scope>, Option<Scope>) {
    match access.strength {
        Strength::Strong { sem, scope } => (sem.releases().then_some(scope), sem.acquires().then_some(scope)),
        _ => (None, None),
    }
}

/// The effect of an access on the lock tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockStep {
    CompareAndSwap,
    Exchange,
}

impl LockStep {
    /// And whether its scope is the block.
    pub fn of(access: &Access<'_>) -> Option<(LockStep, bool)> {
        let step = match access.kind {
            AccessKind::Atomic { op: AtomicOp::Cas, .. } => LockStep::CompareAndSwap,
            AccessKind::Atomic { op: AtomicOp::Exch, .. } => LockStep::Exchange,
            _ => return None,
        };
        let block_scope = matches!(access.strength, Strength::Strong { scope, .. } if is_block(scope));
        Some((step, block_scope))
    }
}
