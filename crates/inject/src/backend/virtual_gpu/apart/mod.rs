//! Accesses of a launch that the prover shows to be free of races, so that the detector can skip them.
//!
//! The prover runs in a thread beside the launches of a kernel, once these have executed enough instructions
//! ([`Prune::Beside`]), or before each launch ([`Prune::Before`], `run --prove`). Its answer holds for the whole
//! launch, so that findings do not depend on when it comes, and for all launches that satisfy its condition
//! ([`prove::launches::Covered`]). Numbers that have differed between launches are asked about as ranges ([`seen`]).
//! Beside a launch, accesses of global memory are skipped only if all are proved to stay in their arrays: otherwise,
//! whether a launch that leaves one is checked to its end would depend on time.
//!
//! Proofs are kept for later processes ([`kept`]), which read them in place of a question.
//!
//! The prover's work is bounded for a module, a kernel and a process. One thread proves at a time.

mod kept;
mod question;
mod seen;

pub(super) use kept::Cache;

use crate::backend::KernelWork;
use events::{Dim3, LaunchFacts, LaunchInfo, ObservedMemory, Proof, SiteId, SiteTable};
use kernels::Source;
use protocol::options::Prune;
use question::{Found, Question};
use seen::Seen;
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Limits the size of a module's text, since larger ones take seconds to parse again.
const MOST_TEXT: usize = 4 << 20;
/// Limits the questions about one kernel.
const MOST_QUESTIONS: u32 = 12;
/// A launch with fewer threads ends before a proof would.
const FEW: u64 = 64;
/// The time limit for all questions of a process.
const ALL: Duration = Duration::from_secs(10);

/// The proofs about a launch's instructions.
type Proofs = Arc<[(SiteId, Proof)]>;
/// An answer of the prover, once it has come; `None` in it if nothing is proved.
type Answer = Arc<OnceLock<Option<Found>>>;

/// A module's text, and the sites of its instructions.
#[derive(Debug)]
pub(super) struct Texts {
    module: Arc<Module>,
    known: Mutex<HashMap<usize, Kernel>>,
}

#[derive(Debug)]
struct Module {
    texts: Vec<String>,
    sites: HashMap<(String, u32), SiteId>,
}

/// The launches of a kernel.
#[derive(Debug, Default)]
struct Kernel {
    /// The number of questions to the prover.
    asked: u32,
    /// The instructions that launches have executed, but for the last one.
    executed: u64,
    /// Those of the last one.
    last: u64,
    /// The launches by their blocks' shape and bytes of dynamic shared memory.
    seen: HashMap<(Dim3, u32), Seen>,
    found: Vec<Found>,
    /// Inputs of launches of which nothing is proved.
    open: HashSet<u64>,
    /// The question whose answer has not come, and the inputs of its launch.
    pending: Option<(u64, Answer)>,
}

/// How proofs are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    pub(super) prune: Prune,
    pub(super) volatile_weak: bool,
    /// The proofs of earlier processes, if they count and new ones are kept.
    pub(super) cache: Option<&'a Cache>,
}

/// The time that questions of the process have taken, in microseconds.
static SPENT: AtomicU64 = AtomicU64::new(0);
/// The process whose thread proves, or 0. The child of a fork has none.
static PROVING: AtomicU32 = AtomicU32::new(0);

impl Texts {
    /// Creates the record of a module whose first site is `first`; `None` if the module is too large.
    pub(super) fn new(sources: &[Source<'_>], table: &SiteTable, first: SiteId) -> Option<Texts> {
        let texts: Vec<String> = sources.iter().map(|s| s.text.to_owned()).collect();
        if texts.iter().map(String::len).sum::<usize>() > MOST_TEXT {
            return None;
        }
        let of_module = table.iter().skip(first.0 as usize);
        let sites = of_module.map(|(id, site)| ((site.function.clone(), site.ptx_line), id)).collect();
        Some(Texts { module: Arc::new(Module { texts, sites }), known: Mutex::default() })
    }

    /// Returns what is proved of the launch's instructions; `None` if that is not known yet. `executed` is the
    /// number of instructions that the launch has executed, 0 before it begins. `memory` lists the allocations.
    pub(super) fn apart(
        &self,
        work: &KernelWork,
        info: &LaunchInfo,
        terms: Terms<'_>,
        executed: u64,
        memory: &dyn Fn() -> Vec<ObservedMemory>,
    ) -> Option<Proofs> {
        let nothing = || Some(Arc::from([]));
        if info.uses.asynchronous || info.grid.count() * info.block.count() < FEW {
            return nothing();
        }
        let launch = Launch { work, info, facts: work.facts(), memory: LazyCell::new(memory) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = known.entry(work.kernel).or_default();
        kernel.executes(&launch, executed);
        kernel.collect();
        if let Some(proofs) = kernel.proofs(&launch) {
            return Some(proofs);
        }
        let inputs = launch.inputs();
        let waits = match terms.prune {
            Prune::Never => return nothing(),
            _ if kernel.open.contains(&inputs) => return nothing(),
            Prune::Before => true,
            Prune::Beside { after } if kernel.executed + kernel.last < after => return None,
            Prune::Beside { after } => after == 0,
        };
        if kernel.pending.is_some() {
            return None;
        }
        if kernel.asked == MOST_QUESTIONS || SPENT.load(Ordering::Relaxed) > ALL.as_micros() as u64 {
            return nothing();
        }
        let question = || launch.question(&self.module, kernel, terms);
        let answer = if waits { Answer::from(OnceLock::from(answer(question()))) } else { beside(question)? };
        kernel.asked += 1;
        kernel.pending = Some((inputs, answer));
        if waits {
            kernel.collect();
            return kernel.proofs(&launch).or_else(nothing);
        }
        None
    }
}

/// A launch about which a question may be asked.
struct Launch<'a> {
    work: &'a KernelWork,
    info: &'a LaunchInfo,
    facts: LaunchFacts,
    memory: LazyCell<Vec<ObservedMemory>, &'a dyn Fn() -> Vec<ObservedMemory>>,
}

impl Launch<'_> {
    /// Returns a number for its inputs.
    fn inputs(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.info.grid, self.info.block, self.info.cluster, self.work.dynamic_shared).hash(&mut hasher);
        self.work.params.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the shape of its blocks.
    fn form(&self) -> (Dim3, u32) {
        (self.info.block, self.work.dynamic_shared)
    }

    fn question(&self, module: &Arc<Module>, kernel: &Kernel, terms: Terms<'_>) -> Question {
        let seen = kernel.seen.get(&self.form()).cloned();
        Question {
            module: Arc::clone(module),
            info: self.info.clone(),
            facts: self.facts.clone(),
            memory: self.memory.clone(),
            seen: seen.unwrap_or_else(|| Seen::new(self.info, &self.work.params)),
            volatile_weak: terms.volatile_weak,
            may_stray: terms.prune == Prune::Before,
            cache: terms.cache.cloned(),
        }
    }
}

impl Kernel {
    /// Counts the instructions of a launch so far.
    fn executes(&mut self, launch: &Launch<'_>, so_far: u64) {
        if so_far < self.last || so_far == 0 {
            self.executed += self.last;
        }
        self.last = so_far;
        if so_far == 0 {
            let new = || Seen::new(launch.info, &launch.work.params);
            self.seen.entry(launch.form()).or_insert_with(new).add(launch.info, &launch.work.params);
        }
    }

    /// Takes the answer that has come.
    fn collect(&mut self) {
        let Some((inputs, answer)) = self.pending.take() else { return };
        match Arc::try_unwrap(answer).map(OnceLock::into_inner) {
            Ok(Some(Some(found))) => self.found.push(found),
            // Nothing is proved, or the thread has ended without an answer.
            Ok(Some(None) | None) => _ = self.open.insert(inputs),
            Err(answer) => self.pending = Some((inputs, answer)),
        }
    }

    /// Returns what is known of a launch.
    fn proofs(&self, launch: &Launch<'_>) -> Option<Proofs> {
        let of = |found: &Found| found.of(launch.info, &launch.facts, &launch.memory);
        self.found.iter().rev().find_map(of)
    }
}

/// Asks the prover, and counts the time.
fn answer(question: Question) -> Option<Found> {
    let begin = Instant::now();
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| question.answer()));
    SPENT.fetch_add(begin.elapsed().as_micros() as u64, Ordering::Relaxed);
    found.unwrap_or_default()
}

/// Asks the prover in a thread of its own. `None` if one proves already, or the process has too many threads.
fn beside(question: impl FnOnce() -> Question) -> Option<Answer> {
    let own = std::process::id();
    let other = PROVING.load(Ordering::Relaxed);
    if other == own || PROVING.compare_exchange(other, own, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return None;
    }
    let (question, place) = (question(), Answer::default());
    let of_thread = Arc::clone(&place);
    let started = crate::threads::try_spawn("warprace-prover", move || {
        let _ = of_thread.set(answer(question));
        drop(of_thread);
        PROVING.store(0, Ordering::Relaxed);
    });
    match started {
        Ok(()) => Some(place),
        Err(_) => {
            PROVING.store(0, Ordering::Relaxed);
            None
        }
    }
}
