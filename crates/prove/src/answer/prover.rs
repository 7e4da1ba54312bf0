//! The symbolic engine's answer: all pairs of accesses are decided.

use super::{Answer, Doubt, Verdict, exactness, out_of_time};
use crate::answer::suggestions::suggested;
use crate::answer::vacuous::{no_launch, nothing_happens};
use crate::exec::{Summary, summarise};
use crate::facts::assume::{Expr, Name, Test};
use crate::facts::fewer::fewer_facts;
use crate::facts::{APART, Assumption, Facts, HOST_ARITHMETIC, given};
use crate::kernel::access::{Access, AccessKind, Space};
use crate::pairs::decide::decide;
use crate::pairs::incoherent::{Constants, constants};
use crate::pairs::pair::OpenPair;
use crate::replay::bench::Bench;
use events::SiteTable;
use kernels::{Kernel, Linked, Source};
use ptx::position::LineIndex;

/// The limit for repeating a question with fewer facts, in pairs of accesses.
const MOST_ASKED_AGAIN: usize = 4_000;

/// Answers questions about the kernels of a module.
pub struct Prover<'a> {
    pub(crate) sources: Vec<Source<'a>>,
    pub(crate) linked: Linked<'a>,
    pub(crate) noreturn: std::collections::HashSet<&'a str>,
    pub(crate) bench: Option<Bench>,
}

impl<'a> Prover<'a> {
    /// Creates a prover; fails if the module cannot be linked.
    pub fn new(sources: &[Source<'a>]) -> Result<Prover<'a>, kernels::LoadError> {
        let mut next = 1u64 << 52;
        let linked = kernels::link(sources, &mut |v| {
            let base = next.next_multiple_of(v.align.max(256));
            next = base + v.bytes + 256;
            Ok(base)
        })?;
        let noreturn = sources.iter().flat_map(|s| ptx::cfg::noreturn_functions(s.tree)).collect();
        Ok(Prover { sources: sources.to_vec(), linked, noreturn, bench: None })
    }

    pub fn kernels(&self) -> &[Kernel] {
        &self.linked.kernels
    }

    /// Returns the sites that findings refer to; empty before the first launch.
    pub fn sites(&self) -> SiteTable {
        self.bench.as_ref().map(|b| b.sites.clone()).unwrap_or_default()
    }

    /// Converts relations that determine a parameter's value to values.
    pub(crate) fn prepared(&self, kernel: usize, facts: &Facts) -> Facts {
        let flat = &self.linked.functions[self.linked.kernels[kernel].function].flat;
        let mut facts = facts.clone();
        for relation in &facts.relations {
            if let (Expr::Name(Name::Param(name)), Test::Eq, Some(value)) =
                (&relation.left, relation.test, relation.right.evaluate(&|_| None))
                && let Some(index) = crate::exec::param_index(flat, name)
            {
                facts.scalars.insert((index as u32, 0), value);
            }
        }
        facts
    }

    /// Returns the answer of the symbolic engine alone. `stop` ends it early.
    pub fn decide(&self, kernel: usize, facts: &Facts, stop: &dyn Fn() -> bool) -> (Answer, Option<Summary>) {
        self.decide_by(kernel, &self.prepared(kernel, facts), facts, stop)
    }

    /// Decides with all facts, and with fewer facts if the question is left open.
    pub(crate) fn decide_by(
        &self,
        kernel: usize,
        facts: &Facts,
        stated: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        if let Some(why) = no_launch(&self.linked.kernels[kernel], facts)
            && facts.observed.is_none()
        {
            let name = &self.linked.kernels[kernel].name;
            let doubt = Doubt { why, lines: None, suggestion: None };
            return (Answer::unasked(name, Verdict::Unknown(vec![doubt])), None);
        }
        let (answer, summary) = self.decide_all(kernel, facts, stated, stop);
        let open = answer.open > 0 && answer.asked <= MOST_ASKED_AGAIN;
        if !open || facts.observed.is_some() || summary.as_ref().is_none_or(|s| s.unmodelled.is_some()) {
            return (answer, summary);
        }
        for fewer in fewer_facts(stated) {
            if stop() {
                break;
            }
            let fewer = Facts { smt: None, ..fewer };
            let (again, _) = self.decide_all(kernel, &self.prepared(kernel, &fewer), &fewer, stop);
            if matches!(again.verdict, Verdict::Proved) {
                return (again, summary);
            }
        }
        (answer, summary)
    }

    /// Assumes that accesses are within their shared variables only if it is necessary.
    fn decide_all(
        &self,
        kernel: usize,
        facts: &Facts,
        stated: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        let (answer, summary) = self.decide_once(kernel, facts, stated, stop);
        let fixed = self.linked.kernels[kernel].shared_variables.iter().any(|v| v.bytes.is_some());
        let more = answer.open > 0 && fixed && !facts.exact && facts.observed.is_none() && !stop();
        if more {
            let again = self.decide_once(kernel, &Facts { within: true, ..facts.clone() }, stated, stop);
            let settled = matches!(again.0.verdict, Verdict::Proved);
            if settled || again.0.open > 0 && again.0.open < answer.open {
                return again;
            }
        }
        (answer, summary)
    }

    fn decide_once(
        &self,
        kernel: usize,
        facts: &Facts,
        stated: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        let name = self.linked.kernels[kernel].name.clone();
        let unknown = |why: String| {
            Answer::unasked(&name, Verdict::Unknown(vec![Doubt { why, lines: None, suggestion: None }]))
        };
        let summary = match summarise(&self.linked, kernel, facts, &|n| self.noreturn.contains(n), stop) {
            Ok(summary) => summary,
            Err(why) => return (unknown(why.0), None),
        };
        if let Some(why) = &summary.unmodelled {
            return (unknown(why.clone()), Some(summary));
        }
        // For a known launch the assumption is not necessary.
        if summary.textures && facts.observed.is_some() && facts.unknown.is_empty() {
            return (unknown("a texture may be of memory that it writes to".to_owned()), Some(summary));
        }
        let constants = constants(&summary, facts);
        if constants == Constants::Written
            || constants == Constants::Reachable && facts.observed.is_some() && facts.unknown.is_empty()
        {
            let why = "a constant that it loads may be in memory that it writes to";
            return (unknown(why.to_owned()), Some(summary));
        }
        let mut decision = decide(&summary, facts, stop);
        if constants == Constants::Reachable {
            decision.assumed.insert(Assumption::ConstantsApart);
        }
        if summary.textures {
            decision.assumed.insert(Assumption::TexturesApart);
        }
        if summary.tensors {
            decision.assumed.insert(Assumption::TensorsApart);
        }
        if summary.tensors_written {
            decision.assumed.insert(Assumption::TensorsDivided);
        }
        if summary.cluster.is_some() {
            decision.assumed.insert(Assumption::PeersStay);
        }
        let mut assumed: Vec<String> = given(stated).iter().map(ToString::to_string).collect();
        assumed.extend(decision.assumed.iter().map(ToString::to_string));
        let mut breakable: Vec<String> = Vec::new();
        for assumption in decision.assumed.iter().filter(|a| a.host_can_break(facts)) {
            let text = match assumption {
                Assumption::Distinct(..) => APART.to_owned(),
                other => other.to_string(),
            };
            if !breakable.contains(&text) {
                breakable.push(text);
            }
        }
        if stated.host_arithmetic {
            breakable.push(HOST_ARITHMETIC.to_owned());
        }
        let verdict = if decision.gave_up {
            Verdict::Unknown(vec![out_of_time("its time or its number of questions is used up".into())])
        } else if decision.open.is_empty() {
            let nothing = facts.observed.is_none().then(|| nothing_happens(&summary, facts)).flatten();
            match nothing {
                Some(why) => Verdict::Unknown(vec![Doubt { why, lines: None, suggestion: None }]),
                None => Verdict::Proved,
            }
        } else {
            Verdict::Unknown(decision.open.iter().map(|o| self.doubt(kernel, &summary, o, facts)).collect())
        };
        let (asked, open) = (decision.asked, decision.open.len());
        (Answer { kernel: name, verdict, assumed, asked, open, breakable }, Some(summary))
    }

    fn doubt(&self, kernel: usize, summary: &Summary, open: &OpenPair, facts: &Facts) -> Doubt {
        let (a, b) = (&summary.accesses[open.first], &summary.accesses[open.second]);
        let where_ = if open.same_block { "threads of one block" } else { "threads of two blocks" };
        let kind = |a: &Access| match a.kind {
            AccessKind::Read => "a read",
            AccessKind::Write => "a write",
            AccessKind::Atomic => "an atomic",
        };
        let space = match a.space {
            Space::Shared => "shared",
            Space::Distributed => "distributed shared",
            Space::Global => "global",
            Space::Unknown => "some",
        };
        let exactness = exactness(summary, a).max(exactness(summary, b));
        let why = format!(
            "{} and {} of {space} memory by {where_} may meet ({})",
            kind(a),
            kind(b),
            exactness.name()
        );
        let described = &self.linked.kernels[kernel];
        let parameters = &self.linked.functions[described.function].flat.function.params;
        let suggestion = suggested(summary, parameters, (a, b), exactness, facts);
        Doubt { why, lines: Some([self.line(kernel, a.text), self.line(kernel, b.text)]), suggestion }
    }

    /// Returns the line of a position in the text of a kernel's module.
    pub(crate) fn line(&self, kernel: usize, text: u32) -> u32 {
        let function = &self.linked.functions[self.linked.kernels[kernel].function];
        let index = LineIndex::new(self.sources[function.source].text);
        index.line(text)
    }
}
