//! The folder by which the PTX of a program is read and replaced ([`RunOptions::texts`](crate::RunOptions)).
//!
//! The library writes each text that it loads to `NAME.ptx`. If there is a `NAME.edited.ptx`, it loads that
//! instead. `NAME` is a hash of the original text.

use std::path::{Path, PathBuf};

/// Returns the file for the original of a text.
pub fn original(folder: &Path, text: &str) -> PathBuf {
    folder.join(format!("{:016x}.ptx", hash(text)))
}

/// Returns the file for the replacement of a text.
pub fn edited(folder: &Path, text: &str) -> PathBuf {
    folder.join(format!("{:016x}.edited.ptx", hash(text)))
}

/// Returns whether a file name is that of an original.
pub fn is_original(name: &str) -> bool {
    name.ends_with(".ptx") && !name.ends_with(".edited.ptx")
}

/// FNV-1a, which is the same in all processes.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
