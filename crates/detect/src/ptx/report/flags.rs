//! Flags between two accesses: what is missing for a flag, or a chain of them, to order the accesses.

use crate::ptx::access::entry::Entry;
use crate::ptx::clues::{self, Clues};
use crate::ptx::order::context::Context;
use clocks::compressed::WarpIndex;
use events::{Class, Scope, SiteId, SyncNote};

/// The narrowest scope that includes both blocks.
pub(super) fn needed(order: &impl Context, a: u32, b: u32) -> Scope {
    [Scope::Cta, Scope::Cluster].into_iter().find(|&s| order.includes(s, a, b)).unwrap_or(Scope::Gpu)
}

/// If the second thread could tell by flags that the first had been there: why that did not order them.
pub(super) fn flags(
    old: &Entry,
    new: &Entry,
    order: &impl Context,
    clues: &Clues,
) -> Option<(Class, Vec<SyncNote>)> {
    let way = clues.way(old.at(), new.at())?;
    flags_of(&way, old, new, order, clues)
}

/// The same by one way.
pub(super) fn flags_of(
    way: &[clues::Step],
    old: &Entry,
    new: &Entry,
    order: &impl Context,
    clues: &Clues,
) -> Option<(Class, Vec<SyncNote>)> {
    let from = old.at();
    let meant = |clues::Step { to, flag, .. }: &clues::Step| {
        !flag.in_passing || !flag.releases.is_empty() || clues.acquired(*to, 0).is_some()
    };
    // A ticket, too, if it is drawn after the first access, and before the second one by its thread.
    if !way.iter().any(meant) && !is_between(way, old, new) {
        return None;
    }
    let (mut notes, mut narrow) = (Vec::new(), Vec::new());
    // One read-modify-write that observes a flag and sets it on carries what the flag carried, without fences.
    let carried = |i: usize| way.get(i + 1).is_some_and(|next| way[i].flag.read == next.flag.write);
    for (i, clues::Step { from: setter, to, flag }) in way.iter().enumerate() {
        let (needed, own) = (needed(order, setter.block, to.block), i == 0 && *setter == from);
        if own && set_before(flag, old) {
            return Some((Class::MissingFence, vec![SyncNote::SetTooEarly { flag: flag.write }]));
        }
        // A third thread must have read before what it passes on. A mate that set the flag must have met the first side's thread
        // before, and released behind that.
        let since = match way[..i].last() {
            Some(before) => before.flag.when,
            None if own || setter.block != from.block => 0,
            None => match clues.met(from, old.tick, *setter, flag) {
                Some(met) => met,
                None => return Some((Class::MissingBarrier, vec![set_by_another(way, from)])),
            },
        };
        let covers = |release: &&clues::Ordering| release.when >= since && (!own || release.tick >= old.tick);
        let releases: Vec<clues::Ordering> = flag.releases.iter().filter(covers).copied().collect();
        match clues::widest(&releases) {
            _ if i > 0 && carried(i - 1) => {}
            None if i > 0 => {
                notes.push(SyncNote::NotPassedOn { read: way[i - 1].flag.read, write: flag.write });
            }
            None => notes.push(not_released(flag, !own && setter.block == from.block)),
            Some(release) => narrow.extend(too_narrow(&release, needed)),
        }
        match clues.acquired(*to, flag.when) {
            _ if carried(i) => {}
            None => notes.push(not_acquired(flag.read, way.get(i + 1))),
            Some(acquire) => narrow.extend(too_narrow(&acquire, needed)),
        }
        add_narrow_flag(&mut narrow, flag, needed);
        // A chain is acquired, or not, where the chain ends.
        if !notes.is_empty() && !carried(i) {
            return Some((Class::MissingFence, without_early_release(notes)));
        }
    }
    if !narrow.is_empty() {
        narrow.truncate(2);
        return Some((Class::FenceScope, narrow));
    }
    Some(unpassed(way, from, carried, || released_before_meeting(clues, way, from, old.tick)))
}

/// Leaves out that a release came too early where something else is missing, too: the order of two `fence.sc` operations may make up
/// for the release, but not for that.
fn without_early_release(mut notes: Vec<SyncNote>) -> Vec<SyncNote> {
    if notes.len() > 1 {
        notes.retain(|note| !matches!(note, SyncNote::ReleasedTooEarly { .. }));
    }
    notes
}

/// Returns a note for a flag that its thread, or a `mate` of it, has set without a release behind what it knows.
fn not_released(flag: &clues::Flag, mate: bool) -> SyncNote {
    match mate && !flag.releases.is_empty() {
        true => SyncNote::ReleasedTooEarly { flag: flag.write },
        false => SyncNote::NoRelease { flag: Some(flag.write) },
    }
}

/// Returns a note for a flag that a thread has read without an acquire, before it set the `next` flag, if there is one.
fn not_acquired(read: SiteId, next: Option<&clues::Step>) -> SyncNote {
    match next {
        Some(next) => SyncNote::NotPassedOn { read, write: next.flag.write },
        None => SyncNote::NoAcquire { flag: Some(read) },
    }
}

/// Names what is missing where all fences and operations are there and reach far enough, but not in the order that counts: a
/// thread between did not hand on what it had got.
fn unpassed(
    way: &[clues::Step],
    from: WarpIndex,
    carried: impl Fn(usize) -> bool,
    released_too_early: impl Fn() -> bool,
) -> (Class, Vec<SyncNote>) {
    match (1..way.len()).find(|i| !carried(i - 1)) {
        Some(i) => {
            let note = SyncNote::NotPassedOn { read: way[i - 1].flag.read, write: way[i].flag.write };
            (Class::MissingFence, vec![note])
        }
        None if released_too_early() => {
            (Class::MissingFence, vec![SyncNote::ReleasedTooEarly { flag: way[0].flag.write }])
        }
        None => (Class::MissingBarrier, vec![set_by_another(way, from)]),
    }
}

/// Adds a note for each access of a flag whose scope is too narrow: a flag reaches as far as the access that sets it and the one
/// that reads it (PTX §8.7).
fn add_narrow_flag(narrow: &mut Vec<SyncNote>, flag: &clues::Flag, needed: Scope) {
    for (site, scope) in [flag.write, flag.read].into_iter().zip(flag.scopes) {
        let named = |n: &SyncNote| matches!(n, SyncNote::ScopeTooNarrow { site: s, .. } if *s == site);
        if scope < needed && !narrow.iter().any(named) {
            narrow.push(SyncNote::ScopeTooNarrow { site, scope, needed });
        }
    }
}

/// Returns a note if a fence or an operation does not reach as far as needed.
fn too_narrow(order: &clues::Ordering, needed: Scope) -> Option<SyncNote> {
    let clues::Ordering { site, scope, .. } = *order;
    (scope < needed).then_some(SyncNote::ScopeTooNarrow { site, scope, needed })
}

/// Returns whether a mate of the first side's thread set the flag after both had met at a barrier, and released only what
/// it knew before they met.
fn released_before_meeting(clues: &Clues, way: &[clues::Step], from: WarpIndex, tick: u32) -> bool {
    let [clues::Step { from: setter, flag, .. }, ..] = way else { return false };
    let met = || clues.met(from, tick, *setter, flag);
    *setter == from && met().is_some_and(|met| flag.releases.iter().all(|release| release.when < met))
}

/// Returns the note that another thread of the warp, or of the block, has set the flag.
pub(super) fn set_by_another(way: &[clues::Step], from: WarpIndex) -> SyncNote {
    let [clues::Step { from: by, flag, .. }, ..] = way else { return SyncNote::Nothing };
    let read = way.last().map(|last| last.flag.read);
    SyncNote::SetByAnother { flag: flag.write, read, mates: *by == from }
}

/// Returns whether the thread of an access set the flag before it made the access. Within a tick the order of
/// the text decides, outside of loops: that is all that is kept of accesses.
pub(super) fn set_before(flag: &clues::Flag, access: &Entry) -> bool {
    flag.tick < access.tick || (flag.tick == access.tick && !flag.again && flag.write < access.site)
}

/// Returns whether flags are set behind the first access and read before the second one, in the order of the text: that is all
/// that is kept of accesses.
pub(super) fn is_between(way: &[clues::Step], old: &Entry, new: &Entry) -> bool {
    let (first, last) = (way.first(), way.last());
    first.is_some_and(|w| old.site < w.flag.write) && last.is_some_and(|w| w.flag.read < new.site)
}
