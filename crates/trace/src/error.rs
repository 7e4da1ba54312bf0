//! Faults of a trace.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("not a warprace trace (the file does not begin with its signature)")]
    NotATrace,
    #[error("trace version {0}, but this warprace reads versions {oldest} to {ours}", oldest = crate::OLDEST, ours = crate::VERSION)]
    Version(u32),
    #[error("the trace is of engine `{0}`, which this warprace does not know")]
    Engine(String),
    #[error("the trace ends in the middle of a chunk, at byte {offset}; everything before it was read")]
    Truncated { offset: u64 },
    #[error("the trace is damaged at byte {offset}: {what}; everything before it was read")]
    Damaged { offset: u64, what: String },
    #[error("cannot read the trace: {0}")]
    Io(#[from] io::Error),
}
