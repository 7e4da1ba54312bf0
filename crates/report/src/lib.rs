//! Findings and their evidence, described for people and for machines.
//!
//! * [`protocol`]: what the command line and the library inside the process say to each other.

pub mod protocol;
