//! A line's stamps beside asynchronous copies that nobody has waited for yet.
//!
//! Most copies are coalesced, nobody touches what they touch while they are under way, and their own threads wait for them.
//! Such a copy is judged when it begins, as an access of its threads, and from when they have waited for it, it is one
//! that they made then: who knows of their wait knows that it is complete, and nobody else does. In between it conflicts with
//! whatever meets it; that goes to exact [cells](crate::ptx::history::cell), where each lane's operation has a number of its own.

use crate::ptx::access::entry::Entry;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::stamps::{self, Stamps};
use crate::ptx::order::async_ops::Ops;
use crate::ptx::order::knowledge::WarpState;
use crate::shadow::lock;
use events::{AsyncOpId, LaneMask};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

/// Copies of one line that are kept this way.
const MOST: usize = 8;

/// The bytes that lanes of an instruction copy from or to a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flying {
    /// Its tick means nothing.
    pub(crate) stamp: Stamp,
    /// All lanes of the instruction, and the lowest one's operation.
    pub(crate) lanes: LaneMask,
    pub(crate) op: AsyncOpId,
}

#[derive(Debug)]
pub(crate) struct Copies {
    stamps: Stamps,
    flying: SmallVec<[Flying; 2]>,
    ops: Arc<Mutex<Ops>>,
}

impl Copies {
    pub(crate) fn new(stamps: Stamps, ops: Arc<Mutex<Ops>>) -> Self {
        Copies { stamps, flying: SmallVec::new(), ops }
    }

    pub(crate) fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    pub(crate) fn into_stamps(self) -> Stamps {
        self.stamps
    }

    /// Forgets all accesses but the copies that no thread has waited for.
    pub(crate) fn passes(&mut self) {
        self.stamps.clear();
    }

    /// Returns whether all copies have been waited for.
    pub(crate) fn is_over(&self) -> bool {
        self.flying.is_empty()
    }

    /// Returns whether the stamp conflicts with bytes that a copy may be touching.
    fn meets(&self, new: &Stamp) -> bool {
        let conflicts = |old: &Stamp| old.class.writes() || new.class.writes();
        self.flying.iter().any(|f| conflicts(&f.stamp) && !f.stamp.is_apart(new))
    }

    /// Adds a weak access. False if it has to be judged in cells; then nothing has happened.
    pub(crate) fn weak(&mut self, stamp: &Stamp, warp: &WarpState, simple: bool) -> bool {
        !self.meets(stamp) && stamps::add(&mut self.stamps, stamp, warp, simple)
    }

    /// Adds copies that begin. False as above.
    pub(crate) fn depart(&mut self, new: Flying, warp: &WarpState) -> bool {
        let conflicts = |old: &Stamp| old.class.writes() || new.stamp.class.writes();
        let ordered = |old: &Stamp| !conflicts(old) || stamps::after(old, &new.stamp, warp);
        if self.flying.len() >= MOST || self.meets(&new.stamp) || !self.stamps.iter().all(ordered) {
            return false;
        }
        self.flying.push(new);
        true
    }

    /// Makes accesses of `warp`'s lanes of those that they have waited for. False if there are none.
    pub(crate) fn land(&mut self, op: AsyncOpId, warp: &WarpState, simple: bool) -> bool {
        let before = self.flying.len();
        let stamps = &mut self.stamps;
        self.flying.retain(|flying| {
            if flying.op == op {
                let stamp = flying.stamp.landed(warp.tick);
                // It was judged when it began, and nothing that matters has come between.
                if !stamps::add(stamps, &stamp, warp, simple) {
                    stamps.push(stamp);
                }
            }
            flying.op != op
        });
        self.flying.len() < before
    }

    /// Calls `entry` with each copy that is under way, as an entry of a cell of sixteen bytes, and the cell's
    /// index in the line.
    pub(crate) fn entries(&self, mut entry: impl FnMut(usize, Entry)) {
        let mut ops = lock(&self.ops);
        for Flying { stamp, lanes, op } in &self.flying {
            stamp.entries(|cell, of| {
                for lane in (0..32).filter(|lane| of.lanes >> lane & 1 != 0) {
                    let tick = ops.number(op.of_lane(*lanes, lane));
                    entry(cell, Entry { lanes: 1 << lane, tick, ..of });
                }
            });
        }
    }

    /// The bytes that it touches, a bit each.
    pub(crate) fn touched(&self) -> u128 {
        let all = self.stamps.iter().chain(self.flying.iter().map(|flying| &flying.stamp));
        all.fold(0, |bits, stamp| bits | stamp.touched())
    }

    /// Bytes it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let flying = if self.flying.spilled() { self.flying.capacity() * size_of::<Flying>() } else { 0 };
        size_of::<Copies>() + 16 + stamps::room(&self.stamps) + flying
    }
}
