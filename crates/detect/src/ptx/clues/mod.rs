//! Clues: flags, locks and fences that may be meant as synchronisation, for explanations only.
//!
//! Nothing here decides whether two accesses race. It remembers, within bounds, which
//! warps saw flags of which others, their last fences, and which locks threads held, so that a
//! race can be named and the report can say what was tried.
//!
//! **Size:** one memory of a launch, asked and told in many small ways; the tables for single accesses are in `accesses`.

mod accesses;
pub(super) mod barrier_sites;
mod pool;
mod shared;
mod stages;
mod writes;

pub(crate) use pool::Kept;
pub(crate) use shared::Heard;
pub(crate) use stages::Stages;

use crate::ptx::clues::barrier_sites::Places;
use clocks::compressed::WarpIndex;
use events::{Access, BarrierId, LaneMask, Location, Scope, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::VecDeque;
use writes::WrittenPlaces;

/// Entries kept in each table.
const BOUND: usize = 1 << 16;

/// Addresses that lanes of one access may have and be flags or locks beyond doubt.
const FLAGS: u32 = 4;
/// Lanes of an access with several addresses that are recorded. Of later lanes two are, at addresses with
/// records.
const LANES: u32 = 1 << 12;

/// The most by which an access may move the time on: each of its lanes writes and reads.
const TIMES: u64 = 2 * 32;

/// A fence, or a release or acquire operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordering {
    pub(crate) scope: Scope,
    pub(crate) site: SiteId,
    /// When, by the observer's count.
    pub(crate) when: u64,
    /// Its warp's tick.
    pub(crate) tick: u32,
    /// A fence, and no store, load or atomic.
    pub(crate) fence: bool,
}

/// One warp read what another had written, both strongly.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    pub(crate) read: SiteId,
    pub(crate) when: u64,
    /// The write and the releases that came before it in its warp, the last of each scope.
    pub(crate) write: SiteId,
    /// The scopes of the write and of the read.
    pub(crate) scopes: [Scope; 2],
    /// When it was written, by the observer's count, and by the tick of the warp that wrote.
    pub(crate) set: u64,
    pub(crate) tick: u32,
    /// Not the first write by that instruction of the warp.
    pub(crate) again: bool,
    pub(crate) releases: SmallVec<[Ordering; 1]>,
    /// An atomic operation that did not wait for anything, such as drawing a ticket.
    pub(crate) in_passing: bool,
}

/// The last strong write of a location. There may be very many, so that it is to be small.
#[derive(Clone, Debug)]
struct Written {
    warp: WarpIndex,
    site: SiteId,
    scope: Scope,
    when: u64,
    tick: u32,
    again: bool,
    releases: Box<[Ordering]>,
}

/// The location of a flag.
type Place = (events::Space, u64);

/// A step of a way: from which warp to which, by which flag.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) from: WarpIndex,
    pub(crate) to: WarpIndex,
    pub(crate) flag: Flag,
}

/// A warp that was reached, when, from which place of the list, by which step.
type Reached = (WarpIndex, u64, Option<usize>, Option<Step>);

/// A critical section, perhaps: a lane changed a location by an atomic operation, and later put back what had
/// been there.
#[derive(Clone, Debug)]
struct Section {
    lane: u8,
    lock: Location,
    /// The value that the location held before.
    before: u64,
    /// It was put back, so this was a lock.
    sure: bool,
    from: u32,
    /// `u32::MAX` while held.
    to: u32,
    /// The sites at which it was taken and given back, when it was taken, and the releases before it was given
    /// back.
    taken: SiteId,
    given: Option<SiteId>,
    when: u64,
    releases: SmallVec<[Ordering; 1]>,
}

/// A lock that a thread held at an access.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) lock: Location,
    /// Some thread has put back what the location had held before. Without that it may be a claim on something,
    /// or the end of a queue, which is not undone.
    pub(crate) sure: bool,
    pub(crate) taken: SiteId,
    pub(crate) given: Option<SiteId>,
    /// When it was taken, by the observer's count.
    pub(crate) when: u64,
    /// The releases of its warp before it was given back, the last of each scope.
    pub(crate) releases: SmallVec<[Ordering; 1]>,
}

/// A barrier that a warp came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) site: SiteId,
    /// When, by the observer's count.
    pub(crate) when: u64,
    /// The warp's tick before it.
    pub(crate) tick: u32,
    pub(crate) how: Arrived,
    /// Whether it is a cluster's, rather than a block's.
    pub(crate) cluster: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// Waits there, or has waited since.
    Waits,
    /// Goes on, to wait later.
    Only,
    /// Goes on, and releases nothing.
    Relaxed,
}

/// An arrive on an mbarrier, or a wait for one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub(crate) warp: WarpIndex,
    pub(crate) lanes: LaneMask,
    object: (events::Space, u64),
    pub(crate) site: SiteId,
    scope: Scope,
    tick: u32,
}

/// So many instructions that write flags are remembered of a warp.
pub(crate) const SETTERS: usize = 32;

/// So many critical sections are remembered of a warp.
const SECTIONS: usize = 64;

/// So many barriers are remembered of a warp.
const BARRIERS: usize = 4;

/// The number of arrives on one mbarrier, and of waits of one warp, that are kept.
const MET: usize = 32;

#[derive(Debug, Default)]
struct Of {
    releases: SmallVec<[Ordering; 1]>,
    acquires: SmallVec<[Ordering; 1]>,
    sections: VecDeque<Section>,
    last_read: Option<((events::Space, u64), SiteId)>,
    /// It has waited for asynchronous copies of its own.
    copied: bool,
    /// The last ones, the oldest first.
    barriers: SmallVec<[Arrival; BARRIERS]>,
    /// An mbarrier it arrived at without having waited since.
    arrived: Option<SiteId>,
    /// The last operation that carried its releases, and the tick of the latest of those.
    published: Option<(SiteId, u32)>,
    /// Instructions that have written flags.
    setters: SmallVec<[SiteId; 4]>,
    waits: Vec<Met>,
}

#[derive(Debug, Default)]
pub(crate) struct Clues {
    when: u64,
    /// Lanes that were looked at of accesses of many addresses.
    lanes: u32,
    /// In boxes, since they are large and there are more and more of them.
    warps: FxHashMap<WarpIndex, Box<Of>>,
    /// Spare records, from other launches.
    #[expect(clippy::vec_box, reason = "they come from a table of boxes, and go to one")]
    spare: Vec<Box<Of>>,
    flags: FxHashMap<(WarpIndex, WarpIndex), Flag>,
    /// Their keys by the block of the first warp, in the order in which they come, once ways are asked for.
    leaving: OnceCell<FxHashMap<u32, Vec<(WarpIndex, WarpIndex)>>>,
    written: WrittenPlaces,
    arrivals: FxHashMap<(events::Space, u64), Vec<Met>>,
    /// Instructions at which the warps of a block last waited for each other, if there were several. Keyed by block.
    apart: FxHashMap<u32, Places>,
    pub(crate) stages: Stages,
    /// Locations at which a thread has put back what it had found: locks.
    locks: FxHashSet<Location>,
    /// Returns whether any thread has taken a location as a lock.
    taken: bool,
}

/// Remembers the last one of each scope.
fn remember(list: &mut SmallVec<[Ordering; 1]>, new: Ordering) {
    match list.iter_mut().find(|o| o.scope == new.scope) {
        Some(old) => *old = new,
        None => list.push(new),
    }
}

impl Clues {
    /// Bytes on the heap, about.
    pub(crate) fn bytes(&self) -> usize {
        let sections: usize = self.warps.values().map(|of| of.sections.capacity()).sum();
        self.warps.capacity() * size_of::<(WarpIndex, Box<Of>)>()
            + (self.warps.len() + self.spare.len()) * (size_of::<Of>() + 16)
            + sections * size_of::<Section>()
            + self.flags.capacity() * size_of::<((WarpIndex, WarpIndex), Flag)>()
            + self.written.bytes()
            + self.leaving.get().map_or(0, |all| {
                all.values().map(|list| 64 + list.capacity() * size_of::<(WarpIndex, WarpIndex)>()).sum()
            })
            + self.stages.bytes()
            + self.arrivals.values().map(|met| 64 + met.capacity() * size_of::<Met>()).sum::<usize>()
    }

    /// Keeps a time for an access that may be told of later. None if it has to be told of now: it may give back a lock.
    #[inline]
    pub(crate) fn keep_time(&mut self) -> Option<u64> {
        let now = self.when;
        (!self.taken).then(|| {
            self.when += TIMES;
            now
        })
    }

    /// Is told of an access for which that time was kept.
    pub(crate) fn late(&mut self, when: u64, tell: impl FnOnce(&mut Clues)) {
        let now = std::mem::replace(&mut self.when, when);
        tell(self);
        self.when = now;
    }

    /// The warp has written a flag by that instruction before.
    pub(crate) fn has_set(&mut self, warp: WarpIndex, site: SiteId) {
        let setters = &mut self.of(warp).setters;
        if setters.len() < SETTERS && !setters.contains(&site) {
            setters.push(site);
        }
    }

    fn of(&mut self, warp: WarpIndex) -> &mut Of {
        if self.warps.len() > BOUND {
            self.warps.clear();
        }
        self.warps.entry(warp).or_insert_with(|| pool::fresh(self.spare.pop()))
    }

    /// The lanes of an access to be told of, and whether it is all of them that matter: until there were very many at
    /// addresses of their own.
    pub(crate) fn told(&mut self, access: &Access<'_>) -> (LaneMask, bool) {
        let mask = access.mask;
        if mask.count_ones() <= FLAGS {
            return (mask, true);
        }
        let (first, last) = (1 << mask.trailing_zeros(), 1 << mask.ilog2());
        if !access.kind.writes() && self.written.is_empty() {
            // Nothing that was written can be read: the last one counts.
            return (last, true);
        }
        let few = |lanes: &[u64; FLAGS as usize + 1]| lanes.windows(2).any(|two| two[0] == two[1]);
        if self.lanes > LANES
            && mask == LaneMask::MAX
            && access.addresses.first_chunk().is_some_and(|a| !few(a))
        {
            return (first | last, false);
        }
        let (mut jumps, mut at) = (0, None);
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            let address = access.addresses[lane];
            jumps += u32::from(at.replace(address) != Some(address));
            if jumps > FLAGS && self.lanes > LANES {
                return (first | last, false);
            }
        }
        if jumps <= FLAGS {
            return (mask, true);
        }
        self.lanes = self.lanes.saturating_add(jumps);
        if self.lanes <= LANES { (mask, true) } else { (first | last, false) }
    }

    /// The lanes that store to what they hold and may be a lock.
    pub(crate) fn given_back(&self, warp: WarpIndex, access: &Access<'_>) -> LaneMask {
        let Some(of) = self.warps.get(&warp) else { return 0 };
        let stores = |s: &&Section| {
            let (space, address) = (access.space, access.addresses[usize::from(s.lane) % 32]);
            s.to == u32::MAX && access.stored >> s.lane & 1 != 0 && s.lock == Location { space, address }
        };
        of.sections.iter().filter(stores).fold(0, |mask, s| mask | 1 << s.lane)
    }

    /// A fence or operation that releases, acquires or both.
    pub(crate) fn ordering(
        &mut self,
        warp: WarpIndex,
        (releases, acquires): (bool, bool),
        (scope, site, tick): (Scope, SiteId, u32),
        fence: bool,
    ) {
        self.when += 1;
        let new = Ordering { scope, site, when: self.when, tick, fence };
        let of = self.of(warp);
        if releases {
            remember(&mut of.releases, new);
        }
        if acquires {
            remember(&mut of.acquires, new);
        }
    }

    /// The warp waited for asynchronous copies of its own.
    pub(crate) fn copied(&mut self, warp: WarpIndex) {
        self.of(warp).copied = true;
    }

    pub(crate) fn awaited_copies(&self, warp: WarpIndex) -> bool {
        self.warps.get(&warp).is_some_and(|of| of.copied)
    }

    pub(crate) fn barrier(&mut self, warp: WarpIndex, site: SiteId, id: BarrierId, tick: u32, how: Arrived) {
        self.when += 1;
        let cluster = matches!(id, BarrierId::Cluster(_));
        let arrival = Arrival { site, when: self.when, tick, how, cluster };
        let barriers = &mut self.of(warp).barriers;
        if barriers.len() == BARRIERS {
            barriers.remove(0);
        }
        barriers.push(arrival);
    }

    /// The warp waited for the barrier that it had arrived at.
    pub(crate) fn waited(&mut self, warp: WarpIndex) {
        if let Some(arrival) = self.of(warp).barriers.last_mut()
            && arrival.how == Arrived::Only
        {
            arrival.how = Arrived::Waits;
        }
    }

    /// A lane of the warp arrived at an mbarrier, with this scope.
    pub(crate) fn arrived(
        &mut self,
        warp: WarpIndex,
        object: (events::Space, u64),
        site: SiteId,
        lanes: LaneMask,
        at: (Scope, u32),
    ) {
        self.of(warp).arrived = Some(site);
        if self.arrivals.len() > BOUND {
            self.arrivals.clear();
        }
        let list = self.arrivals.entry(object).or_default();
        // Each lane of one instruction is an event of its own.
        let before = list.iter().find(|m| m.warp == warp && m.site == site && m.tick + 1 >= at.1);
        let lanes = lanes | before.map_or(0, |m| m.lanes);
        put(list, Met { warp, lanes, object, site, scope: at.0, tick: at.1 }, |m| m.warp == warp);
    }

    /// The warp waited for a phase of an mbarrier, with this scope.
    pub(crate) fn awaited(
        &mut self,
        warp: WarpIndex,
        object: (events::Space, u64),
        site: SiteId,
        lanes: LaneMask,
        at: (Scope, u32),
    ) {
        let of = self.of(warp);
        of.arrived = None;
        let met = Met { warp, lanes, object, site, scope: at.0, tick: at.1 };
        put(&mut of.waits, met, |m| m.object == object);
    }

    /// Returns an arrival of the block of `from` at an mbarrier and the wait of the block of `to` for it: those of the two
    /// warps themselves, if there are any. An arrival of the first access's warp before that access is none, and neither is
    /// one of the warp that waits; of several, the next one behind the first access in the text comes first.
    pub(crate) fn by_mbarrier(
        &self,
        (from, tick, access): (WarpIndex, u32, SiteId),
        to: WarpIndex,
    ) -> Option<(Met, Met)> {
        let arrival = |object| {
            let all = self
                .arrivals
                .get(object)?
                .iter()
                .rev()
                .filter(|m| m.warp.block == from.block && m.warp != to);
            let late = |m: &&Met| m.warp != from || m.tick >= tick;
            all.filter(late).max_by_key(|m| (m.warp == from, m.site > access, Reverse(m.site))).copied()
        };
        let waits = |warp: &WarpIndex| self.warps.get(warp).map_or(&[][..], |of| &of.waits);
        let pair = |warp: &WarpIndex| {
            waits(warp).iter().rev().find_map(|wait| Some((arrival(&wait.object)?, *wait)))
        };
        let others = || {
            let mut others: Vec<&WarpIndex> =
                self.warps.keys().filter(|w| w.block == to.block && **w != to).collect();
            others.sort_unstable();
            others.into_iter().find_map(pair)
        };
        pair(&to).or_else(others)
    }

    /// Records where the warps of a block waited for each other; no places if all did at one instruction.
    pub(crate) fn meets_apart(&mut self, block: u32, places: Places) {
        if self.apart.len() > BOUND {
            self.apart.clear();
        }
        if places.is_empty() {
            self.apart.remove(&block);
        } else {
            self.apart.insert(block, places);
        }
    }

    /// Returns where the warps of a block last waited for each other, if those two did so at different instructions.
    pub(crate) fn met_apart(&self, block: u32, a: u16, b: u16) -> Option<&Places> {
        let places = self.apart.get(&block)?;
        let at = |warp| places.iter().find(|(_, warps)| warps.contains(&warp)).map(|(site, _)| *site);
        (at(a)? != at(b)?).then_some(places)
    }

    /// An mbarrier that the block of `from` arrived at, from `tick` on, and `to` waited for: the arrive or the wait,
    /// if its scope does not reach the other.
    pub(crate) fn narrow_wait(
        &self,
        from: WarpIndex,
        tick: u32,
        to: WarpIndex,
        needed: Scope,
    ) -> Option<(SiteId, Scope)> {
        let waits = &self.warps.get(&to)?.waits;
        waits.iter().rev().find_map(|wait| {
            let arrivals = self.arrivals.get(&wait.object)?;
            let arrive = arrivals
                .iter()
                .rev()
                .find(|m| m.warp.block == from.block && (m.warp != from || m.tick >= tick))?;
            [arrive, wait].into_iter().find(|m| m.scope < needed).map(|m| (m.site, m.scope))
        })
    }

    /// Returns the narrower side of the last handover to `to` at an mbarrier that a thread of another block arrived at, the arrival or
    /// the wait: its instruction, its scope, and the block that arrived.
    pub(crate) fn narrow_handover(&self, to: WarpIndex) -> Option<(SiteId, Scope, u32)> {
        let waits = &self.warps.get(&to)?.waits;
        waits.iter().rev().find_map(|wait| {
            let arrivals = self.arrivals.get(&wait.object)?;
            let arrive = arrivals.iter().rev().find(|m| m.warp.block != to.block)?;
            let narrow = if arrive.scope <= wait.scope { arrive } else { wait };
            Some((narrow.site, narrow.scope, arrive.warp.block))
        })
    }

    pub(crate) fn wrote(&mut self, at: Place, warp: WarpIndex, (site, scope): (SiteId, Scope), tick: u32) {
        self.when += 1;
        let when = self.when;
        let of = self.of(warp);
        let releases: Box<[Ordering]> = of.releases.as_slice().into();
        // If there are many, some no longer look like the first of theirs: then nothing is concluded from it.
        let again = of.setters.contains(&site) || of.setters.len() >= SETTERS;
        if !again {
            of.setters.push(site);
        }
        if let Some(last) = releases.iter().map(|r| r.tick).max() {
            of.published = Some((site, last));
        }
        if self.written.len() > BOUND {
            self.written.clear();
        }
        self.written.insert(at, Written { warp, site, scope, when, tick, again, releases });
    }

    pub(crate) fn read(&mut self, at: Place, warp: WarpIndex, (site, scope): (SiteId, Scope), atomic: bool) {
        let again = self.of(warp).last_read.replace((at, site)) == Some((at, site));
        let in_passing = atomic && !again;
        // A flag of a byte may have been stored with the word around it.
        let word = (at.0, at.1 & !3);
        let around = || (word != at).then(|| self.written.get(&word)).flatten();
        let written = self.written.get(&at).or_else(around);
        let Some(written) = written.filter(|w| w.warp != warp) else { return };
        self.when += 1;
        if self.flags.len() > BOUND {
            self.flags.clear();
            self.leaving.take();
        }
        let flag = Flag {
            read: site,
            when: self.when,
            write: written.site,
            scopes: [written.scope, scope],
            set: written.when,
            tick: written.tick,
            again: written.again,
            releases: written.releases.iter().copied().collect(),
            in_passing,
        };
        let (from, before) = (written.warp, (self.flags.len(), self.flags.capacity()));
        self.flags.insert((from, warp), flag);
        // A table that grows has another order.
        if (self.flags.len(), self.flags.capacity()) != before {
            self.leaving.take();
        }
    }

    /// A lane may have taken a lock, which held `before`: from `tick` on.
    pub(crate) fn locked(
        &mut self,
        (warp, lane): (WarpIndex, u8),
        (lock, taken): (Location, SiteId),
        before: u64,
        tick: u32,
    ) {
        self.taken = true;
        let when = self.when;
        let sections = &mut self.of(warp).sections;
        if sections.len() >= SECTIONS {
            sections.pop_front();
        }
        // It holds a lock once.
        let held = |s: &Section| s.lane == lane && s.to == u32::MAX && s.lock == lock;
        if let Some(at) = sections.iter().rposition(held) {
            sections.remove(at);
        }
        let (sure, to, given, releases) = (false, u32::MAX, None, SmallVec::new());
        sections.push_back(Section {
            lane,
            lock,
            before,
            sure,
            from: tick,
            to,
            taken,
            given,
            when,
            releases,
        });
    }

    /// A lane wrote a location that may be a lock it holds. Tells whether it is, and whether that is news.
    pub(crate) fn unlocked(
        &mut self,
        (warp, lane): (WarpIndex, u8),
        (lock, given): (Location, SiteId),
        value: Option<u64>,
        tick: u32,
    ) -> (bool, bool) {
        let Some(of) = self.warps.get_mut(&warp) else { return (false, false) };
        let open = |s: &&mut Section| s.lock == lock && s.to == u32::MAX && s.lane == lane;
        let Some(section) = of.sections.iter_mut().find(open) else { return (false, false) };
        (section.to, section.given) = (tick, Some(given));
        section.releases.clone_from(&of.releases);
        section.sure = value.is_none_or(|v| v == section.before);
        let sure = section.sure;
        if sure && self.locks.len() > BOUND {
            self.locks.clear();
        }
        (sure, sure && self.locks.insert(lock))
    }

    /// Locks that a lane of `warp` held at `tick`, and those it has ever given back.
    pub(crate) fn held(&self, warp: WarpIndex, lanes: LaneMask, tick: u32) -> (Vec<Held>, Vec<Location>) {
        let Some(of) = self.warps.get(&warp) else { return (Vec::new(), Vec::new()) };
        // While it is held, it is unknown whether it is a lock: the value of a free one need not be 0, as that of a
        // semaphore.
        let lock = |s: &&Section| s.sure || s.to == u32::MAX;
        let mine = of.sections.iter().filter(|s| lanes >> s.lane & 1 != 0).filter(lock);
        let mut held: Vec<Held> = mine
            .clone()
            .filter(|s| s.from <= tick && tick < s.to)
            .map(|s| Held {
                lock: s.lock,
                sure: s.sure || self.locks.contains(&s.lock),
                taken: s.taken,
                given: s.given,
                when: s.when,
                releases: s.releases.clone(),
            })
            .collect();
        held.sort_by_key(|h| h.lock);
        held.dedup_by_key(|h| h.lock);
        (held, mine.filter(|s| s.to != u32::MAX).map(|s| s.lock).collect())
    }

    /// The flags that warps of a block have set, and the warps that have seen them.
    fn leaving(&self, block: u32) -> &[(WarpIndex, WarpIndex)] {
        let all = self.leaving.get_or_init(|| {
            let mut all = FxHashMap::<u32, Vec<(WarpIndex, WarpIndex)>>::default();
            self.flags.keys().for_each(|&(a, b)| all.entry(a.block).or_default().push((a, b)));
            all
        });
        all.get(&block).map_or(&[], Vec::as_slice)
    }

    /// A way by flags from one warp to another (or, across blocks, between their blocks): its flags in order.
    pub(crate) fn way(&self, from: WarpIndex, to: WarpIndex) -> Option<Vec<Step>> {
        self.way_beside(from, to, &[])
    }

    /// The same, without flags that are set or read by one of some instructions.
    pub(crate) fn way_beside(&self, from: WarpIndex, to: WarpIndex, data: &[SiteId]) -> Option<Vec<Step>> {
        let same_block = from.block == to.block;
        let mut reached: Vec<Reached> = vec![(from, 0, None, None)];
        // Warps meet where their places are one.
        let place = |warp: WarpIndex| if same_block { warp } else { WarpIndex { warp: 0, ..warp } };
        let mut places = FxHashSet::from_iter([place(from)]);
        let mut next = 0;
        // Breadth first, bounded: each block (or warp) once.
        while next < reached.len() && next < 4096 {
            let (at, since, ..) = reached[next];
            for &(a, b) in self.leaving(at.block) {
                // Most lead to where the search has been.
                if place(a) != place(at) || places.contains(&place(b)) {
                    continue;
                }
                let Some(flag) = self.flags.get(&(a, b)).filter(|flag| flag.when >= since) else { continue };
                if data.contains(&flag.write) || data.contains(&flag.read) {
                    continue;
                }
                places.insert(place(b));
                reached.push((b, flag.when, Some(next), Some(Step { from: a, to: b, flag: flag.clone() })));
                if place(b) == place(to) {
                    let mut way = Vec::new();
                    let mut step = Some(reached.len() - 1);
                    while let Some(i) = step {
                        way.extend(reached[i].3.clone());
                        step = reached[i].2;
                    }
                    way.reverse();
                    return Some(way);
                }
            }
            next += 1;
        }
        None
    }

    /// The widest acquire of a warp after `when`; across blocks, of any warp of the block.
    pub(crate) fn acquired(&self, warp: WarpIndex, when: u64) -> Option<Ordering> {
        let of = self.warps.get(&warp)?;
        let later: Vec<Ordering> = of.acquires.iter().copied().filter(|o| o.when >= when).collect();
        widest(&later)
    }

    pub(crate) fn last_release(&self, warp: WarpIndex) -> Option<Ordering> {
        self.warps.get(&warp).and_then(|of| of.releases.iter().max_by_key(|o| o.when)).copied()
    }

    pub(crate) fn last_barrier(&self, warp: WarpIndex) -> Option<Arrival> {
        self.warps.get(&warp).and_then(|of| of.barriers.last()).copied()
    }

    /// Returns when `setter` came to the first barrier that `warp` came to after `tick`, if that was before the flag was
    /// set.
    pub(crate) fn met(&self, warp: WarpIndex, tick: u32, setter: WarpIndex, flag: &Flag) -> Option<u64> {
        let between = |from: u32| move |b: &&Arrival| b.tick >= from && b.when < flag.set;
        let first = self.warps.get(&warp)?.barriers.iter().find(between(tick))?;
        let setters = self.warps.get(&setter).and_then(|of| of.barriers.iter().find(between(first.tick)));
        Some(setters.map_or(first.when, |b| b.when.max(first.when)))
    }

    /// Returns whether the warp has waited for a phase of an mbarrier.
    pub(crate) fn awaited_any(&self, warp: WarpIndex) -> bool {
        self.warps.get(&warp).is_some_and(|of| !of.waits.is_empty())
    }

    /// An mbarrier that the warp arrived at and has not waited for.
    pub(crate) fn not_awaited(&self, warp: WarpIndex) -> Option<SiteId> {
        self.warps.get(&warp).and_then(|of| of.arrived)
    }

    /// The warp's last strong write, if it carries what the warp did up to `tick`.
    pub(crate) fn published(&self, warp: WarpIndex, tick: u32) -> Option<SiteId> {
        let (site, last) = self.warps.get(&warp)?.published?;
        (last >= tick).then_some(site)
    }
}

/// Replaces the entry that is the same, or the oldest of many.
fn put(list: &mut Vec<Met>, new: Met, same: impl Fn(&Met) -> bool) {
    list.retain(|m| !same(m));
    if list.len() >= MET {
        list.remove(0);
    }
    list.push(new);
}

pub(crate) fn widest(orderings: &[Ordering]) -> Option<Ordering> {
    orderings.iter().max_by_key(|o| (o.scope, o.when)).copied()
}
