//! Race detectors: events in, findings out.

pub mod candidates;
pub mod gwcp;
pub mod hb;
pub mod hirace;
pub mod iguard;
pub mod lens;
pub mod named;
pub mod ptx;
pub mod scord;
mod shadow;
