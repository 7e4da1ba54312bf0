//! The integration tests of this crate as one program, which links the crate once: what the prover answers.
//!
//! `cargo test -p prove --test all FILE::` runs those of one file.

mod admitted;
mod clusters;
mod copies;
mod damaged;
mod delayed;
mod divisions;
mod grids;
mod incoherent;
mod mbarriers;
mod named;
mod one_kernel;
mod packed;
mod patterns;
mod stated;
mod stores;
mod tensors;
mod whole;
