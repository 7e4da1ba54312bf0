//! The answer about a kernel: proved, a race that a launch has shown, or unknown.
//!
//! * `verdict`: the types of answers.
//! * `prover`: the symbolic engine's answer: all pairs decided, with fewer facts if necessary.
//! * `alarm`: the search for a launch that shows a race; `one_launch` runs a launch that is given.
//! * `suggestions`: the reason for a doubt, and the option that could settle it.
//! * `vacuous` and `traps`: proofs that would say nothing.
//! * `host_conditions`: which assumptions of a proof host code can break.

mod alarm;
mod host_conditions;
mod one_launch;
mod prover;
mod suggestions;
mod traps;
mod vacuous;
mod verdict;

pub(crate) use alarm::pointers;
pub(crate) use host_conditions::CallFacts;
pub use prover::Prover;
pub use suggestions::{Exactness, exactness};
pub(crate) use verdict::out_of_time;
pub use verdict::{Answer, Doubt, Part, Race, Verdict};
