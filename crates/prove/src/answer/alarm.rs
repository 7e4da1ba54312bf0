//! Alarms replayed: the search for a launch that shows a race to the detector.

use super::{Answer, Doubt, Prover, Race, Verdict};
use crate::exec::Summary;
use crate::facts::Facts;
use crate::replay::bench::{Bench, Outcome};
use crate::replay::candidates::candidate_launches;
use crate::replay::replay;
use crate::solver::symbols::Kind;
use events::{Evidence, Finding, SiteTable};
use ptx::position::LineIndex;
use rustc_hash::FxHashMap;

/// The limit of one witness launch, in warp instructions.
const FUEL: u64 = 3_000_000;

impl Prover<'_> {
    /// Decides a kernel, and searches for a launch that shows a race if the kernel is not proved.
    pub fn answer(&mut self, kernel: usize, facts: &Facts, stop: &dyn Fn() -> bool) -> Answer {
        let prepared = self.prepared(kernel, facts);
        let (mut answer, summary) = self.decide_by(kernel, &prepared, facts, stop);
        let facts = &prepared;
        if matches!(answer.verdict, Verdict::Proved) {
            if let Some(why) = self.only_traps(kernel, facts, summary.as_ref(), stop) {
                let doubt = Doubt { why, lines: None, suggestion: None };
                answer.verdict = Verdict::Unknown(vec![doubt]);
            }
            return answer;
        }
        match self.search(kernel, facts, summary.as_ref(), stop) {
            Ok(Some(race)) => answer.verdict = Verdict::Race(Box::new(race)),
            Ok(None) => {}
            Err(why) => {
                if let Verdict::Unknown(doubts) = &mut answer.verdict {
                    doubts.push(Doubt { why, lines: None, suggestion: None });
                }
            }
        }
        answer
    }

    fn search(
        &mut self,
        kernel: usize,
        facts: &Facts,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Race>, String> {
        let described = &self.linked.kernels[kernel];
        let pointers = summary.map(pointers).unwrap_or_default();
        let list = candidate_launches(&self.linked, described, facts, &pointers);
        if self.bench.is_none() {
            let bench = Bench::load(&self.sources);
            self.bench = Some(bench.map_err(|e| format!("the virtual GPU cannot load it: {e}"))?);
        }
        let places = summary.map(|s| self.places(kernel, s));
        let Some(bench) = &mut self.bench else { return Ok(None) };
        bench.volatile_weak = facts.volatile_weak;
        let Some(loaded) = bench.kernel(&described.name) else { return Ok(None) };
        for witness in list {
            if stop() {
                break;
            }
            let (outcome, task, allocations) = bench.run(loaded, &witness, FUEL, stop);
            let Outcome::Ended(findings) = outcome else { continue };
            let mut findings: Vec<Finding> = findings
                .into_iter()
                .filter(|f| places.as_ref().is_none_or(|places| places.hold(f, &bench.sites)))
                .collect();
            if findings.is_empty() {
                continue;
            }
            for f in &mut findings {
                f.evidence =
                    Evidence::Proved { replay: Some(replay(&described.name, &witness, facts.volatile_weak)) };
            }
            return Ok(Some(Race { witness, started: None, findings, task, allocations }));
        }
        Ok(None)
    }

    pub(crate) fn places(&self, kernel: usize, summary: &Summary) -> Places {
        let described = &self.linked.kernels[kernel];
        let function = &self.linked.functions[described.function];
        let index = LineIndex::new(self.sources[function.source].text);
        let mut shared: FxHashMap<u32, Option<(u64, u64)>> = FxHashMap::default();
        for a in &summary.accesses {
            let line = index.line(a.text);
            let name = a.base.and_then(|s| match &summary.syms.get(s).kind {
                Kind::Shared(name) => Some(name.clone()),
                _ => None,
            });
            let variable = name.and_then(|n| described.shared_variables.iter().find(|v| v.name == n));
            let range = variable.map(|v| {
                let start = u64::from(v.offset);
                (start, v.bytes.map_or(u64::MAX, |b| start + u64::from(b)))
            });
            // A line that accesses several variables, for example in a called function, has no unique range.
            shared.entry(line).and_modify(|old| *old = old.filter(|_| *old == range)).or_insert(range);
        }
        Places { shared }
    }
}

/// The parts of shared memory that accesses belong to, by line of the PTX text.
pub(crate) struct Places {
    shared: FxHashMap<u32, Option<(u64, u64)>>,
}

impl Places {
    /// Returns whether an access is within its array. An access outside is another kind of bug, which proofs
    /// assume to be absent.
    fn within(&self, line: u32, space: events::Space, address: u64) -> bool {
        match (space, self.shared.get(&line)) {
            (events::Space::Shared(_), Some(Some((start, end)))) => (*start..*end).contains(&address),
            _ => true,
        }
    }

    /// Returns whether both sides of a race are within their arrays.
    pub(crate) fn hold(&self, finding: &Finding, sites: &SiteTable) -> bool {
        finding.sides.iter().all(|side| {
            let line = side.site.and_then(|s| sites.get(s)).map_or(0, |s| s.ptx_line);
            self.within(line, finding.space, side.address)
        })
    }
}

/// Returns the parameters that accesses start from.
pub(crate) fn pointers(summary: &Summary) -> Vec<(u32, u32)> {
    let bases = summary.accesses.iter().filter_map(|a| a.base).map(|b| &summary.syms.get(b).kind);
    let parameter = |k: &Kind| match k {
        Kind::Param { index, offset, .. } => Some((*index, *offset)),
        _ => None,
    };
    bases.filter_map(parameter).collect()
}
