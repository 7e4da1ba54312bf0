//! Races of pairs of instructions that are known: they are only counted.
//!
//! A program that races in every element of an array has millions of races, but few pairs of instructions. What is
//! shown of a pair is its first race by task, place and address, so of one that comes behind what is shown now nothing is
//! left to say. Each observer remembers where the [`Sink`] counts such races, and up to which rank.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::thread::Who;
use crate::ptx::report::sink::{Again, Race, Rank, Sink};
use events::finding::Apart;
use events::{Class, Level, SiteId};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Pairs that are remembered, at most.
const PAIRS: usize = 64;

/// Where the races of one access were counted, and how many.
pub(crate) type Counted = SmallVec<[(Again, u64); 2]>;

/// The races of the launch that one observer knows.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The count of [`Sink::taken`] at which the pairs were recorded.
    taken: u32,
    /// Pairs, indexed by a hash; none as long as there are no races.
    pairs: Vec<Option<Pair>>,
    /// The races of one access, unless there was a new one among them.
    heard: Option<Counted>,
}

#[derive(Debug)]
struct Pair {
    key: (SiteId, SiteId, Class, Level, (Apart, bool)),
    again: Again,
    /// The finding that is shown is of this rank, or has come to be of an earlier one.
    shown: Rank,
}

/// The last race that one access was found to have, and how many behind it are like that one: they are counted together.
///
/// Where blocks race in a word, each access races with all that are kept there, which are of one instruction mostly.
#[derive(Debug)]
pub(crate) struct Alike {
    place: usize,
    old: (SiteId, AccessClass, Bytes),
    other: Who,
    me: Who,
    more: u64,
}

impl Alike {
    /// Begins with a race that [`Known::counts`] has counted at `place`.
    pub(crate) fn new(place: usize, old: &Entry, other: Who, me: Who) -> Alike {
        Alike { place, old: (old.site, old.class, old.bytes), other, me, more: 0 }
    }

    /// Counts the next race of the same access, if it is as the last one in all that it is told by, and would be shown
    /// behind it: the earlier access is of a later thread, and both are of blocks before the new one's.
    #[inline]
    pub(crate) fn goes_on(&mut self, old: &Entry, other: Who, me: Who) -> bool {
        let alike = self.old == (old.site, old.class, old.bytes) && self.me == me;
        let behind = self.other <= other && self.other.block < me.block && other.block < me.block;
        if alike && behind {
            (self.other, self.more) = (other, self.more + 1);
        }
        alike && behind
    }
}

impl Known {
    /// Counts what is like the last race.
    pub(crate) fn settle(&mut self, last: Option<Alike>) {
        if let Some(Alike { place, more: more @ 1.., .. }) = last {
            self.more(place, more);
        }
    }

    /// Counts a race, if one like it is known that is shown before it. Tells where, for [`Known::more`].
    pub(crate) fn counts(&mut self, sink: &Sink, race: &Race<'_>, class: Class) -> Option<usize> {
        if self.pairs.is_empty() || self.taken != sink.taken() {
            self.taken = sink.taken();
            self.pairs.clear();
            self.pairs.resize_with(PAIRS, || None);
        }
        let key = (race.old.site, race.new.site, class, race.level, race.remedy(class));
        let place = (key.0.0.wrapping_mul(31) ^ key.1.0.wrapping_mul(7) ^ class as u32 ^ race.level as u32)
            as usize
            % PAIRS;
        let pair = &mut self.pairs[place];
        if !pair.as_ref().is_some_and(|pair| pair.key == key && pair.shown <= race.rank()) {
            let (again, shown) = sink.again(race, class)?;
            *pair = Some(Pair { key, again, shown });
        }
        self.more(place, 1);
        Some(place)
    }

    /// Counts so many races as the last one that was counted.
    pub(crate) fn more(&mut self, place: usize, times: u64) {
        let Some(Some(Pair { again, .. })) = self.pairs.get(place) else { return };
        again.fetch_add(times, Ordering::Relaxed);
        if let Some(heard) = &mut self.heard {
            match heard.iter_mut().find(|(place, _)| Arc::ptr_eq(place, again)) {
                Some((_, count)) => *count += times,
                None => heard.push((Arc::clone(again), times)),
            }
        }
    }

    /// A race was found that may be shown.
    pub(crate) fn is_new(&mut self) {
        self.heard = None;
    }

    /// From now on races are heard that [`Known::counts`] counts.
    pub(crate) fn listen(&mut self) {
        self.heard = Some(Counted::new());
    }

    /// Those since then; none if one of them was new.
    pub(crate) fn heard(&mut self) -> Option<Counted> {
        self.heard.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::report::classify::of_plain;
    use events::{AccessKind, Space, Strength, TaskId};

    /// A race that goes on from another is of its pair and class, and is shown behind it.
    #[test]
    fn what_goes_on_is_counted_with_the_race_before() {
        let (mut on, mut random) = (0, crate::random::below(1));
        for _ in 0..20_000 {
            let mut entry = || {
                let kind = [AccessKind::Read, AccessKind::Write][random(2) as usize];
                let strength = [Strength::Weak, Strength::Volatile][random(2) as usize];
                Entry {
                    block: random(4) as u32,
                    tick: 1 + random(3) as u32,
                    lanes: 1 << random(3),
                    site: SiteId(random(2) as u32),
                    warp: random(3) as u16,
                    bytes: [0xf, 0xf0][random(2) as usize],
                    class: AccessClass::with(kind, strength),
                    chain: 0,
                    place: 0,
                }
            };
            let (one, two, new) = (entry(), entry(), entry());
            let me = new.who(new.lanes);
            if !Alike::new(0, &one, one.who(one.lanes), me).goes_on(&two, two.who(two.lanes), me) {
                continue;
            }
            on += 1;
            assert_eq!((one.site, one.class), (two.site, two.class));
            assert_eq!(of_plain(&one, &new, Space::Global), of_plain(&two, &new, Space::Global));
            for either_first in [false, true] {
                let rank = |old: &Entry| {
                    let (task, space, lanes) = (TaskId(1), Space::Global, old.lanes);
                    let (level, ops) = (Level::Race, [0; 2]);
                    Race { task, space, cell: 64, old, lanes, new: &new, me, either_first, ops, level }.rank()
                };
                assert!(rank(&one) <= rank(&two), "{one:?} {two:?} {new:?}");
            }
        }
        assert!(on > 100, "{on}");
    }
}
