//! The arithmetic of PTX, on raw register bits and without machine state.
//!
//! [`eval()`] returns the value of any pure instruction (PTX §9.7.1 to §9.7.9, `cvt`, `prmt`, …) from its
//! sources' bits; an interpreter may use it for every instruction. The submodules contain the same functions
//! by type, small enough to be inlined into an interpreter's lane loops: with a constant [`fp::Mode`] or
//! [`int::IntTy`] they fold to a few host instructions.
//!
//! Registers are passed as `u64`, zero-extended from their width; predicates are 0 or 1. Results are
//! zero-extended to the destination's width likewise.
//!
//! # Exactness
//! All results except those of the `.approx` family and floating-point matrix accumulation are exact to the
//! bit, including NaN patterns, as recorded on an H200 (`tests/ptx`). The approximations satisfy the error
//! bounds that PTX documents; see `docs/assumptions.md`.
//!
//! # Host floating-point state
//! The host's SSE control register must be in its default state (round to nearest, no flush to zero): threads
//! that run these functions inside a foreign process must establish it.

pub mod approx;
pub mod bits;
pub mod block_scaled;
pub mod compare;
pub mod convert;
mod directed;
pub mod double;
pub mod eval;
pub mod fp;
pub mod half;
pub mod halves;
pub mod int;
pub mod matrix;
mod mufu;
pub mod narrow;
pub mod packed;
pub mod rmw;
pub mod single;
pub mod sparse;
pub mod tensor_core;
pub mod video;
pub mod warpgroup;

pub use eval::{Value, eval};

/// Returns the best version of functions that the processor supports: 1 the baseline's, 2 those for AVX2, 3
/// those for AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn level() -> u8 {
    use std::sync::atomic::{AtomicU8, Ordering};
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    #[cold]
    #[inline(never)]
    fn detect() -> u8 {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        let level = 1 + u8::from(avx2) + u8::from(avx2 && avx512);
        LEVEL.store(level, Ordering::Relaxed);
        level
    }
    match LEVEL.load(Ordering::Relaxed) {
        0 => detect(),
        level => level,
    }
}

/// Returns whether the processor supports vectors of 512 bits, of bytes and words, too, in addition to [`has_avx2`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn has_avx512() -> bool {
    level() > 2
}

/// Returns whether the processor supports the AVX2 version of each function.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn has_avx2() -> bool {
    level() > 1
}
