//! Proofs about launches that host code makes, and what of their assumptions the host code can break.
//!
//! A proof is looked for with everything that a proof about PTX alone would assume: that index arithmetic does not
//! overflow, that parameters are not negative, that pointers of different places lead to different arrays. If it used
//! such an assumption, the question is put once more without any of them ([`Facts::strict`]): integers wrap around,
//! extents are those that the host code says, and pointers whose memory is not known may lead anywhere. A proof that only
//! the first question has is one of a part of the launches ([`Verdict::Partly`]), whose conditions are listed.

use crate::answer::{Answer, Part, Prover, Verdict};
use crate::exec::Summary;
use crate::facts::{Facts, given};
use std::collections::BTreeSet;

impl Answer {
    /// Makes a proof one under the conditions that host code can break, if there are any.
    pub(crate) fn on_conditions(&mut self) {
        if !matches!(self.verdict, Verdict::Proved) || self.breakable.is_empty() {
            return;
        }
        let conditions = std::mem::take(&mut self.breakable);
        self.assumed.retain(|a| !conditions.contains(a));
        self.verdict = Verdict::Partly(Part { without_arguments: false, conditions });
    }

    /// Makes a proof one of the launches of a program that is started without arguments.
    pub(crate) fn without_arguments(&mut self) {
        let part = Part { without_arguments: true, conditions: Vec::new() };
        match &mut self.verdict {
            Verdict::Proved => self.verdict = Verdict::Partly(part),
            Verdict::Partly(other) => *other = other.clone().and(&part),
            Verdict::Race(_) | Verdict::Unknown(_) => {}
        }
    }
}

impl Verdict {
    /// The verdict about the launches of both: a race counts more than an open question, that more than a proof.
    pub(crate) fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (race @ Verdict::Race(_), _) | (_, race @ Verdict::Race(_)) => race,
            (unknown @ Verdict::Unknown(_), _) | (_, unknown @ Verdict::Unknown(_)) => unknown,
            (Verdict::Partly(a), Verdict::Partly(b)) => Verdict::Partly(a.and(&b)),
            (partly @ Verdict::Partly(_), _) | (_, partly @ Verdict::Partly(_)) => partly,
            (Verdict::Proved, Verdict::Proved) => Verdict::Proved,
        }
    }
}

/// Facts about the launches of one call, hopeful and strict ones: those that always hold, and those of each case.
pub(crate) struct CallFacts {
    pub(crate) always: [Facts; 2],
    pub(crate) cases: Vec<[Facts; 2]>,
}

impl Prover<'_> {
    /// Looks for a proof by what always holds, and else for one of each case.
    pub(crate) fn prove_by_cases(
        &self,
        kernel: usize,
        stated: &CallFacts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        let [hopeful, strict] = &stated.always;
        let (answer, summary) = self.prove_for_host_code(kernel, hopeful, strict, stop);
        if matches!(answer.verdict, Verdict::Proved) || stated.cases.is_empty() {
            return (answer, summary);
        }
        let mut whole = Answer::unasked(&answer.kernel, Verdict::Proved);
        let mut count = 0;
        for [hopeful, strict] in &stated.cases {
            let (one, _) = self.prove_for_host_code(kernel, hopeful, strict, stop);
            if !matches!(one.verdict, Verdict::Proved) {
                if !stop() && self.is_never_made(kernel, strict, stop) {
                    continue;
                }
                return (answer, summary);
            }
            count += 1;
            whole.asked += one.asked;
            // A fact of one case is no assumption of the whole proof.
            let own: Vec<String> =
                [hopeful, strict].into_iter().flat_map(given).map(|a| a.to_string()).collect();
            whole.assumed.extend(one.assumed.into_iter().filter(|a| !own.contains(a)));
        }
        if count == 0 {
            return (answer, summary);
        }
        whole.assumed.push(format!("each launch is one of {count} cases that the host code tells apart"));
        let mut seen = BTreeSet::new();
        whole.assumed.retain(|a| seen.insert(a.clone()));
        (whole, summary)
    }

    /// Returns whether these facts contradict each other.
    fn is_never_made(&self, kernel: usize, strict: &Facts, stop: &dyn Fn() -> bool) -> bool {
        let strict = Facts { exact: true, strict: true, ..strict.clone() };
        let (_, summary) = self.decide_by(kernel, &self.prepared(kernel, &strict), &strict, stop);
        summary.is_some_and(|s| crate::answer::vacuous::is_contradicted(&s))
    }

    /// Looks for a proof by `hopeful` facts, and for one by `strict` facts if the first one took something for granted that
    /// host code can break. Returns what was learned of the kernel by the first question, too.
    pub(crate) fn prove_for_host_code(
        &self,
        kernel: usize,
        hopeful: &Facts,
        strict: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        let (mut answer, summary) = self.decide_by(kernel, &self.prepared(kernel, hopeful), hopeful, stop);
        if matches!(answer.verdict, Verdict::Proved) && !answer.breakable.is_empty() {
            let strict = Facts { exact: true, strict: true, ..strict.clone() };
            let (again, _) = self.decide_by(kernel, &self.prepared(kernel, &strict), &strict, stop);
            if matches!(again.verdict, Verdict::Proved) && again.breakable.is_empty() {
                return (again, summary);
            }
            answer.on_conditions();
        }
        (answer, summary)
    }

    /// Returns whether a variable of the module is zero where nothing has written to it.
    pub(crate) fn begins_with_zeros(&self, name: &str) -> bool {
        let items = self.sources.iter().flat_map(|s| &s.tree.items);
        let mut all = items.filter_map(|item| match item {
            ptx::ast::Item::Variable(v) if v.name.text == name => Some(v.init.is_none()),
            _ => None,
        });
        all.next().is_some_and(|first| first && all.all(|other| other))
    }
}
