//! Collects the steps of the two racing threads, and of the threads that take part in their synchronisation.

use super::located::Found;
use super::model::{Place, Step, Story, What, Who};
use super::synchronisation::{Actors, is_strong, lane_of, thread_of};
use super::walk::{Thread, Walk};
use super::words::{anywhere, barrier_name, how, is_cluster, near, scope_name, sem_name, text_of, who};
use events::access::Warp;
use events::{
    Access, BarrierMembers, HostEvent, LaneMask, RangeAccess, Sem, SiteId, Space, Strength, Sync, TaskId,
};
use std::collections::HashSet;

/// Collects the steps of one story.
pub(super) struct Teller<'f> {
    found: &'f Found,
    /// Other threads whose fences are included.
    pub(super) actors: HashSet<Thread>,
    pub(super) places: Vec<Place>,
    /// The latest steps; `forgotten` earlier ones were dropped.
    steps: Vec<(Step, Option<SiteId>)>,
    forgotten: usize,
    /// The approximate number of steps to store.
    most: usize,
    /// The last step that wrote to each place.
    written: Vec<Option<usize>>,
    /// Each side's last execution, with its step number.
    sides: [Option<(usize, Step, Option<SiteId>)>; 2],
    /// The sides that have been included, for a finding that no event completes.
    done: [bool; 2],
}

impl<'f> Teller<'f> {
    pub(super) fn new(actors: Actors<'f>, most: usize) -> Self {
        let Actors { found, keys, threads } = actors;
        let raced = (found.finding.space, found.finding.sides[1].address);
        let mut places =
            vec![Place { space: raced.0, address: raced.1, name: "X".into(), text: text_of(found, raced) }];
        for key in keys.into_values().filter(|&key| key != raced) {
            let name = format!("S{}", places.len());
            places.push(Place { space: key.0, address: key.1, name, text: text_of(found, key) });
        }
        let written = vec![None; places.len()];
        Teller {
            found,
            actors: threads,
            places,
            steps: Vec::new(),
            forgotten: 0,
            most,
            written,
            sides: [None, None],
            done: [false; 2],
        }
    }

    fn push(&mut self, who: Who, site: Option<SiteId>, what: What, mark: Option<usize>) -> usize {
        self.push_step(who, site, what, mark, false)
    }

    /// Adds a step. `apart` prevents its merging with equal steps just before it.
    fn push_step(
        &mut self,
        who: Who,
        site: Option<SiteId>,
        what: What,
        mark: Option<usize>,
        apart: bool,
    ) -> usize {
        let step = Step { who, site: None, what, times: 1, mark };
        if !apart
            && let Some((last, last_site)) = self.steps.last_mut()
            && (last.who, *last_site, &last.what) == (who, site, &step.what)
            && last.mark == mark
        {
            last.times += 1;
        } else {
            if self.steps.len() >= 2 * self.most {
                self.steps.drain(..self.most);
                self.forgotten += self.most;
            }
            self.steps.push((step, site));
        }
        self.forgotten + self.steps.len() - 1
    }

    fn place(&self, access: &Access<'_>, lane: u32) -> Option<usize> {
        let key = (access.space, access.addresses[lane as usize]);
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        if self.found.raced(key.0, key.1, bytes) {
            return Some(0);
        }
        self.places.iter().position(|p| (p.space, p.address) == key)
    }

    fn one(&mut self, number: u64, access: &Access<'_>, lane: u32, party: Option<usize>) {
        let Some(place) = self.place(access, lane) else { return };
        let stored = access.stored >> lane & 1 != 0;
        if party.is_none() && !(stored && access.kind.writes()) {
            return;
        }
        // Accesses of other threads to the racing memory are no part of this race, unless they synchronise.
        if party.is_none() && !is_strong(access) {
            return;
        }
        let mark = self.mark(number, access, party, place);
        let (reads, writes) = (access.kind.reads(), access.kind.writes() && stored);
        let values = access.values.map(|values| {
            let (read, written) = values[lane as usize];
            (reads.then_some(read), writes.then_some(written))
        });
        let sem = match access.strength {
            Strength::Strong { sem, .. } => sem,
            _ => Sem::Relaxed,
        };
        let what = What::Access {
            how: how(access),
            place,
            values,
            from: self.written[place].filter(|_| reads),
            releases: sem.releases() && writes,
            acquires: sem.acquires() && reads,
        };
        let who = match party {
            Some(party) => Who::Party(party),
            None => Who::Other(thread_of(access.warp, lane)),
        };
        let completes = mark.is_some() && number == self.found.event;
        let step = self.push_step(who, Some(access.site), what, mark, completes);
        self.note_side(step, mark);
        // An atomic that leaves the value unchanged counts as a poll, not as a write.
        let same = matches!(values, Some((Some(read), Some(written))) if read == written);
        if writes && !same {
            self.written[place] = Some(step);
        }
    }

    fn mark(
        &mut self,
        number: u64,
        access: &Access<'_>,
        party: Option<usize>,
        place: usize,
    ) -> Option<usize> {
        let party = party.filter(|_| place == 0)?;
        let sides = &self.found.finding.sides;
        if self.found.is_timeless() {
            let one = self.found.threads[0] == self.found.threads[1];
            let is = |&side: &usize| (one || side == party) && sides[side].site == Some(access.site);
            let side = (0..2).filter(is).find(|&side| !self.done[side])?;
            self.done[side] = true;
            return Some(side);
        }
        // Either of two blocks that cannot see each other may come first in the trace. The last executions
        // count, and earlier marks are removed.
        let side = match self.found.threads[0] == self.found.threads[1] {
            true => usize::from(number == self.found.event),
            false => party,
        };
        (sides[side].site == Some(access.site)).then_some(side)
    }

    fn note_side(&mut self, step: usize, mark: Option<usize>) {
        if let (Some(side), Some((told, site))) = (mark, self.steps.last()) {
            self.sides[side] = Some((step, told.clone(), *site));
        }
    }

    /// Returns whether later events are no part of the story.
    fn is_over(&self, number: u64) -> bool {
        if self.found.is_timeless() { self.done == [true; 2] } else { number > self.found.event }
    }

    /// Adds an access of a copy, a memset or the host to the racing memory.
    fn range(&mut self, range: &RangeAccess) {
        let of = Thread::of_task(range.task);
        let party = (0..2).find(|&party| self.found.threads[party] == of && !self.done[party]);
        let Some(party) = party.filter(|_| self.found.raced(Space::Global, range.address, range.bytes))
        else {
            return;
        };
        self.done[party] = true;
        let what = What::Access {
            how: format!("{} of {} bytes", if range.write { "write" } else { "read" }, range.bytes),
            place: 0,
            values: None,
            from: None,
            releases: false,
            acquires: false,
        };
        let call = || self.found.tables.ledger.task(range.task).and_then(|task| task.call.site);
        let site = range.site.or_else(call);
        let step = self.push(Who::Party(party), site, what, Some(party));
        self.note_side(step, Some(party));
    }

    fn party_sync(&mut self, warp: Warp, site: SiteId, lanes: LaneMask, what: impl Fn() -> What) {
        for party in 0..2 {
            if lane_of(self.found, party, warp, lanes).is_some() {
                self.push(Who::Party(party), Some(site), what(), None);
            }
        }
    }
}

impl Walk for Teller<'_> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        if self.is_over(number) {
            return;
        }
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            let party = (0..2).find(|&party| lane_of(self.found, party, access.warp, 1 << lane).is_some());
            self.one(number, access, lane, party);
        }
    }

    fn host(&mut self, event: &HostEvent<'_>) {
        match event {
            HostEvent::Range(range) => self.range(range),
            // For two kernels, the story includes when and by which stream each was started.
            HostEvent::TaskStart(task) if self.found.threads[0].task != self.found.threads[1].task => {
                let party = self.found.threads.iter().position(|thread| thread.task == task.id);
                let launch = self.found.tables.ledger.launch(task.id).is_some();
                if let Some(party) = party.filter(|_| launch) {
                    let text = format!("starts in stream {}", task.stream.0);
                    self.push(Who::Party(party), task.call.site, What::Start(text), None);
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, number: u64, sync: &Sync<'_>) {
        if self.is_over(number) {
            return;
        }
        match *sync {
            Sync::Fence { warp, site, lanes, sem, scope } => {
                let what = || What::Fence(format!("fence {}, {} scope", sem_name(sem), scope_name(scope)));
                self.party_sync(warp, site, lanes, what);
                for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                    let thread = thread_of(warp, lane);
                    if self.actors.contains(&thread) && !self.found.threads.contains(&thread) {
                        self.push(Who::Other(thread), Some(site), what(), None);
                    }
                }
            }
            Sync::ProxyFence { warp, site, lanes, .. } => {
                self.party_sync(warp, site, lanes, || What::Fence("proxy fence".into()));
            }
            Sync::MbarrierFence { warp, site, lanes } => {
                self.party_sync(warp, site, lanes, || What::Fence("fence of its mbarrier.init".into()));
            }
            Sync::BarrierArrive { warp, site, id, lanes, waits, .. } => {
                let verb = if waits { "waits at" } else { "arrives at" };
                self.party_sync(warp, site, lanes, || What::Barrier {
                    text: format!("{verb} {}", barrier_name(id)),
                    cluster: is_cluster(id),
                });
            }
            Sync::BarrierComplete { task, block, id, members } => {
                for party in 0..2 {
                    let thread = self.found.threads[party];
                    let member = match members {
                        BarrierMembers::WholeBlock => thread.block == block,
                        BarrierMembers::Some(list) => list.iter().any(|m| {
                            (m.block, m.warp) == (thread.block, thread.thread.warp())
                                && m.waited >> thread.thread.lane() & 1 != 0
                        }),
                    };
                    if task == thread.task && member {
                        let text = format!("passes {}", barrier_name(id));
                        let what = What::Barrier { text, cluster: is_cluster(id) };
                        self.push(Who::Party(party), None, what, None);
                    }
                }
            }
            Sync::ClusterWait { warp, site, lanes } => {
                let text = || "passes the cluster's barrier".into();
                self.party_sync(warp, site, lanes, || What::Barrier { text: text(), cluster: true });
            }
            Sync::WarpSync { warp, site, lanes } => self.party_sync(warp, site, lanes, || {
                near(format!("`__syncwarp` of {} lanes", lanes.count_ones()))
            }),
            Sync::MbarrierArrive { warp, site, lane, .. } => {
                self.party_sync(warp, site, 1 << lane, || anywhere("arrives at an mbarrier"));
            }
            Sync::MbarrierWait { warp, site, lanes, .. } => {
                self.party_sync(warp, site, lanes, || anywhere("passes an mbarrier's phase"));
            }
            Sync::AsyncWaited { warp, site, lanes, .. } => {
                self.party_sync(warp, site, lanes, || near("waits for its asynchronous copies".into()))
            }
            _ => {}
        }
    }
}

impl Teller<'_> {
    pub(super) fn story(self) -> Story {
        let Teller { found, places, steps, forgotten, sides, .. } = self;
        let tables = &found.tables;
        // Both sides are included even if the steps around them were dropped.
        let mut lost: Vec<_> = sides.iter().flatten().filter(|(at, ..)| *at < forgotten).cloned().collect();
        lost.sort_by_key(|(at, ..)| *at);
        let number = |at: usize| match at.checked_sub(forgotten) {
            Some(at) => Some(at + lost.len()),
            None => lost.iter().position(|(lost, ..)| *lost == at),
        };
        let marked = sides.each_ref().map(|side| side.as_ref().and_then(|(at, ..)| number(*at)));
        let all = lost.iter().map(|(_, step, site)| (step.clone(), *site)).chain(steps);
        let mut told: Vec<Step> = all
            .map(|(step, site)| Step { site: site.and_then(|id| tables.sites.get(id)).cloned(), ..step })
            .collect();
        for (i, step) in told.iter_mut().enumerate() {
            // Only the last execution of a side is the racing one.
            step.mark = step.mark.filter(|side| marked[*side] == Some(i));
            if let What::Access { from, .. } = &mut step.what {
                *from = from.and_then(number);
            }
        }
        let mut tasks: Vec<TaskId> = found.threads.iter().map(|t| t.task).collect();
        tasks.dedup();
        let launches = tasks
            .iter()
            .filter_map(|task| tables.ledger.launch(*task).map(|(_, _, kernel)| names::symbol::full(kernel)))
            .collect();
        let [a, b] = found.threads;
        Story {
            one_block: (a.task, a.block) == (b.task, b.block),
            parties: found.threads.map(|thread| who(tables, thread)),
            places,
            steps: told,
            launches,
        }
    }
}
