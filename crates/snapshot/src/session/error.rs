//! Errors of readers.

use super::VERSION;
use std::io;

/// The reason why a file is not a session.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("not a saved session (the file does not begin with its signature)")]
    NotASession,
    #[error("saved session of version {0}, but this warprace reads version {VERSION}")]
    Version(u32),
    #[error("the saved session ends too early")]
    Truncated,
    #[error("the saved session is damaged: {0}")]
    Damaged(String),
    #[error("the saved session is too large: {0}")]
    TooLarge(String),
    #[error("cannot read the saved session: {0}")]
    Io(io::Error),
}

pub(super) fn damaged(what: impl Into<String>) -> Error {
    Error::Damaged(what.into())
}
