//! What the program calls: a façade for each of CUDA's interfaces, which translates into the words of
//! [`context`](crate::context) and [`submit`](crate::submit), and decides nothing.
//!
//! An entry point is an exported function of the C name, made by `api!`: it notes where it was called from, does its
//! work under the rules of [`entry`], and keeps CUDA's error state.
//!
//! # How to add a façade
//!
//! A folder beside [`runtime`]. Its functions are made by `api!`, which exports them, notes the caller and answers errors as CUDA
//! does; each translates its arguments (types of C are in [`abi`](crate::abi)) into what `context` and `submit` understand. What
//! two façades would decide alike belongs below them:
//!
//! ```text
//! api! {
//!     fn cuCtxSynchronize() = |call| {
//!         let state = call.state()?;
//!         drop(call.runtime.wait_until(state, |state| state.is_idle()));
//!         Ok(())
//!     };
//! }
//! ```
//!
//! Preloading has the program's calls reach an exported function. Those of a runtime that is linked into the program are
//! redirected by `detour`, to what `detour::object_file::exported` takes for ours: names that begin with `cuda` or `__cuda`. An
//! interface whose names begin otherwise is added there. What may be called in a callback is in [`entry`].

// The entry points are public to C, not to Rust.
#![allow(unreachable_pub)]

#[macro_use]
mod entry;
mod runtime;

pub(crate) use entry::forget_calls;
