//! Races of launches that the host code was seen to make for chosen inputs.

use crate::answer::{Answer, Prover, Verdict};
use crate::facts::Facts;
use crate::launches::known::{Written, to_known_launch};
use host_ir::Tried;
use std::collections::{BTreeMap, BTreeSet};

/// Launches that are asked about in full, if a short run shows nothing.
const MOST_ASKED: usize = 6;

impl Prover<'_> {
    /// The first race of launches that the program was seen to make when its host code was executed with an input.
    pub(crate) fn race_for_chosen_inputs(
        &mut self,
        kernel: usize,
        asked: &Facts,
        tried: &[Tried],
        stop: &dyn Fn() -> bool,
    ) -> Option<Answer> {
        let described = self.linked.kernels[kernel].clone();
        let flat = &self.linked.functions[described.function].flat;
        let sizes: Vec<u64> = flat.function.params.iter().map(|p| p.size().unwrap_or(0)).collect();
        let all = tried.iter().map(|t| &t.launch).flat_map(|c| &c.memory).flat_map(|m| &m.launches);
        let kernels: BTreeSet<&str> = all.map(|(kernel, _)| kernel.as_str()).collect();
        let written: BTreeMap<&str, Written> = kernels.into_iter().map(|k| (k, self.written(k))).collect();
        let facts = Facts { volatile_weak: asked.volatile_weak, ..Facts::default() };
        let mut open = Vec::new();
        for one in tried {
            if stop() {
                return None;
            }
            let of = to_known_launch(&described, &sizes, &one.launch, &self.linked, &written);
            let Some(known_launch) = of.filter(|s| s.loose.is_empty()) else { continue };
            if let Some(mut race) = self.race_in_short_run(kernel, &known_launch, &facts, None, stop) {
                race.started = Some(one.input.to_string());
                return Some(Answer::unasked(&described.name, Verdict::Race(Box::new(race))));
            }
            open.push((known_launch, one));
        }
        for (known_launch, one) in open.into_iter().take(MOST_ASKED) {
            let mut answer = self.answer_known_launches(kernel, asked, &[known_launch], true, stop);
            if let Verdict::Race(race) = &mut answer.verdict {
                race.started = Some(one.input.to_string());
                return Some(answer);
            }
        }
        None
    }
}
