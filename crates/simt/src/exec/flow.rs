//! What comes after an instruction.

use super::Stop;

/// Where control goes after an instruction that is not simple.
pub(super) enum Flow {
    /// To the next instruction.
    Next,
    /// To `run.pc`.
    Jump,
    /// To the next instruction, after others had a turn.
    GiveWay,
    Stop(Stop),
}
