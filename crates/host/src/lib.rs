//! Observes accesses of the host's own instructions to memory that kernels may access, for the libraries in
//! the user's process.
//!
//! Memory is made inaccessible while a kernel or a copy may use it, so that a host instruction which touches
//! it faults:
//!
//! * [`signals`] are the two that this takes, shared with the program.
//! * [`decode`] tells what the instruction that faulted accesses; [`steps`] lets it through, and no other.
//! * [`calls`] are system calls on such memory: the kernel gets an error in the place of a fault, so that they are made with another view of it.
//! * [`system`] are functions of the C library that make such calls, for a library that has no other view.
//! * [`ways`] lists all ways to such memory; [`api`] the functions of CUDA's interfaces, and what a detector hears of each.
//! * [`frames`] are the functions around an instruction; [`lines`] are the source lines of host code.
//!
//! When memory is to be watched, and what becomes of an access, is the libraries' business.
#![cfg(target_os = "linux")]

pub mod api;
#[cfg(target_arch = "x86_64")]
pub mod calls;
#[cfg(target_arch = "x86_64")]
pub mod decode;
#[cfg(target_arch = "x86_64")]
pub mod frames;
pub mod lines;
pub mod signals;
#[cfg(target_arch = "x86_64")]
pub mod steps;
pub mod system;
pub mod ways;
