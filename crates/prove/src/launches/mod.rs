//! Answers about the launches that are made, instead of all launches.
//!
//! * [`host_code`]: launches of host code that `host_ir` has read; [`conversion`] states them in the prover's terms,
//!   [`known`] as launches that a run has recorded, [`chosen_inputs`] those of inputs that were chosen, and
//!   [`final_memory`] what the launches before them leave in memory, and [`contents`] what index arrays hold for every
//!   input.
//! * [`observed`]: launches that a run has recorded (`warprace run --facts`).
//! * [`partly_known`]: races of launches with unknown contents or arguments.
//! * [`race_free`]: accesses that a detector can skip; [`covered`]: in which launches it can; [`in_body`]: the same of one
//!   launch on a GPU; [`whole`]: launches of which it can skip all.

mod chosen_inputs;
mod contents;
mod conversion;
mod covered;
mod final_memory;
mod host_code;
mod in_body;
mod known;
mod observed;
mod partly_known;
mod race_free;
mod whole;

pub use conversion::{of_host_code, of_host_code_until};
pub use covered::Covered;
pub use in_body::InBody;
pub use race_free::{GlobalAccess, RaceFree};
pub use whole::Open;
