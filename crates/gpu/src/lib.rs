//! The library between a program and the CUDA driver.
//!
//! `warprace run --gpu` preloads it. All CUDA users of a process (a statically or dynamically linked runtime,
//! a library, the program itself) reach the driver by `dlsym`, by `cuGetProcAddress`, or by linking to it.
//! This library answers all three with wrappers, which call the real functions:
//!
//! * [`boot`] reads the options before any other code runs, and writes the final result when the process
//!   ends.
//! * [`lookup`] interposes `dlsym` and `cuGetProcAddress`; [`hooks`] is the table of interposed functions;
//!   [`driver`] finds the real ones, and [`call`] calls them.
//! * [`wrap`] holds the wrappers.
//! * [`image`] finds the PTX of an image, its [`texts`]; [`instrumented`] inserts the checks and makes the
//!   new image with [`assemble`]: `ptxas` and a cache on disk, or the driver's own compiler. [`registers`]
//!   bounds the registers that checks take, [`stack`] enlarges the device stack for them.
//! * [`compilers`] observes compilers in the process, and [`ptxas`] the one that the process starts. [`made`]
//!   maps their machine code back to PTX.
//! * [`sink`] is host memory in which kernels write their records: a file that outlives the process.
//! * [`table`] is engine `guard`'s memory on each device; [`room`] moves it to the host when the program
//!   needs the memory.
//! * [`order`] is happens-before between launches; [`streams`] identifies their streams.
//! * [`callers`] finds the source line of a driver call.
//! * [`watch`] observes the host's own accesses to memory that kernels may access, and, for engine `collide`,
//!   whether that memory changes.
//! * [`capture`] saves launches with their memory; [`graphs`] does so for kernels of graphs, [`images`] for
//!   textures and surfaces.
//! * [`state`] is the library's knowledge of the process and its result file, which [`writer`] writes.
//!
//! The driver itself stays in use. What this library cannot check runs unchanged and is named in the result.
//!
//! This library reports no races. It writes the list of checks, and the command line derives findings from
//! the records (`warprace`'s `run::collided`), even if the process was killed; it replays saved launches on
//! the virtual GPU (`run::confirmed`). Engines `collide` and `guard` on the virtual GPU
//! (`inject::instrumented`) work in the same way.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod active;
mod assemble;
mod boot;
mod call;
mod callers;
mod capture;
mod compilers;
mod driver;
mod graphs;
mod hooks;
mod image;
mod images;
mod instrumented;
mod log;
mod lookup;
mod made;
mod order;
mod ptxas;
mod registers;
mod room;
mod sink;
mod stack;
mod state;
mod streams;
mod table;
mod texts;
mod watch;
mod wrap;
mod writer;
