//! Bytes as results of campaigns, their files, and Slurm's answers.
#![no_main]

#[path = "../../crates/campaign/tests/hostile/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exercise::exercise(bytes));
