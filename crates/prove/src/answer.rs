//! The answer about a kernel: proved, a race that a launch has shown, or unknown.

use crate::access::{Access, AccessKind, Space};
use crate::assume::{Expr, Name, Test};
use crate::decide::{Open, decide};
use crate::exec::{Summary, summarise};
use crate::facts::{APART, Assumption, Facts, HOST_ARITHMETIC, given};
use crate::launch::{Bench, Outcome, Witness};
use crate::launch_text::replay;
pub use crate::suggested::Exactness;
use crate::suggested::suggested;
use crate::syms::Kind;
use crate::vacuous::{no_launch, nothing_happens};
use crate::weaker::weaker;
use crate::witness::launches;
use events::{Allocation, Evidence, Finding, SiteTable, TaskInfo};
use kernels::{Kernel, Linked, Source};
use ptx::position::LineIndex;
use rustc_hash::FxHashMap;

/// The limit for repeating a question with fewer facts, in pairs of accesses.
const MOST_ASKED_AGAIN: usize = 4_000;

/// The limit of one witness launch, in warp instructions.
const FUEL: u64 = 3_000_000;

/// The answer about one kernel.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The mangled name.
    pub kernel: String,
    pub verdict: Verdict,
    /// The assumptions of the proof, or of the attempt.
    pub assumed: Vec<String>,
    /// The number of pairs that the solver was asked about, and of those that it left open.
    pub asked: usize,
    pub open: usize,
    /// The assumptions in `assumed` that host code can break.
    pub(crate) breakable: Vec<String>,
}

impl Answer {
    /// Returns an answer without a question about any pair of the kernel.
    pub(crate) fn unasked(kernel: &str, verdict: Verdict) -> Answer {
        let (assumed, breakable) = (Vec::new(), Vec::new());
        Answer { kernel: kernel.to_owned(), verdict, assumed, asked: 0, open: 0, breakable }
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    /// The proof covers all launches that satisfy the assumptions; for known host code, all launches that it
    /// makes with any input.
    Proved,
    /// The proof covers a part of the launches that the host code can make.
    Partly(Part),
    Race(Box<Race>),
    Unknown(Vec<Doubt>),
}

/// The launches of the host code that a proof covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Only launches of a program that is started without arguments are covered.
    pub without_arguments: bool,
    /// Only launches that satisfy these conditions are covered; the host code does not guarantee them.
    pub conditions: Vec<String>,
}

impl Part {
    /// Returns the intersection of both parts.
    pub(crate) fn and(mut self, other: &Part) -> Part {
        self.without_arguments |= other.without_arguments;
        let new = other.conditions.iter().filter(|c| !self.conditions.contains(c));
        self.conditions.extend(new.cloned().collect::<Vec<_>>());
        self
    }
}

/// A race that a launch has shown.
#[derive(Clone, Debug)]
pub struct Race {
    pub witness: Witness,
    /// The program's input that leads to this launch, in words, if it is known.
    pub started: Option<String>,
    pub findings: Vec<Finding>,
    pub task: TaskInfo,
    pub allocations: Vec<Allocation>,
}

/// Returns the doubt for a question that took too long.
pub(crate) fn out_of_time(why: String) -> Doubt {
    Doubt { why, lines: None, suggestion: Some("give more with --timeout".into()) }
}

/// The reason for an open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    pub why: String,
    /// The PTX lines of the two accesses, if the doubt is about a pair.
    pub lines: Option<[u32; 2]>,
    pub suggestion: Option<String>,
}

impl Doubt {
    /// Returns the doubt for launches that may follow the point where the host code's execution was lost.
    pub fn lost(why: &str) -> Doubt {
        let suggestion =
            "show what it launches there: `warprace run --facts`; or say it: --block, --grid, --assume";
        Doubt { why: why.to_owned(), lines: None, suggestion: Some(suggestion.into()) }
    }
}

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
        told: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        if let Some(why) = no_launch(&self.linked.kernels[kernel], facts)
            && facts.observed.is_none()
        {
            let name = &self.linked.kernels[kernel].name;
            let doubt = Doubt { why, lines: None, suggestion: None };
            return (Answer::unasked(name, Verdict::Unknown(vec![doubt])), None);
        }
        let (answer, summary) = self.decide_all(kernel, facts, told, stop);
        let open = answer.open > 0 && answer.asked <= MOST_ASKED_AGAIN;
        if !open || facts.observed.is_some() || summary.as_ref().is_none_or(|s| s.unmodelled.is_some()) {
            return (answer, summary);
        }
        for fewer in weaker(told) {
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
        told: &Facts,
        stop: &dyn Fn() -> bool,
    ) -> (Answer, Option<Summary>) {
        let (answer, summary) = self.decide_once(kernel, facts, told, stop);
        let fixed = self.linked.kernels[kernel].shared_variables.iter().any(|v| v.bytes.is_some());
        let more = answer.open > 0 && fixed && !facts.exact && facts.observed.is_none() && !stop();
        if more {
            let again = self.decide_once(kernel, &Facts { within: true, ..facts.clone() }, told, stop);
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
        told: &Facts,
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
        let mut decision = decide(&summary, facts, stop);
        if summary.textures {
            decision.assumed.insert(Assumption::TexturesApart);
        }
        if summary.cluster.is_some() {
            decision.assumed.insert(Assumption::PeersStay);
        }
        let mut assumed: Vec<String> = given(told).iter().map(ToString::to_string).collect();
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
        if told.host_arithmetic {
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
        let list = launches(&self.linked, described, facts, &pointers);
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

    fn doubt(&self, kernel: usize, summary: &Summary, open: &Open, facts: &Facts) -> Doubt {
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

/// Returns how an access's address and guard depend on values from memory.
pub fn exactness(summary: &Summary, a: &Access) -> Exactness {
    let opaque = |p: &crate::poly::Poly| {
        let mut work: Vec<crate::poly::Sym> = p.syms().collect();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(s) = work.pop() {
            if !seen.insert(s) {
                continue;
            }
            let info = summary.syms.get(s);
            match &info.kind {
                Kind::Loaded { .. } | Kind::Other { .. } => return true,
                _ => {}
            }
            for c in info.facts.iter().chain(&info.cases) {
                work.extend(c.syms());
            }
        }
        false
    };
    if opaque(&a.offset) {
        return Exactness::DataApproximate;
    }
    let mut control = false;
    for c in &a.guard {
        c.each_poly(&mut |p| control |= opaque(p));
    }
    if control { Exactness::ControlApproximate } else { Exactness::Exact }
}
