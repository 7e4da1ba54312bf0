//! What the host's own instructions do with memory that kernels may touch, for the libraries in the user's process.
//!
//! Memory is made inaccessible while somebody else may use it, so that a host instruction which touches it faults:
//!
//! * [`signals`] are the two that this takes, shared with the program.
//! * [`decode`] tells what the instruction that faulted accesses; [`steps`] lets it through, and no other.
//! * [`system`] are functions of the C library that have the system access memory, which gets an error in the place of a fault.
//! * [`lines`] are the source lines of host code.
//!
//! When memory is to be watched, and what becomes of an access, is the libraries' business.
#![cfg(target_os = "linux")]

#[cfg(target_arch = "x86_64")]
pub mod decode;
pub mod lines;
pub mod signals;
#[cfg(target_arch = "x86_64")]
pub mod steps;
pub mod system;
