//! Detects proofs that may be vacuous because every launch that is tried traps.

use crate::answer::{Prover, pointers};
use crate::exec::Summary;
use crate::facts::Facts;
use crate::replay::bench::{Bench, Outcome};
use crate::replay::candidates::candidate_launches;

/// The number of launches that are run to see whether they trap, and their limit in warp instructions.
const MOST_TRIED_TRAPS: usize = 6;
const FUEL_OF_TRAPS: u64 = 100_000;

impl Prover<'_> {
    /// Returns the reason if a proof may be vacuous: values of arguments are given, and each launch that is
    /// tried traps.
    pub(crate) fn only_traps(
        &mut self,
        kernel: usize,
        facts: &Facts,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Option<String> {
        let described = &self.linked.kernels[kernel];
        let flat = &self.linked.functions[described.function].flat;
        let traps =
            flat.instructions.iter().any(|i| matches!(i.op, Ok(ptx::op::Op::Trap | ptx::op::Op::Call)));
        if facts.scalars.is_empty() || !traps {
            return None;
        }
        let pointers = summary.map(pointers).unwrap_or_default();
        let list = candidate_launches(&self.linked, described, facts, &pointers);
        if self.bench.is_none() {
            self.bench = Bench::load(&self.sources).ok();
        }
        let bench = self.bench.as_mut()?;
        let loaded = bench.kernel(&described.name)?;
        let mut shown = None;
        for witness in list.into_iter().take(MOST_TRIED_TRAPS) {
            match bench.run(loaded, &witness, FUEL_OF_TRAPS, stop).0 {
                Outcome::Failed(why) if why.starts_with("Trap") || why.starts_with("Assert") => {
                    shown.get_or_insert(witness);
                }
                _ => return None,
            }
        }
        Some(format!("each launch that was tried ends in a trap: {}", shown?))
    }
}
