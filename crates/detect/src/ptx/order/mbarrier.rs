//! mbarrier objects: phases, and what arrivals release to threads that wait for them.
//!
//! PTX §9.7.13.15: an arrival releases, a wait that returned true acquires; an object is a location and its
//! operations read-modify-writes of it, so a phase carries what earlier phases did. Completions of
//! asynchronous operations are known by phase: a thread that has waited for a phase knows the operations that
//! completed in it (see [`crate::ptx::order::async_ops`]).

use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::Who;
use crate::ptx::order::clock_keys::{OBSERVED, OBSERVED_WIDELY, PHASES};
use crate::ptx::order::knowledge::WarpState;
use crate::ptx::order::release::{Released, View};
use clocks::compressed::Seen;
use clocks::compressed::WarpIndex;
use clocks::fences::FenceSet;
use clocks::{Clock, Shared, Tick};
use events::{LaneMask, Scope, Sem, SiteId, Space};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Phases kept of an object; waits are for the last one or the one before.
const PHASES_KEPT: usize = 8;

/// Returns the tick of threads behind a phase. A damaged trace may name phases that no thread reaches.
pub(crate) fn behind(phase: u64) -> Tick {
    (phase as Tick).saturating_add(1)
}

/// The phase of an object in which an operation of a thread was performed, as an [`Entry`] keeps it in place of its chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPhase {
    /// The object's number, doubled; odd if a thread of another block did it.
    tag: u32,
    phase: Tick,
}

impl InPhase {
    pub(crate) fn new(object: u32, phase: u64, remote: bool) -> InPhase {
        InPhase { tag: object << 1 | u32::from(remote), phase: behind(phase) }
    }

    /// Returns the entry of an operation in the phase.
    pub(crate) fn of(self, entry: Entry) -> Entry {
        Entry { chain: self.tag, place: self.phase, ..entry }
    }

    /// Returns whether a thread whose clock this is knows a wait that observed the operation of an entry.
    pub(crate) fn is_observed(old: &Entry, clock: &Shared) -> bool {
        let key = if old.chain & 1 != 0 { OBSERVED_WIDELY } else { OBSERVED };
        old.chain != 0 && clock.thread(key, old.chain >> 1) >= old.place
    }
}

/// The objects of one launch that one observer's blocks use.
#[derive(Debug)]
pub(crate) struct Objects {
    objects: FxHashMap<(Space, u64), Object>,
    /// How many all observers of the launch have made.
    made: Arc<AtomicU32>,
}

/// Knowledge that arrivals have published by the end of a phase.
#[derive(Clone, Debug, Default)]
struct Published {
    released: Released,
    /// The `fence.sc` operations before them.
    fences: FenceSet,
}

#[derive(Debug, Default)]
struct Object {
    number: u32,
    /// Knowledge that was released by the end of each phase.
    phases: VecDeque<(u64, Published)>,
    made: Option<Init>,
}

/// The `mbarrier.init` of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Init {
    who: Who,
    site: SiteId,
    tick: Tick,
    /// Its thread has executed a release fence of cluster scope since then, such as `fence.mbarrier_init`, before it arrived at this
    /// generation of the cluster's barrier: whoever has waited for that knows the object, though the arrival may be relaxed.
    fenced: Option<u32>,
}

impl Init {
    /// Returns whether it is published to threads that have waited for so many generations of the cluster's barrier; `None` if `old` is
    /// another access.
    pub(crate) fn is_published(&self, old: &Entry, waited: u32) -> Option<bool> {
        let by = (old.block, old.warp, old.tick, old.site, old.lanes);
        let is = by == (self.who.block, self.who.warp, self.tick, self.site, 1 << self.who.lane);
        is.then(|| self.fenced.is_some_and(|turn| turn < waited))
    }
}

impl Objects {
    pub(crate) fn new(made: Arc<AtomicU32>) -> Self {
        Objects { objects: FxHashMap::default(), made }
    }

    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let room = self.objects.capacity() * (size_of::<((Space, u64), Object)>() + 1);
        let released = self.objects.values().flat_map(|object| &object.phases);
        room + released.map(|(_, end)| 64 + end.released.bytes(seen) + end.fences.bytes(seen)).sum::<usize>()
    }

    pub(crate) fn init(&mut self, at: (Space, u64)) {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        self.objects.insert(at, Object { number, phases: VecDeque::new(), made: None });
    }

    /// The object that was just made is `who`'s work.
    pub(crate) fn made(&mut self, at: (Space, u64), who: Who, (site, tick): (SiteId, Tick)) {
        if let Some(object) = self.objects.get_mut(&at) {
            object.made = Some(Init { who, site, tick, fenced: None });
        }
    }

    /// Lanes of a warp publish what they have made, at their next arrival, at generation `turn` of the cluster's barrier.
    pub(crate) fn fences(
        &mut self,
        WarpIndex { block, warp }: WarpIndex,
        lanes: LaneMask,
        turn: impl Fn(u8) -> u32,
    ) {
        for made in self.objects.values_mut().filter_map(|object| object.made.as_mut()) {
            let by = made.who;
            if (by.block, by.warp) == (block, warp) && lanes >> by.lane & 1 != 0 {
                made.fenced.get_or_insert_with(|| turn(by.lane));
            }
        }
    }

    /// Returns the initialisation of the object there.
    pub(crate) fn initialised(&self, at: (Space, u64)) -> Option<Init> {
        self.objects.get(&at).and_then(|object| object.made)
    }

    pub(crate) fn remove(&mut self, at: (Space, u64)) {
        self.objects.remove(&at);
    }

    /// Objects in the shared memory of an ended block.
    pub(crate) fn end_block(&mut self, block: u32) {
        self.objects.retain(|(space, _), _| !matches!(space, Space::Shared(b) if b.0 == block));
    }

    fn object(&mut self, at: (Space, u64)) -> &mut Object {
        if !self.objects.contains_key(&at) {
            self.init(at);
        }
        self.objects.entry(at).or_default()
    }

    pub(crate) fn number(&mut self, at: (Space, u64)) -> u32 {
        self.object(at).number
    }

    /// An arrival by `who`: its release patterns end here.
    pub(crate) fn arrive(
        &mut self,
        at: (Space, u64),
        phase: u64,
        (sem, scope): (Sem, Scope),
        (who, cluster): (Who, u32),
        warp: &WarpState,
    ) {
        let Published { released, fences } = self.object(at).phase(phase);
        if warp.fences_before(1 << who.lane) {
            fences.join(&warp.before(who.block, who.warp, 1 << who.lane));
        }
        for fence in warp.fences.iter().filter(|f| f.lanes >> who.lane & 1 != 0) {
            fence.clocks(1 << who.lane, who, |clock| released.add(who.block, cluster, fence.scope, clock));
        }
        if sem.releases() {
            released.add(who.block, cluster, scope, &warp.snapshot(who).into());
        }
    }

    /// The completion of operations that a thread of a block and cluster has issued arrives, and releases what precedes
    /// them to the cluster.
    pub(crate) fn carry(
        &mut self,
        at: (Space, u64),
        phase: u64,
        (block, cluster): (u32, u32),
        known: &Shared,
    ) {
        self.object(at).phase(phase).released.add(block, cluster, Scope::Cluster, known);
    }

    /// `lanes` saw the end of `phase`.
    pub(crate) fn wait(
        &mut self,
        at: (Space, u64),
        phase: u64,
        (sem, scope): (Sem, Scope),
        (block, cluster): (u32, u32),
        (warp, lanes): (&mut WarpState, LaneMask),
    ) {
        let object = self.object(at);
        let end = object.ended(phase);
        let view = |end: &Published| end.released.view(block, cluster).with(end.fences.clone());
        let mut view = end.map_or_else(View::default, view);
        let mut mark = Clock::default();
        mark.block_mut(PHASES).raise_thread(object.number, behind(phase));
        view.add(&Shared::from(mark));
        let mut observed = Clock::default();
        observed.block_mut(OBSERVED).raise_thread(object.number, behind(phase));
        if scope > Scope::Cta {
            observed.block_mut(OBSERVED_WIDELY).raise_thread(object.number, behind(phase));
        }
        warp.learn(lanes, &observed.into());
        if sem.acquires() {
            warp.learn(lanes, view.at(scope));
        }
        // A later acquire fence may bring what this wait's semantics or scope did not.
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            if !view.is_known_to(warp.clock(lane as u8)) {
                warp.pending.add(lane, &view);
            }
        }
    }
}

impl Object {
    fn phase(&mut self, phase: u64) -> &mut Published {
        let last = self.phases.back();
        if last.is_none_or(|(p, _)| *p < phase) {
            let so_far = last.map(|(_, end)| end.clone()).unwrap_or_default();
            self.phases.push_back((phase, so_far));
            if self.phases.len() > PHASES_KEPT {
                self.phases.pop_front();
            }
        }
        let i = self.phases.iter().position(|(p, _)| *p >= phase).unwrap_or(0);
        &mut self.phases[i].1
    }

    fn ended(&self, phase: u64) -> Option<&Published> {
        let at_most = self.phases.iter().rev().find(|(p, _)| *p <= phase);
        at_most.or(self.phases.front()).map(|(_, end)| end)
    }
}
