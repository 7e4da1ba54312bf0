//! One question to the prover, about one launch and those that are like it.

use super::Module;
use super::kept::{Cache, Kept};
use super::seen::Seen;
use events::{LaunchFacts, LaunchInfo, ObservedLaunch, ObservedMemory, Proof, SiteId};
use kernels::Source;
use prove::Prover;
use prove::facts::spread::Spread;
use prove::launches::{Covered, RaceFree};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time limits for one question, and for the part of it about several launches.
const ONE: Duration = Duration::from_millis(500);
const SEVERAL: Duration = Duration::from_millis(300);
/// The growth of the process, in bytes, that ends a question.
const MOST_GROWTH: u64 = 1 << 30;
/// Time between two looks at the growth.
const LOOK: Duration = Duration::from_millis(20);

/// One question to the prover.
pub(super) struct Question {
    pub(super) module: Arc<Module>,
    pub(super) info: LaunchInfo,
    pub(super) facts: LaunchFacts,
    pub(super) memory: Vec<ObservedMemory>,
    pub(super) seen: Seen,
    pub(super) volatile_weak: bool,
    /// Whether accesses of global memory may be left out although they may leave their arrays.
    pub(super) may_stray: bool,
    /// The proofs of earlier processes, if they count and new ones are kept.
    pub(super) cache: Option<Cache>,
}

/// Proofs about some launches.
#[derive(Debug)]
pub(super) struct Found {
    covered: Covered,
    instructions: Vec<(SiteId, Told)>,
}

/// A proof about one instruction.
#[derive(Clone, Copy, Debug)]
enum Told {
    Shared,
    /// The array's index in the launches.
    Global {
        array: usize,
        is_free: bool,
        is_inside: bool,
    },
}

impl Found {
    /// Returns the proofs in the terms of a launch; `None` if they do not cover it.
    pub(super) fn of(
        &self,
        info: &LaunchInfo,
        facts: &LaunchFacts,
        memory: &[ObservedMemory],
    ) -> Option<Arc<[(SiteId, Proof)]>> {
        let arrays = self.covered.arrays_of(info, facts, memory)?;
        let proof = |told: Told| match told {
            Told::Shared => Proof::Shared,
            Told::Global { array, is_free, is_inside } => {
                Proof::Global { array: arrays[array].clone(), is_free, is_inside }
            }
        };
        Some(self.instructions.iter().map(|&(site, told)| (site, proof(told))).collect())
    }
}

impl Question {
    /// Returns what is proved of the launch: by an earlier process, or now.
    pub(super) fn answer(self) -> Option<Found> {
        let terms = [self.volatile_weak, self.may_stray];
        let cache = self.cache.as_ref();
        let mut kept =
            cache.and_then(|cache| Kept::read(cache, &self.module.texts, &self.info.kernel, terms));
        if let Some(kept) = &kept
            && let Some(known) = kept.of(&self.info, &self.facts, &self.memory)
        {
            return self.found(self.usable(known.clone()));
        }
        let best = self.ask()?;
        // A proof that more time may improve is not kept.
        if let Some(kept) = kept.as_mut().filter(|_| best.worth() == MOST_WORTH) {
            kept.add(&best);
        }
        self.found(best)
    }

    /// Asks the prover: about ranges of what has differed between launches, then about the launch alone. Accesses of
    /// global memory need the launch's arguments; if no proof is found with them, an answer for all arguments still
    /// covers shared memory.
    fn ask(&self) -> Option<RaceFree> {
        let begin = Instant::now();
        let before = resident();
        let looked = Cell::new(begin);
        let over = |limit: Duration| {
            let now = Instant::now();
            if now - looked.get() > LOOK {
                looked.set(now);
                return now - begin > limit || resident().saturating_sub(before) > MOST_GROWTH;
            }
            now - begin > limit
        };
        let parsed: Vec<ptx::Parse> = self.module.texts.iter().map(|text| ptx::parse(text)).collect();
        let sources = Source::all(&parsed, &self.module.texts, "");
        let prover = Prover::new(&sources).ok()?;
        let kernel = prover.kernels().iter().position(|k| k.name == self.info.kernel)?;
        let parts: Vec<_> = prover.loaded(kernel).into_iter().collect();
        let launch = |facts: LaunchFacts, memory: Vec<ObservedMemory>| {
            Arc::new(ObservedLaunch { info: self.info.clone(), facts, memory })
        };
        let this = launch(self.facts.clone(), self.memory.clone());
        let ask = |launch: &Arc<ObservedLaunch>, spread: &Spread, limit: Duration| {
            let found = prover.apart(kernel, launch, spread, self.volatile_weak, &|| over(limit));
            self.usable(found)
        };
        let mut best: Option<RaceFree> = None;
        let spreads = self.seen.spreads(&self.info, &self.facts, &parts);
        let several = spreads.iter().map(|spread| (spread, SEVERAL));
        for (spread, limit) in several.chain([(&Spread::default(), ONE)]) {
            if over(limit) {
                continue;
            }
            let found = ask(&this, spread, limit);
            if found.worth() > best.as_ref().map_or(0, Worth::worth) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.worth() == MOST_WORTH) {
                break;
            }
        }
        if best.is_none() && self.info.shared_bytes > 0 {
            let mut facts = self.facts.clone();
            facts.parameters.clear();
            best = Some(ask(&launch(facts, Vec::new()), &Spread::default(), ONE));
        }
        best.filter(|best| best.covered.is_some())
    }

    /// Returns what is used of an answer.
    fn usable(&self, mut found: RaceFree) -> RaceFree {
        if !self.may_stray && found.global.values().any(|access| !access.is_inside) {
            found.global.clear();
        }
        found
    }

    fn found(&self, free: RaceFree) -> Option<Found> {
        let site = |line: u32| self.module.sites.get(&(self.info.kernel.clone(), line)).copied();
        let shared = free.shared.iter().map(|&line| (line, Told::Shared));
        let global = free.global.iter().map(|(&line, access)| {
            let (array, is_free, is_inside) = (access.array, access.proved, access.is_inside);
            (line, Told::Global { array, is_free, is_inside })
        });
        let instructions: Vec<(SiteId, Told)> =
            shared.chain(global).filter_map(|(line, told)| Some((site(line)?, told))).collect();
        let covered = free.covered.filter(|_| !instructions.is_empty())?;
        Some(Found { covered, instructions })
    }
}

/// The worth of an answer that leaves nothing to ask for.
const MOST_WORTH: u32 = 3;

/// Ranks answers by what they save: nothing, shared memory, global memory whose arrays are still to be watched, or all.
trait Worth {
    fn worth(&self) -> u32;
}

impl Worth for RaceFree {
    fn worth(&self) -> u32 {
        let is_inside = self.global.values().all(|access| access.is_inside);
        match (self.global.is_empty(), self.shared.is_empty()) {
            (false, _) if is_inside => MOST_WORTH,
            (false, _) => 2,
            (true, false) => 1,
            (true, true) => 0,
        }
    }
}

/// Returns the bytes of memory that the process has in use; 0 if that is not known.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
