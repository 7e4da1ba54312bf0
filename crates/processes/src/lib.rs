//! The processes of a run: how each began, how it ended, and how its messages reach the command line.
//!
//! The library is preloaded into every process that the program starts, but not every process loads it: a
//! program that is linked statically, has set-user-ID rights or is started with an empty environment does
//! not. A verdict from the library's results alone would call such a program clean. Each process with the
//! library therefore records in the **journal** of the run which programs it executes, and that it loaded the
//! library itself. A program that was executed and did not record its start ran unwatched.
//!
//! * [`kinds`]: the ways in which a process begins and ends, and how warprace treats each.
//! * [`journal`]: the lines that processes write, and the conclusions from them.
//! * [`exec`]: interposes the C library's functions that execute a program.
//! * [`life`]: the constructor's environment, and the functions that end a process.
//! * [`post`]: the transport to the command line: files, or a socket if the disk is full.
//!
//! This code may run between `fork` and `exec`, in the memory of another process (`vfork`), or in a signal
//! handler: [`exec`], [`journal::write`] and [`post::append`] allocate nothing and take no lock.

pub mod exec;
pub mod journal;
pub mod kinds;
pub mod life;
pub mod post;
