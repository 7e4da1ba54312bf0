//! A listener to whom only what no schedule can change is order.
//!
//! Strong operations order what one execution happens to observe (PTX §8.9.5: a write that an atomic has read
//! happens before what follows the atomic); another one observes another order. To the detector of the PTX memory
//! model behind this listener, strong operations only write: nobody observes anything, and what is left is the order of
//! barriers. A race that it finds may be none; that it finds none holds for every schedule of a determined kernel
//! ([`crate::determinism::deciding`]).

use crate::determinism::barrier_phases::Phases;
use detect::ptx::{PtxMonitor, PtxObserver};
use events::sync::Member;
use events::{
    Access, AccessKind, Account, BarrierId, BarrierMembers, BlockId, Finding, HostEvent, Listener, Monitor,
    Observer, Scope, Sem, Strength, Sync, TaskId,
};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Who met at one barrier of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meeting {
    Whole,
    /// What arrived and waited; false if some only arrived.
    Some(Vec<Member>, bool),
}

#[derive(Debug, Default)]
pub struct BarrierOrder {
    ptx: PtxMonitor,
    volatile_weak: bool,
    groups: Arc<Mutex<Groups>>,
}

#[derive(Debug, Default)]
struct Groups {
    met: FxHashMap<(BlockId, u8), Meeting>,
    /// Other threads met at the same barrier, or one could have arrived twice.
    vary: bool,
    /// Of blocks that have more than the barrier of all their threads.
    phases: Phases,
}

impl BarrierOrder {
    /// Before that detector; `volatile_weak` says whether it takes `volatile` for ordinary accesses.
    pub fn before(ptx: PtxMonitor, volatile_weak: bool) -> Self {
        BarrierOrder { ptx, volatile_weak, groups: Arc::default() }
    }

    /// Could the threads that meet at a barrier be others under another schedule?
    pub fn groups_vary(&self) -> bool {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.vary || groups.phases.vary()
    }
}

pub struct BarrierOrderObserver {
    ptx: PtxObserver,
    volatile_weak: bool,
    groups: Arc<Mutex<Groups>>,
}

impl Observer for BarrierOrderObserver {
    fn wants_values(&self, _: TaskId) -> bool {
        false
    }

    fn rest(&mut self) {
        self.ptx.rest();
    }

    fn access(&mut self, access: &Access<'_>) {
        let atomic = matches!(access.kind, AccessKind::Atomic { .. });
        if let AccessKind::AsyncWrite { .. } = access.kind {
            self.groups.lock().unwrap_or_else(PoisonError::into_inner).phases.access(access);
        }
        let weak = match access.strength {
            Strength::Weak => true,
            Strength::Volatile => self.volatile_weak,
            Strength::Strong { .. } => false,
        };
        if weak && !atomic {
            return self.ptx.access(access);
        }
        let scope = match access.strength {
            Strength::Strong { scope, .. } => scope,
            _ => Scope::Sys,
        };
        let kind = match access.kind {
            AccessKind::AsyncRead { .. } | AccessKind::AsyncWrite { .. } => access.kind,
            _ => AccessKind::Write,
        };
        self.ptx.access(&Access {
            kind,
            strength: Strength::Strong { sem: Sem::Relaxed, scope },
            stored: access.mask,
            values: None,
            ..*access
        });
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        // Strong operations order nothing, with fences or without.
        if let Sync::Fence { .. } | Sync::MbarrierFence { .. } = sync {
            return;
        }
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.phases.sync(sync);
        if let Sync::BarrierComplete { block, id: BarrierId::Cta(id), members, .. } = sync {
            // Of what was before, it is known only if all of the block met.
            if groups.phases.follows(*block) {
                groups.vary |= matches!(groups.met.remove(&(*block, *id)), Some(Meeting::Some(..)));
                drop(groups);
                return self.ptx.sync(sync);
            }
            let new = match members {
                BarrierMembers::WholeBlock => Meeting::Whole,
                BarrierMembers::Some(members) => {
                    let mut sorted = members.to_vec();
                    sorted.sort_unstable_by_key(|m| m.warp.0);
                    let all_wait = sorted.iter().all(|m| m.arrived == m.waited);
                    Meeting::Some(sorted, all_wait)
                }
            };
            let repeatable = !matches!(new, Meeting::Some(_, false));
            match groups.met.insert((*block, *id), new.clone()) {
                Some(old) if old != new || !repeatable => groups.vary = true,
                _ => {}
            }
        }
        drop(groups);
        self.ptx.sync(sync);
    }
}

impl Listener for BarrierOrder {
    fn host(&self, event: &HostEvent<'_>) {
        self.ptx.host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        self.ptx.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.ptx.so_far()
    }

    fn account(&self) -> Account {
        self.ptx.account()
    }
}

impl Monitor for BarrierOrder {
    type Observer = BarrierOrderObserver;

    fn observer(&self, worker: usize) -> BarrierOrderObserver {
        BarrierOrderObserver {
            ptx: self.ptx.observer(worker),
            volatile_weak: self.volatile_weak,
            groups: Arc::clone(&self.groups),
        }
    }
}
