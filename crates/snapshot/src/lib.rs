//! One launch in a file: PTX, kernel, geometry, arguments, and all memory as it was when the launch began, with the textures and surfaces in it.
//!
//! Whoever has the file can execute the launch again, on the virtual GPU and without the program, as often
//! and under as many schedules as they like.
//!
//! # The file
//!
//! Sixteen bytes (`WRLAUNCH`, then version and zero as `u32`), then one zstd stream with a checksum. In it are records, each a byte for its
//! kind and what belongs to it; numbers are little-endian:
//!
//! | kind | what follows |
//! |---|---|
//! | 1 | `u32` bytes, and so many of JSON: the [`Launch`]. The first record, and only that |
//! | 2 | `u32` bytes, and so many of JSON: a [`Range`]. In ascending order, disjoint |
//! | 3 | `u64` offset in the last range, `u32` bytes, and so many: its contents there, ascending. What is left out is zero |
//! | 4 | `u32` bytes, and so many of JSON: an [`Object`], whose memory is in a range. Behind all ranges; from version 2 on |
//! | 0 | nothing: the end |
//!
//! Files come from elsewhere: [`read`](fn@read) believes nothing, and allocates no more than its [`Limits`] allow.

mod object;
mod read;
mod write;

pub use object::{Addressing, Channel, Image, Layout, Object, Surface, Texture};
pub use read::{Limits, Target, read};
pub use write::Writer;

use events::{Allocation, Dim3};
use serde::{Deserialize, Serialize};
use std::io;

const SIGNATURE: [u8; 8] = *b"WRLAUNCH";
/// Of the format. Files of earlier versions are read, too.
pub const VERSION: u32 = 2;

mod kind {
    pub(crate) const END: u8 = 0;
    pub(crate) const LAUNCH: u8 = 1;
    pub(crate) const RANGE: u8 = 2;
    pub(crate) const BYTES: u8 = 3;
    pub(crate) const OBJECT: u8 = 4;
}

/// Contents are kept in pieces of at most so many bytes.
pub const PIECE: usize = 4096;

/// Global addresses are below this, as on the virtual GPU.
const HIGHEST: u64 = 1 << 56;

/// What was launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The program's name, for people.
    pub program: String,
    /// What the module is called in messages.
    pub module: String,
    /// Its PTX; several texts are linked.
    pub texts: Vec<String>,
    /// Variables of the module: names and addresses, in the order in which the module was given its storage.
    pub variables: Vec<(String, u64)>,
    /// Mangled.
    pub kernel: String,
    pub grid: Dim3,
    pub block: Dim3,
    pub cluster: Dim3,
    pub dynamic_shared: u32,
    pub cooperative: bool,
    /// As the kernel finds them in its parameter space.
    pub params: Vec<u8>,
    /// Which launch of its process it was, from 1.
    pub number: u64,
    pub device: u32,
    /// How many devices the process saw.
    pub devices: u32,
    /// Of each device's heap for `malloc`, the address, if there is one.
    pub heap: Option<u64>,
    /// Bytes of local memory that a thread may use.
    pub stack_limit: u32,
}

/// Memory that there was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub allocation: Allocation,
    /// Devices whose kernels may touch it, bit `i` for device `i`.
    pub accessible_from: u64,
}

/// Why a file was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<E> {
    #[error(transparent)]
    File(#[from] Error),
    /// Who is told of the file did not want what it says.
    #[error("the saved launch is damaged: {0}")]
    Target(E),
}

/// What can be wrong with a file.
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
