//! Which operations synchronise: Barracuda's inference of acquires and releases, PTX's
//! explicit forms, and what tells a lock from a flag.
//!
//! CUDA code writes `atomicCAS; __threadfence()` and `__threadfence(); atomicExch`. An
//! operation directly followed by a fence acquires, one directly preceded by a fence
//! releases, where "directly" means in the thread's own sequence of memory operations and
//! fences as they happened; Barracuda looks at neighbouring instructions of the PTX text, and
//! does not see a fence behind a spin loop. Two more deviations from its table: a fence after
//! an atomic never makes it a release, and an exchange may acquire. The scope is the narrower
//! one of the fence's and the operation's.
//!
//! An acquire takes a *lock* if it is a compare-and-swap that succeeded, an exchange of zero
//! for something else, or (ticket locks) a load of the number that the thread drew by an
//! atomic increment of another word.

use super::threads::Who;
use crate::lens::elements::{lanes, location};
use clocks::compressed::WarpIndex;
use events::{Access, AccessKind, AtomicOp, LaneMask, Scope, Sem, SiteId, Space, Strength};
use rustc_hash::FxHashMap;

/// A synchronisation variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    pub space: Space,
    pub address: u64,
}

/// How a lock was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The value that the lock had when it was free.
    From(u64),
    /// A ticket lock: each owner has its own value.
    Ticket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquire {
    pub variable: Variable,
    pub block_scope: bool,
    pub take: Option<Take>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    pub variable: Variable,
    pub block_scope: bool,
    /// The value that was stored, if the event has it.
    pub value: Option<u64>,
}

/// The last instruction of a thread.
#[derive(Clone, Copy, Debug, Default)]
enum Last {
    #[default]
    Other,
    Fence {
        block_scope: bool,
        releases: bool,
    },
    /// A load or atomic, which a fence would make an acquire.
    Read {
        acquire: Acquire,
        site: SiteId,
    },
}

/// The last operations of all threads of a launch.
#[derive(Default)]
pub struct Idioms {
    last: FxHashMap<WarpIndex, Box<[Last; 32]>>,
    /// Numbers drawn for ticket locks.
    tickets: FxHashMap<Who, (Variable, u64)>,
}

/// The meaning of one lane's access.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meaning {
    pub acquire: Option<Acquire>,
    pub release: Option<Release>,
    /// A lock was taken, whether or not a fence will make that an acquire.
    pub took: Option<(Variable, Take)>,
}

pub fn is_block(scope: Scope) -> bool {
    matches!(scope, Scope::Cta | Scope::Cluster)
}

impl Idioms {
    fn warp(&mut self, at: WarpIndex) -> &mut [Last; 32] {
        self.last.entry(at).or_default()
    }

    /// Returns whether the next store of this thread directly follows a fence.
    pub fn fenced(&self, who: Who) -> bool {
        let last = self.last.get(&who.at).map(|warp| warp[who.lane as usize]);
        matches!(last, Some(Last::Fence { releases: true, .. }))
    }

    /// Returns whether the thread is still at the load that it made at `site`.
    pub fn is_reading(&self, who: Who, site: SiteId) -> bool {
        let last = self.last.get(&who.at).map(|warp| warp[who.lane as usize]);
        matches!(last, Some(Last::Read { site: own, .. }) if own == site)
    }

    /// One lane's access: what it acquires and releases at once. Accesses of several elements
    /// and asynchronous ones synchronise nothing.
    pub fn access(&mut self, access: &Access<'_>, who: Who) -> Meaning {
        let lane = who.lane as usize;
        let simple = access.elements <= 1
            && matches!(access.kind, AccessKind::Read | AccessKind::Write | AccessKind::Atomic { .. });
        let before = std::mem::take(&mut self.warp(who.at)[lane]);
        if !simple {
            return Meaning::default();
        }
        let variable = Variable { space: access.space, address: location(access, who.lane) };
        let values = access.values.map(|values| values[lane]);
        let stored = access.stored >> lane & 1 != 0;
        let (sem, own_block) = match access.strength {
            Strength::Strong { sem, scope } => (sem, is_block(scope)),
            _ => (Sem::Relaxed, false),
        };
        let mut meaning = Meaning::default();
        if access.kind.reads() {
            let take = self.take(access.kind, variable, values, stored, who);
            let acquire = Acquire { variable, block_scope: own_block, take };
            meaning.took = take.map(|take| (variable, take));
            if sem.acquires() {
                meaning.acquire = Some(acquire);
            } else {
                self.warp(who.at)[lane] = Last::Read { acquire, site: access.site };
            }
        }
        if access.kind.writes() && stored {
            let value = values.map(|(_, new)| new);
            let compare = matches!(access.kind, AccessKind::Atomic { op: AtomicOp::Cas, .. });
            match before {
                _ if sem.releases() => {
                    meaning.release = Some(Release { variable, block_scope: own_block, value });
                }
                // In Barracuda's table, a compare-and-swap next to a fence only acquires.
                Last::Fence { block_scope, releases: true } if !compare => {
                    let block_scope = block_scope || own_block;
                    meaning.release = Some(Release { variable, block_scope, value });
                }
                _ => {}
            }
        }
        if meaning.release.is_some() && !matches!(access.kind, AccessKind::Atomic { op: AtomicOp::Cas, .. }) {
            // An exchange behind a fence sets a flag or frees a lock.
            meaning.took = None;
        }
        meaning
    }

    fn take(
        &mut self,
        kind: AccessKind,
        variable: Variable,
        values: Option<(u64, u64)>,
        stored: bool,
        who: Who,
    ) -> Option<Take> {
        let (old, new) = values?;
        if let AccessKind::Atomic { op, .. } = kind {
            match op {
                AtomicOp::Cas => return stored.then_some(Take::From(old)),
                AtomicOp::Exch => return (old == 0 && new != 0).then_some(Take::From(0)),
                AtomicOp::Add | AtomicOp::Inc if new != old => {
                    self.tickets.insert(who, (variable, old));
                    return None;
                }
                _ => {}
            }
        }
        let (counter, number) = self.tickets.get(&who)?;
        (*counter != variable && *number == old).then_some(Take::Ticket)
    }

    /// A fence: what the lanes' last operations acquire by it.
    pub fn fence(
        &mut self,
        at: WarpIndex,
        mask: LaneMask,
        sem: Sem,
        scope: Scope,
        mut acquire: impl FnMut(Who, Acquire),
    ) {
        let warp = self.warp(at);
        let fence_block = is_block(scope);
        for lane in lanes(mask) {
            let last = &mut warp[lane as usize];
            let mut block_scope = fence_block;
            match *last {
                Last::Read { acquire: read, .. } if sem.acquires() => {
                    let read = Acquire { block_scope: read.block_scope || fence_block, ..read };
                    acquire(Who { at, lane }, read);
                }
                Last::Fence { block_scope: earlier, releases: true } => block_scope &= earlier,
                _ => {}
            }
            *last = Last::Fence { block_scope, releases: sem.releases() };
        }
    }

    /// Anything that is neither an access nor a fence stands between the two.
    pub fn other(&mut self, at: WarpIndex, mask: LaneMask) {
        if let Some(warp) = self.last.get_mut(&at) {
            for lane in lanes(mask) {
                warp[lane as usize] = Last::Other;
            }
        }
    }

    pub fn exit(&mut self, at: WarpIndex, mask: LaneMask) {
        self.other(at, mask);
        for lane in lanes(mask) {
            self.tickets.remove(&Who { at, lane });
        }
    }

    pub fn block_end(&mut self, block: u32) {
        self.last.retain(|at, _| at.block != block);
    }

    pub fn bytes(&self) -> u64 {
        (self.last.len() * size_of::<[Last; 32]>() + self.tickets.len() * 48) as u64
    }
}
