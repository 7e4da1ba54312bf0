//! The library between a program and the CUDA driver.
//!
//! `warprace run --gpu` preloads it. All CUDA users of a process (a statically or dynamically linked runtime,
//! a library, the program itself) reach the driver by `dlsym`, by `cuGetProcAddress`, or by linking to it.
//! This library answers all three with wrappers, which call the real functions:
//!
//! * [`boot`] reads the options before everything else, and says the last word when the process ends.
//! * [`lookup`] is `dlsym` and `cuGetProcAddress`; [`hooks`] the table of functions that are stood before; [`driver`] finds the
//!   real ones, [`call`] calls them.
//! * [`wrap`] are these functions: what they look at and what they change.
//! * [`replacement`] makes the image that is loaded in the place of the program's, from instrumented PTX, by
//!   [`assemble`]: `ptxas` with a cache on disk, or the driver's own compiler if there is none. [`registers`] are those that
//!   checks may take, [`stack`] is what they need of that.
//! * [`parts`] are kernels of large modules, which get their checks when they are first used.
//! * Crate `compilers` looks at those in the process, and at `ptxas`, which it starts: it remembers of which PTX machine code
//!   was made, and finds the PTX of what is loaded.
//! * [`sink`] is memory of the host in which kernels write what they see: a file that outlives the process.
//! * [`table`] is memory of each device, for engine `guard`; [`reclaim`] has it leave when the program needs it.
//! * [`order`] is which launches are ordered before others; [`streams`] are what it calls so.
//! * [`proofs`] asks the prover which launches cannot race: these run the program's own kernels.
//! * [`callers`] are where in the program calls come from; [`library`] is the library that has brought a kernel.
//! * [`timing`] measures kernels by events, for the shares of libraries without PTX.
//! * [`watch`] sees what the host's own instructions do with memory that kernels may access, and, for engine `collide`, whether that changes.
//! * [`capture`] saves launches with their memory; [`graphs`] are those whose kernels are saved, too, [`images`] textures and surfaces.
//! * [`arrays`] are addresses for arrays, which engine `guard` checks like memory.
//! * [`session`] records all calls in their order, so that the virtual GPU can make them again. [`tensor_maps`] are tensor
//!   maps in its encoding, for both.
//! * [`state`] is what is known of the process, and its result file, which [`writer`] writes.
//!
//! The driver itself stays in use. What this library cannot check runs unchanged and is named in the result.
//!
//! This library reports no races. It writes the list of checks, and the command line derives findings from
//! the records (`instrument::findings`), even if the process was killed; it replays saved launches on
//! the virtual GPU (`run::confirmed`). Engines `collide` and `guard` on the virtual GPU
//! (`inject::instrumented`) work in the same way.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod active;
mod arrays;
mod assemble;
mod boot;
mod call;
mod callers;
mod capture;
mod driver;
mod graphs;
mod hooks;
mod images;
mod library;
mod log;
mod lookup;
mod order;
mod parts;
mod proofs;
mod reclaim;
mod registers;
mod replacement;
mod session;
mod sink;
mod stack;
mod state;
mod streams;
mod table;
mod tensor_maps;
mod timing;
mod watch;
mod wrap;
mod writer;

use streams::own as own_stream;
