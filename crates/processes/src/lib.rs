//! The processes of a run: how each came to be, how it ended, and how the command line hears of it.
//!
//! The library is preloaded into every process that the program starts, but not every process loads it: a program that is linked
//! statically, has set-user-ID rights or is started with an empty environment does not. A run that looks only at what
//! the library found would call such a program clean. So each process with the library writes down, in the **journal**
//! of the run, which programs it executes; a program that loads the library writes that down, too. What was executed and
//! never appeared was not watched.
//!
//! * [`kinds`]: in which ways a process comes to be and ends, and what warprace does about each.
//! * [`journal`]: what processes write down, and what follows from it.
//! * [`exec`]: stands in for the C library's functions that execute a program.
//! * [`post`]: how words reach the command line: by files, or past a full disk by a socket.
//!
//! What runs here may run between `fork` and `exec`, in the memory of another process (`vfork`), or in a signal
//! handler: [`exec`], [`journal::write`] and [`post::append`] allocate nothing and take no lock.

pub mod exec;
pub mod journal;
pub mod kinds;
pub mod post;
