//! Lens `gwcp`: the predictive partial order of *Predictive Data Race Detection for GPUs*
//! (PreDataR), weak-causally-precedes with scopes and barriers.
//!
//! Happens-before orders two critical sections of a lock because one came first in this run.
//! The other order was possible, too, unless the sections conflict. So here the release of a
//! section is ordered before an access of a later one (i) if the first section has a
//! conflicting access, (ii) whole if the sections contain ordered events; barriers order all
//! (iii); and the relation composes with happens-before on both sides (iv). What it leaves
//! unordered races in this run or in a reordering of it: findings that happens-before orders
//! are marked as predicted.
//!
//! **Followed:** Algorithms 1 and 2 ([`sections`]): clocks H and P of threads and locks, the
//! per-lock clocks of what sections read and wrote, acquire and release queues, all by scope:
//! two sections overlap if one of them has device scope or both are of one block. Barriers
//! join C, the thread's P with its own time. Atomics race only if the lesser scope does not cover both;
//! shared memory is each block's own. The clocks are compressed (§5.2), shared by threads that
//! only meet at barriers, and dropped when threads exit; the queues are one log for each lock
//! that threads look into when they release, so inactive threads cost nothing. A slow and literal
//! reading of the algorithms (`tests/textbook`) says the same of random programs.
//!
//! **Deviations:** the paper knows only locks. Here a release by a thread that does not hold
//! the variable as a lock, or that leaves in it another value than it was free with, is a
//! *message*: whoever acquires it is ordered after all that came before it, since it cannot
//! be reordered. A lock that was taken without a fence, but given back, is a lock whose
//! sections order nothing. Which accesses of a section conflict is decided by granules of
//! four bytes, and accesses to lock variables do not count. As the clocks for what sections read and
//! wrote are the lock's and no thread's, a thread's own earlier section counts as a conflict, too. For the rest see [`crate::hb`].
//!
//! **Guarantee:** as WCP's, every finding is a race or a deadlock of some reordering that
//! keeps what each *acquire* has read. Flags that are read without an acquire do not
//! constrain the reordering (the paper's predictable races hide behind such flags), although
//! PTX orders what lies before the last release fence and after the next acquire fence around
//! such a flag: a finding in that situation must be confirmed by a schedule.

pub mod sections;
#[cfg(test)]
mod tests;

use crate::hb::engine::Engine;
use crate::lens::serial::Lens;
use clocks::compressed::{Compressed, Plain};
use names::lens::ClockOptions;
use sections::Gwcp;

/// The lens.
pub fn build(options: ClockOptions) -> Box<dyn Lens> {
    if options.compressed {
        Box::new(Engine::new(Gwcp::<Compressed>::default()))
    } else {
        Box::new(Engine::new(Gwcp::<Plain>::default()))
    }
}
