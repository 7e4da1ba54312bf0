//! The library inside the user's process: the CUDA runtime API served by the virtual GPU.
//!
//! The command line preloads it into the program. The way of a call:
//!
//! * [`boot`] runs before everything else: reads the options, and has [`detour`] redirect the
//!   static CUDA runtimes of the program and its libraries to the functions of [`api`].
//! * [`api`] checks a call as CUDA does and turns it into work: [`submit`] puts it into a stream, or
//!   into the [`graph`] that the stream is being captured into.
//! * [`context`] is the process-wide state: memory, devices, streams, events.
//! * [`order`] says which work each piece of work is after; nothing is executed there.
//! * [`executor`] has ready work run on one thread by the [`backend`]: kernels on the virtual GPU, copies
//!   and memsets through the engine's view of the [`arena`]; host functions on a thread of their own.
//! * [`results`] keeps what the detector found on disk while the program runs.

mod abi;
#[macro_use]
mod api;
mod arena;
mod backend;
mod boot;
mod call;
mod caller;
mod context;
mod detour;
mod executor;
mod facts;
mod gate;

mod hostmem;
mod instrumented;
mod ipc;
mod lines;

mod order;
mod output;
mod progress;

mod replayed;
mod results;
mod saved;
mod submit;
mod watch;
