//! The lens `ptx`: data races by the letter of the PTX memory consistency model.
//!
//! Source: PTX ISA 9.x, chapter 8. Two accesses race if they overlap in a byte, one writes, they are
//! not morally strong (§8.7) and causality order (§8.9.5) relates them in neither direction.
//!
//! `design.md` beside this crate's sources says how it is decided: what a thread knows ([`order`]), which accesses of a
//! location are kept ([`history`]), and the ways of an access in their order ([`ways`]). [`classify`](report::classify) and
//! [`clues`] name races and explain them; they decide nothing. Tasks (kernels, copies, the host) that nothing orders are compared
//! when they end ([`tasks`]).
//!
//! # Deviations, and what the ISA leaves open
//!
//! * A `fence.sc` is an acquire-release fence. Two of them are ordered where every execution with the same values orders
//!   them so ([`sc_fences`](order::sc_fences)); the order that a run merely happened to have is not taken as order (§8.9.3 lets it be the other
//!   one), so safety never depends on a schedule's luck.
//! * `bar.warp.sync` orders its lanes (the instruction's text; §8.9.4 omits it). Threads that have exited
//!   count as arrived at their block's later barriers, as on hardware.
//! * Lanes of one atomic instruction follow each other in lane order, as any threads' atomics do in the order
//!   of the run; `red` passes a chain on and acquires nothing.
//! * The values of strong stores by several lanes of one instruction to one location are taken to have all
//!   been seen by a thread that reads it.
//! * Cross-task synchronisation by system-scope operations is not followed: see [`tasks`].
//! * Lanes of one instruction that store equal bytes to one location are a hazard (assumption 10): CUDA defines that
//!   one of the writes happens.
//!
//! # Guarantee
//!
//! Every race reported is one of the execution that was observed, by the letter; the tests compare all
//! interleavings of random litmus programs with an axiomatic oracle. Of the executed accesses, each one
//! that races with an earlier one is reported with at least one such partner, except in three cases:
//! where dozens of weak writes of one location already race with each other, of which not all are kept;
//! where a weak write stands for what is ordered before it, that, against what comes after an operation that observed the
//! write: the observation orders the write alone (§8.9.5), and the race of the write and its observer is what is
//! reported; and when accesses of a crowd were merged or
//! memory ran out ([`Memory`](crate::shadow::Memory)), which [`Account::limits`](events::Account::limits) tells.

mod access;
mod clues;
mod deferral;
mod history;
mod launch;
mod observer;
mod order;
mod partial;
mod partition;
mod report;
mod shortcuts;
mod tasks;
mod ways;

pub use observer::PtxObserver;
pub use partial::Partial;
pub use shortcuts::Shortcuts;

use crate::lens::Shard;
use crate::shadow::Memory;
use events::observer::Footprint;
use events::{Account, AllocKind, Finding, HostEvent, Listener, Monitor, TaskId, TaskInfo, TaskKind};
use launch::{Launch, Stock};
use observer::Launches;
use report::sink::Sink;
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tasks::Tasks;

/// How to read what the ISA leaves open, and how much to spend.
#[derive(Clone, Debug)]
pub struct PtxOptions {
    /// Whether `volatile` is relaxed at system scope (PTX §8.4.2), rather than a plain access.
    pub volatile_strong: bool,
    /// Whether lanes of one instruction that store equal bytes to one location are a hazard, and no race.
    pub equal_values_hazard: bool,
    /// Whether barriers and masks that CUDA forbids are hazards.
    pub check_sync: bool,
    /// Whether reads of shared memory that no thread has written are hazards.
    pub check_init: bool,
    /// Most bytes to hold, an eighth more at times. Beyond them locations are given up, and their accesses no longer
    /// checked; if the order of threads alone takes more, a launch is not checked to its end. [`Account::limits`](events::Account::limits) says so.
    pub max_shadow_bytes: Option<u64>,
    /// The memory whose accesses are judged. The others are heard as far as they order threads.
    pub shard: Shard,
    /// Which ways an access may take before the exact cells. Tests and benches switch them.
    pub shortcuts: Shortcuts,
}

impl Default for PtxOptions {
    fn default() -> Self {
        PtxOptions {
            volatile_strong: true,
            equal_values_hazard: true,
            check_sync: true,
            check_init: false,
            max_shadow_bytes: None,
            shard: Shard::WHOLE,
            shortcuts: Shortcuts::ALL,
        }
    }
}

/// The detector.
#[derive(Debug)]
pub struct PtxMonitor {
    options: PtxOptions,
    launches: Launches,
    sink: Arc<Sink>,
    tasks: RwLock<Tasks>,
    memory: Arc<Memory>,
    stock: Stock,
    /// Blocks of memory of the device's heap that are allocated.
    heap: Mutex<FxHashSet<u64>>,
    /// Of the ended launches: the most bytes, and the footprint that went with them.
    largest: Mutex<(u64, Footprint)>,
}

impl Default for PtxMonitor {
    fn default() -> Self {
        PtxMonitor::new(PtxOptions::default())
    }
}

impl PtxMonitor {
    pub fn new(options: PtxOptions) -> Self {
        let memory = Arc::new(Memory::new(options.max_shadow_bytes));
        PtxMonitor {
            launches: Launches::default(),
            sink: Arc::new(Sink::new(options.shard)),
            tasks: RwLock::new(Tasks::new(memory.clone(), options.shard)),
            options,
            memory,
            stock: Stock::default(),
            heap: Mutex::default(),
            largest: Mutex::default(),
        }
    }

    /// For who divides [`HostEvent::TaskEnd`] among several workers: comes first, and once.
    pub fn before_end(&self, task: TaskId) {
        let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(launch) = launches.get(&task) {
            let mut largest = self.largest.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = launch.shadow_bytes() + launch.most_bytes_of_blocks();
            if bytes > largest.0 {
                *largest = (bytes, launch.footprint());
            }
        }
    }

    /// The `part`-th of `parts` parts of what can be done side by side before [`HostEvent::TaskEnd`].
    pub fn sum_up(&self, task: TaskId, part: usize, parts: usize) {
        let launch = self.launches.read().unwrap_or_else(PoisonError::into_inner).get(&task).cloned();
        if let Some(launch) = launch {
            launch.sum_up(&self.shared_tasks(), (part, parts), false);
        }
    }

    fn tasks(&self) -> RwLockWriteGuard<'_, Tasks> {
        self.tasks.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn shared_tasks(&self) -> RwLockReadGuard<'_, Tasks> {
        self.tasks.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PtxMonitor {
    fn start(&self, task: &TaskInfo) {
        self.tasks().start(task);
        if let TaskKind::Launch(info) = &task.kind {
            let launch = Arc::new(Launch::new(
                task.id,
                info.clone(),
                task.overlap.is_some(),
                self.sink.clone(),
                (self.memory.clone(), &self.stock, &self.options),
            ));
            self.launches.write().unwrap_or_else(PoisonError::into_inner).insert(task.id, launch);
        }
    }

    fn finish(&self, task: TaskId) {
        let launch = self.launches.write().unwrap_or_else(PoisonError::into_inner).remove(&task);
        let mut tasks = self.tasks();
        let mut scopes = (None, None);
        if let Some(launch) = launch {
            scopes = launch.scopes();
            if launch.unsure() {
                tasks.limit(&format!(
                    "{}: too many threads read the same memory to tell all their writers' races from order",
                    launch.info.kernel
                ));
            }
            if launch.has_strayed() {
                tasks.limit(&format!(
                    "{}: an instruction accessed another array than its pointer leads to, after accesses were \
                     skipped by a proof that this does not happen: run with --no-prune",
                    launch.info.kernel
                ));
            }
            if launch.early.gates() {
                tasks.gates(task);
            }
            if launch.early.has_waited() {
                tasks.waited(task);
            }
            // What the largest launch has is counted on the way.
            let bytes = launch.shadow_bytes() + launch.most_bytes_of_blocks();
            let larger = bytes > self.largest.lock().unwrap_or_else(PoisonError::into_inner).0;
            let pages = launch.sum_up(&tasks, (0, 1), larger);
            if larger {
                let mut largest = self.largest.lock().unwrap_or_else(PoisonError::into_inner);
                *largest = (bytes, launch.footprint_with(pages));
            }
            if launch.incomplete() {
                tasks.incomplete(task);
            }
        }
        tasks.end(task, scopes);
    }

    fn forget(&self, base: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        self.tasks().forget(base, bytes);
        for launch in self.launches.read().unwrap_or_else(PoisonError::into_inner).values() {
            launch.forget(base, bytes);
        }
    }

    /// Of the launches in flight, or of the largest one that has ended.
    fn footprint(&self) -> Footprint {
        let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
        let now = history::page::total(launches.values().map(|launch| launch.footprint()));
        let (_, largest) = *self.largest.lock().unwrap_or_else(PoisonError::into_inner);
        let most = if now.shadow_bytes > largest.shadow_bytes { now } else { largest };
        Footprint { shadow_bytes: most.shadow_bytes + self.shared_tasks().bytes(), ..most }
    }
}

impl Listener for PtxMonitor {
    fn host(&self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) => self.start(task),
            HostEvent::TaskEnd(task) => self.finish(*task),
            HostEvent::Apart(task, sites) => {
                let launches = self.launches.read().unwrap_or_else(PoisonError::into_inner);
                if let Some(launch) = launches.get(task) {
                    launch.add_proofs(sites);
                }
            }
            HostEvent::TaskAfter(task, after) => self.tasks().after(*task, after),
            HostEvent::Range(range) => self.shared_tasks().range(range),
            HostEvent::Alloc(allocation) => {
                if allocation.kind == AllocKind::DeviceHeap {
                    self.heap.lock().unwrap_or_else(PoisonError::into_inner).insert(allocation.base);
                }
                self.forget(allocation.base, allocation.bytes);
            }
            // A kernel's own `free` is a write, which is remembered until the memory is allocated again.
            HostEvent::Free { base, .. }
                if self.heap.lock().unwrap_or_else(PoisonError::into_inner).remove(base) => {}
            HostEvent::Free { base, bytes } => self.forget(*base, *bytes),
            HostEvent::Launched(..) | HostEvent::Site(..) | HostEvent::End => {}
        }
    }

    /// Findings inside a launch come as soon as they are made; findings between tasks once
    /// both tasks have ended.
    fn findings(&self) -> Vec<Finding> {
        self.tasks().publish(&self.sink);
        self.sink.take()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.sink.so_far()
    }

    fn account(&self) -> Account {
        let mut limits = self.shared_tasks().limits();
        limits.extend(self.memory.limits());
        Account { limits, footprint: self.footprint(), ..Account::default() }
    }
}

impl Monitor for PtxMonitor {
    type Observer = PtxObserver;

    fn observer(&self, _: usize) -> PtxObserver {
        PtxObserver::new(self.options.clone(), self.launches.clone())
    }

    fn parallel(&self) -> bool {
        true
    }
}
