//! Asynchronous operations: the threads that know that they are complete.

use crate::ptx::access::thread::Who;
use crate::ptx::order::clock_keys::{OBSERVED, PHASES, PHASES_FENCED_GLOBAL, PHASES_FENCED_SHARED};
use crate::ptx::order::knowledge::{Through, WarpState};
use crate::ptx::order::mbarrier::behind;
use clocks::compressed::WarpIndex;
use clocks::{Clock, Shared, Tick};
use events::{AsyncOpId, LaneMask};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Something that makes an operation's completion known to whoever knows it.
#[derive(Clone, Copy, Debug)]
enum Completion {
    /// A thread waited, and was at this tick; perhaps for the reads only.
    Thread { who: Who, tick: Tick, reads_only: bool },
    /// The lanes of a warp waited for it together, at this tick.
    Warp { warp: WarpIndex, lanes: LaneMask, tick: Tick },
    /// It completed in this phase (counted from 1) of a numbered mbarrier object.
    Phase(u32, u32),
}

/// Numbers that are kept together.
const NEAR: usize = 64;
/// None has been given.
const NONE: u32 = u32::MAX;

/// The asynchronous operations of a launch.
#[derive(Debug, Default)]
pub(crate) struct Ops {
    /// Numbers by identifier, [`NEAR`] at a time: engines count them up.
    numbers: FxHashMap<u64, Box<[u32; NEAR]>>,
    ops: Vec<Op>,
    /// The last answer: a copy reads, and then it writes.
    last: Option<(AsyncOpId, u32)>,
}

#[derive(Debug)]
struct Op {
    id: AsyncOpId,
    completions: SmallVec<[Completion; 1]>,
}

impl Ops {
    /// Bytes on the heap, about.
    pub(crate) fn bytes(&self) -> usize {
        self.ops.capacity() * size_of::<Op>() + self.numbers.capacity() * (24 + NEAR * 4)
    }

    pub(crate) fn number(&mut self, id: AsyncOpId) -> u32 {
        if let Some((last, number)) = self.last
            && last == id
        {
            return number;
        }
        let ops = &mut self.ops;
        let near = self.numbers.entry(id.0 / NEAR as u64).or_insert_with(|| Box::new([NONE; NEAR]));
        let slot = &mut near[id.0 as usize % NEAR];
        if *slot == NONE {
            *slot = ops.len() as u32;
            ops.push(Op { id, completions: SmallVec::new() });
        }
        let number = *slot;
        self.last = Some((id, number));
        number
    }

    pub(crate) fn id(&self, number: u32) -> u64 {
        self.ops.get(number as usize).map_or(0, |op| op.id.0)
    }

    pub(crate) fn waited(&mut self, id: AsyncOpId, who: Who, tick: Tick, reads_only: bool) {
        let number = self.number(id);
        self.ops[number as usize].completions.push(Completion::Thread { who, tick, reads_only });
    }

    pub(crate) fn waited_together(&mut self, id: AsyncOpId, warp: WarpIndex, lanes: LaneMask, tick: Tick) {
        let number = self.number(id);
        self.ops[number as usize].completions.push(Completion::Warp { warp, lanes, tick });
    }

    pub(crate) fn completed_in(&mut self, id: AsyncOpId, object: u32, phase: u64) {
        let number = self.number(id);
        self.ops[number as usize].completions.push(Completion::Phase(object, behind(phase)));
    }

    /// Returns whether the thread that waits for such operations itself has waited for this one.
    pub(crate) fn waited_alone(&self, number: u32, wrote: bool) -> bool {
        self.ops.get(number as usize).is_some_and(|op| {
            let by_thread = |c: &Completion| matches!(c, Completion::Thread { reads_only, .. } if !(wrote && *reads_only));
            op.completions.iter().any(by_thread)
        })
    }

    /// Returns whether a thread of `block` has waited for it before the block's tick `all`, up to which all of
    /// its threads know each other.
    pub(crate) fn is_behind(&self, number: u32, wrote: bool, (block, all): (u32, Tick)) -> bool {
        self.ops.get(number as usize).is_some_and(|op| {
            op.completions.iter().any(|completion| match *completion {
                Completion::Thread { who, tick, reads_only } => {
                    who.block == block && tick <= all && !(wrote && reads_only)
                }
                Completion::Warp { warp, tick, .. } => warp.block == block && tick <= all,
                Completion::Phase(..) => false,
            })
        })
    }

    pub(crate) fn known(&self, warp: &WarpState, who: Who, number: u32, wrote: bool) -> bool {
        let Some(op) = self.ops.get(number as usize) else { return false };
        op.completions.iter().any(|completion| match *completion {
            Completion::Thread { who: waiter, tick, reads_only } => {
                !(wrote && reads_only)
                    && warp.unknown(who, waiter.block, waiter.warp, 1 << waiter.lane, tick) == 0
            }
            // Whatever any of the lanes did afterwards is behind it.
            Completion::Warp { warp: at, lanes, tick } => {
                let own = who.at() == at && lanes >> who.lane & 1 != 0;
                own || warp.unknown(who, at.block, at.warp, lanes, tick) != lanes
            }
            Completion::Phase(object, phase) => warp.clock(who.lane).thread(PHASES, object) >= phase,
        })
    }

    /// Returns whether a thread whose clock this is knows a wait that observed the phase in which an operation completed.
    pub(crate) fn is_observed(&self, clock: &Shared, number: u32) -> bool {
        self.ops.get(number as usize).is_some_and(|op| {
            op.completions.iter().any(|completion| match *completion {
                Completion::Phase(object, phase) => clock.thread(OBSERVED, object) >= phase,
                _ => false,
            })
        })
    }

    /// Returns whether a proxy fence that `who` knows lies behind the completion of an operation of the generic proxy.
    pub(crate) fn fenced(
        &self,
        warp: &WarpState,
        who: Who,
        number: u32,
        wrote: bool,
        through: Through,
    ) -> bool {
        let Some(op) = self.ops.get(number as usize) else { return false };
        let phases =
            if through == Through::AsyncGlobal { PHASES_FENCED_GLOBAL } else { PHASES_FENCED_SHARED };
        op.completions.iter().any(|completion| match *completion {
            Completion::Thread { who: by, tick, reads_only } => {
                !(wrote && reads_only)
                    && warp.unfenced(who, by.block, by.warp, 1 << by.lane, tick, through) == 0
            }
            // Those are matrix products, which use the async proxy.
            Completion::Warp { .. } => true,
            Completion::Phase(object, phase) => warp.clock(who.lane).thread(phases, object) >= phase,
        })
    }

    /// Returns whether anything makes the operation's completion known.
    pub(crate) fn is_awaited(&self, number: u32) -> bool {
        self.ops.get(number as usize).is_some_and(|op| !op.completions.is_empty())
    }

    /// Returns whether an operation on tensor memory that `who` issues is behind the completion of this one.
    pub(crate) fn known_for_tensor_memory(&self, warp: &WarpState, who: Who, number: u32) -> bool {
        let Some(op) = self.ops.get(number as usize) else { return false };
        op.completions.iter().any(|completion| match *completion {
            Completion::Thread { who: by, tick, .. } => {
                warp.knows_for_tensor_memory(who, by.at(), 1 << by.lane, tick)
            }
            Completion::Warp { warp: by, lanes, tick } => warp.knows_for_tensor_memory(who, by, lanes, tick),
            Completion::Phase(object, phase) => warp.knows_phase_for_tensor_memory(who, object, phase),
        })
    }

    /// Returns whether a clock knows the completion of an operation.
    pub(crate) fn is_in(&self, clock: &Clock, number: u32) -> bool {
        let Some(op) = self.ops.get(number as usize) else { return false };
        let of_warp = |WarpIndex { block, warp }: WarpIndex, lanes: LaneMask, tick: Tick| {
            let known = clock.block(block);
            known.is_some_and(|known| {
                tick <= known.warp(warp.into())
                    || (0..32)
                        .filter(|lane| lanes >> lane & 1 != 0)
                        .any(|lane| tick <= known.thread(u32::from(warp) * 32 + lane))
            })
        };
        op.completions.iter().any(|completion| match *completion {
            Completion::Thread { who, tick, .. } => of_warp(who.at(), 1 << who.lane, tick),
            Completion::Warp { warp, lanes, tick } => of_warp(warp, lanes, tick),
            Completion::Phase(object, phase) => {
                clock.block(PHASES).is_some_and(|known| known.thread(object) >= phase)
            }
        })
    }
}
