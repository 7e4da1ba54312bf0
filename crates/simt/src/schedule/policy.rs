//! The interface between the engine and a scheduling policy.

use events::{BlockId, LaneMask, SiteId, WarpId};

/// A runnable group of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub block: BlockId,
    pub warp: WarpId,
    pub lanes: LaneMask,
    /// The site of its next instruction, if that is an access, synchronisation or control.
    pub site: Option<SiteId>,
    /// Whether it polls in vain and has had its turn; choosing it makes it poll again.
    pub waits: bool,
}

/// A decision: the index of a choice, and the largest number of instructions to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub index: usize,
    pub quantum: u32,
}

/// Decides which group runs. The engine asks again when the chosen group has used up its quantum, waits,
/// diverges, meets another group, or ends.
pub trait Policy: Send {
    /// Chooses a group. `choices` is never empty, and in a fixed order: by block, warp, and lowest lane or
    /// age of group.
    fn pick(&mut self, choices: &[Choice]) -> Pick;

    /// Returns how many clusters (or blocks) should be resident as long as there are more.
    fn window(&self) -> u32;

    /// Returns the instructions before which a group stops, whatever its quantum.
    fn stops(&self) -> &[SiteId] {
        &[]
    }

    /// Returns whether waiting loops that may end on their own should be woken rather than one of these
    /// choices be made. Called before each pick; without such loops the result has no effect.
    fn rather_wakes(&mut self, _choices: &[Choice]) -> bool {
        false
    }

    /// Returns whether `nanosleep` suspends a group until its time has come while others run. Policies that
    /// explore schedules return false, because any shorter sleep is allowed (PTX, `nanosleep`).
    fn sleeps(&self) -> bool {
        false
    }

    /// Reports the number of instructions that the last pick ran.
    fn ran(&mut self, _instructions: u64) {}

    /// Returns whether the schedule has served its purpose, so that the rest of the run is irrelevant to it.
    fn is_over(&self) -> bool {
        false
    }
}

/// The number of blocks among which interleaving policies choose.
pub(crate) const WINDOW: u32 = 8;
