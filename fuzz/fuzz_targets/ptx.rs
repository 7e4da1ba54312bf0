//! PTX text through everything the `ptx` crate does with it.
#![no_main]

#[path = "../../crates/ptx/tests/common/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::exercise(&String::from_utf8_lossy(bytes)));
