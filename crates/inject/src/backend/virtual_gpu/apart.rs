//! Accesses of a launch that the prover shows to be free of races, so that the detector can skip them (`run
//! --prove`).
//!
//! The prover runs once for each shape and, if that is insufficient, once for each set of arguments. Its work
//! is bounded for a module, a kernel and a process, so that a program with many launches does not wait for
//! proofs.

use crate::backend::KernelWork;
use events::{LaunchInfo, ObservedLaunch, ObservedMemory, Proof, SiteId, SiteTable};
use kernels::Source;
use prove::Prover;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
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

/// What is proved of a launch's instructions.
type Proofs = Arc<[(SiteId, Proof)]>;

/// A module's text, and the sites of its instructions.
#[derive(Debug)]
pub(super) struct Texts {
    texts: Vec<String>,
    sites: HashMap<(String, u32), SiteId>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The answers by the launch's inputs.
    answers: HashMap<u64, Proofs>,
    /// The number of proofs by kernel.
    asked: HashMap<usize, u32>,
}

/// The time that proofs have taken.
static SPENT: Mutex<Duration> = Mutex::new(Duration::ZERO);

impl Texts {
    /// Creates the record of a module whose first site is `first`; `None` if the module is too large.
    pub(super) fn new(sources: &[Source<'_>], table: &SiteTable, first: SiteId) -> Option<Texts> {
        let texts: Vec<String> = sources.iter().map(|s| s.text.to_owned()).collect();
        if texts.iter().map(String::len).sum::<usize>() > MOST_TEXT {
            return None;
        }
        let of_module = table.iter().skip(first.0 as usize);
        let sites = of_module.map(|(id, site)| ((site.function.clone(), site.ptx_line), id)).collect();
        Some(Texts { texts, sites, known: Mutex::default() })
    }

    /// Returns what is proved of the launch's instructions. `memory` lists the allocations.
    pub(super) fn apart(
        &self,
        work: &KernelWork,
        info: &LaunchInfo,
        volatile_weak: bool,
        memory: &dyn Fn() -> Vec<ObservedMemory>,
    ) -> Proofs {
        let nothing: Proofs = Arc::new([]);
        if info.uses.asynchronous || info.grid.count() * info.block.count() < FEW {
            return nothing;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ask = |arguments: bool| {
            let mut hasher = DefaultHasher::new();
            (work.kernel, info.grid, info.block, info.cluster, work.dynamic_shared).hash(&mut hasher);
            arguments.then_some(&work.params).hash(&mut hasher);
            let key = hasher.finish();
            if let Some(sites) = known.answers.get(&key) {
                return Some(sites.clone());
            }
            let asked = known.asked.entry(work.kernel).or_default();
            *asked += 1;
            let mut spent = SPENT.lock().unwrap_or_else(PoisonError::into_inner);
            if *asked > MOST_QUESTIONS || *spent > ALL {
                return None;
            }
            let begin = Instant::now();
            let sites = self.asked(work, info, arguments, volatile_weak, memory, begin + ONE);
            *spent += begin.elapsed();
            known.answers.insert(key, sites.clone());
            Some(sites)
        };
        // Accesses of global memory need the arguments. If no proof is found with them, or the kernel had too
        // many already, an answer for all arguments still covers shared memory.
        let general = |ask: &mut dyn FnMut(bool) -> Option<Proofs>| {
            (info.shared_bytes > 0).then(|| ask(false)).flatten()
        };
        ask(true).filter(|proofs| !proofs.is_empty()).or_else(|| general(&mut ask)).unwrap_or(nothing)
    }

    fn asked(
        &self,
        work: &KernelWork,
        info: &LaunchInfo,
        arguments: bool,
        volatile_weak: bool,
        memory: &dyn Fn() -> Vec<ObservedMemory>,
        end: Instant,
    ) -> Proofs {
        let parsed: Vec<ptx::Parse> = self.texts.iter().map(|text| ptx::parse(text)).collect();
        let sources: Vec<Source<'_>> = parsed
            .iter()
            .zip(&self.texts)
            .map(|(parse, text)| Source { tree: &parse.module, text, name: "" })
            .collect();
        let Ok(prover) = Prover::new(&sources) else { return Arc::new([]) };
        let Some(kernel) = prover.kernels().iter().position(|k| k.name == info.kernel) else {
            return Arc::new([]);
        };
        let mut facts = work.facts();
        let memory = match arguments {
            true => memory(),
            false => {
                facts.parameters.clear();
                Vec::new()
            }
        };
        let launch = Arc::new(ObservedLaunch { info: info.clone(), facts, memory });
        let free = prover.apart(kernel, &launch, volatile_weak, &|| Instant::now() > end);
        let shared = free.shared.iter().map(|&line| (line, Proof::Shared));
        let global = free
            .global
            .into_iter()
            .map(|(line, access)| (line, Proof::Global { array: access.array, is_free: access.proved }));
        let site = |line: u32| self.sites.get(&(info.kernel.clone(), line)).copied();
        shared.chain(global).filter_map(|(line, proof)| Some((site(line)?, proof))).collect()
    }
}
