//! The integration tests of this crate as one program, which links the engine once: instrumented kernels on the virtual GPU.
//!
//! `cargo test -p instrument --test all FILE::` runs those of one file.

#[path = "../../simt/tests/support/mod.rs"]
#[macro_use]
mod support;

mod guardian;
mod toolkit;

mod both;
mod collide;
mod flags;
mod guard;
mod ranges;
mod validated;
