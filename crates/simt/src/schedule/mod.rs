//! Scheduling policies: what each [`Schedule`] by name does.

mod meet;
mod named;
pub mod path;
mod pct;
mod policy;
pub(crate) mod random;
pub mod search;
mod shuffle;

use names::Schedule;

pub(crate) use named::policy;
pub use policy::{Choice, Pick, Policy};
pub(crate) use shuffle::Affine;

/// The default number of steps from which priority changes are drawn.
const PCT_STEPS: u64 = 1 << 14;

/// Returns the order in which `n` clusters (or blocks) begin under a schedule.
pub(crate) fn block_order(schedule: &Schedule, n: u64, seed: u64) -> Affine {
    match schedule {
        Schedule::ShuffleBlocks | Schedule::ShuffleWarps | Schedule::ShuffleLanes => Affine::draw(n, seed),
        _ => Affine::identity(n),
    }
}
