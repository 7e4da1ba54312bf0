//! The differences between the vector-clock lenses.

use super::idioms::{Acquire, Release, Take, Variable};
use super::threads::{Threads, Who};
use clocks::compressed::{Seen, VectorClock, WarpIndex};
use events::{LaneMask, Side, Space};

/// A granule of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub space: Space,
    pub granule: u64,
}

/// How a lens orders what locks and flags separate.
pub trait Rules<C: VectorClock>: Send {
    /// As in [`Finding::lens`](events::Finding::lens).
    const NAME: &'static str;

    /// The same rules, before a launch.
    fn fresh(&self) -> Self;

    fn acquire(&mut self, threads: &mut Threads<C>, who: Who, acquire: &Acquire);

    /// A lock was taken; an acquire may follow.
    fn take(&mut self, _who: Who, _variable: Variable, _take: Take) {}

    /// The caller moves the thread's time on afterwards.
    fn release(&mut self, threads: &mut Threads<C>, who: Who, release: &Release);

    /// Returns whether [`Rules::touch`] has to know of what these lanes access.
    fn touches(&self, _at: WarpIndex, _lanes: LaneMask) -> bool {
        false
    }

    /// An access is about to be checked.
    fn touch(&mut self, threads: &mut Threads<C>, who: Who, place: Place, write: bool);

    /// The clock that decides whether what a thread does is ordered after what others did.
    fn order<'a>(&self, threads: &'a mut Threads<C>, who: Who) -> &'a C;

    /// Returns whether this order only predicts that the accesses race, though this run had them ordered.
    fn predicts(&self, threads: &mut Threads<C>, who: Who, earlier: Who, time: u32) -> bool;

    /// Returns whether the thread is inside a critical section.
    fn holds(&self, who: Who) -> bool;

    fn exit(&mut self, at: WarpIndex, lanes: LaneMask);

    fn bytes(&self, seen: &mut Seen) -> u64;

    fn rule(&self) -> &'static str;

    /// Returns whether the executions of one instruction by one thread are different accesses.
    const COUNTS: bool = false;

    /// Two accesses race, the earlier one first, for which times their threads made them. True if
    /// the lens keeps that to itself.
    fn keeps(&mut self, _sides: &[Side; 2], _nth: [u32; 2], _space: Space) -> bool {
        false
    }
}
