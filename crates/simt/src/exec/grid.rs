//! A worker's portion of a launch: the choice of the resident block that runs, the admission of further
//! blocks, and the outcome if no group can run.

use super::spin::{Ends, Spin};
use super::turns::{Turn, resume, rouse};
use super::{Failed, NANOSECOND, State, Worker};
use crate::alu::row::Lanes;
use crate::exec::block::Block;
use crate::exec::warp::{Group, Wait, Warp};
use crate::failure::{Failure, FailureKind, Waiting, WaitingFor};
use crate::launch::{Progress, Stall, Stats};
use crate::schedule::{Affine, Choice, Policy};
use events::{Observer, WarpId};
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The clusters (or blocks) that no worker has begun yet.
#[derive(Debug)]
pub(crate) struct Units {
    next: AtomicU64,
    total: u64,
    order: Affine,
    /// The `total` units that run, unless all do.
    chosen: Option<Vec<u64>>,
}

impl Units {
    pub(crate) fn new(total: u64, order: Affine, chosen: Option<Vec<u64>>) -> Units {
        Units { next: AtomicU64::new(0), total, order, chosen }
    }

    /// Takes a unit for a running cluster, which cancels it. The last quarter of the units begins by itself: an execution in which
    /// one cluster takes over all others has no races between clusters.
    pub(super) fn cancel(&self) -> Option<u64> {
        let own = if self.total > 2 { (self.total / 4).max(1) } else { 0 };
        (self.next.load(Ordering::Relaxed) < self.total - own).then(|| self.take())?
    }

    fn take(&self) -> Option<u64> {
        let unit = self.next.fetch_add(1, Ordering::Relaxed);
        let unit = (unit < self.total).then(|| self.order.map(unit))?;
        match &self.chosen {
            Some(chosen) => chosen.get(unit as usize).copied(),
            None => Some(unit),
        }
    }
}

impl<O> State<O> {
    pub(crate) fn new(observer: O, policy: Option<Box<dyn Policy>>, worker: u64) -> State<O> {
        let stops = policy.as_ref().map_or_else(Vec::new, |p| p.stops().to_vec());
        State {
            observer: super::outlet::Outlet::new(observer),
            policy,
            stops,
            blocks: Vec::new(),
            free: BinaryHeap::new(),
            resident: Vec::new(),
            tlb: super::found::Tlb::new(),
            strides: super::found::Strides::new(),
            coordinates: Vec::new(),
            stats: Stats::default(),
            watch: None,
            awaited: Default::default(),
            converged_first: false,
            gives_way: false,
            async_ops: worker << 48,
            constants: Vec::new(),
            signalled: Vec::new(),
            spare_warps: Vec::new(),
            spare_blocks: Vec::new(),
            clusters: Default::default(),
            check: 0,
            turns: 0,
            called: 0,
            sleeps: false,
            now: 0,
            printer: Default::default(),
            nested: Default::default(),
        }
    }
}

/// The number of cycles that first pass when only groups that wait for time remain.
const FIRST_WAIT: u64 = 1 << 10;
/// The number of times that this wait is doubled: 2^50 cycles are thirteen days.
const LONGEST_WAIT: u32 = 40;

/// The average number of turns of a looping resident block after which further blocks are admitted.
const RESTLESS: u64 = 32;

impl<O: Observer> Worker<'_, O> {
    /// Runs until the fuel is used up or every remaining group waits.
    pub(crate) fn run(&mut self, units: &Units, resident: u32, fuel: &mut u64) -> Progress {
        self.s.converged_first = self.s.policy.is_none();
        let portion = match self.s.policy.take() {
            None => self.portion(units, resident, fuel),
            Some(mut policy) => {
                let portion = self.interleave(&mut *policy, units, resident, fuel);
                self.s.policy = Some(policy);
                portion
            }
        };
        self.s.observer.rest();
        match portion {
            Ok(progress) => progress,
            Err(failure) => Progress::Failed(*failure),
        }
    }

    fn portion(&mut self, units: &Units, limit: u32, fuel: &mut u64) -> Result<Progress, Failed> {
        self.rouse_soft();
        loop {
            if self.s.resident.is_empty() && !self.admit_next(units) {
                return Ok(Progress::Finished);
            }
            self.call_more(units, limit);
            let mut ran = false;
            let mut i = 0;
            while i < self.s.resident.len() {
                let slot = self.s.resident[i];
                match self.run_block(slot, fuel)? {
                    Turn::Done => {
                        self.s.resident.remove(i);
                        self.retire(slot);
                        (self.s.turns, self.s.called) = (0, 0);
                        ran = true;
                        continue;
                    }
                    Turn::Fuel => {
                        self.check_end(slot)?;
                        // The next portion begins with the block that was running.
                        self.s.resident.rotate_left(i);
                        return Ok(Progress::Running);
                    }
                    Turn::Blocked => {}
                    Turn::Tired | Turn::Check => {
                        self.check_end(slot)?;
                        self.s.turns += 1;
                        ran = true;
                    }
                }
                i += 1;
            }
            if *fuel == 0 {
                return Ok(Progress::Running);
            }
            // Groups that wait for a bulk copy examine its mbarrier only after it changes.
            if !ran && self.finish_bulk() {
                continue;
            }
            if !ran
                && !self.admit_beside(units, limit)
                && let Some(stall) = self.stuck()?
            {
                return Ok(Progress::Stalled(stall));
            }
        }
    }

    /// Admits further blocks when resident blocks loop for long. Such blocks may wait for non-resident blocks
    /// in a way that is not recognised as polling: by a clock, by counting in memory, or by looking for work
    /// in a queue. Each call admits twice as many as the previous one, since all blocks may be required.
    fn call_more(&mut self, units: &Units, limit: u32) {
        if self.s.turns < RESTLESS * self.s.resident.len() as u64 {
            return;
        }
        self.s.turns = 0;
        for _ in 0..self.s.called.max(1) {
            if self.s.resident.len() as u32 >= limit || !self.admit_next(units) {
                break;
            }
            self.s.called += 1;
        }
    }

    /// Runs a portion in which a policy chooses the group at every turn; otherwise like `portion`.
    fn interleave(
        &mut self,
        policy: &mut dyn Policy,
        units: &Units,
        limit: u32,
        fuel: &mut u64,
    ) -> Result<Progress, Failed> {
        self.rouse_soft();
        let window = policy.window().min(limit);
        self.s.sleeps = policy.sleeps();
        let mut choices: Vec<Choice> = Vec::new();
        let mut places: Vec<(u32, usize, usize)> = Vec::new();
        loop {
            while (self.s.resident.len() as u32) < window && self.admit_next(units) {}
            if self.s.resident.is_empty() {
                return Ok(Progress::Finished);
            }
            if *fuel == 0 {
                return Ok(Progress::Running);
            }
            choices.clear();
            places.clear();
            let mut wakes: Option<u64> = None;
            for i in 0..self.s.resident.len() {
                let first = self.gather(self.s.resident[i], &mut choices, &mut places);
                wakes = wakes.into_iter().chain(first).min();
            }
            if choices.is_empty() {
                // All groups sleep: time advances to the first wake-up.
                if let Some(time) = wakes {
                    self.s.now = time;
                    continue;
                }
                if self.finish_bulk() {
                    continue;
                }
                if !self.admit_beside(units, limit)
                    && let Some(stall) = self.stuck()?
                {
                    return Ok(Progress::Stalled(stall));
                }
                continue;
            }
            if policy.rather_wakes(&choices) && self.rouse_soft() {
                continue;
            }
            let pick = policy.pick(&choices);
            let (slot, w, group) = places[pick.index.min(places.len() - 1)];
            let granted = u64::from(pick.quantum.max(1)).min(*fuel);
            let mut quantum = granted;
            let Some(mut warp) = self.block(slot).and_then(|b| b.warps[w].take()) else { continue };
            warp.groups[group].tired = false;
            let result = self.step(slot, &mut warp, group, &mut quantum);
            *fuel -= granted - quantum;
            policy.ran(granted - quantum);
            // All runnable groups progress in parallel, so time advances by their share.
            self.s.now += (granted - quantum) * NANOSECOND / choices.len() as u64;
            if let Some(block) = self.block(slot) {
                block.warps[w] = Some(warp);
            }
            result?;
            if self.s.check != 0 {
                self.check_barriers(slot);
            }
            self.check_end(slot)?;
            if self.block(slot).is_some_and(|b| b.alive == 0) {
                self.s.resident.retain(|&s| s != slot);
                self.retire(slot);
            }
        }
    }

    /// Collects the runnable groups of a block. Returns the earliest time at which one of its sleeping groups
    /// wakes.
    fn gather(
        &mut self,
        slot: u32,
        choices: &mut Vec<Choice>,
        places: &mut Vec<(u32, usize, usize)>,
    ) -> Option<u64> {
        let program = self.ctx.program();
        let warps = self.block(slot).map_or(0, |b| b.warps.len());
        for w in 0..warps {
            self.wake(slot, w);
        }
        let now = self.s.now;
        let block = self.block(slot)?;
        let id = block.id;
        let mut wakes: Option<u64> = None;
        for (w, warp) in block.warps.iter().enumerate() {
            let Some(warp) = warp else { continue };
            for (g, group) in warp.groups.iter().enumerate().filter(|(_, g)| g.runnable()) {
                if group.asleep > now {
                    wakes = Some(wakes.map_or(group.asleep, |w| w.min(group.asleep)));
                    continue;
                }
                let site = program.sites.get(group.pc as usize).copied().flatten();
                let waits = group.tired && group.futile > 0;
                choices.push(Choice { block: id, warp: WarpId(warp.index), lanes: group.mask, site, waits });
                places.push((slot, w, g));
            }
        }
        wakes
    }

    fn admit_next(&mut self, units: &Units) -> bool {
        match units.take() {
            Some(unit) => {
                self.admit(unit);
                true
            }
            None => false,
        }
    }

    /// Admits further blocks when all resident ones wait: an eighth at a time, so that the total cost of
    /// checking the waiting blocks is linear in the number of blocks.
    fn admit_beside(&mut self, units: &Units, limit: u32) -> bool {
        let waiting = self.s.resident.len() as u32;
        let more = (waiting / 8).max(1).min(limit.saturating_sub(waiting));
        (0..more).take_while(|_| self.admit_next(units)).count() > 0
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = (&Block, &Warp, &Group)> {
        let blocks = self.s.resident.iter().filter_map(|&slot| self.s.blocks[slot as usize].as_deref());
        blocks
            .flat_map(|b| b.warps.iter().flatten().map(move |w| (b, &**w)))
            .flat_map(|(b, w)| w.groups.iter().map(move |g| (b, w, g)))
    }

    /// Decides the outcome when no group can run. Returns `None` if passing time made some group runnable.
    fn stuck(&mut self) -> Result<Option<Stall>, Failed> {
        let spins = |s: &Self, what: &dyn Fn(&Spin) -> bool| {
            s.groups().any(|(.., g)| matches!(&g.wait, Wait::Spin(spin) if what(spin)))
        };
        let outside = spins(self, &|spin| spin.global());
        // Time does not pass while a group waits for memory that other tasks can change.
        if !outside && self.pass_time() {
            return Ok(None);
        }
        let may_end = spins(self, &|spin| spin.ends == Ends::Perhaps);
        if !outside
            && !may_end
            && let Some(failed) = self.without_object()
        {
            return Err(failed);
        }
        let waiting: Vec<Waiting> = self.groups().map(|(b, w, g)| self.waiting(b, w, g)).collect();
        if may_end || outside {
            return Ok(Some(Stall { waiting, may_end }));
        }
        let place = self.groups().next().map(|(b, w, g)| {
            let lane = Lanes(g.mask).next().unwrap_or(0);
            let [x, y, z] = w.tid.map(|t| t[lane]);
            (b.at, events::Dim3::new(x, y, z))
        });
        let failure = Failure::stuck(waiting);
        Err(Box::new(Failure { block: place.map(|p| p.0), thread: place.map(|p| p.1), ..failure }))
    }

    /// Passes time for loops that read clocks, when nothing else can happen: more each time, up to a bound
    /// beyond which time cannot be what they wait for. Returns whether there were any.
    pub(crate) fn pass_time(&mut self) -> bool {
        let mut any = false;
        for slot in self.s.resident.clone() {
            let Some(block) = self.block(slot).filter(|b| b.waited < LONGEST_WAIT) else { continue };
            let groups = block.warps.iter_mut().flatten().flat_map(|w| w.groups.iter_mut());
            let timed = groups.filter(|g| matches!(&g.wait, Wait::Spin(s) if s.timed));
            let woken = timed.map(resume).count() > 0;
            if woken {
                block.clock += FIRST_WAIT << block.waited;
                block.waited += 1;
                any = true;
            }
        }
        any
    }

    /// Returns an error if a block has exceeded the limit of instructions without a thread exiting or a
    /// barrier completing.
    fn check_end(&mut self, slot: u32) -> Result<(), Failed> {
        let limit = self.ctx.options.max_instructions;
        let Some(block) = self.s.blocks.get(slot as usize).and_then(|b| b.as_deref()) else { return Ok(()) };
        if block.idle <= limit {
            return Ok(());
        }
        let groups = block.warps.iter().flatten().flat_map(|w| w.groups.iter().map(move |g| (w, g)));
        let waiting: Vec<Waiting> = groups.map(|(w, g)| self.waiting(block, w, g)).collect();
        let site = waiting.first().and_then(|w| w.site);
        let kind = FailureKind::NoEnd { instructions: limit, waiting };
        Err(Box::new(Failure { kind, site, block: Some(block.at), thread: None }))
    }

    fn waiting(&self, block: &Block, warp: &Warp, group: &Group) -> Waiting {
        let what = match &group.wait {
            Wait::Barrier(id) => {
                let barrier = &block.barriers[*id as usize];
                let expected = if barrier.expected == 0 { block.alive } else { barrier.expected };
                WaitingFor::Barrier { id: *id, arrived: barrier.arrived, expected }
            }
            Wait::Lanes { member } | Wait::WarpSync { member } if group.mask & !member != 0 => {
                WaitingFor::ForeignLanes { member: *member }
            }
            Wait::Lanes { member } => {
                let there = super::collective::present(self.ctx.program(), warp, group.pc, *member);
                WaitingFor::Lanes { missing: member & warp.alive & !there }
            }
            Wait::WarpSync { member } => {
                let same = |g: &&Group| matches!(g.wait, Wait::WarpSync { member: m } if m == *member);
                let there = warp.groups.iter().filter(same).fold(0, |lanes, g| lanes | g.mask);
                WaitingFor::Lanes { missing: member & warp.alive & !there }
            }
            Wait::ClusterBarrier { .. } => WaitingFor::ClusterBarrier,
            Wait::Warpgroup { .. } => WaitingFor::Warpgroup,
            Wait::Tensor { .. } => WaitingFor::TensorMemory,
            Wait::Object { offset, .. } => {
                WaitingFor::Mbarrier { address: u64::from(*offset), replaced: None }
            }
            Wait::Spin(spin) => match self.mbarrier_of(block, spin) {
                Some((address, replaced)) => WaitingFor::Mbarrier { address, replaced },
                None => WaitingFor::Spin { address: spin.address() },
            },
            Wait::No => WaitingFor::Nothing,
        };
        Waiting {
            site: self.site_near(group.pc),
            block: block.id,
            warp: WarpId(warp.index),
            lanes: group.mask,
            what,
        }
    }

    /// Returns the mbarrier object that a loop polls: its address in shared memory, and the site that
    /// re-initialised it while in use.
    fn mbarrier_of(&self, block: &Block, spin: &Spin) -> Option<(u64, Option<events::SiteId>)> {
        let blocks = block.peers.iter().filter_map(|&slot| self.s.blocks[slot as usize].as_deref());
        blocks
            .flat_map(|b| {
                b.mbarriers.iter().map(move |(offset, object)| (b.shared_at(*offset), offset, object))
            })
            .filter(|(host, ..)| spin.polls(*host))
            .min_by_key(|(_, offset, _)| **offset)
            .map(|(_, offset, object)| (u64::from(*offset), object.replaced))
    }

    /// Returns the site of an instruction, or of the next one that has a site: loops may begin with
    /// arithmetic.
    fn site_near(&self, pc: u32) -> Option<events::SiteId> {
        let sites = self.ctx.program().sites.get(pc as usize..)?;
        sites.iter().take(64).find_map(|s| *s)
    }

    /// Wakes loops that may end on their own, which continue in every portion. Returns whether there were
    /// any.
    fn rouse_soft(&mut self) -> bool {
        let mut any = false;
        for slot in self.s.resident.clone() {
            let Some(block) = self.block(slot) else { continue };
            for group in block.warps.iter_mut().flatten().flat_map(|w| w.groups.iter_mut()) {
                match &group.wait {
                    Wait::Spin(s) if s.ends == Ends::Perhaps => rouse(group),
                    Wait::Spin(s) if s.ends == Ends::InTime => resume(group),
                    _ => continue,
                }
                any = true;
            }
        }
        any
    }
}
