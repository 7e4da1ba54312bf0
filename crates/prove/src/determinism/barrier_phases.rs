//! Barriers that not all threads of a block pass together: checks that no other thread order could combine
//! other arrivals.
//!
//! Named barriers and mbarriers count arrivals, and waits distinguish phases by parity only. The phase of
//! each arrival follows from the program alone if
//!
//! * each arrival in a phase is ordered after all arrivals of the previous phase, so that it cannot be
//!   counted there;
//! * each wait for a phase is ordered after all arrivals of the previous phase (no earlier phase with that
//!   parity is mistaken for it), and before one arrival of the next phase (no later one is).
//!
//! The order is the one of barriers only: by induction over the phases, it is the same in any other thread
//! order that decides nothing (see [`crate::determinism::deciding`]). Vector clocks count each thread's arrivals and
//! waits.

use events::access::Warp;
use events::sync::{BarrierMembers, NO_PHASE};
use events::{Access, AccessKind, AsyncOpId, BarrierId, BlockId, LaneMask, Sem, Space, Sync};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A vector clock over the threads of a block: the number of known arrivals and waits of each.
type Clock = Arc<Vec<u32>>;

/// An arrival or wait: the thread, and its number among the thread's own.
type Event = (u32, u32);

/// Number of work steps after which phases count as varying.
const MOST_WORK: u64 = 1 << 32;

/// The state of a launch's blocks during the run.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    blocks: FxHashMap<BlockId, Block>,
    work: u64,
    vary: bool,
}

#[derive(Debug, Default)]
struct Block {
    clocks: FxHashMap<u32, Clock>,
    named: FxHashMap<u8, Named>,
    objects: FxHashMap<u64, Object>,
    /// Asynchronous operations, with their thread's clock at their beginning.
    copies: FxHashMap<AsyncOpId, Clock>,
}

/// A named barrier.
#[derive(Debug, Default)]
struct Named {
    last: Vec<Event>,
    now: Vec<Event>,
    known: Clock,
}

/// An mbarrier.
#[derive(Debug)]
struct Object {
    init: Event,
    /// Arrivals by phase, with their joined clocks.
    arrived: FxHashMap<i64, (Vec<Event>, Clock)>,
    /// Copies that will arrive in a phase, or bytes expected in it, of threads that have not arrived in it
    /// themselves since: the phase may end before them.
    floating: Vec<(i64, u32)>,
    /// Waits for which no arrival of the next phase is known to come later.
    open: Vec<(i64, Event)>,
}

fn knows(clock: &Clock, (thread, number): Event) -> bool {
    clock.get(thread as usize).is_some_and(|&n| n >= number)
}

fn join(clock: &mut Clock, other: &Clock) {
    if Arc::ptr_eq(clock, other) || other.is_empty() {
        return;
    }
    let own = Arc::make_mut(clock);
    if own.len() < other.len() {
        own.resize(other.len(), 0);
    }
    own.iter_mut().zip(other.iter()).for_each(|(a, b)| *a = (*a).max(*b));
}

fn threads(warp: Warp, lanes: LaneMask) -> impl Iterator<Item = u32> {
    (0..32).filter(move |l| lanes >> l & 1 != 0).map(move |l| u32::from(warp.warp.0) * 32 + l)
}

impl Block {
    fn clock(&mut self, thread: u32) -> &mut Clock {
        self.clocks.entry(thread).or_default()
    }

    /// Counts another event of a thread.
    fn tick(&mut self, thread: u32) -> Event {
        let own = Arc::make_mut(self.clock(thread));
        if own.len() <= thread as usize {
            own.resize(thread as usize + 1, 0);
        }
        own[thread as usize] += 1;
        (thread, own[thread as usize])
    }

    /// Joins the clocks of all these threads.
    fn meet(&mut self, all: &[u32], mut known: Clock) {
        for &thread in all {
            let clock = Arc::clone(self.clock(thread));
            join(&mut known, &clock);
        }
        for &thread in all {
            self.clocks.insert(thread, Arc::clone(&known));
        }
    }

    /// Records an arrival; returns false if it could be counted in another phase.
    fn arrive(&mut self, at: u64, phase: i64, thread: u32) -> bool {
        let clock = Arc::clone(self.clock(thread));
        let Some(object) = self.objects.get_mut(&at) else { return false };
        let right = object.after_the_last(phase, &clock);
        object.open.retain(|(waited, event)| waited + 1 != phase || !knows(&clock, *event));
        object.floating.retain(|floating| *floating != (phase, thread));
        let right = right
            && object.open.iter().all(|(waited, _)| waited + 2 > phase)
            && object.floating.iter().all(|(floating, _)| *floating >= phase);
        let event = self.tick(thread);
        let clock = Arc::clone(self.clock(thread));
        let Some(object) = self.objects.get_mut(&at) else { return false };
        let (all, known) = object.arrived.entry(phase).or_default();
        all.push(event);
        join(known, &clock);
        object.arrived.retain(|&p, _| p + 3 > phase);
        right
    }

    /// Records a completed wait; returns false if it could be for another phase.
    fn wait(&mut self, at: u64, phase: i64, acquires: bool, thread: u32) -> bool {
        let clock = Arc::clone(self.clock(thread));
        let Some(object) = self.objects.get(&at) else { return false };
        let right = object.after_the_last(phase, &clock)
            && object.open.iter().all(|(waited, _)| waited + 1 > phase)
            && object.floating.iter().all(|(floating, _)| *floating > phase)
            && (phase < 0 || object.arrived.contains_key(&phase));
        let known = object.arrived.get(&phase).map(|(_, known)| Arc::clone(known));
        let event = self.tick(thread);
        if let Some(known) = known.filter(|_| acquires) {
            join(self.clock(thread), &known);
        }
        if let Some(object) = self.objects.get_mut(&at) {
            object.open.push((phase, event));
        }
        right
    }
}

impl Object {
    /// Returns whether a clock covers all arrivals of the previous phase, or the initialisation.
    fn after_the_last(&self, phase: i64, clock: &Clock) -> bool {
        match self.arrived.get(&(phase - 1)) {
            _ if phase <= 0 => knows(clock, self.init),
            Some((all, _)) => all.iter().all(|&event| knows(clock, event)),
            None => false,
        }
    }
}

impl Phases {
    /// Returns whether threads could have met in other combinations.
    pub(crate) fn vary(&self) -> bool {
        self.vary || self.blocks.values().any(Block::is_open)
    }

    /// Returns whether the barriers of a block are tracked.
    pub(crate) fn follows(&self, block: BlockId) -> bool {
        self.blocks.contains_key(&block)
    }

    pub(crate) fn access(&mut self, access: &Access<'_>) {
        let AccessKind::AsyncWrite { op } = access.kind else { return };
        let Some(block) = self.blocks.get_mut(&access.warp.block) else { return };
        for thread in threads(access.warp, access.mask) {
            let clock = Arc::clone(block.clock(thread));
            block.copies.insert(op.of_lane(access.mask, thread % 32), clock);
        }
    }

    pub(crate) fn sync(&mut self, sync: &Sync<'_>) {
        if self.work > MOST_WORK {
            self.vary = true;
        }
        if self.vary {
            return;
        }
        let (_, place) = sync.place();
        match *sync {
            Sync::MbarrierInit { .. } => {}
            Sync::BarrierArrive { id: BarrierId::Cta(id), waits, .. } if id != 0 || !waits => {}
            Sync::BlockEnd { .. } => {
                self.vary |= self.blocks.remove(&place).is_some_and(|b| b.is_open());
                return;
            }
            _ if !self.blocks.contains_key(&place) => return,
            _ => {}
        }
        let block = self.blocks.entry(place).or_default();
        self.work += block.clocks.len() as u64 + 1;
        let mut right = true;
        match *sync {
            Sync::BarrierArrive { warp, id: BarrierId::Cta(id), lanes, .. } => {
                for thread in threads(warp, lanes) {
                    let clock = Arc::clone(block.clock(thread));
                    let named = block.named.entry(id).or_default();
                    right &= named.last.iter().all(|&event| knows(&clock, event));
                    self.work += (named.last.len() + clock.len()) as u64;
                    let event = block.tick(thread);
                    let clock = Arc::clone(block.clock(thread));
                    let named = block.named.entry(id).or_default();
                    named.now.push(event);
                    join(&mut named.known, &clock);
                }
            }
            Sync::BarrierComplete { id: BarrierId::Cta(id), members, .. } => {
                let named = block.named.entry(id).or_default();
                named.last = std::mem::take(&mut named.now);
                let known = std::mem::take(&mut named.known);
                // Some threads arrived before tracking began.
                right = match members {
                    BarrierMembers::WholeBlock => true,
                    BarrierMembers::Some(members) => {
                        members.iter().map(|m| m.arrived.count_ones() as usize).sum::<usize>()
                            == named.last.len()
                    }
                };
                let all: Vec<u32> = match members {
                    BarrierMembers::WholeBlock => named.last.iter().map(|e| e.0).collect(),
                    BarrierMembers::Some(members) => {
                        let of = |m: &events::sync::Member| {
                            let base = u32::from(m.warp.0) * 32;
                            let waited = m.waited;
                            (0..32).filter(move |l| waited >> l & 1 != 0).map(move |l| base + l)
                        };
                        members.iter().flat_map(of).collect()
                    }
                };
                block.meet(&all, known);
            }
            Sync::WarpSync { warp, lanes, .. } => {
                let all: Vec<u32> = threads(warp, lanes).collect();
                block.meet(&all, Clock::default());
            }
            Sync::MbarrierInit { warp, lane, space, address, .. } => {
                right = space == Space::Shared(warp.block) && !block.objects.contains_key(&address);
                let init = block.tick(u32::from(warp.warp.0) * 32 + u32::from(lane));
                let new =
                    Object { init, arrived: FxHashMap::default(), floating: Vec::new(), open: Vec::new() };
                block.objects.insert(address, new);
            }
            Sync::MbarrierInval { .. } => right = false,
            Sync::AsyncArrive { warp, lane, space, address, phase, .. } => {
                let (thread, phase) = (u32::from(warp.warp.0) * 32 + u32::from(lane), phase as i64);
                let clock = Arc::clone(block.clock(thread));
                right = space == Space::Shared(warp.block)
                    && block.objects.get_mut(&address).is_some_and(|object| {
                        object.floating.push((phase, thread));
                        object.after_the_last(phase, &clock)
                    });
            }
            Sync::MbarrierArrive { warp, lane, space, address, phase, .. } => {
                let thread = u32::from(warp.warp.0) * 32 + u32::from(lane);
                right = space == Space::Shared(warp.block) && block.arrive(address, phase as i64, thread);
            }
            Sync::MbarrierWait { warp, lanes, space, address, phase, sem, .. } => {
                let phase = if phase == NO_PHASE { -1 } else { phase as i64 };
                right = space == Space::Shared(warp.block);
                for thread in threads(warp, lanes) {
                    right &= block.wait(address, phase, sem_acquires(sem), thread);
                }
            }
            Sync::MbarrierCompleteTx { space, address, phase, op, .. } => {
                let begun = block.copies.remove(&op);
                right = space == Space::Shared(place)
                    && begun.is_some_and(|clock| {
                        let object = block.objects.get(&address);
                        object.is_some_and(|object| object.after_the_last(phase as i64, &clock))
                    });
            }
            _ => {}
        }
        self.vary |= !right;
    }
}

impl Block {
    /// Returns whether a wait may be overtaken by an arrival of the next phase, or a copy arrives at an
    /// unknown time.
    fn is_open(&self) -> bool {
        self.objects.values().any(|object| {
            let may_be_later = |(waited, _): &(i64, Event)| object.arrived.contains_key(&(waited + 1));
            !object.floating.is_empty() || object.open.iter().any(may_be_later)
        })
    }
}

fn sem_acquires(sem: Sem) -> bool {
    matches!(sem, Sem::Acquire | Sem::AcqRel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{Scope, SiteId, TaskId, WarpId};

    /// Each thread is the first lane of a warp.
    fn warp(n: u16) -> Warp {
        Warp { task: TaskId(1), block: BlockId(0), warp: WarpId(n) }
    }

    const SITE: SiteId = SiteId(0);
    const SPACE: Space = Space::Shared(BlockId(0));

    #[derive(Clone, Copy)]
    enum Did {
        Init,
        Arrives(u16, u64),
        Waits(u16, u64),
        All(&'static [u16]),
    }
    use Did::{All, Arrives, Init, Waits};

    fn vary(script: &[Did]) -> bool {
        let mut phases = Phases::default();
        for did in script {
            let (space, address, site) = (SPACE, 8, SITE);
            match *did {
                Init => {
                    phases.sync(&Sync::MbarrierInit {
                        warp: warp(0),
                        site,
                        lane: 0,
                        space,
                        address,
                        expected: 1,
                    });
                }
                Arrives(who, phase) => phases.sync(&Sync::MbarrierArrive {
                    warp: warp(who),
                    site,
                    lane: 0,
                    space,
                    address,
                    phase,
                    sem: Sem::Release,
                    scope: Scope::Cta,
                }),
                Waits(who, phase) => phases.sync(&Sync::MbarrierWait {
                    warp: warp(who),
                    site,
                    lanes: 1,
                    space,
                    address,
                    phase,
                    sem: Sem::Acquire,
                    scope: Scope::Cta,
                }),
                All(who) => {
                    let id = BarrierId::Cta(0);
                    for &n in who {
                        let event = Sync::BarrierArrive {
                            warp: warp(n),
                            site,
                            id,
                            lanes: 1,
                            waits: true,
                            sem: Sem::AcqRel,
                        };
                        phases.sync(&event);
                    }
                    let (task, block) = (TaskId(1), BlockId(0));
                    let members = BarrierMembers::WholeBlock;
                    phases.sync(&Sync::BarrierComplete { task, block, id, members });
                }
            }
        }
        phases.sync(&Sync::BlockEnd { task: TaskId(1), block: BlockId(0) });
        phases.vary()
    }

    const BOTH: Did = All(&[0, 1]);

    #[test]
    fn who_arrives_for_the_next_phase_has_waited_for_this_one() {
        assert!(!vary(&[Init, BOTH, Arrives(0, 0), Arrives(1, 0), Waits(0, 0), Waits(1, 0)]));
        let first = [Init, BOTH, Arrives(0, 0), Arrives(1, 0), Waits(0, 0), Waits(1, 0)];
        let second = [Arrives(0, 1), Arrives(1, 1), Waits(0, 1), Waits(1, 1)];
        assert!(!vary(&[&first[..], &second].concat()));
        // Thread 1 could have arrived twice in the first phase.
        let twice = [Init, BOTH, Arrives(0, 0), Arrives(1, 0), Arrives(1, 1), Waits(0, 0)];
        assert!(vary(&twice));
        // The arrival is not ordered after the initialisation.
        assert!(vary(&[Init, Arrives(1, 0)]));
    }

    #[test]
    fn a_wait_is_before_the_end_of_the_next_phase() {
        // A barrier tells thread 1 that the phase has ended; its wait may come when the next phase has ended
        // too.
        let late = [Init, BOTH, Arrives(0, 0), BOTH, Arrives(0, 1), Waits(1, 0)];
        assert!(vary(&late));
        let in_time = [Init, BOTH, Arrives(0, 0), Waits(1, 0), BOTH, Arrives(0, 1), Waits(1, 1)];
        assert!(!vary(&in_time));
        // Thread 0 may end the second phase before thread 1 waits for the first.
        let overtaken = [Init, BOTH, Arrives(0, 0), Waits(1, 0), Waits(0, 0), Arrives(0, 1)];
        assert!(vary(&overtaken));
    }

    #[test]
    fn a_new_barrier_is_waited_for_before_its_first_phase_ends() {
        assert!(!vary(&[Init, BOTH, Waits(1, NO_PHASE), BOTH, Arrives(0, 0)]));
        assert!(vary(&[Init, BOTH, Waits(1, NO_PHASE), Arrives(0, 0)]));
    }
}
