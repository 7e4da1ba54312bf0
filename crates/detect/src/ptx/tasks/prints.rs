//! The footprints of tasks in a page.

use super::footprint::{By, Coverage, Run, Runs};
use events::TaskId;
use smallvec::SmallVec;

/// Runs of one task at a page, told of at one time.
#[derive(Debug)]
pub(super) struct Prints {
    pub(super) task: TaskId,
    runs: SmallVec<[Run; 1]>,
    by: By,
    /// A bit for each 64 bytes of the page that any of them is at, and perhaps more.
    places: u64,
    /// That they take, about.
    bytes: u64,
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) struct Print<'a> {
    pub(super) task: TaskId,
    pub(super) run: Run,
    pub(super) by: &'a By,
}

impl Prints {
    pub(super) fn new(task: TaskId, Runs { runs, by }: Runs) -> Self {
        let places = runs.iter().fold(0, |all, run| all | places(run));
        // Their list has room for the most that a page may have.
        let runs = SmallVec::from_slice(&runs);
        let mut prints = Prints { task, runs, by, places, bytes: 0 };
        prints.measure();
        prints
    }

    fn measure(&mut self) {
        let touches: usize = self.runs.iter().map(Run::bytes_of_touches).sum();
        let runs = if self.runs.spilled() { self.runs.capacity() * size_of::<Run>() } else { 0 };
        self.bytes = (size_of::<Prints>() + runs + touches) as u64;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns whether some of these may overlap some of those.
    #[inline]
    pub(super) fn is_near(&self, other: &Prints) -> bool {
        self.places & other.places != 0
    }

    fn each(&self) -> impl Iterator<Item = Print<'_>> {
        self.runs.iter().map(|&run| Print { task: self.task, run, by: &self.by })
    }

    /// Calls `meet` with those of these and of others that conflict, strength aside.
    pub(super) fn meet(&self, others: &Prints, mut meet: impl FnMut(Print<'_>, Print<'_>)) {
        for one in self.each().filter(|one| places(&one.run) & others.places != 0) {
            for other in others.each().filter(|other| one.run.meets(&other.run)) {
                meet(one, other);
            }
        }
    }

    /// Drops what later ones of the same stream stand for.
    pub(super) fn drop_behind(&mut self, later: &Prints, coverage: &mut Option<Coverage>) {
        let before = self.runs.len();
        self.runs.retain(|old| {
            let within = places(old) & !later.places == 0;
            let by_one = || later.runs.len() < 16 && later.runs.iter().any(|run| run.covers(old));
            // Bytes that were copied to a page, of which a kernel reads some: nothing that it did stands for the copy.
            let several = later.runs.len() > 1;
            let may = several && (!old.class.writes() || later.runs.iter().any(|run| run.class.writes()));
            let mut by_all = || coverage.get_or_insert_with(|| Coverage::of(&later.runs)).covers(old);
            !(within && (by_one() || may && by_all()))
        });
        if self.runs.len() < before {
            self.measure();
        }
    }

    /// Drops what is in `from..to`.
    pub(super) fn forget(&mut self, from: u16, to: u16) {
        self.runs = self.runs.iter().flat_map(|run| run.without(from, to)).collect();
        self.measure();
    }
}

/// A bit for each 64 bytes of the page that a run is at.
fn places(run: &Run) -> u64 {
    let (from, to) = (u32::from(run.from) / 64, (u32::from(run.to).max(1) - 1) / 64);
    u64::MAX.checked_shl(from).unwrap_or(0) & u64::MAX >> (63 - to.min(63))
}

/// Returns the bytes that those of a page take.
pub(super) fn room(prints: &[Prints]) -> u64 {
    prints.iter().map(|prints| prints.bytes).sum::<u64>() + 48
}
