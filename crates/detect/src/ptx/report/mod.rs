//! Reports: races as findings, with their class and explanation, and the hazards that no pair of accesses
//! makes.
//!
//! [`sink`] collects findings, [`classify`] names a race, [`counts`] counts the repetitions of a race that is known,
//! [`misuse`] and [`uninitialised`] report barriers and reads that CUDA forbids.

pub(super) mod classify;
pub(super) mod counts;
mod flags;
pub(super) mod misuse;
pub(super) mod sink;
pub(super) mod uninitialised;
