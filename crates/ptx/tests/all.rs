//! The integration tests of this crate as one program, which links the crate once: PTX text read, written and analysed.
//!
//! `cargo test -p ptx --test all FILE::` runs those of one file.

mod common;
mod decode;
mod fixtures;
mod flat;
mod hostile;
mod reconvergence;
mod roundtrip;
