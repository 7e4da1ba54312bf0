//! The integration tests of this crate as one program, which links the crate once: findings described.
//!
//! `cargo test -p report --test all FILE::` runs those of one file.

mod advice;
mod describe;
mod explain;
mod remedies;
mod render;
