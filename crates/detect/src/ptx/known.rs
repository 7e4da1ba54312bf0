//! Races of pairs of instructions that are known: they are only counted.
//!
//! A program that races in every element of an array has millions of races, but few pairs of instructions. What is
//! shown of a pair is its first race by task, place and address, so of one that comes behind what is shown now nothing is
//! left to say. Each observer remembers where the [`Sink`] counts such races, and up to which rank.

use super::report::{Again, Race, Rank, Sink};
use events::{Class, SiteId};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Pairs that are remembered, at most.
const PAIRS: usize = 64;

/// Where the races of one access were counted, and how many.
pub(super) type Counted = SmallVec<[(Again, u64); 2]>;

/// What one observer knows of the launch's races.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Of the pairs, see [`Sink::taken`].
    taken: u32,
    /// By a hash of the pair; none as long as there are no races.
    pairs: Vec<Option<Pair>>,
    /// The races of one access, unless there was a new one among them.
    heard: Option<Counted>,
}

#[derive(Debug)]
struct Pair {
    key: (SiteId, SiteId, Class),
    again: Again,
    /// The finding that is shown is of this rank, or has come to be of an earlier one.
    shown: Rank,
}

impl Known {
    /// Counts a race, if one like it is known that is shown before it.
    pub(super) fn counts(&mut self, sink: &Sink, race: &Race<'_>, class: Class) -> bool {
        if self.pairs.is_empty() || self.taken != sink.taken() {
            self.taken = sink.taken();
            self.pairs.clear();
            self.pairs.resize_with(PAIRS, || None);
        }
        let key = (race.old.site, race.new.site, class);
        let place = (key.0.0.wrapping_mul(31) ^ key.1.0.wrapping_mul(7) ^ class as u32) as usize % PAIRS;
        let pair = &mut self.pairs[place];
        if !pair.as_ref().is_some_and(|pair| pair.key == key && pair.shown <= race.rank()) {
            let Some((again, shown)) = sink.again(race, class) else { return false };
            *pair = Some(Pair { key, again, shown });
        }
        let Some(Pair { again, .. }) = pair else { return false };
        again.fetch_add(1, Ordering::Relaxed);
        if let Some(heard) = &mut self.heard {
            match heard.iter_mut().find(|(place, _)| Arc::ptr_eq(place, again)) {
                Some((_, count)) => *count += 1,
                None => heard.push((Arc::clone(again), 1)),
            }
        }
        true
    }

    /// A race was found that may be shown.
    pub(super) fn is_new(&mut self) {
        self.heard = None;
    }

    /// From now on races are heard that [`Known::counts`] counts.
    pub(super) fn listen(&mut self) {
        self.heard = Some(Counted::new());
    }

    /// Those since then; none if one of them was new.
    pub(super) fn heard(&mut self) -> Option<Counted> {
        self.heard.take()
    }
}
