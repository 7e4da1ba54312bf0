//! Bytes as the records of a trace, told to every detector.
#![no_main]

#[path = "../../crates/warprace/tests/hostile/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::exercise(&[bytes.to_vec()]));
