//! Launches that repeat a launch with checks, and make none of global memory themselves.
//!
//! A proof is about the accesses of one launch. Beside streams that are not ordered with its own, a launch must also leave
//! its accesses of global memory in the table, for launches to come. A repeat need not: a launch of the same kernel in the
//! same stream, with the same geometry and arguments, whose accesses [depend on these alone](super::groups::Groups::are_fixed).
//! The table has its accesses already, made by the earlier launch, the *first* of a run. Nothing may know of the first without
//! knowing of the repeat: no event was recorded in the stream between the two, and neither the host nor another stream
//! is ordered after the first. Then
//!
//! * work that is not ordered with the repeat is not ordered with the first either, so it is compared with the accesses
//!   of the first, whether it comes before the repeat or later;
//! * work that is ordered before the first is ordered before the repeat.
//!
//! So a race with the repeat is a race with the first, of the same instructions and threads. Work of the same stream
//! between the two may have replaced accesses of the first in the table; then the race with that work is found. Work of
//! other streams may have replaced reads of the first by reads, which race with none of what follows in those streams. So
//! the run ends with such work at the same memory ([`super::others`]).
//!
//! Launches check samples of what they access ([`Launches::sample`]). A run has repeats once it has checked several
//! samples, or if the repeat would check the same one again.

use super::launches::Launches;
use std::collections::HashMap;
use std::hash::Hash;

/// Limits how many runs are remembered.
const MOST: usize = 1 << 12;
/// The samples that a run checks at least.
const SAMPLES: u32 = 4;

/// The launches of a run that have made their checks. `P` tells of a launch's place in the order.
#[derive(Debug)]
struct Run<P> {
    first: P,
    /// The last sample, and the number of different ones.
    sample: u32,
    samples: u32,
}

/// The runs of a process, by what their launches have in common.
#[derive(Debug)]
pub struct Repeats<K, P> {
    runs: HashMap<K, Run<P>>,
}

impl<K, P> Default for Repeats<K, P> {
    fn default() -> Self {
        Repeats { runs: HashMap::new() }
    }
}

impl<K: Eq + Hash, P> Repeats<K, P> {
    /// Returns whether the next launch, of so many threads, is a repeat. `is_known` says whether something else than its
    /// stream is ordered after a launch.
    pub fn has(&self, key: &K, threads: u64, launches: &Launches, is_known: impl Fn(&P) -> bool) -> bool {
        self.runs.get(key).is_some_and(|run| {
            let has_all = run.samples >= samples(threads) || run.sample == launches.next_sample();
            has_all && !is_known(&run.first)
        })
    }

    /// Records a launch that makes its checks: the last one of `launches`, at `place`.
    pub fn checked(&mut self, key: K, place: P, launches: &Launches, is_known: impl Fn(&P) -> bool) {
        let sample = launches.sample();
        if let Some(run) = self.runs.get_mut(&key).filter(|run| !is_known(&run.first)) {
            run.samples += u32::from(run.sample != sample);
            run.sample = sample;
            return;
        }
        if self.runs.len() >= MOST {
            self.runs.clear();
        }
        self.runs.insert(key, Run { first: place, sample, samples: 1 });
    }

    /// Forgets runs.
    pub fn retain(&mut self, keep: impl Fn(&K) -> bool) {
        self.runs.retain(|key, _| keep(key));
    }
}

/// Returns the number of samples that together have almost all accesses of a launch with so many threads.
fn samples(threads: u64) -> u32 {
    SAMPLES.max(2 * super::emit::parts(threads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::launches::Before;

    /// Launches of one kernel in two lanes, with the numbers of those that something else is ordered after.
    struct World {
        launches: Launches,
        repeats: Repeats<&'static str, u32>,
        known: u32,
    }

    impl World {
        fn new(lanes: usize) -> World {
            let mut launches = Launches::default();
            (0..lanes).for_each(|_| _ = launches.lane());
            World { launches, repeats: Repeats::default(), known: 0 }
        }

        /// Launches, and returns whether that was a repeat.
        fn launch(&mut self, threads: u64) -> bool {
            let known = self.known;
            let is_known = |place: &u32| *place <= known;
            let is_repeat = self.repeats.has(&"k", threads, &self.launches, is_known);
            let (number, _) = self.launches.next(0, &Before::default());
            if !is_repeat {
                self.repeats.checked("k", number, &self.launches, is_known);
            }
            is_repeat
        }
    }

    #[test]
    fn a_run_begins_anew_where_something_is_ordered_after_its_first_launch() {
        let mut world = World::new(2);
        assert_eq!([(); 3].map(|()| world.launch(32)), [false, true, true]);
        world.known = 1;
        assert_eq!([(); 3].map(|()| world.launch(32)), [false, true, true]);
        world.repeats.retain(|_| false);
        assert!(!world.launch(32));
    }

    #[test]
    fn a_run_checks_several_samples() {
        // With one lane, each launch has a sample of its own.
        let mut alone = World::new(1);
        assert_eq!([(); 6].map(|()| alone.launch(32)), [false, false, false, false, true, true]);
        // A part of 8: 16 samples.
        let mut large = World::new(1);
        assert_eq!((0..40).filter(|_| !large.launch(1 << 19)).count(), 16);
        // With several, 16 in a row have the same.
        let mut beside = World::new(2);
        let checked: Vec<usize> = (1..200).filter(|_| !beside.launch(32)).collect();
        assert_eq!(checked, [1, 16, 32, 48]);
    }
}
