//! One launch in a file: PTX, kernel, geometry, arguments, and the contents of all memory at the start of the
//! launch, with its textures and surfaces. [`session`] has the calls of a whole process.
//!
//! The file suffices to execute the launch again on the virtual GPU, without the program, any number of times
//! and under any schedule.
//!
//! # The file
//!
//! The file has a header of sixteen bytes (`WRLAUNCH`, then version and zero as `u32`), then one zstd stream
//! with a checksum. The stream is a sequence of records, each a byte for its kind and then its content;
//! numbers are little-endian:
//!
//! | kind | content |
//! |---|---|
//! | 1 | `u32` length and that many bytes of JSON: the [`Launch`]. The first record, exactly once |
//! | 2 | `u32` length and that many bytes of JSON: a [`Range`]. In ascending order, disjoint |
//! | 3 | `u64` offset in the last range, `u32` length and that many bytes of its contents, ascending. Omitted bytes are zero |
//! | 4 | `u32` length and that many bytes of JSON: an [`Object`], whose memory is in a range. Behind all ranges; from version 2 on |
//! | 0 | nothing: the end |
//!
//! Files are untrusted input: [`read`](fn@read) checks every field, and allocates no more than its [`Limits`]
//! allow.

mod object;
mod read;
pub mod session;
mod write;

pub use object::{Addressing, Channel, Image, Layout, Object, Surface, Texture};
pub use read::{Limits, Target, read};
pub use write::Writer;

use events::{Allocation, Dim3, Surroundings};
use serde::{Deserialize, Serialize};
use std::io;

const SIGNATURE: [u8; 8] = *b"WRLAUNCH";
/// The version of the format. Files of earlier versions are readable, too.
pub const VERSION: u32 = 2;

mod kind {
    pub(crate) const END: u8 = 0;
    pub(crate) const LAUNCH: u8 = 1;
    pub(crate) const RANGE: u8 = 2;
    pub(crate) const BYTES: u8 = 3;
    pub(crate) const OBJECT: u8 = 4;
}

/// The largest number of bytes in one record of contents.
pub const PIECE: usize = 4096;

/// An exclusive bound of global addresses, as on the virtual GPU.
const HIGHEST: u64 = 1 << 56;

const MOST_DEVICES: u32 = 64;

/// The launch: its module, kernel, geometry and arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The program's name, for messages.
    pub program: String,
    /// The module's name, for messages.
    pub module: String,
    /// The module's PTX texts, which are linked.
    pub texts: Vec<String>,
    /// Names and addresses of the module's variables, in the order in which they received storage.
    pub variables: Vec<(String, u64)>,
    /// The kernel's mangled name.
    pub kernel: String,
    pub grid: Dim3,
    pub block: Dim3,
    pub cluster: Dim3,
    pub dynamic_shared: u32,
    pub cooperative: bool,
    /// The bytes of the kernel's parameter space.
    pub params: Vec<u8>,
    /// The launch's number in its process, from 1.
    pub number: u64,
    pub device: u32,
    /// The number of devices that the process saw.
    pub devices: u32,
    /// The address of each device's heap for `malloc`, if it has one.
    pub heap: Option<u64>,
    /// Bytes of local memory that a thread may use.
    pub stack_limit: u32,
    /// What the program was doing when it made the launch, if it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<Surroundings>>,
}

/// An allocation that existed at the start of the launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub allocation: Allocation,
    /// The devices whose kernels may access the range: bit `i` for device `i`.
    pub accessible_from: u64,
}

/// The reason why a file was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<E> {
    #[error(transparent)]
    File(#[from] Error),
    /// The [`Target`] rejected a record.
    #[error("the saved launch is damaged: {0}")]
    Target(E),
}

/// An error in the file itself.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("not a saved launch (the file does not begin with its signature)")]
    NotALaunch,
    #[error("saved launch of version {0}, but this warprace reads versions 1 to {VERSION}")]
    Version(u32),
    #[error("the saved launch ends too early")]
    Truncated,
    #[error("the saved launch is damaged: {0}")]
    Damaged(String),
    #[error("the saved launch is too large: {0}")]
    TooLarge(String),
    #[error("cannot read the saved launch: {0}")]
    Io(io::Error),
}
