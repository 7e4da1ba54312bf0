//! Which class of bug a race is, and what to say about it.

use super::cell::{Context, Entry};
use super::clues::{self, Clues};
use super::knowledge::Who;
use events::{Class, LaneMask, Scope, Sem, Space, SyncNote};

/// Class and notes of a race inside a launch. `ordered` tells that threads are ordered and only
/// a proxy fence is missing.
pub(crate) fn pair(
    (old, lanes): (&Entry, LaneMask),
    (new, me): (&Entry, Who),
    space: Space,
    order: &impl Context,
    clues: &Clues,
    ordered: bool,
) -> (Class, Vec<SyncNote>) {
    let (a, b) = ((old.block, old.warp), (new.block, new.warp));
    if old.class.other_proxy() != new.class.other_proxy() && ordered {
        return (
            Class::Proxy,
            vec![SyncNote::ProxyFenceMissing { from: old.class.proxy(), to: new.class.proxy() }],
        );
    }
    if old.class.asynchronous() || new.class.asynchronous() {
        return (Class::AsyncCopy, vec![SyncNote::NotWaited]);
    }
    if let (Some(first), Some(second)) = (old.class.scope(), new.class.scope()) {
        return if old.bytes != new.bytes {
            (Class::WeakVsAtomic, vec![SyncNote::PartialOverlap])
        } else {
            (Class::AtomicScope, vec![SyncNote::StrongScopes { first, second }])
        };
    }
    let near = if a == b {
        Class::DivergentWarp
    } else if a.0 == b.0 {
        Class::MissingBarrier
    } else if matches!(space, Space::Shared(_)) {
        Class::ClusterDsmem
    } else {
        Class::InterBlock
    };
    // In a block's shared memory a barrier is what is missing, between the phases.
    let phases = near == Class::MissingBarrier && matches!(space, Space::Shared(_));
    if !phases && (old.class.atomic() || new.class.atomic()) {
        return (Class::WeakVsAtomic, surroundings(near, a, b, clues));
    }
    if matches!(near, Class::DivergentWarp | Class::ClusterDsmem) {
        return (near, surroundings(near, a, b, clues));
    }
    let flags = flags(old, new, order, clues);
    let (first, gave) = clues.locks(a, lanes, old.tick);
    let (second, gave_too) = clues.locks(b, 1 << me.lane, new.tick);
    if first.iter().any(|lock| second.contains(lock)) {
        return match flags {
            Some((Class::FenceScope, notes)) => (Class::LockScope, notes),
            Some((_, notes)) => (Class::MissingFence, notes),
            None => (Class::MissingFence, vec![SyncNote::NoAcquire { flag: None }]),
        };
    }
    if !first.is_empty() || !second.is_empty() || (gave && gave_too) {
        let class = if first.is_empty() || second.is_empty() { Class::LockMissing } else { Class::LockWrong };
        return (class, vec![SyncNote::Locks { first, second }]);
    }
    flags.unwrap_or_else(|| (near, surroundings(near, a, b, clues)))
}

/// If the second thread could tell by flags that the first had been there: why that did not order them.
fn flags(old: &Entry, new: &Entry, order: &impl Context, clues: &Clues) -> Option<(Class, Vec<SyncNote>)> {
    let (from, to) = ((old.block, old.warp), (new.block, new.warp));
    let way = clues.way(from, to)?;
    let meant = |(_, b, flag): &clues::Step| {
        !flag.in_passing || !flag.releases.is_empty() || clues.acquired(*b, 0).is_some()
    };
    // A ticket, too, if it is drawn after the first access, and before the second one by its thread
    // (in the order of the text: that is all that is kept of accesses).
    let between = || {
        let (first, last) = (way.first(), way.last());
        first.is_some_and(|w| old.site < w.2.write) && last.is_some_and(|w| w.2.read < new.site)
    };
    if !way.iter().any(meant) && !between() {
        return None;
    }
    let needed = |a: u32, b: u32| {
        [Scope::Cta, Scope::Cluster].into_iter().find(|&s| order.includes(s, a, b)).unwrap_or(Scope::Gpu)
    };
    let (mut notes, mut narrow) = (Vec::new(), Vec::new());
    for (i, (a, b, flag)) in way.iter().enumerate() {
        let needed = needed(a.0, b.0);
        let covers = |release: &&clues::Ordering| i > 0 || *a != from || release.tick >= old.tick;
        let releases: Vec<clues::Ordering> = flag.releases.iter().filter(covers).copied().collect();
        match clues::widest(&releases) {
            None => notes.push(SyncNote::NoRelease { flag: Some(flag.write) }),
            Some(r) if r.scope < needed => {
                narrow.push(SyncNote::ScopeTooNarrow { site: r.site, scope: r.scope, needed });
            }
            Some(_) => {}
        }
        match clues.acquired(*b, flag.when) {
            None => notes.push(SyncNote::NoAcquire { flag: Some(flag.read) }),
            Some(q) if q.scope < needed => {
                narrow.push(SyncNote::ScopeTooNarrow { site: q.site, scope: q.scope, needed });
            }
            Some(_) => {}
        }
        if !notes.is_empty() {
            return Some((Class::MissingFence, notes));
        }
    }
    if narrow.is_empty() {
        // All of it is there, but not in the order that counts (a barrier between is missing, or the
        // access comes after the release).
        return Some((
            Class::MissingFence,
            vec![SyncNote::NoRelease { flag: way.first().map(|w| w.2.write) }],
        ));
    }
    narrow.truncate(2);
    Some((Class::FenceScope, narrow))
}

/// What stands around two accesses and orders nothing.
fn surroundings(near: Class, a: (u32, u16), b: (u32, u16), clues: &Clues) -> Vec<SyncNote> {
    let mut notes = Vec::new();
    if near == Class::DivergentWarp {
        notes.push(SyncNote::LockstepOnly { site: clues.last_lockstep(b) });
        return notes;
    }
    if let Some(fence) = clues.last_release(a).or_else(|| clues.last_release(b)) {
        notes.push(SyncNote::FenceAlone { site: fence.site, sem: Sem::AcqRel });
    }
    if a.0 != b.0
        && let Some(site) = clues.last_barrier(b).or_else(|| clues.last_barrier(a))
    {
        notes.push(SyncNote::OtherBarrier { site });
    }
    if notes.is_empty() {
        notes.push(SyncNote::Nothing);
    }
    notes
}
