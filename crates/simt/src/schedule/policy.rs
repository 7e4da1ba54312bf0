//! What a policy is asked, and answers.

use events::{BlockId, LaneMask, SiteId, WarpId};

/// A group of lanes that could run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub block: BlockId,
    pub warp: WarpId,
    pub lanes: LaneMask,
    /// Its next instruction, where that is an access, synchronisation or control.
    pub site: Option<SiteId>,
    /// It polls in vain, and has had its turn: who runs it rather than others lets it poll again.
    pub waits: bool,
}

/// A decision: which choice, and for how many instructions at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub index: usize,
    pub quantum: u32,
}

/// Decides who runs. The engine asks again when the chosen group has used up its
/// quantum, waits, diverges, meets another group, or ends.
pub trait Policy: Send {
    /// `choices` is never empty, and in a fixed order: by block, warp, and lowest lane or age of group.
    fn pick(&mut self, choices: &[Choice]) -> Pick;

    /// How many clusters (or blocks) should be resident as long as there are more.
    fn window(&self) -> u32;

    /// Instructions before which a group stops, whatever its quantum.
    fn stops(&self) -> &[SiteId] {
        &[]
    }

    /// Should loops that wait, but may give up by themselves, be let go on rather than any of
    /// these choices be made? Asked before each pick; nothing happens if there is no such loop.
    fn rather_wakes(&mut self, _choices: &[Choice]) -> bool {
        false
    }

    /// Does who sleeps (`nanosleep`) sleep on until its time has come, while others run? What is to explore schedules
    /// says no: any shorter sleep is allowed (PTX, `nanosleep`).
    fn sleeps(&self) -> bool {
        false
    }

    /// So many instructions came of the last pick.
    fn ran(&mut self, _instructions: u64) {}

    /// Has the schedule done what it is for? The rest of the run does not matter to it.
    fn is_over(&self) -> bool {
        false
    }
}

/// Blocks that the interleaving policies mix.
pub(crate) const WINDOW: u32 = 8;
