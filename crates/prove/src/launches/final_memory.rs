//! The memory contents that launches leave. Launches of the host code are executed on the virtual GPU, one
//! after the other, if each of them leaves the same contents under every thread order.
//!
//! A kernel that constructs a lock, or fills an index array, thus supplies the contents that the next kernel
//! finds.

use crate::answer::Prover;
use crate::determinism::barrier_order::BarrierOrder;
use crate::determinism::deciding::{deciding, reached};
use crate::determinism::initial_reads::InitialReads;
use crate::exec::summarise;
use crate::facts::Facts;
use crate::launches::known::{KnownLaunch, Written, is_written, to_known_launch};
use crate::replay::bench::{Bench, Outcome, RunLimits};
use events::{Listener, ObservedLaunch};
use host_ir::{Before, Concrete, Memory};
use kernels::effects;
use kernels::effects::{Place, TouchKind};
use ptx::op::Sem;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Limits the warp instructions of a launch that is executed for its results.
const FUEL: u64 = 1 << 20;
/// Limits the chain of such launches, and the bytes of memory that are recorded.
const MOST_DEEP: usize = 8;
const MOST_BYTES: u64 = 1 << 20;

/// Limits the launches that are executed for one kernel's answer.
const MOST_MADE: usize = 64;

/// The facts about kernels and launches of one answer.
struct Known<'w> {
    written: BTreeMap<&'w str, Written>,
    /// The contents that launches leave, by address of the launch and index of the memory.
    left: BTreeMap<(usize, usize), Option<Vec<u8>>>,
    volatile_weak: bool,
}

impl Prover<'_> {
    /// Returns the same launches with the contents that earlier launches left in memory; `None` if that is
    /// nothing new.
    pub(crate) fn after_previous_launches(
        &mut self,
        made: &[Concrete],
        volatile_weak: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Concrete>> {
        let (mut kernels, mut seen) = (BTreeSet::new(), BTreeSet::new());
        made.iter().for_each(|c| names(c, &mut seen, &mut kernels));
        let written = kernels.into_iter().map(|k| (k, self.written(k))).collect();
        let mut known = Known { written, left: BTreeMap::new(), volatile_weak };
        let mut any = false;
        let mut all = Vec::new();
        for launch in made {
            let (launch, more) = self.filled(launch, &mut known, 0, stop);
            any |= more;
            all.push(launch);
        }
        any.then_some(all)
    }

    /// Returns a launch with the contents that earlier launches left, and whether something new is known.
    fn filled(
        &mut self,
        launch: &Concrete,
        known: &mut Known<'_>,
        deep: usize,
        stop: &dyn Fn() -> bool,
    ) -> (Concrete, bool) {
        let (mut launch, mut any) = (launch.clone(), false);
        for memory in &mut launch.memory {
            if let Some(left) = self.left_in(memory, known, deep, stop) {
                memory.contents = Some(Rc::new(left));
                // Addresses in these contents are those of the executed launch.
                memory.pointers.clear();
                memory.launches.clear();
                memory.untouched = false;
                any = true;
            }
        }
        (launch, any)
    }

    /// Returns the contents that launches have left in memory that they write.
    fn left_in(
        &mut self,
        memory: &Memory,
        known: &mut Known<'_>,
        deep: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<u8>> {
        if !is_written(memory, &known.written) || deep > MOST_DEEP {
            return None;
        }
        let before = memory.last.0.as_ref()?;
        let there = before.launch.memory.get(before.memory)?;
        let launches = memory.launches.iter().filter(|(k, _)| **k == *before.kernel).cloned().collect();
        if !is_written(&Memory { launches, ..memory.clone() }, &known.written) {
            return match is_written(there, &known.written) {
                true => self.left_in(there, known, deep + 1, stop),
                false => there.contents.as_ref().map(|c| c.to_vec()),
            };
        }
        let key = (Rc::as_ptr(&before.launch) as usize, before.memory);
        if let Some(left) = known.left.get(&key) {
            return left.clone();
        }
        let left = self.left_by(before, known, deep, stop);
        known.left.insert(key, left.clone());
        left
    }

    /// Returns the contents that a launch leaves in one of its memories.
    fn left_by(
        &mut self,
        before: &Before,
        known: &mut Known<'_>,
        deep: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<u8>> {
        if known.left.len() > MOST_MADE || stop() {
            return None;
        }
        let there = before.launch.memory.get(before.memory)?;
        let bytes = there.bytes.filter(|&n| n <= MOST_BYTES)?;
        let (launch, _) = self.filled(&before.launch, known, deep + 1, stop);
        let kernel = self.linked.kernels.iter().position(|k| *k.name == *before.kernel)?;
        let described = self.linked.kernels[kernel].clone();
        let flat = &self.linked.functions[described.function].flat;
        let sizes: Vec<u64> = flat.function.params.iter().map(|p| p.size().unwrap_or(0)).collect();
        let known_launch = to_known_launch(&described, &sizes, &launch, &self.linked, &known.written)?;
        let place = known_launch.places.get(before.memory).copied()?;
        let variable = there.variable.as_deref();
        self.leaves(kernel, &known_launch, (place, bytes, variable), known.volatile_weak, stop)
    }

    /// Returns the contents that a launch leaves, if they are known and the same under every thread order.
    fn leaves(
        &mut self,
        kernel: usize,
        known_launch: &KnownLaunch,
        (base, bytes, variable): (u64, u64, Option<&str>),
        volatile_weak: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<u8>> {
        let launch = &known_launch.launch;
        let described = self.linked.kernels[kernel].clone();
        if !known_launch.unknown.is_empty() || launch.info.shared_bytes > 0 || !self.leaves_the_same(kernel) {
            return None;
        }
        let noreturn = |name: &str| self.noreturn.contains(name);
        let facts = Facts { volatile_weak, ..crate::facts::observed::facts(launch) };
        let summary = summarise(&self.linked, kernel, &facts, &noreturn, stop).ok();
        let deciding = deciding(&self.linked, &described, summary.as_ref(), &noreturn);
        if !deciding.undetermined.is_empty() {
            return None;
        }
        let bench = self.bench_of(launch).ok()?;
        bench.volatile_weak = volatile_weak;
        let loaded = bench.kernel(&described.name)?;
        let about = bench.describe(launch);
        let about = (&about.0, &about.1[..]);
        let known = bench.known(launch);
        let own = bench.variables.iter().find(|v| variable.is_some() && v.name.as_deref() == variable);
        let base = own.map_or(base, |v| v.base);
        let place = base..base + bytes;
        let before = known.iter().any(|k| k.start <= place.start && place.end <= k.end);
        let monitor =
            Arc::new(InitialReads::before(BarrierOrder::before(bench.detector(), volatile_weak), known));
        let limits = RunLimits { fuel: FUEL, ..RunLimits::default() };
        let mut left = vec![0; bytes as usize];
        let outcome =
            bench.rerun_for(loaded, launch, about, &monitor.erased(), limits, stop, (base, &mut left));
        let same = matches!(outcome, Outcome::Ended(findings) if findings.is_empty())
            && monitor.account().limits.is_empty()
            && !monitor.inner.groups_vary()
            && monitor.readers().is_empty()
            && (before || monitor.has_written(&place));
        // Another launch may have its memory at other addresses.
        let is_address = |word: &[u8; 8]| {
            let at = u64::from_le_bytes(*word);
            about.1.iter().any(|a| (a.base..=a.base + a.bytes).contains(&at))
        };
        (same && !left.as_chunks().0.iter().any(is_address)).then_some(left)
    }

    /// Returns whether all thread orders leave the same contents if none of the kernel's accesses race.
    /// Strong writes of two threads to one location do not race, and the last one persists.
    fn leaves_the_same(&self, kernel: usize) -> bool {
        let functions = reached(&self.linked, &self.linked.kernels[kernel]);
        let plain = |f: usize| {
            self.linked.functions[f].flat.instructions.iter().all(|inst| {
                let Ok(op) = &inst.op else { return false };
                effects(op, &inst.args).touches.iter().all(|t| {
                    t.sem == Sem::Weak
                        && matches!(t.kind, TouchKind::Read | TouchKind::Write)
                        && matches!(t.place, Place::Memory(_))
                })
            })
        };
        self.reads_only_memory(&functions) && functions.iter().all(|&f| plain(f))
    }

    /// Returns the virtual GPU, with variables at the launch's addresses.
    pub(crate) fn bench_of(&mut self, launch: &ObservedLaunch) -> Result<&mut Bench, String> {
        let place = |name: &str| {
            let mut all = launch.memory.iter().filter(|m| m.name.as_deref() == Some(name));
            all.next().filter(|_| all.next().is_none()).map(|m| m.base)
        };
        if self.bench.as_ref().is_none_or(|b| !b.is_at(&place)) {
            let bench = Bench::load_at(&self.sources, &place);
            self.bench = Some(bench.map_err(|e| format!("the virtual GPU cannot load it: {e}"))?);
        }
        self.bench.as_mut().ok_or_else(|| "it is not loaded".into())
    }
}

/// Collects the kernels that may have written to the launch's memory, or to that of earlier launches.
fn names<'c>(launch: &'c Concrete, seen: &mut BTreeSet<usize>, found: &mut BTreeSet<&'c str>) {
    for memory in &launch.memory {
        found.extend(memory.launches.iter().map(|(k, _)| k.as_str()));
        if let Some(before) = &memory.last.0
            && seen.insert(Rc::as_ptr(&before.launch) as usize)
        {
            names(&before.launch, seen, found);
        }
    }
}
