//! Threads of a block that synchronise by mbarriers: producers and consumers, and whole blocks that work
//! between arriving and waiting (PTX §9.7.13.15).
//!
//! For an mbarrier that is initialised for *c* arrivals, let *n* be the number of ended phases. *n* only
//! grows, each phase takes *c* arrivals, and a thread that has waited for a parity knows whether *n* is even.
//! Whatever the other threads do, this follows:
//!
//! * **Waits**: a thread that waits once per iteration, each time for the other parity, knows after each wait
//!   one more ended phase than after the previous one ([`Wait`]; a first wait that an unused barrier lets
//!   pass proves nothing).
//! * **Arrivals**: each arrival has a number ([`Arrival`]): how often its thread has arrived there before.
//!   The analysis has to show that the thread then knows that as many phases have ended. Arrivals with the
//!   same number are made by different threads, all of which are in an interval of *c* threads. Therefore, at
//!   the end of phase *m*, each thread of the interval has made its arrivals up to number *m*: no other
//!   arrivals can have been counted.
//! * **Knowledge** is passed on: a thread that knows that *m* phases of one barrier have ended knows what
//!   each thread of its interval knew when it made its arrival number *m* - 1.
//!
//! The claim that no arrival comes too early and the facts that follow from it depend on each other. This is
//! sound: consider the first arrival in time that comes too early; the knowledge of its thread is only about
//! arrivals before it, so it holds and excludes that arrival.
//!
//! Copies by `cp.async` can make an arrival of their thread when they are complete (`cp.async.mbarrier.arrive.noinc`). It
//! counts like others, and not before its instruction: a thread that has waited for it knows which phases had ended then. But
//! it comes behind these copies only, so that nothing else is ordered by that knowledge.
//!
//! Named barriers of some threads (PTX §9.7.13.1) are such barriers, too, if whole warps arrive: `bar.arrive` is an
//! arrival, and `bar.sync` an arrival and the wait for its own phase ([`named`]).
//!
//! Barriers may form a ring that successive iterations of a loop go round ([`Form`]); numbers are then linear
//! in the number of rounds. A stage may be given back some iterations behind its own, and the first stages may be used before
//! the loop: rounds then begin in the middle of the iterations' ([`Line`]).

mod facts;
mod find;
mod iteration;
mod knowledge;
mod named;
mod numbers;
mod set_up;
mod who;

pub(crate) use facts::{Form, Line};
pub(crate) use find::find;
pub(crate) use iteration::Ways;

use crate::kernel::access::Doer;
use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Attr, Syms};
use ptx::cfg::BlockId;

/// Mbarriers of one variable that are used in the same way.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// The number of arrivals of a phase.
    pub(crate) count: Poly,
    /// Whether it is a named barrier, which counts whole warps.
    pub(crate) named: bool,
    /// The threads that arrive; `None` if the whole block arrives.
    pub(crate) who: Option<Arriving>,
}

/// The threads that arrive at an mbarrier: one of every so many in a row.
#[derive(Clone, Debug)]
pub(crate) struct Arriving {
    pub(crate) first: Poly,
    /// One behind the last one's row.
    pub(crate) end: Poly,
    /// 1, or the size of a warp or a warpgroup, of each of which one thread arrives.
    pub(crate) stride: i128,
    /// The distance of a thread from the last one that arrives before it.
    pub(crate) beside: Poly,
}

/// The number of iterations, from that of an access on, in which an arrival may give its stage back.
pub(crate) const LATER: usize = 4;

/// The number of threads in a warpgroup.
pub(crate) const WARPGROUP: i128 = 128;

/// A lower bound of the number of ended phases of one mbarrier.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) class: usize,
    /// The threads that know it.
    pub(crate) only: Cond,
    pub(crate) at: Poly,
    pub(crate) least: Poly,
    pub(crate) origin: Origin,
}

/// The origin of a thread's knowledge. What comes later is seldom needed, and makes questions large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The wait itself.
    Wait,
    /// Threads that have arrived there, and knew it about the same stage.
    Stage,
    /// They knew it about a stage some iterations before or behind.
    Ring,
}

/// A wait for a phase.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    /// The block of the first test; `region` marks the blocks of the retries.
    pub(crate) block: BlockId,
    pub(crate) region: Vec<bool>,
    /// The instruction, if it is one that waits by itself.
    pub(crate) inst: Option<usize>,
    /// The threads that wait for this barrier.
    pub(crate) only: Cond,
    pub(crate) of_loop: Option<usize>,
    pub(crate) form: Form,
    pub(crate) line: Line,
    /// The knowledge after the wait, and what the waits of earlier iterations have shown.
    pub(crate) behind: Vec<Known>,
    pub(crate) before: Vec<Known>,
}

/// An arrival.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) inst: usize,
    pub(crate) block: BlockId,
    pub(crate) of_loop: Option<usize>,
    pub(crate) form: Form,
    pub(crate) line: Line,
    /// The mbarrier's place and the arrival's number, each in this iteration and in the next ones.
    pub(crate) at: [Poly; LATER],
    pub(crate) number: [Poly; LATER],
    pub(crate) path: Vec<Cond>,
    /// The part of the path that selects the threads that arrive at this barrier, if the instruction names several.
    pub(crate) only: Cond,
    /// Whether its thread's earlier copies by `cp.async` make it when they are complete
    /// (`cp.async.mbarrier.arrive.noinc`, PTX §9.7.13.15). It comes behind these, and behind nothing else.
    pub(crate) of_copies: bool,
}

impl Arrival {
    /// Returns whether it comes behind accesses of this kind that precede it in its thread.
    pub(crate) fn completes(&self, doer: &Doer) -> bool {
        !self.of_copies || *doer == Doer::Copy
    }
}

/// The bulk copies of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct BulkCopies {
    /// Each copy's instruction, and the index of the arrival that expects its bytes.
    pub(crate) expected: Vec<(usize, usize)>,
}

/// All mbarriers of a kernel, with their waits and arrivals.
#[derive(Clone, Debug)]
pub struct Pipelines {
    pub(crate) classes: Vec<Class>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) arrivals: Vec<Arrival>,
    /// The attributes of the branch at the end of each block.
    pub(crate) branches: Vec<Option<Attr>>,
    /// The linear number of a thread in its block, and that of the first thread of its warpgroup.
    pub(crate) thread: Poly,
    pub(crate) warpgroup: Poly,
    pub(crate) copies: BulkCopies,
}

impl Pipelines {
    /// Returns whether named barriers are among them.
    pub(crate) fn has_named(&self) -> bool {
        self.classes.iter().any(|class| class.named)
    }
}

impl Class {
    /// Returns two threads that arrive in each phase, the first one and one of the last ones.
    fn members(&self) -> [Poly; 2] {
        // The last warp of a named barrier may consist of its first thread alone.
        let beside = if self.named { 32 } else { 1 };
        match &self.who {
            None => [Poly::default(), self.count.plus_constant(-beside)],
            Some(who) => [who.first.clone(), who.end.plus_constant(-beside.max(who.stride))],
        }
    }
}

impl Arriving {
    /// Returns the threads that arrive, one of each `stride` from the first one on.
    fn of(syms: &mut Syms, thread: &Poly, count: &Poly, (first, stride): (&Poly, i128)) -> Option<Arriving> {
        let end = first.plus(&count.scaled(stride)?);
        let (_, beside) = syms.divide(&thread.minus(first), &Poly::constant(stride));
        Some(Arriving { first: first.clone(), end, stride, beside })
    }

    /// Returns the condition under which a thread is one of those that arrive.
    fn has(&self, thread: &Poly) -> Cond {
        Cond::le(&self.first, thread).and(Cond::lt(thread, &self.end)).and(Cond::Eq(self.beside.clone()))
    }
}
