//! The integration tests of this crate as one program, which links the crate once: traces written and played back.
//!
//! `cargo test -p trace --test all FILE::` runs those of one file.

mod columnar;
mod order;
mod roundtrip;
