//! Checks that launches leave out whose accesses are proved, where the launch as a whole is not; and launches of which
//! nothing can be proved, by the reasons.

use super::State;
use crate::capture::Call;
use crate::proofs::Found;
use instrument::guard::groups::{Groups, LeftOut};
use std::collections::{BTreeMap, HashMap};

/// The reason why no proof lets a launch run without any check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    Graph,
    Streams,
    Early,
    Cluster,
    Memory,
    Devices,
    Image,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::Graph => "of graphs",
            Reason::Streams => "beside streams that are not ordered with theirs",
            Reason::Early => "of programs whose kernels begin before others have ended",
            Reason::Cluster => "of clusters",
            Reason::Memory => "whose arguments lead to memory of the host, or are not known",
            Reason::Devices => "of a program with several GPUs",
            Reason::Image => "of images that are linked or too large",
        }
    }
}

/// The checks that launches leave out, and the launches that no proof is about.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    /// The groups of kernels by name; `None` if kernels of one name differ.
    groups: HashMap<String, Option<Groups>>,
    /// For each kernel, what its last launch that was proved in part has left out.
    kernels: BTreeMap<String, LeftOut>,
    /// The launches of which nothing could be proved.
    reasons: BTreeMap<Reason, u64>,
}

impl Outcomes {
    /// Adds the kernels of an instrumented image.
    pub(super) fn instrumented(&mut self, groups: &[(String, Groups)]) {
        for (kernel, groups) in groups {
            self.groups
                .entry(kernel.clone())
                .and_modify(|known| *known = known.take().filter(|known| known == groups))
                .or_insert_with(|| Some(groups.clone()));
        }
    }

    /// Returns whether a kernel accesses shared memory in checks that can be left out.
    pub(super) fn has_shared(&self, kernel: &str) -> bool {
        self.groups.get(kernel).and_then(Option::as_ref).is_some_and(Groups::have_shared)
    }

    /// Returns whether launches of a kernel with equal arguments access the same memory.
    pub(super) fn are_fixed(&self, kernel: &str) -> bool {
        self.groups.get(kernel).and_then(Option::as_ref).is_some_and(Groups::are_fixed)
    }

    /// Counts a launch of which no proof can be used.
    pub(super) fn refused(&mut self, why: Reason) {
        *self.reasons.entry(why).or_default() += 1;
    }

    /// Returns the checks that a launch of a kernel leaves out. Accesses of global memory count only if `is_free`.
    fn of(&self, kernel: &str, found: &Found, is_free: bool) -> LeftOut {
        let Some(Some(groups)) = self.groups.get(kernel) else { return LeftOut::default() };
        match found {
            Found::Whole(_) => groups.left_out(|_, is_shared| is_shared || is_free),
            Found::Parts(parts) => {
                let in_global = |line: u32| is_free && parts.global.contains(&line);
                groups.left_out(|line, _| parts.shared.contains(&line) || in_global(line))
            }
        }
    }

    /// Returns notes about launches that were proved in part, and about those that could not be.
    pub(super) fn notes(&self, launches: u64) -> impl Iterator<Item = String> {
        let parts = LeftOut::note(launches, self.kernels.values());
        let each = self.reasons.iter().map(|(why, number)| format!("{number} {}", why.text()));
        let each = each.collect::<Vec<_>>().join(", ");
        let refused = (!each.is_empty()).then(|| format!("launches that proofs are not about: {each}"));
        parts.into_iter().chain(refused)
    }
}

impl State {
    /// Returns the checks that a launch leaves out of which something is proved.
    /// Those of global memory are left out if the launch is `free`: other launches need not find its accesses.
    pub(super) fn left_out(
        &mut self,
        (function, call): (usize, &Call),
        found: &Found,
        is_free: bool,
    ) -> LeftOut {
        if !self.tells() || self.ended || call.cluster != [1; 3] {
            return LeftOut::default();
        }
        let Some(known) = self.modules.functions.get(&function) else { return LeftOut::default() };
        self.proofs.outcomes.of(&known.name, found, is_free)
    }

    /// Counts a launch that leaves out checks.
    pub(crate) fn runs_in_part(&mut self, function: usize, left_out: LeftOut) {
        let Some(known) = self.modules.functions.get(&function) else { return };
        self.proofs.outcomes.kernels.insert(known.name.clone(), left_out);
        self.report.result.counters.proved_in_part += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_by_name() {
        let mut outcomes = Outcomes::default();
        assert_eq!(outcomes.notes(0).count(), 0);
        for why in [Reason::Streams, Reason::Graph, Reason::Streams] {
            outcomes.refused(why);
        }
        let said = "launches that proofs are not about: 1 of graphs, 2 beside streams that are not ordered with theirs";
        assert_eq!(outcomes.notes(0).collect::<Vec<_>>(), [said]);
        assert_eq!(outcomes.notes(3).count(), 2);
    }
}
