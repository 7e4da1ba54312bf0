//! What the two threads of a race did, and who had a part in their synchronisation.

use super::find::{Found, Thread, Walk, walk};
use events::access::Warp;
use events::{
    Access, AccessKind, BarrierId, BarrierMembers, BlockId, LaneMask, Scope, Sem, Site, SiteId, Space,
    Strength, Sync, TaskId, ThreadId,
};
use report::model::Described;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// A step of the story.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) who: Who,
    pub(super) site: Option<Site>,
    pub(super) what: What,
    /// How many times in a row.
    pub(super) times: u64,
    /// Is it one of the two accesses, (1) or (2)?
    pub(super) mark: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// One of the two threads.
    Party(usize),
    Other(Thread),
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Access {
        how: String,
        /// Index into [`Story::places`].
        place: usize,
        /// What it read and wrote, where the record has values.
        values: Option<(Option<u64>, Option<u64>)>,
        /// The step that wrote what it reads, if that is known.
        from: Option<usize>,
        releases: bool,
        acquires: bool,
    },
    Fence(String),
    Barrier {
        text: String,
        /// Of more than a block's threads.
        cluster: bool,
    },
}

/// A piece of memory that the story is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) name: String,
    pub(super) text: String,
}

#[derive(Clone, Debug)]
pub(super) struct Story {
    /// Are both threads of one block?
    pub(super) one_block: bool,
    pub(super) parties: [String; 2],
    pub(super) places: Vec<Place>,
    pub(super) steps: Vec<Step>,
    pub(super) why: String,
    pub(super) replay: String,
    /// The kernels, and which launch each is.
    pub(super) launches: Vec<String>,
}

type Key = (Space, u64);

/// Collects the memory by which the two threads may synchronise.
struct Shared<'f> {
    found: &'f Found,
    keys: BTreeMap<(bool, u32, u64), Key>,
}

fn order(key: Key) -> (bool, u32, u64) {
    match key.0 {
        Space::Global => (false, 0, key.1),
        Space::Shared(block) => (true, block.0, key.1),
    }
}

fn lane_of(found: &Found, party: usize, warp: Warp, mask: LaneMask) -> Option<u32> {
    let thread = found.threads[party];
    let mine = warp.task == thread.task
        && warp.block == thread.block
        && warp.warp == thread.thread.warp()
        && mask >> thread.thread.lane() & 1 != 0;
    mine.then(|| thread.thread.lane())
}

const fn is_strong(access: &Access<'_>) -> bool {
    !matches!(access.strength, Strength::Weak)
}

impl Walk for Shared<'_> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        if number > self.found.event || !is_strong(access) {
            return;
        }
        for party in 0..2 {
            if let Some(lane) = lane_of(self.found, party, access.warp, access.mask) {
                let key = (access.space, access.addresses[lane as usize]);
                self.keys.insert(order(key), key);
            }
        }
    }
}

/// Collects the threads of the two threads' blocks that have a part in their synchronisation.
struct Actors<'f> {
    found: &'f Found,
    keys: &'f BTreeMap<(bool, u32, u64), Key>,
    threads: HashSet<Thread>,
}

impl Walk for Actors<'_> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        let near = |t: &Thread| (t.task, t.block) == (access.warp.task, access.warp.block);
        if number > self.found.event || !is_strong(access) || !self.found.threads.iter().any(near) {
            return;
        }
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            if self.keys.contains_key(&order((access.space, access.addresses[lane as usize]))) {
                self.threads.insert(thread_of(access.warp, lane));
            }
        }
    }
}

const fn thread_of(warp: Warp, lane: u32) -> Thread {
    Thread { task: warp.task, block: warp.block, thread: ThreadId::of(warp.warp, lane) }
}

/// Collects the steps.
struct Teller<'f> {
    found: &'f Found,
    /// Others whose fences are told, too.
    actors: HashSet<Thread>,
    places: Vec<Place>,
    steps: Vec<(Step, Option<SiteId>)>,
    /// By place: the last step that wrote there.
    written: Vec<Option<usize>>,
    /// Is the last execution of (1) in `steps`?
    first: Option<usize>,
}

impl Teller<'_> {
    fn push(&mut self, who: Who, site: Option<SiteId>, what: What, mark: Option<usize>) -> usize {
        let step = Step { who, site: None, what, times: 1, mark };
        if let Some((last, last_site)) = self.steps.last_mut()
            && (last.who, *last_site, &last.what) == (who, site, &step.what)
            && last.mark == mark
        {
            last.times += 1;
        } else {
            self.steps.push((step, site));
        }
        self.steps.len() - 1
    }

    fn raced(&self, access: &Access<'_>, lane: u32) -> bool {
        let side = &self.found.finding.sides[1];
        let (start, end) = (side.address, side.address + u64::from(side.size));
        let from = access.addresses[lane as usize];
        let to = from + u64::from(access.size) * u64::from(access.elements.max(1));
        access.space == self.found.finding.space && from < end && start < to
    }

    fn place(&self, access: &Access<'_>, lane: u32) -> Option<usize> {
        if self.raced(access, lane) {
            return Some(0);
        }
        let key = (access.space, access.addresses[lane as usize]);
        self.places.iter().position(|p| (p.space, p.address) == key)
    }

    fn one(&mut self, number: u64, access: &Access<'_>, lane: u32, party: Option<usize>) {
        let Some(place) = self.place(access, lane) else { return };
        let stored = access.stored >> lane & 1 != 0;
        if party.is_none() && !(stored && access.kind.writes()) {
            return;
        }
        // What others do to the raced-on memory is no part of this race, unless it synchronises.
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
        let step = self.push(who, Some(access.site), what, mark);
        if mark == Some(0) {
            self.first = Some(step);
        }
        // Polls by an atomic that changes nothing are no news to anyone.
        let same = matches!(values, Some((Some(read), Some(written))) if read == written);
        if writes && !same {
            self.written[place] = Some(step);
        }
    }

    fn mark(&self, number: u64, access: &Access<'_>, party: Option<usize>, place: usize) -> Option<usize> {
        let party = party.filter(|_| place == 0)?;
        let sides = &self.found.finding.sides;
        if party == 1 || self.found.threads[0] == self.found.threads[1] {
            return (number == self.found.event).then_some(1);
        }
        // The last one before (2) counts; earlier marks are taken back.
        (sides[0].site == Some(access.site)).then_some(0)
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
        if number > self.found.event {
            return;
        }
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            let party = (0..2).find(|&party| lane_of(self.found, party, access.warp, 1 << lane).is_some());
            self.one(number, access, lane, party);
        }
    }

    fn sync(&mut self, number: u64, sync: &Sync<'_>) {
        if number > self.found.event {
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
            Sync::AsyncWaited { warp, site, lane, .. } => {
                self.party_sync(warp, site, 1 << lane, || near("waits for its asynchronous copies".into()))
            }
            _ => {}
        }
    }
}

/// Walks the record three times more.
pub(super) fn tell(trace: &Path, found: &Found, finding: &Described) -> Result<Story, String> {
    let (shared, _) = walk(trace, Shared { found, keys: BTreeMap::new() })?;
    let side = &found.finding.sides[1];
    let raced = (found.finding.space, side.address);
    let mut places =
        vec![Place { space: raced.0, address: raced.1, name: "X".into(), text: text_of(found, raced) }];
    let actors = Actors { found, keys: &shared.keys, threads: HashSet::new() };
    let actors = walk(trace, actors)?.0.threads;
    for key in shared.keys.into_values().filter(|&key| key != raced) {
        let name = format!("S{}", places.len());
        places.push(Place { space: key.0, address: key.1, name, text: text_of(found, key) });
    }
    let written = vec![None; places.len()];
    let teller = Teller { found, actors, places, steps: Vec::new(), written, first: None };
    let (mut teller, _) = walk(trace, teller)?;
    // Only the last execution of (1) is the one that raced.
    for (i, (step, _)) in teller.steps.iter_mut().enumerate() {
        if step.mark == Some(0) && teller.first != Some(i) {
            step.mark = None;
        }
    }
    let steps = teller
        .steps
        .into_iter()
        .map(|(step, site)| Step { site: site.and_then(|id| found.sites.get(id)).cloned(), ..step })
        .collect();
    let who = |thread: Thread| match found.launch(thread.task) {
        Some((grid, block, _)) => {
            let (b, t) = (grid.coordinates(thread.block.0.into()), block.coordinates(thread.thread.0.into()));
            format!("thread ({}, {}, {}) of block ({}, {}, {})", t.x, t.y, t.z, b.x, b.y, b.z)
        }
        None => format!("thread {} of block {}", thread.thread.0, thread.block.0),
    };
    let mut tasks: Vec<TaskId> = found.threads.iter().map(|t| t.task).collect();
    tasks.dedup();
    let launches = tasks
        .iter()
        .filter_map(|task| found.launch(*task).map(|(_, _, kernel)| protocol::names::full(kernel)))
        .collect();
    let [a, b] = found.threads;
    Ok(Story {
        one_block: (a.task, a.block) == (b.task, b.block),
        parties: found.threads.map(who),
        places: teller.places,
        steps,
        why: finding.why.clone(),
        replay: finding.replay.clone(),
        launches,
    })
}

fn text_of(found: &Found, (space, address): Key) -> String {
    match space {
        Space::Shared(BlockId(block)) => format!("byte {address} of block {block}'s shared memory"),
        Space::Global => {
            let holder =
                found.allocations.iter().rev().find(|a| (a.base..a.base + a.bytes).contains(&address));
            match holder {
                Some(a) => {
                    let what = match &a.name {
                        Some(name) => format!("`{}`", protocol::names::variable(name)),
                        None if a.call.api.is_empty() => "an allocation".into(),
                        None => format!("global memory from `{}`", a.call.api),
                    };
                    format!("byte {} of {} of {what}", address - a.base, a.bytes)
                }
                None => format!("global memory at {address:#x}"),
            }
        }
    }
}

/// Between threads of one block.
fn near(text: String) -> What {
    What::Barrier { text, cluster: false }
}

/// Between threads of one block or of several.
fn anywhere(text: &str) -> What {
    What::Barrier { text: text.into(), cluster: true }
}

const fn is_cluster(id: BarrierId) -> bool {
    matches!(id, BarrierId::Cluster(_))
}

fn barrier_name(id: BarrierId) -> String {
    match id {
        BarrierId::Cta(0) => "the block's barrier".into(),
        BarrierId::Cta(n) => format!("the block's barrier {n}"),
        BarrierId::Cluster(_) => "the cluster's barrier".into(),
    }
}

const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "block",
        Scope::Cluster => "cluster",
        Scope::Gpu => "device",
        Scope::Sys => "system",
    }
}

const fn sem_name(sem: Sem) -> &'static str {
    match sem {
        Sem::Relaxed => "relaxed",
        Sem::Acquire => "acquire",
        Sem::Release => "release",
        Sem::AcqRel => "acq_rel",
        Sem::Sc => "sc",
    }
}

/// `relaxed block-scope write`
fn how(access: &Access<'_>) -> String {
    let kind = match access.kind {
        AccessKind::Read => "read".to_owned(),
        AccessKind::Write => "write".to_owned(),
        AccessKind::Atomic { op, .. } => format!("atomic {op:?}").to_lowercase(),
        AccessKind::AsyncRead { .. } => "asynchronous read".to_owned(),
        AccessKind::AsyncWrite { .. } => "asynchronous write".to_owned(),
    };
    match access.strength {
        Strength::Weak => kind,
        Strength::Volatile => format!("volatile {kind}"),
        Strength::Strong { sem: Sem::Relaxed, scope } if matches!(access.kind, AccessKind::Atomic { .. }) => {
            format!("{kind}, {} scope", scope_name(scope))
        }
        Strength::Strong { sem, scope } => format!("{} {kind}, {} scope", sem_name(sem), scope_name(scope)),
    }
}
