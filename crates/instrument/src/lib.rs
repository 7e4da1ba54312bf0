//! PTX to PTX: kernels that check themselves while they run.
//!
//! A pass reads a module's text and returns another one with the same behaviour that also writes reports to a
//! [`sink`]: memory at an address that is fixed at instrumentation, so that instrumented code needs no symbol
//! to be set. Texts are edited in place ([`edit`]): the parts that a pass does not touch stay unchanged, byte
//! by byte, line information included.
//!
//! * [`collide`] delays accesses and checks whether another thread has changed their memory.
//! * [`guard`] records the last accesses of memory, and compares with them. `guard::emit` writes the check
//!   around an access, `guard::runtime` has the functions that it calls, `guard::report` fills a record.
//! * [`both`] applies the two passes to one text.
//! * [`findings`] are made of the records that kernels have written (`sink::Record`).
//! * [`pass`] chooses what an engine inserts, and applies it to all texts of an image.
//! * [`sample`] lets some of a launch's blocks execute the original text.
//! * [`prune`] finds accesses that passes need not check, `reached` the functions that no kernel calls.

pub mod both;
pub mod collide;
pub mod constants;
pub mod edit;
pub mod findings;
pub mod guard;
pub mod parts;
pub mod pass;
pub mod prune;
mod reached;
pub mod sample;
pub mod sink;

/// The prefix of all names that instrumentation adds.
pub const PREFIX: &str = "__warprace_";

/// The reason why a text cannot be instrumented.
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
