//! The runtime API's entry points, by subject.
//!
//! Each is an exported function of the C name, made by [`api!`]: it notes where it was
//! called from, does its work under the rules of [`enter`], and keeps CUDA's error state.

// The entry points are public to C, not to Rust.
#![allow(unreachable_pub)]

#[macro_use]
mod entry;

pub(crate) mod array;
mod conditional;
mod device;
mod error;
mod event;
mod function;
mod graph;
mod ipc;
mod launch;
mod memcpy;
mod memory;
mod memset;
mod peer;
pub(crate) mod pool;
mod register;
mod stream;
pub(crate) mod surface;
mod symbol;
mod texture;
mod unsupported;

pub(crate) use entry::{Call, Caller, forget_calls, inside, thread_number};
