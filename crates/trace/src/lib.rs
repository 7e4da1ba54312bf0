//! The trace file: an execution's events, recorded once and played back to any detector.
//!
//! # Format, version 7
//!
//! ```text
//! file   = "WARPRACE" u32le(version) engine chunk*
//! engine = u8(bytes) name                  as findings name it; from version 3 on
//! chunk  = u32le(0x4B484357) u32le(compressed bytes) u32le(raw bytes) u32le(check) zstd(record*)
//! record = tag varint(fields)…          see `code` for the tags
//! ```
//!
//! A chunk is written whole and flushed, so a killed program leaves a file whose
//! complete chunks are readable; what follows the last of them is reported as
//! [`Error::Truncated`] after everything before it has been played. `check` is the
//! first four bytes of an FNV-1a hash of the compressed bytes. Integers are LEB128,
//! signed ones zigzag. Addresses of a warp access are stored as a base and, if lanes
//! advance evenly, a stride. Descriptions of tasks, allocations and sites are JSON
//! inside their record, since they are rare and will grow fields.
//!
//! # Reading and writing
//!
//! A [`Recorder`] is a monitor that writes the events that it receives; [`play`](fn@play) plays a file to any
//! monitor. Since chunks stand alone, [`play_together`] can decode several at a time and deal their records
//! to several monitors, each on a thread of its own; `order` has players wait for each other where dealt
//! blocks touch the same memory. [`columnar`] writes a trace as tables.

mod batch;
mod clock;
mod code;
pub mod columnar;
mod decode;
mod encode;
mod error;
mod order;
mod parallel_play;
mod play;
mod player;
mod record;
mod tensor;

pub use batch::Count;
pub use error::Error;
pub use parallel_play::{Audience, Seat, play_together};
pub use play::{play, unseal};
pub use player::{Deal, Heard, Played};
pub use record::{Recorder, RecorderObserver, seal};

/// The version this crate writes. It reads all since [`OLDEST`].
pub const VERSION: u32 = 7;

/// The first version that names its engine; those before are of the virtual GPU.
pub(crate) const NAMES_ENGINE: u32 = 3;

/// Version 1 lacks what launches were given. Up to version 3 each lane's `cp.async` was an event of its own. Up to version 4
/// nothing is known of the bytes that overlapping lanes of one store have stored.
pub const OLDEST: u32 = 1;

pub(crate) const MAGIC: &[u8; 8] = b"WARPRACE";
pub(crate) const CHUNK: u32 = 0x4B48_4357;
/// No honest chunk is larger; a larger claim is damage.
pub(crate) const MAX_CHUNK: u32 = 16 << 20;

/// FNV-1a, folded to 32 bits: finds torn and flipped bytes, no more is asked of it.
pub(crate) fn check(bytes: &[u8]) -> u32 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    (hash ^ (hash >> 32)) as u32
}
