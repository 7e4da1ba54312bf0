//! The control flow after an instruction.

use super::Stop;

/// The continuation after an instruction that is not simple.
pub(super) enum Flow {
    /// Continues at the next instruction.
    Next,
    /// Continues at `run.pc`.
    Jump,
    /// Continues at the next instruction, after other groups had a turn.
    GiveWay,
    Stop(Stop),
}
