//! ELF sections and fatbin containers, read and written.
//!
//! nvcc stores device code in a host program in three layers, and so does this crate:
//!
//! * [`container`]: a *container* (the tools call it a fatbin) holds *entries*, each a PTX text or
//!   a cubin for one architecture, stored or compressed (`compress`).
//! * [`wrapper`]: a 24-byte record in `.nvFatBinSegment` that the program hands to the CUDA
//!   runtime when it starts; it points to one container and, for `-rdc=true`, to more.
//! * [`elf`]: the executable or shared library around both; [`archive`]: object files in an archive.
//!
//! [`memory`] reads the same things from a running program, [`select`] picks the entry that a
//! device would run, and [`mod@write`] makes containers and wrappers.
//!
//! The format is undocumented; what is relied on was read from nvcc's own output and is
//! checked against it by this crate's tests. Input is never trusted: every size is checked
//! before it is used, and decompression is bounded by [`MAX_IMAGE_BYTES`].

pub mod arch;
pub mod archive;
pub mod compress;
pub mod container;
pub mod elf;
mod error;
pub mod memory;
pub mod select;
pub mod wrapper;
pub mod write;

pub use arch::{Arch, UnknownArch, Variant};
pub use compress::Compression;
pub use container::{Container, Entry, Kind};
pub use elf::Binary;
pub use error::Error;
pub use select::{best_ptx, device_runtime, is_device_runtime};

/// No decompressed image may be larger. The largest PTX in NVIDIA's own libraries
/// is about a tenth of this.
pub const MAX_IMAGE_BYTES: usize = 256 << 20;

/// No container may be larger: nvcc cannot link more than 2 GiB of device code either.
pub const MAX_CONTAINER_BYTES: u64 = 2 << 30;
