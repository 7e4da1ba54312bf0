//! Launches in streams that are not ordered with all others, which repeat a launch with checks
//! ([`instrument::guard::repeats`]).

use super::{Order, Stream};
use instrument::guard::launches::Before;
use instrument::guard::others::Others;
use instrument::guard::repeats::Repeats;
use protocol::proofs::AskedLaunch;

/// A launch of a kernel, by the driver's handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Repeated {
    pub(crate) function: usize,
    pub(crate) launch: AskedLaunch,
}

impl Repeated {
    /// Returns the allocations to which its arguments lead.
    pub(crate) fn memory(&self) -> Vec<u64> {
        self.launch.memory.iter().map(|(base, _)| *base).collect()
    }
}

/// A launch's place in the order: its lane, its number there, and its time among all work.
#[derive(Clone, Copy, Debug)]
struct Place {
    lane: usize,
    number: u32,
    at: u64,
}

#[derive(Debug, Default)]
pub(super) struct Runs {
    all: Repeats<(Stream, Repeated), Place>,
    /// The launches that are ordered before an event.
    marked: Before,
    /// The work of each stream that leaves accesses in the table, and the time of the last such work.
    others: Others<Stream>,
    now: u64,
}

impl Order {
    /// Returns whether the next launch of a stream repeats one that has made its checks of global memory.
    pub(crate) fn is_repeat(&self, stream: Stream, repeated: &Repeated) -> bool {
        let AskedLaunch { grid, block, .. } = repeated.launch;
        let threads = grid.iter().chain(&block).map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
        let memory = repeated.memory();
        let is_own = |place: &Place| self.knows_own(stream, *place) && !self.is_over(stream, &memory, *place);
        self.repeats.all.has(&(stream, repeated.clone()), threads, &self.launches, |place| !is_own(place))
    }

    /// Records that the last launch of a stream makes its checks of global memory.
    pub(crate) fn checked(&mut self, stream: Stream, repeated: Repeated) {
        let last = self.streams.get(stream).and_then(|line| line.own.chain.last());
        let Some((lane, number)) = last else { return };
        let (memory, place) = (repeated.memory(), Place { lane, number, at: self.repeats.now });
        let mut all = std::mem::take(&mut self.repeats.all);
        all.checked((stream, repeated), place, &self.launches, |first| self.is_over(stream, &memory, *first));
        self.repeats.all = all;
    }

    /// Records that work of a stream leaves accesses in the table: of these allocations, or of any memory.
    pub(crate) fn leaves(&mut self, stream: Stream, memory: Option<&[u64]>) {
        self.repeats.now += 1;
        self.repeats.others.came(stream, self.repeats.now, memory);
    }

    /// Returns whether the run of a launch is over whose first launch has this place: something else is ordered after that,
    /// or other streams have had work at these allocations since.
    fn is_over(&self, stream: Stream, memory: &[u64], first: Place) -> bool {
        self.is_known(stream, first) || self.repeats.others.are_at(memory, stream, first.at)
    }

    /// Forgets a handle, which the driver has given to another kernel.
    pub(crate) fn forget_kernel(&mut self, handle: usize) {
        self.repeats.all.retain(|(_, repeated)| repeated.function != handle);
    }

    /// Records what is ordered before an event.
    pub(super) fn marked(&mut self, before: &Before) {
        let all = if before.all { self.launches.so_far() } else { *before };
        self.repeats.marked.join(&Before { numbers: all.numbers, ..Before::default() });
    }

    /// Returns whether a stream has a launch: another one may have got its handle.
    fn knows_own(&self, stream: Stream, place: Place) -> bool {
        self.streams.get(stream).is_some_and(|line| line.tail.numbers[place.lane] >= place.number)
    }

    /// Returns whether something else than its stream is, or may be, ordered after a launch.
    fn is_known(&self, stream: Stream, Place { lane, number, .. }: Place) -> bool {
        let knows =
            |before: &Before| before.all || !before.within.is_empty() || before.numbers[lane] >= number;
        knows(&self.repeats.marked) || self.streams.elsewhere(stream).any(knows)
    }
}
