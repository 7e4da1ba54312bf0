//! What the program calls: a façade for each of CUDA's interfaces, which translates into the words of
//! [`context`](crate::context) and [`submit`](crate::submit), and decides nothing.
//!
//! An entry point is an exported function of the C name, made by [`api!`]: it notes where it was called from, does its
//! work under the rules of [`entry`], and keeps CUDA's error state.

// The entry points are public to C, not to Rust.
#![allow(unreachable_pub)]

#[macro_use]
mod entry;
mod runtime;

pub(crate) use entry::forget_calls;
