//! Runs one given launch, as a replay line asks.

use crate::answer::{Answer, Doubt, Prover, Race, Verdict};
use crate::exec::summarise;
use crate::facts::Facts;
use crate::replay::bench::{Bench, Outcome, Witness};
use crate::replay::replay;
use events::{Evidence, Finding};

/// The limit of a repeated launch, in warp instructions.
const FUEL: u64 = 4_000_000;

impl Prover<'_> {
    /// Runs one launch. The verdict is *race* if the launch has one, otherwise *unknown*, because other
    /// launches may have one.
    pub fn answer_launch(
        &mut self,
        kernel: usize,
        witness: &Witness,
        facts: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let name = self.linked.kernels[kernel].name.clone();
        let unknown = |why: String| {
            Answer::unasked(&name, Verdict::Unknown(vec![Doubt { why, lines: None, suggestion: None }]))
        };
        let noreturn = |n: &str| self.noreturn.contains(n);
        let summary = summarise(&self.linked, kernel, &Facts::default(), &noreturn, stop).ok();
        let places = summary.map(|s| self.places(kernel, &s));
        if self.bench.is_none() {
            match Bench::load(&self.sources) {
                Ok(bench) => self.bench = Some(bench),
                Err(e) => return unknown(format!("the virtual GPU cannot load it: {e}")),
            }
        }
        let Some(bench) = &mut self.bench else { return unknown("there is no virtual GPU".into()) };
        bench.volatile_weak = facts.volatile_weak;
        let Some(loaded) = bench.kernel(&name) else { return unknown("it is not in the module".into()) };
        let (outcome, task, allocations) = bench.run(loaded, witness, FUEL, stop);
        let why = match &outcome {
            Outcome::Failed(why) => format!("the launch fails: {why}"),
            Outcome::Stuck(_) => "the launch does not end".to_owned(),
            _ => "the launch shows no race; nothing is said of others".to_owned(),
        };
        let holds = |f: &Finding| places.as_ref().is_none_or(|places| places.hold(f, &bench.sites));
        let mut findings: Vec<Finding> = outcome.races().into_iter().filter(|f| holds(f)).collect();
        if findings.is_empty() {
            return unknown(why);
        }
        for f in &mut findings {
            f.evidence = Evidence::Proved { replay: replay(&name, witness, facts.volatile_weak) };
        }
        let race = Race { witness: witness.clone(), started: None, findings, task, allocations };
        Answer::unasked(&name, Verdict::Race(Box::new(race)))
    }
}
