//! Race detectors: events in, findings out.

pub mod lens;
pub mod scord;
