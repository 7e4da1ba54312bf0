//! The current generation of a block's barrier: the arrivals of its threads.

use super::warp::Warp;
use events::sync::Member;
use events::{BlockId, LaneMask, WarpId};
use smallvec::SmallVec;

/// The current generation of one of a block's sixteen barriers.
#[derive(Debug, Default)]
pub(crate) struct Barrier {
    /// The number of threads that it waits for; 0 for all threads that have not exited.
    pub expected: u32,
    /// The number of threads that have arrived.
    pub arrived: u32,
    /// Whether some threads arrived without waiting (`bar.arrive`).
    pub(super) partial: bool,
    pub(super) members: SmallVec<[Member; 8]>,
    pub(super) popc: u32,
    pub(super) not_all: bool,
    pub(super) any: bool,
    /// The first arrival by an instruction of the whole block: its pc, its warp and a lane.
    pub(super) first: Option<(u32, WarpId, u8)>,
}

impl Barrier {
    /// Resets the barrier to its first generation.
    pub(crate) fn reset(&mut self) {
        self.members.clear();
        (self.expected, self.arrived, self.popc) = (0, 0, 0);
        (self.partial, self.not_all, self.any, self.first) = (false, false, false, None);
    }

    /// Records an arrival at `pc` by an instruction of the whole block. Returns the first arrival if that was
    /// at another instruction.
    pub(super) fn meets(&mut self, pc: u32, warp: u16, lanes: LaneMask) -> Option<(u32, WarpId, u8)> {
        let first = *self.first.get_or_insert((pc, WarpId(warp), lanes.trailing_zeros() as u8));
        (first.0 != pc).then_some(first)
    }

    pub(super) fn arrive(&mut self, warp: &Warp, block: BlockId, lanes: LaneMask, waits: bool) {
        self.arrived += lanes.count_ones();
        self.partial |= !waits;
        let warp = WarpId(warp.index);
        let waited = if waits { lanes } else { 0 };
        match self.members.iter_mut().find(|m| m.warp == warp) {
            Some(member) => {
                member.arrived |= lanes;
                member.waited |= waited;
            }
            None => self.members.push(Member { block, warp, arrived: lanes, waited }),
        }
    }

    /// Returns whether the generation is complete. Nonexistent lanes of a partial warp count as arrived with
    /// the rest of it, because counts are of whole warps.
    pub(super) fn complete(&self, alive: u32, warps: &[Option<Box<Warp>>]) -> bool {
        if self.members.is_empty() {
            return false;
        }
        if self.expected == 0 {
            return self.arrived >= alive;
        }
        let absent: u32 = self
            .members
            .iter()
            .filter_map(|m| Some((m, warps[m.warp.0 as usize].as_ref()?)))
            // Lanes that arrived by `bar.arrive` and then exited are already counted.
            .map(|(m, w)| (!w.alive & !m.arrived).count_ones())
            .sum();
        self.arrived + absent >= self.expected
    }
}
