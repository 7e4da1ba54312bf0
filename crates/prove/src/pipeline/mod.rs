//! Threads of a block that wait for each other by mbarriers: producers and consumers, and whole blocks that work between arriving
//! and waiting (PTX §9.7.13.15).
//!
//! Of an mbarrier that is set up for *c* arrivals, *n* is the number of phases that have ended. It only grows, each phase takes *c*
//! arrivals, and a thread that has waited for a parity knows whether *n* is even. So, whatever others do:
//!
//! * **waits**: who waits in turns, each time for the other parity, knows after each wait one phase more than after the one before
//!   ([`Wait`]; a first wait that an unused barrier lets pass says nothing).
//! * **arrivals**: each one has a number ([`Arrival`]): how often its thread has arrived there before. It is to be shown that the
//!   thread then knows that as many phases have ended. Arrivals of one number are of different threads, all of which are in an
//!   interval of *c* threads. Then at the end of phase *m* each thread of the interval has made its arrivals up to number *m*: no
//!   other ones can have been counted.
//! * **knowledge** is handed on: who knows that *m* phases of one barrier have ended knows what each thread of its interval knew
//!   when it made its arrival number *m* - 1.
//!
//! That arrivals do not come too early, and what follows from it, rest on each other; the first arrival in time that came too early
//! would have no reason to, as what its thread knows is about arrivals before it.
//!
//! Barriers may lie in a ring that is gone round turn by turn ([`Form`]); numbers are then linear in how often that was.

mod find;
mod knowledge;
mod turns;

pub(crate) use find::find;
pub(crate) use turns::Ways;

use crate::cond::Cond;
use crate::poly::Poly;
use crate::syms::{Attr, Syms};
use ptx::cfg::BlockId;

/// Which mbarrier of a class it is in a turn: the one at `first + stride * ((turn + shift) mod ring)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) class: usize,
    pub(crate) first: i128,
    pub(crate) stride: i128,
    pub(crate) ring: i128,
    pub(crate) shift: i128,
}

/// A number in a turn: `each * floor(turn / ring) + first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) each: i128,
    pub(crate) first: i128,
}

/// Mbarriers of one variable that are used alike.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Arrivals of a phase.
    pub(crate) count: Poly,
    /// The first thread of the interval that arrives; none if it is the block.
    pub(crate) from: Option<Poly>,
}

/// Phases of one mbarrier that have ended, at least.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) class: usize,
    pub(crate) at: Poly,
    pub(crate) least: Poly,
}

/// A wait for a phase.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    /// Where it is tried first, and where again.
    pub(crate) block: BlockId,
    pub(crate) region: Vec<bool>,
    pub(crate) of_loop: Option<usize>,
    pub(crate) form: Form,
    pub(crate) line: Line,
    /// What is known behind it; and in the next turns before it.
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
    /// Where it arrives, and its number: in this turn and the next one.
    pub(crate) at: [Poly; 2],
    pub(crate) number: [Poly; 2],
    pub(crate) path: Vec<Cond>,
}

/// All that is known of a kernel's mbarriers.
#[derive(Clone, Debug)]
pub struct Pipelines {
    pub(crate) classes: Vec<Class>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) arrivals: Vec<Arrival>,
    /// Of the branch at the end of each block.
    pub(crate) branches: Vec<Option<Attr>>,
    /// A thread's number in its block.
    pub(crate) thread: Poly,
}

impl Form {
    /// Where it is in a turn.
    fn at(&self, syms: &mut Syms, turn: &Poly) -> Option<Poly> {
        let (_, stage) = syms.divide(&turn.plus_constant(self.shift), &Poly::constant(self.ring));
        Some(stage.scaled(self.stride)?.plus_constant(self.first))
    }

    /// Are the mbarriers the same ones, if not in the same turns?
    fn is_like(&self, other: &Form) -> bool {
        Form { shift: 0, ..*self } == Form { shift: 0, ..*other }
    }
}

impl Line {
    fn at(&self, syms: &mut Syms, turn: &Poly, ring: i128) -> Option<Poly> {
        let (rounds, _) = syms.divide(turn, &Poly::constant(ring));
        Some(rounds.scaled(self.each)?.plus_constant(self.first))
    }
}

impl Class {
    /// Is a thread one of those that arrive?
    fn has(&self, thread: &Poly) -> Cond {
        match &self.from {
            None => Cond::True,
            Some(from) => Cond::le(from, thread).and(Cond::lt(thread, &from.plus(&self.count))),
        }
    }
}
