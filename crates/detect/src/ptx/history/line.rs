//! The history of 128 bytes in stamps of whole warp accesses.
//!
//! Most accesses are coalesced, weak and ordered: one [`Stamp`] stands for a run of lanes,
//! and the question whether an earlier stamp is known is one comparison. A line answers only
//! "all of it is ordered" or "not sure"; the latter, and whatever is not a weak access of
//! neighbouring lanes, goes to exact [cells](crate::ptx::history::cell), for which the line is split for good.

use crate::ptx::history::copies::{Copies, Flying};
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::stamps::{CROWDED, Stamps, add, room};
use crate::ptx::history::tally::{Slot, Tally};
use crate::ptx::order::async_ops::Ops;
use crate::ptx::order::knowledge::WarpState;
use events::AsyncOpId;
use std::sync::{Arc, Mutex};

/// Stamps, of reads mostly, that a line holds before it becomes a [`Tally`] of them.
const READS: usize = 2 * CROWDED;

#[derive(Debug, Default)]
pub(crate) enum Line {
    #[default]
    Empty,
    Stamps(Stamps),
    /// Counters.
    Tally(Box<Tally>),
    /// Stamps, and copies that no thread has waited for.
    Copies(Box<Copies>),
    /// Its history is in its page's [`Words`](crate::ptx::history::words::Words).
    Words,
    /// Its history is in cells.
    Split,
}

impl Line {
    /// Adds the first access of all. False if there was another one.
    #[inline(always)]
    pub(crate) fn first(&mut self, stamp: &Stamp) -> bool {
        let first = matches!(self, Line::Empty);
        if first {
            // Written in place: most accesses come here.
            *self = Line::Stamps(Stamps::new());
            if let Line::Stamps(stamps) = self {
                stamps.push(*stamp);
            }
        }
        first
    }

    /// Adds a weak access. False if it has to be judged in cells; then nothing has happened.
    pub(crate) fn weak(&mut self, stamp: &Stamp, warp: &WarpState, simple: bool, grown: &mut usize) -> bool {
        match self {
            Line::Empty => self.first(stamp),
            Line::Stamps(stamps) => {
                let before = room(stamps);
                if simple && stamps.len() >= READS && !stamp.class.writes() {
                    return self.table(stamp, warp, grown);
                }
                let done = add(stamps, stamp, warp, simple);
                *grown += room(stamps).saturating_sub(before);
                done
            }
            Line::Tally(tally) => {
                let before = tally.bytes();
                let done = tally.weak(stamp, warp);
                *grown += tally.bytes().saturating_sub(before);
                done
            }
            Line::Copies(copies) => {
                let before = room(copies.stamps());
                let done = copies.weak(stamp, warp, simple);
                *grown += room(copies.stamps()).saturating_sub(before);
                done
            }
            Line::Words | Line::Split => false,
        }
    }

    /// Adds accesses of asynchronous copies that begin. False as above.
    pub(crate) fn depart(&mut self, flying: Flying, ops: &Arc<Mutex<Ops>>, warp: &WarpState) -> bool {
        if let Line::Copies(copies) = self {
            return copies.depart(flying, warp);
        }
        let stamps = match self {
            Line::Empty => Stamps::new(),
            Line::Stamps(stamps) => std::mem::take(stamps),
            _ => return false,
        };
        let mut copies = Box::new(Copies::new(stamps, Arc::clone(ops)));
        let done = copies.depart(flying, warp);
        *self = if done { Line::Copies(copies) } else { Line::Stamps(copies.into_stamps()) };
        done
    }

    /// The threads of an operation's copies have waited for it: these are accesses that they have made by now. False if
    /// there are none of it here.
    pub(crate) fn land(&mut self, op: AsyncOpId, warp: &WarpState, simple: bool, grown: &mut usize) -> bool {
        let Line::Copies(copies) = self else { return false };
        let before = room(copies.stamps());
        let landed = copies.land(op, warp, simple);
        *grown += room(copies.stamps()).saturating_sub(before);
        if copies.is_over() {
            let Line::Copies(copies) = std::mem::take(self) else { return landed };
            *self = Line::Stamps(copies.into_stamps());
        }
        landed
    }

    /// Makes a tally of stamps that are many reads, and adds one more.
    #[cold]
    fn table(&mut self, read: &Stamp, warp: &WarpState, grown: &mut usize) -> bool {
        let Line::Stamps(stamps) = self else { return false };
        let Some(mut tally) = Tally::of_reads(stamps) else { return add(stamps, read, warp, true) };
        let done = tally.weak(read, warp);
        if done {
            *grown += tally.bytes().saturating_sub(room(stamps));
            *self = Line::Tally(Box::new(tally));
        }
        done
    }

    /// Adds one lane's relaxed atomic access to `bytes` bytes (4 or 8) from `at`, in launches where only
    /// whole barriers order threads. False as above.
    pub(crate) fn atomic(
        &mut self,
        (at, bytes): (u8, u32),
        slot: Slot,
        warp: &WarpState,
        grown: &mut usize,
    ) -> bool {
        if let Line::Tally(tally) = self {
            let before = tally.bytes();
            let done = tally.atomic(at, bytes, slot, warp);
            *grown += tally.bytes().saturating_sub(before);
            return done;
        }
        let stamps = match self {
            Line::Empty => Stamps::new(),
            Line::Stamps(stamps) => std::mem::take(stamps),
            _ => return false,
        };
        let mut tally = Box::new(Tally::new(stamps, slot.class(), bytes));
        let done = tally.atomic(at, bytes, slot, warp);
        *self = if done {
            *grown += tally.bytes();
            Line::Tally(tally)
        } else {
            Line::Stamps(tally.into_stamps())
        };
        done
    }
}
