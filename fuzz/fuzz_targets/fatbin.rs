//! Bytes through everything the `fatbin` crate does with them.
#![no_main]

#[path = "../../crates/fatbin/tests/common/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::exercise(bytes));
