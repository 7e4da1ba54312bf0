//! Which class of bug a race is, and what to say about it.

use crate::ptx::access::entry::Entry;
use crate::ptx::access::partial::of_one_word;
use crate::ptx::access::thread::Who;
use crate::ptx::clues::{self, Arrived, Clues, Held};
use crate::ptx::order::context::Context;
use crate::ptx::report::flags::{flags, flags_of, is_between, needed, set_before};
use clocks::Tick;
use events::{Class, LaneMask, Location, Sem, SiteId, Space, SyncNote};
use serde::{Deserialize, Serialize};

/// The class of a race, and its notes.
#[derive(Debug)]
pub(crate) struct Opinion {
    pub(crate) class: Class,
    pub(crate) notes: Vec<SyncNote>,
    pub(crate) doubt: Option<Doubt>,
}

/// An opinion holds only if one of these locations turns out to be a lock: if some thread gives back what it
/// seems to have taken there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Doubt {
    pub(crate) locks: Vec<Location>,
    pub(crate) otherwise: (Class, Vec<SyncNote>),
}

impl From<(Class, Vec<SyncNote>)> for Opinion {
    fn from((class, notes): (Class, Vec<SyncNote>)) -> Self {
        Opinion { class, notes, doubt: None }
    }
}

/// A warp's last exchange of registers, and its tick at it.
type Lockstep = Option<(SiteId, Tick)>;

/// Class and notes of a race inside a launch. `ordered` tells that threads are ordered and only
/// a proxy fence is missing.
pub(crate) fn pair(
    old: (&Entry, LaneMask),
    new: (&Entry, Who),
    space: Space,
    order: &impl Context,
    (clues, lockstep): (&Clues, Lockstep),
    ordered: bool,
) -> Opinion {
    let near = match by_accesses(old, new, space, order, (clues, lockstep), ordered) {
        Ok(named) => return named.into(),
        Err(near) => near,
    };
    let ((old, lanes), (new, me)) = (old, new);
    let a = old.at();
    let b = new.at();
    let (first, gave) = clues.held(a, lanes, old.tick);
    let (second, gave_too) = clues.held(b, 1 << me.lane, new.tick);
    let by_locks =
        |first: &[Held], second: &[Held]| by_locks((old, first), (new, second), near, order, clues);
    let sure = |held: &[Held]| held.iter().filter(|h| h.sure).cloned().collect::<Vec<_>>();
    let unsure: Vec<Location> = first.iter().chain(&second).filter(|h| !h.sure).map(|h| h.lock).collect();
    let certain = by_locks(&sure(&first), &sure(&second));
    if let Some(named) = certain.clone().filter(|_| unsure.is_empty()) {
        return named.into();
    }
    let surrounded = matches!(near, Class::DivergentWarp | Class::ClusterDsmem);
    if certain.is_none() && !surrounded && gave.iter().any(|lock| gave_too.contains(lock)) {
        return (Class::LockMissing, vec![SyncNote::Locks { first: vec![], second: vec![] }]).into();
    }
    let otherwise = certain.unwrap_or_else(|| {
        let flags = if surrounded { None } else { flags(old, new, order, clues) };
        flags.unwrap_or_else(|| (near, surroundings(near, (old, lanes), (new, me), order, (clues, lockstep))))
    });
    match by_locks(&first, &second) {
        Some((class, notes)) if !unsure.is_empty() => {
            let doubt = Some(Doubt { locks: unsure, otherwise });
            Opinion { class, notes, doubt }
        }
        _ => otherwise.into(),
    }
}

/// The class of a race in a launch in which nothing is meant as a flag or a lock, unless it takes a look at more.
pub(crate) fn of_plain(old: &Entry, new: &Entry, space: Space) -> Option<Class> {
    let scoped = old.class.scope().is_some() && new.class.scope().is_some();
    if scoped || old.class.other_proxy() != new.class.other_proxy() || new.class.fetches() {
        return None;
    }
    if old.class.copies() || new.class.copies() {
        return Some(Class::AsyncCopy);
    }
    let near = near(old, new, space);
    Some(if beside_atomics(near, old, new, space) { Class::WeakVsAtomic } else { near })
}

/// The distance between the threads of two accesses.
fn near(old: &Entry, new: &Entry, space: Space) -> Class {
    let (a, b) = (old.at(), new.at());
    if a == b {
        Class::DivergentWarp
    } else if a.block == b.block {
        Class::MissingBarrier
    } else if matches!(space, Space::Shared(_)) {
        Class::ClusterDsmem
    } else {
        Class::InterBlock
    }
}

/// Returns whether "one side is atomic" is the best explanation of the race.
fn beside_atomics(near: Class, old: &Entry, new: &Entry, space: Space) -> bool {
    // In a block's shared memory a barrier is what is missing, between the phases; in a warp, its own.
    let phases = match near {
        Class::MissingBarrier => matches!(space, Space::Shared(_)),
        Class::DivergentWarp => matches!(space, Space::Shared(_)) && old.site < new.site,
        _ => false,
    };
    !phases && (old.class.atomic() || new.class.atomic())
}

/// Returns what is wrong with the flag or ticket by which the first access is handed over to the second one, if there is
/// one. An access that is atomic explains nothing then: a stronger access would be made too early all the same.
///
/// A flag that is the racing location itself hands nothing over, and neither does one that is not set behind the first
/// access and read before the second one in the order of the text.
fn handed_over_by_flag(
    old: &Entry,
    new: &Entry,
    near: Class,
    order: &impl Context,
    clues: &Clues,
) -> Option<(Class, Vec<SyncNote>)> {
    if near != Class::InterBlock {
        return None;
    }
    let (from, to) = (old.at(), new.at());
    let way = clues.way_beside(from, to, &[old.site, new.site])?;
    is_between(&way, old, new).then(|| flags_of(&way, old, new, order, clues))?
}

/// The class, if what the accesses are tells it; else what their threads are to each other.
fn by_accesses(
    (old, lanes): (&Entry, LaneMask),
    (new, me): (&Entry, Who),
    space: Space,
    order: &impl Context,
    (clues, lockstep): (&Clues, Lockstep),
    ordered: bool,
) -> Result<(Class, Vec<SyncNote>), Class> {
    let (a, b) = (old.at(), new.at());
    let proxies = old.class.other_proxy() != new.class.other_proxy();
    if (proxies || new.class.fetches()) && ordered {
        let missing = SyncNote::ProxyFenceMissing { from: old.class.proxy(), to: new.class.proxy() };
        return Ok((Class::Proxy, vec![missing]));
    }
    if old.class.copies() || new.class.copies() {
        if let Some((site, scope, from)) = clues.narrow_handover(b) {
            let needed = needed(order, from, b.block);
            if scope < needed {
                return Ok((Class::AsyncCopy, vec![SyncNote::ScopeTooNarrow { site, scope, needed }]));
            }
        }
        let waited = clues.awaited_any(if old.class.copies() { b } else { a });
        // A thread that reads a buffer after a wait reads what an earlier copy brought: the next one came too early.
        let begun = !old.class.copies() && (old.class.writes() || waited || clues.awaited_copies(a));
        let note = match (begun, waited) {
            (true, _) => SyncNote::BegunTooEarly,
            (false, true) => SyncNote::PhaseTooEarly,
            (false, false) => SyncNote::NotWaited,
        };
        return Ok((Class::AsyncCopy, vec![note]));
    }
    let near = near(old, new, space);
    let strong = old.class.scope().is_some() && new.class.scope().is_some();
    if (strong || beside_atomics(near, old, new, space))
        && let Some(named) = handed_over_by_flag(old, new, near, order, clues)
    {
        return Ok(named);
    }
    if let (Some(first), Some(second)) = (old.class.scope(), new.class.scope()) {
        let one = old.bytes == new.bytes || of_one_word((old.bytes, old.class), (new.bytes, new.class));
        return Ok(if !one {
            (Class::MixedSize, vec![SyncNote::PartialOverlap])
        } else {
            (Class::AtomicScope, vec![SyncNote::StrongScopes { first, second }])
        });
    }
    if beside_atomics(near, old, new, space) {
        return Ok((
            Class::WeakVsAtomic,
            surroundings(near, (old, lanes), (new, me), order, (clues, lockstep)),
        ));
    }
    Err(near)
}

/// The class, if the locks that the two threads held tell it. A lock that both held comes first, however near
/// the threads are: then its fences are what is wrong.
fn by_locks(
    (old, first): (&Entry, &[Held]),
    (new, second): (&Entry, &[Held]),
    near: Class,
    order: &impl Context,
    clues: &Clues,
) -> Option<(Class, Vec<SyncNote>)> {
    let common = first.iter().find_map(|h| Some((h, second.iter().find(|other| other.lock == h.lock)?)));
    if let Some(common) = common {
        let named = flags(old, new, order, clues).filter(|(class, _)| *class != Class::MissingBarrier);
        let (class, notes) = named.unwrap_or_else(|| fences_of_lock(common, old, new, order, clues));
        let class = if class == Class::FenceScope { Class::LockScope } else { Class::MissingFence };
        return Some((class, notes));
    }
    if matches!(near, Class::DivergentWarp | Class::ClusterDsmem) || first.is_empty() && second.is_empty() {
        return None;
    }
    let alone = first.is_empty() || second.is_empty();
    if alone && let Some(flag) = handed_over(old, first, new, second, order, clues) {
        return Some(flag);
    }
    let class = if alone { Class::LockMissing } else { Class::LockWrong };
    let locks = |held: &[Held]| held.iter().map(|h| h.lock).collect();
    Some((class, vec![SyncNote::Locks { first: locks(first), second: locks(second) }]))
}

/// Double-checked locking: what one thread did under a lock it told of by a flag that it set afterwards, and the other
/// one read that flag, and took no lock.
fn handed_over(
    old: &Entry,
    first: &[Held],
    new: &Entry,
    second: &[Held],
    order: &impl Context,
    clues: &Clues,
) -> Option<(Class, Vec<SyncNote>)> {
    let way = clues.way(old.at(), new.at())?;
    let [clues::Step { from, flag, .. }] = &way[..] else { return None };
    let told = *from == old.at() && !flag.in_passing && !set_before(flag, old);
    let of_lock = first.iter().chain(second).any(|h| h.given == Some(flag.write) || h.taken == flag.write);
    if !told || of_lock || !old.class.writes() { None } else { flags(old, new, order, clues) }
}

/// Returns what is missing at the lock that both threads held: the release before it was given back, the
/// acquire after it was taken, or their scopes.
fn fences_of_lock(
    (first, second): (&Held, &Held),
    old: &Entry,
    new: &Entry,
    order: &impl Context,
    clues: &Clues,
) -> (Class, Vec<SyncNote>) {
    let needed = needed(order, old.block, new.block);
    let (mut notes, mut narrow) = (Vec::new(), Vec::new());
    let after: Vec<_> = first.releases.iter().filter(|r| r.tick >= old.tick).copied().collect();
    match clues::widest(&after) {
        None => notes.push(SyncNote::NoRelease { flag: first.given }),
        Some(r) if r.scope < needed => {
            narrow.push(SyncNote::ScopeTooNarrow { site: r.site, scope: r.scope, needed });
        }
        Some(_) => {}
    }
    match clues.acquired(new.at(), second.when) {
        None => notes.push(SyncNote::NoAcquire { flag: Some(second.taken) }),
        Some(q) if q.scope < needed => {
            narrow.push(SyncNote::ScopeTooNarrow { site: q.site, scope: q.scope, needed });
        }
        Some(_) => {}
    }
    match (notes.is_empty(), narrow.is_empty()) {
        (true, false) => (Class::FenceScope, narrow),
        (true, true) => (Class::MissingFence, vec![SyncNote::NoAcquire { flag: None }]),
        _ => (Class::MissingFence, notes),
    }
}

/// The flag may have been set `for_all` of the block: then it is the block that has to meet before.
pub(crate) fn set_for_all(notes: &mut [SyncNote], for_all: bool) {
    for note in notes {
        if let SyncNote::SetByAnother { mates, .. } = note {
            *mates &= !for_all;
        }
    }
}

/// Another thread of the second side's block knows of the first access: then the flag is all right, and nothing tells
/// the thread of the second one. `mates` if it is of the same warp.
pub(crate) fn known_to_another(notes: &mut [SyncNote], mates: bool) {
    for note in notes {
        if let SyncNote::SetByAnother { read: Some(read), .. } = *note {
            *note = SyncNote::ReadByAnother { read, mates };
        }
    }
}

/// The last exchange of registers of the later access's warp, if it came after the first of the two: within a tick the order of
/// the text decides.
fn between(lockstep: Lockstep, old: &Entry, new: &Entry) -> Option<SiteId> {
    let (site, tick) = lockstep?;
    let behind = old.site < site && (site < new.site || new.site <= old.site);
    (tick > old.tick || tick == old.tick && behind).then_some(site)
}

/// Returns which thread used an mbarrier in place of one side's: another lane or warp arrived for the thread of the first
/// access, or waited for that of the second one.
fn by_mbarrier(
    (old, lanes): (&Entry, LaneMask),
    (new, me): (&Entry, Who),
    clues: &Clues,
) -> Option<SyncNote> {
    let (a, b) = (old.at(), new.at());
    let (arrival, wait) = clues.by_mbarrier((a, old.tick, old.site), b)?;
    let arrived_itself = arrival.warp == a && arrival.lanes & lanes != 0;
    if !arrived_itself {
        return Some(SyncNote::ArrivedByAnother { arrive: arrival.site, mates: arrival.warp == a });
    }
    let waited_itself = wait.warp == b && wait.lanes >> me.lane & 1 != 0;
    (!waited_itself).then_some(SyncNote::WaitedByAnother { wait: wait.site, mates: wait.warp == b })
}

/// Synchronisation around two accesses that orders nothing.
fn surroundings(
    near: Class,
    (old, lanes): (&Entry, LaneMask),
    (new, me): (&Entry, Who),
    order: &impl Context,
    (clues, lockstep): (&Clues, Lockstep),
) -> Vec<SyncNote> {
    let (a, b) = (old.at(), new.at());
    let mut notes = Vec::new();
    if near == Class::DivergentWarp {
        notes.push(SyncNote::LockstepOnly { site: between(lockstep, old, new) });
        return notes;
    }
    let needed = needed(order, a.block, b.block);
    if let Some((site, scope)) = clues.narrow_wait(a, old.tick, b, needed) {
        return vec![SyncNote::ScopeTooNarrow { site, scope, needed }];
    }
    if let Some(note) = by_mbarrier((old, lanes), (new, me), clues) {
        return vec![note];
    }
    if a.block == b.block
        && let Some(places) = clues.met_apart(a.block, a.warp, b.warp)
    {
        return vec![SyncNote::MetApart { places: places.clone() }];
    }
    // A thread that waits later has only arrived, so far.
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
    if a.block != b.block
        && let Some(arrival) = clues.last_barrier(b).or_else(|| clues.last_barrier(a))
    {
        let site = arrival.site;
        notes.push(match arrival.cluster {
            true => SyncNote::OtherBarrier { site },
            false => SyncNote::OwnBlockOnly { site },
        });
    }
    if notes.is_empty() {
        notes.push(SyncNote::Nothing);
    }
    notes
}
