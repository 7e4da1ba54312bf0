//! A session in a file: the calls of a process to the driver, in their order, with what they were given.
//!
//! The file suffices to make the calls again on the virtual GPU, without the program: streams, events, launches,
//! copies, memsets, allocations, graphs, host functions, and the calls for which the host has waited. A session
//! begins with the process, so that no memory precedes it.
//!
//! # The file
//!
//! The file has a header of sixteen bytes (`WRSESSIO`, then version and zero as `u32`), then one zstd stream
//! with a checksum. The stream is a sequence of sections, each a byte for its kind, a `u32` length in
//! little-endian order, and that many bytes:
//!
//! | kind | content |
//! |---|---|
//! | 1 | JSON: the [`Header`]. The first section, exactly once |
//! | 2 | a PTX text, which [`Module`]s name by its number in the file, from 0 |
//! | 3 | JSON: a source position ([`events::Site`]), which calls name by its number in the file, from 0 |
//! | 4 | bytes that belong to the next call |
//! | 5 | JSON: a [`Call`] |
//! | 6 | JSON: a [`Note`] |
//! | 0 | nothing: the end |
//!
//! A file without its end is that of a process that was killed. What precedes is valid: the writer flushes whole
//! sections. Files are untrusted input: [`Session::read`] checks every field that it can check without the
//! virtual GPU, and allocates no more than its [`Limits`] allow.

mod check;
mod error;
mod read;
mod step;
mod write;

pub use error::Error;
pub use read::Limits;
pub use step::{
    Arguments, Condition, Conditional, Early, Fill, Graph, Kernel, MemoryKind, Module, Node, NodeKind, Shape,
    Side, Step, Variable, Waited, Within,
};
pub use write::Writer;

use events::Site;
use serde::{Deserialize, Serialize};

pub(crate) const SIGNATURE: [u8; 8] = *b"WRSESSIO";
/// The version of the format.
pub const VERSION: u32 = 1;

/// Handles of the driver that denote default streams: the legacy one, and the calling thread's own.
pub const LEGACY: u64 = 1;
pub const PER_THREAD: u64 = 2;

mod kind {
    pub(super) const END: u8 = 0;
    pub(super) const HEADER: u8 = 1;
    pub(super) const TEXT: u8 = 2;
    pub(super) const SITE: u8 = 3;
    pub(super) const BYTES: u8 = 4;
    pub(super) const CALL: u8 = 5;
    pub(super) const NOTE: u8 = 6;
}

/// The process that a session was recorded of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The program's name, for messages.
    pub program: String,
    pub process: u32,
    /// The number of devices that the process saw.
    pub devices: u32,
}

/// A sentence about what the session lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub text: String,
    /// Whether a race may be missed or invented because of it beyond what a sample misses, so that the verdict is
    /// inconclusive.
    pub inconclusive: bool,
}

/// A call to the driver, or an action of the host's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The function's C name; empty for an action of the host's own.
    pub api: String,
    /// The number of the calling source position.
    pub site: Option<u32>,
    /// The host thread's number in the process, from 1.
    pub thread: u32,
    /// The device of the thread's current context.
    pub device: u32,
    pub step: Step,
    /// The sections of bytes that precede the call: see [`Step`].
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    pub header: Header,
    pub texts: Vec<String>,
    pub sites: Vec<Site>,
    pub calls: Vec<Call>,
    pub notes: Vec<Note>,
    /// Whether the file has its end.
    pub complete: bool,
}
