//! Clocks and epochs of GPU threads.

pub mod compressed;
