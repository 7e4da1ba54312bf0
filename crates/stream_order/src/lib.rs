//! Happens-before between streams, events and the host, over any representation of what is known ([`Known`]).
//!
//! A stream is a chain of work. The next work of a stream is ordered after the host's present point, after the
//! stream's earlier work, and by the rule of the legacy default stream: it waits for all blocking streams of its device, and
//! they wait for it (CUDA C++ Programming Guide, "Default Stream"; driver API, "Stream synchronization behavior").
//! Destroyed streams finish their work, and waiting for their device, or work of its legacy stream, waits for them.
//!
//! All host threads count as one thread: their synchronisation is not observed, and without this assumption every
//! hand-over between threads would look like a race.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// A set of work that is ordered before a point, closed under happens-before.
pub trait Known: Clone + Default {
    /// Adds all work of `other`.
    fn join(&mut self, other: &Self);
}

/// The device of a stream, as far as it is known.
pub trait Device: Copy + Eq + Hash {
    /// Returns whether two streams may belong to the same device.
    fn meets(self, other: Self) -> bool;
}

impl Device for u32 {
    fn meets(self, other: u32) -> bool {
        self == other
    }
}

/// An unknown device may be any.
impl Device for Option<i32> {
    fn meets(self, other: Option<i32>) -> bool {
        self == other || self.is_none() || other.is_none()
    }
}

/// The relation of a stream to the legacy default stream of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The legacy default stream itself.
    Legacy,
    /// Streams of `cudaStreamCreate`, and per-thread default streams.
    Blocking,
    /// `cudaStreamNonBlocking`: no implicit order with the legacy stream.
    NonBlocking,
}

/// A stream. `own` is what its user stores of it.
#[derive(Clone, Debug)]
pub struct Line<K, D, X> {
    pub device: D,
    pub kind: Kind,
    /// The work ordered before the end of the stream's last work, that work included.
    pub tail: K,
    pub own: X,
}

/// All streams and the host.
#[derive(Debug)]
pub struct Streams<S, K, D, X> {
    lines: BTreeMap<S, Line<K, D, X>>,
    /// The work of destroyed streams, by device.
    retired: HashMap<D, K>,
    host: K,
}

impl<S, K: Default, D, X> Default for Streams<S, K, D, X> {
    fn default() -> Self {
        Streams { lines: BTreeMap::new(), retired: HashMap::new(), host: K::default() }
    }
}

impl<S: Copy + Ord, K: Known, D: Device, X> Streams<S, K, D, X> {
    /// Adds a stream without work, or replaces one.
    pub fn begin(&mut self, stream: S, device: D, kind: Kind, own: X) {
        self.lines.insert(stream, Line { device, kind, tail: K::default(), own });
    }

    /// Returns a stream, which is added without work if it is new.
    pub fn or_begin(&mut self, stream: S, device: D, kind: Kind, own: X) -> &mut Line<K, D, X> {
        self.lines.entry(stream).or_insert(Line { device, kind, tail: K::default(), own })
    }

    /// Removes a destroyed stream. Submitted work continues.
    pub fn end(&mut self, stream: S) -> Option<Line<K, D, X>> {
        let line = self.lines.remove(&stream)?;
        self.retired.entry(line.device).or_default().join(&line.tail);
        Some(line)
    }

    pub fn get(&self, stream: S) -> Option<&Line<K, D, X>> {
        self.lines.get(&stream)
    }

    pub fn get_mut(&mut self, stream: S) -> Option<&mut Line<K, D, X>> {
        self.lines.get_mut(&stream)
    }

    pub fn keys(&self) -> impl Iterator<Item = S> + '_ {
        self.lines.keys().copied()
    }

    pub fn lines_mut(&mut self) -> impl Iterator<Item = &mut Line<K, D, X>> {
        self.lines.values_mut()
    }

    /// Returns what is ordered before the host's next action.
    pub fn host(&self) -> &K {
        &self.host
    }

    pub fn host_mut(&mut self) -> &mut K {
        &mut self.host
    }

    /// Returns what is ordered before the next work of a stream whose earlier work is `tail`.
    ///
    /// Whether a destroyed stream was blocking is not stored: work of the legacy stream counts as ordered after all of
    /// them, so at worst a race is lost.
    pub fn position(&self, kind: Kind, device: D, tail: Option<&K>) -> K {
        let mut known = self.host.clone();
        if let Some(tail) = tail {
            known.join(tail);
        }
        let other = match kind {
            Kind::NonBlocking => return known,
            Kind::Blocking => Kind::Legacy,
            Kind::Legacy => Kind::Blocking,
        };
        for line in self.lines.values().filter(|line| line.kind == other && line.device.meets(device)) {
            known.join(&line.tail);
        }
        if kind == Kind::Legacy {
            for (_, tail) in self.retired.iter().filter(|(of, _)| of.meets(device)) {
                known.join(tail);
            }
        }
        known
    }

    /// Returns what is ordered before the next work of a stream; before the host's next action, if there is no such stream.
    pub fn next(&self, stream: S) -> K {
        match self.get(stream) {
            Some(line) => self.position(line.kind, line.device, Some(&line.tail)),
            None => self.host.clone(),
        }
    }

    /// Marks a place in a stream, as an event does, and returns the work that is complete when it is reached.
    pub fn mark(&mut self, stream: S) -> K {
        let known = self.next(stream);
        if let Some(line) = self.get_mut(stream) {
            line.tail = known.clone();
        }
        known
    }

    /// Orders later work of a stream after `what`.
    pub fn wait(&mut self, stream: S, what: &K) {
        let mut known = self.next(stream);
        known.join(what);
        if let Some(line) = self.get_mut(stream) {
            line.tail = known;
        }
    }

    /// Returns the devices of all streams, destroyed ones included.
    pub fn devices(&self) -> impl Iterator<Item = D> + '_ {
        self.lines.values().map(|line| line.device).chain(self.retired.keys().copied())
    }

    /// Returns all work of a device.
    pub fn device(&self, device: D) -> K {
        let mut known = self.retired.get(&device).cloned().unwrap_or_default();
        for line in self.lines.values().filter(|line| line.device == device) {
            known.join(&line.tail);
        }
        known
    }

    /// Returns what is known elsewhere than in a stream: to the host, and to the other streams, destroyed ones included.
    pub fn elsewhere(&self, stream: S) -> impl Iterator<Item = &K> {
        let others = self.lines.iter().filter(move |(of, _)| **of != stream).map(|(_, line)| &line.tail);
        others.chain(self.retired.values()).chain([&self.host])
    }

    /// Returns the work of each stream, destroyed ones included, with its device.
    pub fn tails_mut(&mut self) -> impl Iterator<Item = (D, &mut K)> {
        let lines = self.lines.values_mut().map(|line| (line.device, &mut line.tail));
        lines.chain(self.retired.iter_mut().map(|(of, tail)| (*of, tail)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    impl Known for BTreeSet<u32> {
        fn join(&mut self, other: &Self) {
            self.extend(other);
        }
    }

    type World = Streams<u32, BTreeSet<u32>, Option<i32>, ()>;

    const LEGACY: u32 = 0;
    const A: u32 = 1;
    const B: u32 = 2;

    /// Returns the legacy stream of a device, a blocking stream A and a stream B.
    fn world(kind: Kind, device: Option<i32>) -> World {
        let mut world = World::default();
        world.begin(LEGACY, Some(0), Kind::Legacy, ());
        world.begin(A, Some(0), Kind::Blocking, ());
        world.begin(B, device, kind, ());
        world
    }

    /// Submits work and returns what is ordered before it.
    fn submit(world: &mut World, stream: u32, work: u32) -> Vec<u32> {
        let before = world.next(stream);
        world.wait(stream, &BTreeSet::from([work]));
        before.into_iter().collect()
    }

    #[test]
    fn the_legacy_stream_and_blocking_streams_wait_for_each_other() {
        let mut blocking = world(Kind::Blocking, Some(0));
        assert_eq!(submit(&mut blocking, A, 1), []);
        assert_eq!(submit(&mut blocking, B, 2), []);
        assert_eq!(submit(&mut blocking, LEGACY, 3), [1, 2]);
        assert_eq!(submit(&mut blocking, B, 4), [1, 2, 3]);
        let mut apart = world(Kind::NonBlocking, Some(0));
        submit(&mut apart, B, 1);
        assert_eq!(submit(&mut apart, LEGACY, 2), []);
        assert_eq!(submit(&mut apart, B, 3), [1]);
    }

    #[test]
    fn other_devices_do_not_wait_and_unknown_ones_may() {
        let mut other = world(Kind::Blocking, Some(1));
        submit(&mut other, B, 1);
        assert_eq!(submit(&mut other, LEGACY, 2), []);
        let mut unknown = world(Kind::Blocking, None);
        submit(&mut unknown, B, 1);
        assert_eq!(submit(&mut unknown, LEGACY, 2), [1]);
    }

    #[test]
    fn work_of_destroyed_streams_is_waited_for() {
        let mut world = world(Kind::Blocking, Some(0));
        submit(&mut world, B, 1);
        world.end(B);
        assert_eq!(world.device(Some(0)), BTreeSet::from([1]));
        assert_eq!(submit(&mut world, LEGACY, 2), [1]);
    }

    #[test]
    fn what_a_stream_alone_knows_is_known_nowhere_else() {
        let knows = |world: &World, stream, work| world.elsewhere(stream).any(|known| known.contains(&work));
        let mut world = world(Kind::NonBlocking, Some(0));
        submit(&mut world, A, 1);
        submit(&mut world, B, 2);
        assert!(!knows(&world, A, 1) && knows(&world, B, 1) && !knows(&world, B, 2));
        submit(&mut world, LEGACY, 3);
        assert!(knows(&world, A, 1) && !knows(&world, B, 2));
        world.end(B);
        assert!(knows(&world, B, 2));
    }

    #[test]
    fn marks_order_streams_and_the_host() {
        let mut world = world(Kind::NonBlocking, Some(0));
        submit(&mut world, A, 1);
        let mark = world.mark(A);
        world.wait(B, &mark);
        assert_eq!(submit(&mut world, B, 2), [1]);
        world.host_mut().join(&mark);
        world.begin(3, Some(1), Kind::NonBlocking, ());
        assert_eq!(submit(&mut world, 3, 3), [1]);
    }
}
