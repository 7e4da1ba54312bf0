//! PTX to PTX: kernels that check themselves while they run.
//!
//! A pass reads a module's text and gives another one that does the same, and besides tells what it sees to a
//! [`sink`]: memory at an address that is fixed when the text is made, so that instrumented code needs no symbol
//! of ours to be set. Texts are edited in place ([`edit`]): whatever a pass does not touch stays as it was, byte
//! by byte, line information included.
//!
//! * [`collide`] delays accesses and looks whether anybody else changed what they accessed.
//! * [`guard`] keeps for memory who accessed it last, and compares.
//! * [`both`] makes one text of the two.
//! * [`sample`] has some of a launch's blocks run as they were.
//! * [`prune`] tells passes which accesses they need not look at.

pub mod both;
pub mod collide;
pub mod edit;
pub mod guard;
pub mod prune;
pub mod sample;
pub mod sink;

/// Names that begin with this belong to instrumentation.
pub const PREFIX: &str = "__warprace_";

/// Why a text cannot be instrumented.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("malformed PTX at line {line}: {message}")]
    Malformed { line: u32, message: String },
    #[error("PTX {0}.{1} is too old: checks need version 6.3 or newer")]
    OldVersion(u32, u32),
    #[error("target {0} is too old: checks need sm_70 or newer")]
    OldTarget(String),
    #[error("it is instrumented already: it defines `{0}`")]
    Twice(String),
    #[error("32-bit addresses are not supported")]
    NarrowAddresses,
    #[error("its launches cannot be told where their device's table is")]
    Untold,
    #[error("it has too many accesses: {0} can be checked in one process")]
    TooMany(u32),
}
