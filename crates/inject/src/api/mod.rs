//! The functions that the program calls: a façade for each of CUDA's interfaces, which translates calls to
//! [`context`](crate::context) and [`submit`](crate::submit) and contains no semantics of its own.
//!
//! An entry point is an exported function with a C name, made by `api!`: it records its caller, runs its body
//! under the rules of [`entry`], and maintains CUDA's error state.
//!
//! # How to add a façade
//!
//! Add a folder beside [`runtime`]. Its functions are made by `api!`, which exports them, records the caller
//! and returns errors as CUDA does; each translates its arguments (types of C are in [`abi`](crate::abi)) to
//! the terms of `context` and `submit`. Logic that two façades share belongs below them:
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
//! [`driver`] is the façade of the CUDA driver: the library's `DT_SONAME` is `libcuda.so.1`, so that the loader takes it for the
//! driver's library, whichever way a program asks for that. Functions that mean the same in both interfaces have one body
//! (`fn cudaX, driver cuX (…)`).
//!
//! Preloading has the program's calls reach an exported function. Those of a runtime that is linked into the program are
//! redirected by `detour`, to what `detour::object_file::exported` takes for ours: names that begin with `cuda` or `__cuda`. An
//! interface whose names begin otherwise is added there. What may be called in a callback is in [`entry`].

// C callers see the entry points, Rust callers do not.
#![allow(unreachable_pub)]

#[macro_use]
mod entry;
mod current;
mod driver;
mod needs;
mod runtime;

pub(crate) use entry::forget_calls;
