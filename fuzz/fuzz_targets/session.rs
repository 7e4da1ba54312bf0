//! Bytes as a recorded session, as they are and packed.
#![no_main]

#[path = "../../crates/snapshot/tests/session/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::exercise(bytes));
