//! The library inside the user's process: the CUDA runtime API, implemented by the virtual GPU.
//!
//! The command line preloads it into the program. The path of a call:
//!
//! * [`boot`] runs before any other code: it reads the options, and [`detour`] redirects the static CUDA
//!   runtimes of the program and its libraries to the functions of [`api`].
//! * [`api`] checks a call as CUDA does and converts it to work; [`submit`] puts the work into a stream, or
//!   into the graph that the stream is being captured into.
//! * [`context`] is the process-wide state: memory, devices, streams, events.
//! * [`order`] computes happens-before between pieces of work; it executes nothing.
//! * [`executor`] runs ready work on one thread through the [`backend`]: kernels on the virtual GPU, copies
//!   and memsets through the engine's view of the [`arena`]; host functions on a thread of their own.
//! * [`results`] writes the detector's findings to disk while the program runs.
//!
//! # Layers
//!
//! From the top: [`boot`] and [`detour`]; [`api`], which decides nothing; [`submit`] says which launches, copies and fills are
//! allowed and what the host may rely on after them, puts them into streams and graphs, and launches graphs; [`executor`];
//! [`hostmem`] handles what the host's own instructions touch. Below them is [`context`], a file for each subject (memory, devices,
//! streams, events, graphs, pools, device code, the queue of what is not complete, what is shared with other processes), which
//! keeps its state to itself: fields are private, and methods of `State` and `Runtime` say what may be done with them. At the
//! bottom: [`threads`], [`order`], [`watch`] (which pages are watched), [`caller`] and [`python`] (what calls), [`tensors`] (what Python code calls its memory), [`results`], [`ipc`] (how memory and events are
//! shared with other processes of a run).
//!
//! # Invariants
//!
//! * `backend::virtual_gpu` is the only module of this crate that uses `simt`. Its `explore` runs launches
//!   under other schedules from a snapshot of memory: `explore::predict` drives candidates
//!   (`detect::candidates`, and predictions of lens `gwcp`) with directed schedules
//!   (`names::schedule::Meeting`) and trusts only the reports of lens `ptx`; `explore::search` takes the next
//!   schedule from `simt::schedule::search`, and passes it the accesses of each step.
//! * The program's behaviour is preserved: output, exit status, signals. warprace's messages leave by the
//!   result file only.

// Shadow memory, clocks and events are many small allocations that live as long as a launch. The program's
// own allocator is unaffected.
heap::install!();

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
mod device;
mod exchange;
mod executor;
mod facts;
mod gate;

mod hostmem;
mod instrumented;
mod ipc;
mod lines;

mod operators;
mod order;
mod output;
mod pages;
mod progress;
mod python;

mod replayed;
mod results;
mod saved;
mod submit;
mod tensors;
mod threads;
mod watch;
