//! Accesses of a launch that the prover shows to be free of races, so that the detector can skip them.
//!
//! The prover runs in a thread beside the launches of a kernel, once these have executed enough instructions
//! ([`Prune::Beside`]), or before each launch ([`Prune::Before`], `run --prove`). Its answer holds for the whole
//! launch, so that findings do not depend on when it comes, and for later launches with the same inputs. Beside a
//! launch, accesses of global memory are skipped only if all are proved to stay in their arrays: otherwise, whether
//! a launch that leaves one is checked to its end would depend on time.
//!
//! The prover's work is bounded for a module, a kernel and a process. One thread proves at a time.

use crate::backend::KernelWork;
use events::{LaunchInfo, ObservedLaunch, ObservedMemory, Proof, SiteId, SiteTable};
use kernels::Source;
use protocol::options::Prune;
use prove::Prover;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Limits the size of a module's text, since larger ones take seconds to parse again.
const MOST_TEXT: usize = 4 << 20;
/// Limits the proofs for one kernel.
const MOST_QUESTIONS: u32 = 12;
/// A launch with fewer threads ends before a proof would.
const FEW: u64 = 64;
/// Time limits for one proof, and for all proofs of a process.
const ONE: Duration = Duration::from_millis(500);
const ALL: Duration = Duration::from_secs(10);
/// The growth of the process, in bytes, that ends a proof.
const MOST_GROWTH: u64 = 1 << 30;

/// What is proved of a launch's instructions.
type Proofs = Arc<[(SiteId, Proof)]>;
/// An answer of the prover, once it has come.
type Answer = Arc<OnceLock<Proofs>>;

/// A module's text, and the sites of its instructions.
#[derive(Debug)]
pub(super) struct Texts {
    module: Arc<Module>,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Module {
    texts: Vec<String>,
    sites: HashMap<(String, u32), SiteId>,
}

#[derive(Debug, Default)]
struct Known {
    /// The answers by the launch's inputs.
    answers: HashMap<u64, Answer>,
    kernels: HashMap<usize, Kernel>,
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
}

/// How proofs are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) prune: Prune,
    pub(super) volatile_weak: bool,
}

/// One question to the prover.
struct Question {
    module: Arc<Module>,
    work: KernelWork,
    info: LaunchInfo,
    memory: Vec<ObservedMemory>,
    terms: Terms,
}

/// The time that proofs of the process have taken, in microseconds.
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
        terms: Terms,
        executed: u64,
        memory: &dyn Fn() -> Vec<ObservedMemory>,
    ) -> Option<Proofs> {
        let nothing = || Some(Arc::from([]));
        if info.uses.asynchronous || info.grid.count() * info.block.count() < FEW {
            return nothing();
        }
        let key = key(work, info);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut *known;
        let kernel = known.kernels.entry(work.kernel).or_default();
        kernel.executes(executed);
        if let Some(answer) = known.answers.get(&key) {
            return answer.get().cloned();
        }
        let waits = match terms.prune {
            Prune::Never => return nothing(),
            Prune::Before => true,
            Prune::Beside { after } if kernel.executed + kernel.last < after => return None,
            Prune::Beside { after } => after == 0,
        };
        if kernel.asked == MOST_QUESTIONS || SPENT.load(Ordering::Relaxed) > ALL.as_micros() as u64 {
            return nothing();
        }
        let question = || {
            let (module, work, info) = (Arc::clone(&self.module), work.clone(), info.clone());
            Question { module, work, info, memory: memory(), terms }
        };
        let answer =
            if waits { Answer::from(OnceLock::from(question().answer())) } else { beside(question)? };
        kernel.asked += 1;
        known.answers.insert(key, Arc::clone(&answer));
        answer.get().cloned()
    }
}

/// Returns a number for a launch's inputs. Proofs hold for all memory in which the parameters' arrays are at least
/// as large as those that they name.
fn key(work: &KernelWork, info: &LaunchInfo) -> u64 {
    let mut hasher = DefaultHasher::new();
    (work.kernel, info.grid, info.block, info.cluster, work.dynamic_shared).hash(&mut hasher);
    work.params.hash(&mut hasher);
    hasher.finish()
}

/// Asks the prover in a thread of its own. `None` if one proves already, or the process has too many threads.
fn beside(question: impl FnOnce() -> Question) -> Option<Answer> {
    let own = std::process::id();
    let other = PROVING.load(Ordering::Relaxed);
    if other == own || PROVING.compare_exchange(other, own, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return None;
    }
    let (question, answer) = (question(), Answer::default());
    let place = Arc::clone(&answer);
    let started = crate::threads::try_spawn("warprace-prover", move || {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| question.answer()));
        let _ = place.set(found.unwrap_or_default());
        PROVING.store(0, Ordering::Relaxed);
    });
    match started {
        Ok(()) => Some(answer),
        Err(_) => {
            PROVING.store(0, Ordering::Relaxed);
            None
        }
    }
}

impl Kernel {
    /// Counts the instructions of a launch so far.
    fn executes(&mut self, so_far: u64) {
        if so_far < self.last || so_far == 0 {
            self.executed += self.last;
        }
        self.last = so_far;
    }
}

impl Question {
    /// Asks the prover. Accesses of global memory need the launch's arguments; if no proof is found with them, an
    /// answer for all arguments still covers shared memory.
    fn answer(self) -> Proofs {
        let begin = Instant::now();
        let before = resident();
        let looked = std::cell::Cell::new(begin);
        let stop = || {
            let now = Instant::now();
            if now - looked.get() > Duration::from_millis(20) {
                looked.set(now);
                return now - begin > ONE || resident().saturating_sub(before) > MOST_GROWTH;
            }
            now - begin > ONE
        };
        let mut found = self.proofs(true, &stop);
        if found.is_empty() && self.info.shared_bytes > 0 {
            found = self.proofs(false, &stop);
        }
        let spent = begin.elapsed().as_micros() as u64;
        SPENT.fetch_add(spent, Ordering::Relaxed);
        found.into()
    }

    fn proofs(&self, arguments: bool, stop: &dyn Fn() -> bool) -> Vec<(SiteId, Proof)> {
        let parsed: Vec<ptx::Parse> = self.module.texts.iter().map(|text| ptx::parse(text)).collect();
        let sources = Source::all(&parsed, &self.module.texts, "");
        let Ok(prover) = Prover::new(&sources) else { return Vec::new() };
        let Some(kernel) = prover.kernels().iter().position(|k| k.name == self.info.kernel) else {
            return Vec::new();
        };
        let mut facts = self.work.facts();
        let mut memory = self.memory.clone();
        if !arguments {
            facts.parameters.clear();
            memory.clear();
        }
        let launch = Arc::new(ObservedLaunch { info: self.info.clone(), facts, memory });
        let mut free = prover.apart(kernel, &launch, self.terms.volatile_weak, stop);
        if self.terms.prune != Prune::Before && free.global.values().any(|access| !access.is_inside) {
            free.global.clear();
        }
        let shared = free.shared.iter().map(|&line| (line, Proof::Shared));
        let global = free.global.into_iter().map(|(line, access)| {
            let (is_free, is_inside) = (access.proved, access.is_inside);
            (line, Proof::Global { array: access.array, is_free, is_inside })
        });
        let site = |line: u32| self.module.sites.get(&(self.info.kernel.clone(), line)).copied();
        shared.chain(global).filter_map(|(line, proof)| Some((site(line)?, proof))).collect()
    }
}

/// Returns the bytes of memory that the process has in use; 0 if that is not known.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
