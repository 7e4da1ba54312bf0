//! The library inside the user's process: the CUDA runtime API served by the virtual GPU.
//!
//! The command line preloads it into the program. The way of a call:
//!
//! * [`boot`] runs before everything else: reads the options, and has [`detour`] redirect the
//!   static CUDA runtimes of the program and its libraries to the functions of [`api`].
//! * [`api`] checks a call as CUDA does and turns it into work: [`submit`] puts it into a stream, or
//!   into the graph that the stream is being captured into.
//! * [`context`] is the process-wide state: memory, devices, streams, events.
//! * [`order`] says which work each piece of work is after; nothing is executed there.
//! * [`executor`] has ready work run on one thread by the [`backend`]: kernels on the virtual GPU, copies
//!   and memsets through the engine's view of the [`arena`]; host functions on a thread of their own.
//! * [`results`] keeps what the detector found on disk while the program runs.
//!
//! # Layers
//!
//! From the top: [`boot`] and [`detour`]; [`api`], which decides nothing; [`submit`] says which launches, copies and fills are
//! allowed and what the host may rely on after them, puts them into streams and graphs, and launches graphs; [`executor`];
//! [`hostmem`] handles what the host's own instructions touch. Below them is [`context`], a file for each subject (memory, devices,
//! streams, events, graphs, pools, device code, the queue of what is not complete, what is shared with other processes), which
//! keeps its state to itself: fields are private, and methods of `State` and `Runtime` say what may be done with them. At the
//! bottom: [`order`], [`watch`] (which pages are watched), [`caller`] (who calls), [`results`], [`ipc`] (how memory and events are
//! shared with other processes of a run).
//!
//! # Invariants
//!
//! * `backend::virtual_gpu` is the only module of this crate that knows `simt`. Its `explore` runs launches under other
//!   schedules from a snapshot of memory: `explore::predict` drives candidates (`detect::candidates`, and what lens `gwcp`
//!   predicts) with directed schedules (`simt::schedule::Meeting`) and believes only what lens `ptx` reports; `explore::search`
//!   asks `simt::schedule::search` which schedule comes next, and tells it what each step touched.
//! * The program keeps its behaviour: output, exit status, signals. What warprace has to say leaves by the result file only.

// Shadow, clocks and events are very many small parts, which live as long as a launch. The program's own allocator is as it was.
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
mod executor;
mod facts;
mod gate;

mod hostmem;
mod instrumented;
mod ipc;
mod lines;

mod order;
mod output;
mod pages;
mod progress;

mod replayed;
mod results;
mod saved;
mod submit;
mod watch;
