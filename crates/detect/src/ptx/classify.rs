//! Which class of bug a race is, and what to say about it.

use super::cell::{Context, Entry};
use super::clues::{self, Arrived, Clues};
use super::knowledge::Who;
use events::{Class, LaneMask, Scope, Sem, SiteId, Space, SyncNote};

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
        let waited = clues.awaited_any(if old.class.asynchronous() { b } else { a });
        return (Class::AsyncCopy, vec![if waited { SyncNote::PhaseTooEarly } else { SyncNote::NotWaited }]);
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
        return (Class::WeakVsAtomic, surroundings(near, old, new, order, clues));
    }
    if matches!(near, Class::DivergentWarp | Class::ClusterDsmem) {
        return (near, surroundings(near, old, new, order, clues));
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
    flags.unwrap_or_else(|| (near, surroundings(near, old, new, order, clues)))
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
    // One read-modify-write that observes a flag and sets it on carries what the flag carried, without fences.
    let carried = |i: usize| way.get(i + 1).is_some_and(|next| way[i].2.read == next.2.write);
    for (i, (a, b, flag)) in way.iter().enumerate() {
        let needed = needed(a.0, b.0);
        let own = i == 0 && *a == from;
        // What a third thread passes on, it must have read before.
        let since = if i == 0 { 0 } else { way[i - 1].2.when };
        let passed_on = |write: SiteId| SyncNote::NotPassedOn { read: way[i.max(1) - 1].2.read, write };
        if own && set_before(flag, old) {
            return Some((Class::MissingFence, vec![SyncNote::SetTooEarly { flag: flag.write }]));
        }
        if i == 0 && !own && a.0 == from.0 && !clues.met(from, old.tick, flag) {
            return Some((Class::MissingFence, vec![SyncNote::SetByAnother { flag: flag.write }]));
        }
        let covers = |release: &&clues::Ordering| release.when >= since && (!own || release.tick >= old.tick);
        let releases: Vec<clues::Ordering> = flag.releases.iter().filter(covers).copied().collect();
        match clues::widest(&releases) {
            _ if i > 0 && carried(i - 1) => {}
            None if i > 0 => notes.push(passed_on(flag.write)),
            None => notes.push(SyncNote::NoRelease { flag: Some(flag.write) }),
            Some(r) if r.scope < needed => {
                narrow.push(SyncNote::ScopeTooNarrow { site: r.site, scope: r.scope, needed });
            }
            Some(_) => {}
        }
        match clues.acquired(*b, flag.when) {
            _ if carried(i) => {}
            None => notes.push(match way.get(i + 1) {
                Some((.., next)) => SyncNote::NotPassedOn { read: flag.read, write: next.write },
                None => SyncNote::NoAcquire { flag: Some(flag.read) },
            }),
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
        // All of it is there, but not in the order that counts: a thread between did not hand on what it had got.
        let broken = (1..way.len()).find(|i| !carried(i - 1));
        let note = match (broken, &way[..]) {
            (Some(i), _) => SyncNote::NotPassedOn { read: way[i - 1].2.read, write: way[i].2.write },
            // Of a warp, or of a block, another thread may have set the flag.
            (None, [(.., first), ..]) => SyncNote::SetByAnother { flag: first.write },
            (None, []) => SyncNote::Nothing,
        };
        return Some((Class::MissingFence, vec![note]));
    }
    narrow.truncate(2);
    Some((Class::FenceScope, narrow))
}

/// Did the thread of an access set the flag before it made the access? Within a tick the order of the text decides,
/// outside of loops: that is all that is kept of accesses.
fn set_before(flag: &clues::Flag, access: &Entry) -> bool {
    flag.tick < access.tick || (flag.tick == access.tick && !flag.again && flag.write < access.site)
}

/// What stands around two accesses and orders nothing.
fn surroundings(near: Class, old: &Entry, new: &Entry, order: &impl Context, clues: &Clues) -> Vec<SyncNote> {
    let (a, b) = ((old.block, old.warp), (new.block, new.warp));
    let mut notes = Vec::new();
    if near == Class::DivergentWarp {
        notes.push(SyncNote::LockstepOnly { site: clues.last_lockstep(b) });
        return notes;
    }
    let needed = [Scope::Cta, Scope::Cluster].into_iter().find(|&s| order.includes(s, a.0, b.0));
    let needed = needed.unwrap_or(Scope::Gpu);
    if let Some((site, scope)) = clues.narrow_wait(a, old.tick, b, needed) {
        return vec![SyncNote::ScopeTooNarrow { site, scope, needed }];
    }
    // Who waits later has arrived only, so far.
    let early = [(a, old), (b, new)].into_iter().find_map(|(warp, entry)| {
        let last = clues.last_barrier(warp)?;
        match last.how {
            Arrived::Waits => None,
            Arrived::Only => (last.tick < entry.tick).then_some(SyncNote::NotAwaited { site: last.site }),
            Arrived::Relaxed => Some(SyncNote::RelaxedArrive { site: last.site }),
        }
    });
    if let Some(note) = early.or_else(|| clues.not_awaited(b).map(|site| SyncNote::NotAwaited { site })) {
        return vec![note];
    }
    let release = clues.last_release(a).or_else(|| clues.last_release(b));
    if let Some(release) = clues.published(a, old.tick) {
        notes.push(SyncNote::NotObserved { release });
    } else if let Some(fence) = release.filter(|r| r.fence) {
        notes.push(SyncNote::FenceAlone { site: fence.site, sem: Sem::AcqRel });
    }
    if a.0 != b.0
        && let Some(arrival) = clues.last_barrier(b).or_else(|| clues.last_barrier(a))
    {
        notes.push(SyncNote::OtherBarrier { site: arrival.site });
    }
    if notes.is_empty() {
        notes.push(SyncNote::Nothing);
    }
    notes
}
