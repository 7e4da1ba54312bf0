//! The library between a program and the CUDA driver.
//!
//! `warprace run --gpu` preloads it. Whoever uses CUDA in a process, be it a runtime linked statically or not, a
//! library or the program itself, reaches the driver by `dlsym` and `cuGetProcAddress`, or by linking to it; this
//! library answers all three with functions of its own, which call the real ones:
//!
//! * [`boot`] reads the options before everything else, and says the last word when the process ends.
//! * [`lookup`] is `dlsym` and `cuGetProcAddress`; [`hooks`] the table of functions that are stood before; [`driver`] finds the
//!   real ones, [`call`] calls them.
//! * [`wrap`] are these functions: what they look at and what they change.
//! * [`image`] finds the PTX of what is loaded, its [`texts`]; [`instrumented`] makes of it what is loaded in its place, by
//!   [`assemble`]: `ptxas` with a cache on disk, or the driver's own compiler if there is none. [`registers`] are those that
//!   checks may take, [`stack`] is what they need of that.
//! * [`compilers`] look at those in the process, [`ptxas`] at the one that it starts: [`made`] remembers of which PTX
//!   machine code was made.
//! * [`sink`] is memory of the host in which kernels write what they see: a file that outlives the process.
//! * [`table`] is memory of each device, for engine `guard`; [`room`] has it leave when the program needs it.
//! * [`order`] is which launches are ordered before others; [`streams`] are what it calls so.
//! * [`callers`] are where in the program calls come from.
//! * [`watch`] sees what the host's own instructions do with memory that kernels may access, and, for engine `collide`, whether that changes.
//! * [`capture`] saves launches with their memory; [`graphs`] are those whose kernels are saved, too, [`images`] textures and surfaces.
//! * [`state`] is what is known of the process, and its result file, which [`writer`] writes.
//!
//! The driver stays in its place: nothing is forged, and what this library cannot check runs as it is, and is
//! named in the result.
//!
//! The library never judges. It writes which checks there are, and the command line makes findings of the records
//! (`warprace`'s `run::collided`), whatever has become of the process; launches that were saved it runs again on the virtual
//! GPU (`run::confirmed`). Engines `collide` and `guard` on the virtual GPU (`inject::instrumented`) take the same way.
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
