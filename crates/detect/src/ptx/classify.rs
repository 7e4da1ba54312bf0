//! Which class of bug a race is, and what to say about it.

use super::cell::Entry;
use super::launch::Launch;
use events::{Class, Sync, SyncNote, TaskId};

/// The task a synchronisation belongs to.
pub(crate) fn task_of(sync: &Sync<'_>) -> Option<TaskId> {
    Some(match *sync {
        Sync::BarrierComplete { task, .. }
        | Sync::BlockStart { task, .. }
        | Sync::BlockEnd { task, .. }
        | Sync::MbarrierCompleteTx { task, .. } => task,
        Sync::BarrierArrive { warp, .. }
        | Sync::ClusterWait { warp, .. }
        | Sync::WarpSync { warp, .. }
        | Sync::Fence { warp, .. }
        | Sync::ProxyFence { warp, .. }
        | Sync::Rendezvous { warp, .. }
        | Sync::Converge { warp, .. }
        | Sync::MbarrierInit { warp, .. }
        | Sync::MbarrierInval { warp, .. }
        | Sync::MbarrierArrive { warp, .. }
        | Sync::MbarrierWait { warp, .. }
        | Sync::AsyncWaited { warp, .. }
        | Sync::AsyncArrive { warp, .. }
        | Sync::Exit { warp, .. }
        | Sync::GridDependency { warp, .. } => warp.task,
    })
}

/// Class and notes of a race inside a launch.
pub(crate) fn pair(old: &Entry, new: &Entry, _: &Launch) -> (Class, Vec<SyncNote>) {
    let class = if old.class.asynchronous() || new.class.asynchronous() {
        Class::AsyncCopy
    } else if old.class.strong() && new.class.strong() {
        Class::AtomicScope
    } else if old.class.atomic() || new.class.atomic() {
        Class::WeakVsAtomic
    } else if old.block != new.block {
        Class::InterBlock
    } else if old.warp != new.warp {
        Class::MissingBarrier
    } else {
        Class::DivergentWarp
    };
    (class, Vec::new())
}
