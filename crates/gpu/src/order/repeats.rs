//! Launches in streams that are not ordered with all others, which repeat a launch with checks
//! ([`instrument::guard::repeats`]).

use super::{Order, Stream};
use instrument::guard::launches::Before;
use instrument::guard::repeats::Repeats;
use protocol::proofs::AskedLaunch;

/// A launch of a kernel, by the driver's handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Repeated {
    pub(crate) function: usize,
    pub(crate) launch: AskedLaunch,
}

/// A launch's place in the order: its lane and its number there.
#[derive(Clone, Copy, Debug)]
struct Place {
    lane: usize,
    number: u32,
}

#[derive(Debug, Default)]
pub(super) struct Runs {
    all: Repeats<(Stream, Repeated), Place>,
    /// The launches that are ordered before an event.
    marked: Before,
}

impl Order {
    /// Returns whether the next launch of a stream repeats one that has made its checks of global memory.
    pub(crate) fn is_repeat(&self, stream: Stream, repeated: &Repeated) -> bool {
        let AskedLaunch { grid, block, .. } = repeated.launch;
        let threads = grid.iter().chain(&block).map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
        let is_own = |place: &Place| self.knows_own(stream, *place) && !self.is_known(stream, *place);
        self.repeats.all.has(&(stream, repeated.clone()), threads, &self.launches, |place| !is_own(place))
    }

    /// Records that the last launch of a stream makes its checks of global memory.
    pub(crate) fn checked(&mut self, stream: Stream, repeated: Repeated) {
        let last = self.streams.get(stream).and_then(|line| line.own.chain.last());
        let Some((lane, number)) = last else { return };
        let mut all = std::mem::take(&mut self.repeats.all);
        all.checked((stream, repeated), Place { lane, number }, &self.launches, |place| {
            self.is_known(stream, *place)
        });
        self.repeats.all = all;
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
    fn is_known(&self, stream: Stream, Place { lane, number }: Place) -> bool {
        let knows =
            |before: &Before| before.all || !before.within.is_empty() || before.numbers[lane] >= number;
        knows(&self.repeats.marked) || self.streams.elsewhere(stream).any(knows)
    }
}
